"""Page 3: in which precision, under which name, and whether to chat before all is there."""

from PySide6.QtCore import QUrl, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QLineEdit, QPushButton, QWidget

from app.looks.theme import Theme
from app.views.parts import ElidedLabel, Progress
from app.wizard import options_view
from app.wizard.control import WizardControl
from app.wizard.page import PageView, plain, say
from app.wizard.rows import Rows
from app.wizard.state import Page
from app.wizard.token_box import TokenBox
from app.wizard.words import doubt, tr
from engine.paths import SUFFIX


class OptionsPage(PageView):
    """open_asked: a finished container is to be opened; link_asked: a web page is."""

    open_asked = Signal(str)
    link_asked = Signal(QUrl)

    def __init__(self, control: WizardControl, theme: Theme, parent: QWidget | None = None) -> None:
        about = tr("Fewer bits take less disk and memory and answer faster; more bits stay closer to the published model.")
        super().__init__(control, theme, tr("How shall it be made?"), about, parent)
        self.source = plain(QLabel(self))
        self.progress = Progress(tr("Looking at the source"), self)
        self.rows = Rows(tr("Precision"), theme, self)
        self.reasons = plain(QLabel(self))
        self.needs = plain(QLabel(self), "dim")
        self.token = TokenBox(self)
        self.target = QWidget(self)
        self.name = QLineEdit(self)
        self.name.setAccessibleName(tr("Name of the model"))
        self.folder = ElidedLabel(parent=self)
        self.folder.setObjectName("dim")
        self.change = QPushButton(tr("Change…"), self)
        self.change.setAccessibleName(tr("Change the folder"))
        self.change.setAutoDefault(False)
        self.name_problem = plain(QLabel(self))
        self.start_now = QCheckBox(tr("Start chatting before everything has come"), self)
        self.start_now.setAccessibleName(self.start_now.text())
        self.start_now.setToolTip(tr("What is missing is fetched when it is needed; the answers are the same, only slower"))
        self._token_asked = False
        self._lay_out()
        self.rows.picked.connect(self._on_precision)
        self.rows.opened.connect(lambda _key: self.next_asked.emit())
        self.name.textEdited.connect(lambda text: control.change(name=text.strip()))
        self.start_now.toggled.connect(lambda on: control.change(start_now=on))
        self.change.clicked.connect(lambda: control.go(Page.FOLDER))
        self.token.given.connect(control.give_token)
        self.token.page_asked.connect(lambda: self.link_asked.emit(QUrl(f"{control.hub}/{control.place.source}")))

    def _lay_out(self) -> None:
        grid = QGridLayout(self.target)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        label = QLabel(tr("Name"), self)
        label.setBuddy(self.name)
        grid.addWidget(label, 0, 0)
        grid.addWidget(self.name, 0, 1)
        grid.addWidget(QLabel(tr("Folder"), self), 0, 2)
        grid.addWidget(self.folder, 0, 3)
        grid.addWidget(self.change, 0, 4)
        grid.addWidget(self.name_problem, 1, 0, 1, 5)
        grid.addWidget(self.start_now, 2, 0, 1, 5)
        grid.setColumnStretch(1, 3)
        grid.setColumnStretch(3, 4)
        above: tuple[QWidget, ...] = (self.source, self.progress, self.token)
        for part in above:
            self.body.addWidget(part)
        self.body.addWidget(self.rows, 1)
        for part in (self.reasons, self.needs, self.target):
            self.body.addWidget(part)
        self.body.addStretch(0)

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        super().set_theme(theme)
        self.rows.set_theme(theme)

    def start(self) -> None:
        """Begin where a person acts first."""
        if self.token.isVisible() and not self.rows.isVisible():
            self.token.field.setFocus()
        elif self.rows.isVisible():
            self.rows.setFocus()

    @Slot()
    def render_state(self) -> None:
        """Show what the control knows."""
        c = self.control
        v, p = options_view.view(c.state), c.place
        say(self.source, v.source)
        self.progress.show_fraction(-1.0 if v.looking else None)
        self.rows.setVisible(bool(v.rows))
        self.rows.show_rows(v.rows, v.row)
        say(self.reasons, v.reasons)
        say(self.needs, v.needs)
        self.token.setVisible(v.token or self._token_asked)
        self.token.show_known(c.state.looked is not None, c.state.problem is not None)
        self.token.show_ways(c.has_keyring)
        self.target.setVisible(v.has_target)
        if self.name.text().strip() != v.name:
            self.name.setText(v.name)
        self.folder.setText(str(p.folder / f"{v.name}{SUFFIX}"))
        say(self.name_problem, v.name_problem, "bad")
        self.start_now.setVisible(v.can_start_now)
        self.start_now.blockSignals(True)
        self.start_now.setChecked(p.start_now)
        self.start_now.blockSignals(False)

    def ask_name(self) -> None:
        """Let a person type another name."""
        self.name.setFocus()
        self.name.selectAll()

    def ask_token(self) -> None:
        """Show the field for a token, also where the source did not ask for one now."""
        self._token_asked = True
        self.render_state()
        self.token.field.setFocus()

    def next_label(self) -> str:
        """The text of the wizard's button."""
        return options_view.view(self.control.state).next_label

    def can_next(self) -> bool:
        """Whether one can go on."""
        return options_view.view(self.control.state).can_next

    def doubt(self) -> str:
        """Why the chosen precision leads nowhere."""
        looked, chosen = self.control.state.looked, self.control.state.precision
        if looked is None or chosen is None or looked.kind == "container":
            return ""
        return doubt(self.control.state.name, chosen.verdict, self.control.state.survey)

    def go_on(self) -> None:
        """Do what the wizard's button says."""
        looked = self.control.state.looked
        if looked is not None and looked.kind == "container":
            self.open_asked.emit(looked.source)
        else:
            self.control.pull()

    @Slot(str)
    def _on_precision(self, key: str) -> None:
        experts, trunk = key.split("+")
        self.control.change(experts=experts, trunk=trunk)
