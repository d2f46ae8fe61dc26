"""The wizard's window: the steps, the page, what went wrong, and the way on."""

from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal, Slot
from PySide6.QtGui import QCloseEvent, QDesktopServices, QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.looks.theme import Theme
from app.views.fitting import resize_within
from app.wizard.chat_page import ChatPage
from app.wizard.control import WizardControl
from app.wizard.folder_page import FolderPage
from app.wizard.looks import sheet
from app.wizard.model_page import ModelPage
from app.wizard.options_page import OptionsPage
from app.wizard.page import PageView
from app.wizard.progress_page import ProgressPage
from app.wizard.remedies import Remedy
from app.wizard.state import Page
from app.wizard.trouble import Trouble
from app.wizard.words import tr

SIZE, LEAST = (860, 640), (700, 520)


class Wizard(QDialog):
    """Closing it hides it: it comes back where it was."""

    start_asked = Signal(object)  # a container to open and chat with
    open_asked = Signal(str)  # a container or checkpoint to open as a folder
    starter_asked = Signal()
    starter_cancelled = Signal()

    def __init__(self, control: WizardControl, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.control = control
        self.setWindowTitle(tr("Get a model"))
        self.setMinimumSize(*LEAST)
        resize_within(self, *SIZE)
        self.folder, self.model = FolderPage(control, theme, self), ModelPage(control, theme, self)
        self.options, self.progress = OptionsPage(control, theme, self), ProgressPage(control, theme, self)
        self.chat = ChatPage(control, theme, self)
        self.pages: tuple[PageView, ...] = (self.folder, self.model, self.options, self.progress, self.chat)
        self.stack = QStackedWidget(self)
        for page in self.pages:
            self.stack.addWidget(page)
        self.steps = [QLabel(text, self) for text in self._step_names]
        self.trouble = Trouble(self)
        self.close_button, self.back, self.next = (self._button(t) for t in (tr("Close"), tr("Back"), tr("Next")))
        self.next.setProperty("primary", True)
        self._lay_out()
        self._connect()
        self.set_theme(theme)
        self.fit_fonts()
        self._page: Page | None = None
        self.render_state()

    def _button(self, text: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setAccessibleName(text)
        button.setAutoDefault(False)
        return button

    def _lay_out(self) -> None:
        self._strip = steps = QFrame(self)
        steps.setObjectName("steps")
        row = QHBoxLayout(steps)
        row.setContentsMargins(24, 10, 24, 6)
        row.setSpacing(22)
        for label in self.steps:
            label.setObjectName("step")
            row.addWidget(label)
        row.addStretch(1)
        foot = QFrame(self)
        foot.setObjectName("foot")
        below = QHBoxLayout(foot)
        below.setContentsMargins(24, 12, 24, 12)
        below.setSpacing(8)
        below.addWidget(self.close_button)
        below.addStretch(1)
        below.addWidget(self.back)
        below.addWidget(self.next)
        around = QVBoxLayout()
        around.setContentsMargins(24, 0, 24, 12)
        around.addWidget(self.trouble)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(steps)
        column.addWidget(self.stack, 1)
        column.addLayout(around)
        column.addWidget(foot)

    def _connect(self) -> None:
        control = self.control
        control.changed.connect(self.render_state)
        control.volumes_changed.connect(self._show_buttons)
        control.pulls.changed.connect(self._show_buttons)
        for page in self.pages:
            page.next_asked.connect(self._on_next)
        self.next.clicked.connect(self._on_next)
        self.back.clicked.connect(self._on_back)
        self.close_button.clicked.connect(self.close)
        self.trouble.asked.connect(self.remedy)
        self.model.link_asked.connect(self.ask_link)
        self.options.link_asked.connect(self.ask_link)
        self.model.starter_asked.connect(self.starter_asked)
        self.options.open_asked.connect(self.open_asked)
        self.progress.asked.connect(self._on_card)
        self.chat.start_asked.connect(self.start_asked)

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self.setStyleSheet(sheet(theme))
        for page in self.pages:
            page.set_theme(theme)

    def fit_fonts(self) -> None:
        """Follow the application's text size."""
        for page in self.pages:
            page.fit_fonts()
        self._fit_steps()

    def open(self) -> None:
        """Show it where it was."""
        self.control.resume()
        self.show()
        self.raise_()
        self.activateWindow()
        self._start_page()

    @property
    def page(self) -> PageView:
        """The page that is shown."""
        return self.pages[self.control.place.page]

    @Slot()
    def render_state(self) -> None:
        """Show what the control knows."""
        page = self.control.place.page
        for at, label in enumerate(self.steps):
            label.setText(f"{at + 1}  {self._step_names[at]}")
            if label.property("now") != (at == page):
                label.setProperty("now", at == page)
                label.style().unpolish(label)
                label.style().polish(label)
        self.page.render_state()
        self.stack.setCurrentWidget(self.page)
        self.trouble.show_error(self.control.state.problem)
        self._show_buttons()
        self._fit_steps()
        if page is not self._page:
            self._page = page
            self.setAccessibleDescription(tr("Step {0} of {1}: {2}").format(page + 1, len(self.pages), self._step_names[page]))
            if self.isVisible():
                self._start_page()

    def _fit_steps(self) -> None:
        """Never narrower than the names of the steps."""
        layout = self._strip.layout()
        if layout is not None:
            self.setMinimumWidth(max(LEAST[0], layout.totalMinimumSize().width()))

    def _start_page(self) -> None:
        self.page.start()
        if self.page is self.chat:
            self.next.setFocus()

    @property
    def _step_names(self) -> tuple[str, ...]:
        return tr("Folder"), tr("Model"), tr("Options"), tr("Download"), tr("First chat")

    @Slot()
    def _show_buttons(self) -> None:
        page = self.control.place.page
        self.back.setVisible(page is not Page.FOLDER)
        self.back.setText(tr("Another model") if page in (Page.PROGRESS, Page.CHAT) else tr("Back"))
        self.back.setAccessibleName(self.back.text())
        self.next.setText(self.page.next_label())
        self.next.setAccessibleName(self.next.text())
        self.next.setEnabled(self.page.can_next())

    @Slot()
    def _on_next(self) -> None:
        if self.page.can_next() and self._insists(self.page.doubt()):
            self.page.go_on()

    def _insists(self, doubt: str) -> bool:
        question = tr("{0}\n\nGo on all the same?").format(doubt)
        return not doubt or QMessageBox.question(self, tr("This model does not run here"), question) == QMessageBox.StandardButton.Yes

    @Slot()
    def _on_back(self) -> None:
        page = self.control.place.page
        self.control.go(Page.MODEL if page in (Page.PROGRESS, Page.CHAT) else Page(page - 1))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Return goes on, unless a field or a button takes it; Escape closes."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            focused = self.focusWidget()
            if isinstance(focused, QPushButton):
                focused.click()
            elif isinstance(focused, QLineEdit) and focused is self.options.token.field:
                pass
            else:
                self._on_next()
            event.accept()
            return
        super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        """Hide; nothing ends."""
        event.ignore()
        self.hide()

    def reject(self) -> None:
        """Escape hides it too."""
        self.hide()

    # What buttons do

    @Slot(object)
    def remedy(self, what: Remedy) -> None:
        """Do something about an error of the page."""
        control, page = self.control, self.control.place.page
        match what:
            case Remedy.RETRY:
                control.forgive()
                if page is Page.OPTIONS:
                    control.look_up()
                elif page is Page.MODEL and control.place.is_starter and control.state.survey is not None:
                    self.starter_asked.emit()
                else:
                    control.survey(again=True)
            case Remedy.FOLDER:
                control.forgive()
                control.go(Page.FOLDER)
                self.folder.ask_folder()
            case Remedy.SPACE:
                self._show_folder(control.place.folder)
            case Remedy.TOKEN:
                control.go(Page.OPTIONS)
                self.options.token.field.setFocus()
            case Remedy.LICENCE:
                self.ask_link(self.repository_page(control.place.source))
            case Remedy.MODEL:
                control.forgive()
                control.go(Page.MODEL)
            case Remedy.DISCARD:
                control.forgive()
                self._ask_discard(control.state.target)
            case Remedy.NAME:
                control.forgive()
                self.options.ask_name()

    @Slot(object, object)
    def _on_card(self, what: object, target: Path) -> None:
        pulls = self.control.pulls
        item = pulls.item(target)
        if item is None:
            if what == "discard":
                self.starter_cancelled.emit()
            return
        match what:
            case "pause":
                pulls.pause(target)
            case "resume" | Remedy.RETRY:
                pulls.resume(target)
            case "discard":
                self._ask_discard(target)
            case "start":
                self.start_asked.emit(target)
            case Remedy.SPACE:
                self._show_folder(target.parent)
            case Remedy.LICENCE:
                self.ask_link(self.repository_page(item.request.source))
            case Remedy.TOKEN | Remedy.FOLDER | Remedy.NAME | Remedy.MODEL:
                self._take_up(what, item.request.source)

    def _take_up(self, what: Remedy, source: str) -> None:
        """Go back to where something of a pull can be chosen anew."""
        control = self.control
        if "/" in source and not Path(source).is_absolute():
            offered = control.state.survey is not None and any(o.repo == source for o in control.state.survey.offers)
            control.change(**({"tab": "catalogue", "picked": source} if offered else {"tab": "repository", "repository": source}))
        else:
            control.change(tab="file", file=source)
        page = {Remedy.FOLDER: Page.FOLDER, Remedy.MODEL: Page.MODEL}.get(what, Page.OPTIONS)
        control.go(page)
        if what is Remedy.TOKEN:
            self.options.ask_token()
        elif what is Remedy.NAME:
            self.options.ask_name()

    def _ask_discard(self, target: Path) -> None:
        question = tr("Discard {0}? What was fetched of it is removed.").format(target.name)
        if QMessageBox.question(self, tr("Discard"), question) == QMessageBox.StandardButton.Yes:
            self.control.pulls.discard(target)

    def _show_folder(self, folder: Path) -> None:
        there = next((p for p in (folder, *folder.parents) if p.is_dir()), folder)
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(there)))

    def repository_page(self, source: str) -> QUrl:
        """A repository's page on its hub."""
        return QUrl(f"{self.control.hub}/{source}")

    @Slot(QUrl)
    def ask_link(self, target: QUrl) -> None:
        """Open a web page after asking."""
        question = tr("Open this page in the browser?")
        if QMessageBox.question(self, tr("Open page"), f"{question}\n\n{target.toString()}") == QMessageBox.StandardButton.Yes:
            QDesktopServices.openUrl(target)
