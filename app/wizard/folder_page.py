"""Page 1: where models go, what is free there, and how fast that drive is."""

from pathlib import Path

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QLineEdit, QPushButton, QWidget

from app.looks.theme import Theme
from app.presentation import size
from app.views.parts import Progress
from app.wizard.control import WizardControl
from app.wizard.page import PageView, plain, say
from app.wizard.rows import Row, Rows
from app.wizard.state import Page
from app.wizard.volumes import Volume
from app.wizard.words import drive_words, tr


def volume_row(v: Volume) -> Row:
    """A drive in the list."""
    used = 1 - v.free_bytes / v.total_bytes if v.total_bytes else 0.0
    free = tr("{0} free of {1}").format(size(v.free_bytes), size(v.total_bytes))
    label = tr("System drive ({0})").format(v.label) if v.label == "/" else v.label
    return Row(str(v.folder), label, str(v.folder), tr("cannot be written") if v.problem else free, "bad" if v.problem else "text", used)


class FolderPage(PageView):
    """A folder is chosen from the list of drives, with a dialog, or typed."""

    def __init__(self, control: WizardControl, theme: Theme, parent: QWidget | None = None) -> None:
        heading = tr("Where shall models go?")
        about = tr("A model is read from its drive while it answers, so a fast drive with room is the best place.")
        super().__init__(control, theme, heading, about, parent)
        self.rows = Rows(tr("Drives"), theme, self)
        self.field = QLineEdit(self)
        self.field.setAccessibleName(tr("Folder for models"))
        self.choose = QPushButton(tr("Choose…"), self)
        self.choose.setAccessibleName(tr("Choose another folder"))
        self.free = plain(QLabel(self))
        self.speed = plain(QLabel(self))
        self.test = QPushButton(self)
        self.progress = Progress(tr("Test of the drive"), self)
        self.progress.setFixedWidth(160)
        self._lay_out()
        self.rows.picked.connect(self._on_row)
        self.rows.opened.connect(lambda _key: self.next_asked.emit())
        self.field.editingFinished.connect(self._on_typed)
        self.choose.clicked.connect(self.ask_folder)
        self.test.clicked.connect(self._on_test)
        control.volumes_changed.connect(self.render_state)

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(8)
        label = QLabel(tr("Folder"), self)
        label.setBuddy(self.field)
        row.addWidget(label)
        row.addWidget(self.field, 1)
        row.addWidget(self.choose)
        below = QHBoxLayout()
        below.setSpacing(12)
        below.addWidget(self.test)
        below.addWidget(self.progress)
        below.addStretch(1)
        self.body.addWidget(self.rows)
        self.body.addLayout(row)
        self.body.addWidget(self.free)
        self.body.addWidget(self.speed)
        self.body.addLayout(below)
        self.body.addStretch(1)

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        super().set_theme(theme)
        self.rows.set_theme(theme)

    def start(self) -> None:
        """Begin where a person acts first."""
        (self.rows if self.rows.rows else self.field).setFocus()

    @Slot()
    def render_state(self) -> None:
        """Show what the control knows."""
        c, s = self.control, self.control.state
        self.rows.show_rows([volume_row(v) for v in c.volumes], str(s.place.folder))
        self.rows.setMaximumHeight(self.rows.full_height())
        if not self.field.hasFocus() or not self.field.isModified():
            self.field.setText(str(s.place.folder))
            self.field.setModified(False)
        v = c.volume
        listed = any(v.folder == s.place.folder for v in c.volumes)
        if v is None or v.folder != s.place.folder or (listed and not v.problem):
            say(self.free, "")
        elif v.problem:
            say(self.free, tr("This folder cannot be written. Choose another one."), "bad")
        else:
            say(self.free, tr("{0} of {1} are free on this drive.").format(size(v.free_bytes), size(v.total_bytes)))
        testing = bool(s.surveying)
        if testing:
            say(self.speed, tr("Testing how fast this drive reads…"), "plain")
        elif s.survey is not None:
            say(self.speed, drive_words(s.survey.read_rate, s.survey.direct))
        else:
            say(self.speed, tr("A test of five seconds tells how fast models on this drive would answer."), "plain")
        self.test.setText(tr("Stop the test") if testing else tr("Test again") if s.survey else tr("Test the drive's speed"))
        self.test.setAccessibleName(self.test.text())
        self.progress.show_fraction((s.fraction if s.fraction > 0 else -1.0) if testing else None)

    def can_next(self) -> bool:
        """Whether one can go on."""
        v = self.control.volume
        return not (v is not None and v.problem)

    def go_on(self) -> None:
        """Do what the wizard's button says."""
        self._on_typed()
        self.control.go(Page.MODEL)

    @Slot()
    def ask_folder(self) -> None:
        """Let a person pick a folder."""
        found = QFileDialog.getExistingDirectory(self, tr("Folder for models"), str(self.control.place.folder))
        if found:
            self.field.setModified(False)
            self.control.change(folder=Path(found))

    @Slot(str)
    def _on_row(self, key: str) -> None:
        self.field.setModified(False)
        self.control.change(folder=Path(key))

    @Slot()
    def _on_typed(self) -> None:
        if not self.field.isModified():
            return
        self.field.setModified(False)
        path = Path(self.field.text().strip()).expanduser()
        if path.is_absolute():
            self.control.change(folder=path)
        self.render_state()

    @Slot()
    def _on_test(self) -> None:
        if self.control.state.surveying:
            self.control.stop_survey()
        else:
            self.control.survey(again=True)
