"""Page 2: which model: one of the catalogue, any repository, or what is on this computer already."""

from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QFileDialog,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from app.looks.theme import Theme
from app.views.parts import Progress
from app.wizard.catalogue_view import rows
from app.wizard.control import WizardControl
from app.wizard.details import DetailsView
from app.wizard.page import PageView, plain
from app.wizard.rows import Rows
from app.wizard.state import TABS, Page
from app.wizard.words import doubt, tr
from engine.setup.network import ENDPOINT


class ModelPage(PageView):
    """link_asked: a web page is to be opened; starter_asked: the starter model is to be made."""

    link_asked = Signal(QUrl)
    starter_asked = Signal()

    def __init__(self, control: WizardControl, theme: Theme, parent: QWidget | None = None) -> None:
        about = tr("What runs well on this computer comes first. Nothing is fetched before you say so.")
        super().__init__(control, theme, tr("Which model?"), about, parent)
        self.tabs = QTabBar(self)
        self.tabs.setAccessibleName(tr("Where the model comes from"))
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        for text in (tr("Catalogue"), tr("Any repository"), tr("On this computer")):
            self.tabs.addTab(text)
        self.stack = QStackedWidget(self)
        self.rows = Rows(tr("Models"), theme, self)
        self.details = DetailsView(self)
        self.progress = Progress(tr("Test of this computer"), self)
        self.measuring = QLabel(tr("Measuring the drive and the memory of this computer…"), self)
        self.measuring.setObjectName("dim")
        self.repository = self._line(tr("Repository"), tr("owner/name"))
        self.revision = self._line(tr("Revision"), tr("main branch"))
        self.endpoint = self._line(tr("Hub"), ENDPOINT)
        self.file = self._line(tr("Folder or file"), tr("a model's folder, a .gguf file or NAME.ouzel"))
        self.choose_folder = self._button(tr("Choose a folder…"))
        self.choose_file = self._button(tr("Choose a file…"))
        for widget in (self._catalogue(), self._repository(), self._file()):
            self.stack.addWidget(widget)
        self.body.addWidget(self.tabs)
        self.body.addWidget(self.stack, 1)
        self.tabs.currentChanged.connect(self._on_tab)
        self.rows.picked.connect(lambda key: control.change(picked=key))
        self.rows.opened.connect(lambda _key: self.next_asked.emit())
        self.details.link_asked.connect(self.link_asked)
        for field, name in ((self.repository, "repository"), (self.revision, "revision"), (self.file, "file")):
            field.textEdited.connect(lambda text, n=name: control.change(**{n: text.strip()}))
        self.endpoint.editingFinished.connect(lambda: control.set_hub(self.endpoint.text()))
        self.choose_folder.clicked.connect(self.ask_folder)
        self.choose_file.clicked.connect(self.ask_file)

    def _line(self, name: str, hint: str) -> QLineEdit:
        field = QLineEdit(self)
        field.setAccessibleName(name)
        field.setPlaceholderText(hint)
        return field

    def _button(self, text: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setAccessibleName(text)
        button.setAutoDefault(False)
        return button

    def _catalogue(self) -> QWidget:
        page = QWidget(self)
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(self.rows, 5)
        row.addWidget(self.details, 4)
        test = QHBoxLayout()
        test.addWidget(self.measuring)
        test.addWidget(self.progress, 1)
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(test)
        column.addLayout(row, 1)
        return page

    def _form(self, explanation: str) -> tuple[QWidget, QFormLayout]:
        page = QFrame(self)
        form = QFormLayout(page)
        form.setContentsMargins(0, 4, 0, 0)
        form.setVerticalSpacing(10)
        form.setHorizontalSpacing(16)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        form.addRow(plain(QLabel(explanation, page), "dim"))
        return page, form

    def _repository(self) -> QWidget:
        page, form = self._form(
            tr("The name of a model as its page on the hub has it. The next page says what it needs and how fast it is on this computer.")
        )
        form.addRow(tr("Repository"), self.repository)
        form.addRow(tr("Revision"), self.revision)
        form.addRow(tr("Hub"), self.endpoint)
        return page

    def _file(self) -> QWidget:
        page, form = self._form(
            tr("A GGUF file, a folder with a published model (config.json and safetensors files), or a folder NAME.ouzel made before.")
        )
        form.addRow(tr("Folder or file"), self.file)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.choose_folder)
        buttons.addWidget(self.choose_file)
        buttons.addStretch(1)
        form.addRow("", buttons)
        return page

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        super().set_theme(theme)
        self.rows.set_theme(theme)

    def start(self) -> None:
        """Begin where a person acts first."""
        (self.rows, self.repository, self.file)[self.stack.currentIndex()].setFocus()

    @Slot()
    def render_state(self) -> None:
        """Show what the control knows."""
        s, p = self.control.state, self.control.place
        at = TABS.index(p.tab)
        self.tabs.blockSignals(True)
        self.tabs.setCurrentIndex(at)
        self.tabs.blockSignals(False)
        self.stack.setCurrentIndex(at)
        shown = () if s.surveying else rows(s.survey)
        self.rows.show_rows(shown, p.picked)
        self.details.show_details(p.picked, s.survey)
        self.measuring.setVisible(bool(s.surveying))
        self.progress.show_fraction((s.fraction if s.fraction > 0 else -1.0) if s.surveying else None)
        for field, text in (
            (self.repository, p.repository), (self.revision, p.revision), (self.file, p.file), (self.endpoint, self.control.hub)
        ):  # fmt: skip
            if field.text().strip() != text and not (field is self.endpoint and field.hasFocus()):
                field.setText(text)
        self.endpoint.setEnabled(not self.control.hub_fixed)
        self.endpoint.setToolTip(tr("The variable HF_ENDPOINT sets it.") if self.control.hub_fixed else "")

    def next_label(self) -> str:
        """The text of the wizard's button."""
        return tr("Set it up") if self.control.place.is_starter else tr("Next")

    def can_next(self) -> bool:
        """Whether one can go on."""
        p = self.control.place
        return bool(p.source) and (p.tab != "repository" or p.source.count("/") == 1)

    def doubt(self) -> str:
        """Why the chosen model leads nowhere."""
        offer = self.control.state.offer
        return doubt(offer.name, offer.verdict, self.control.state.survey) if offer else ""

    def go_on(self) -> None:
        """Do what the wizard's button says."""
        if self.control.place.is_starter:
            self.starter_asked.emit()
        else:
            self.control.go(Page.OPTIONS)

    @Slot()
    def ask_folder(self) -> None:
        """Let a person pick a checkpoint or a container."""
        if found := QFileDialog.getExistingDirectory(self, tr("A model's folder"), self._near()):
            self.control.change(file=found)

    @Slot()
    def ask_file(self) -> None:
        """Let a person pick a GGUF file."""
        if found := QFileDialog.getOpenFileName(self, tr("A model's file"), self._near(), tr("GGUF files (*.gguf)"))[0]:
            self.control.change(file=found)

    def _near(self) -> str:
        return str(Path(self.control.place.file).parent) if self.control.place.file else ""

    @Slot(int)
    def _on_tab(self, at: int) -> None:
        self.control.change(tab=TABS[at])
        if QGuiApplication.mouseButtons():  # with the keys one goes on from tab to tab
            self.start()
