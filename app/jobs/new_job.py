"""What a new job is: a prompt, files, when, and where the answers go."""

import os
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import Qt, QTime, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QTimeEdit,
    QVBoxLayout,
    QWidget,
)

from app.chats.options import SAMPLED
from app.jobs.when import next_time
from app.settings import Settings
from app.views.fitting import resize_within
from app.views.flow import Flow
from app.views.parts import quiet
from engine.batch.jobs import Job, Order, When
from engine.config import Sampling

SIZE = (600, 560)
MOST_FILES = 10_000


def files_in(path: Path) -> list[Path]:
    """A folder's files, in order; the path itself where it is no folder; nothing of a folder that cannot be read."""
    try:
        if not path.is_dir():
            return [path]
        with os.scandir(path) as entries:
            return sorted(Path(e.path) for e in entries if not e.name.startswith(".") and e.is_file())
    except OSError:
        return []


class NewJob(QDialog):
    """Accepted with a prompt at least; `result_for` has what was chosen."""

    def __init__(self, model: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("New job"))
        self.paths: list[Path] = []
        self.prompt = QPlainTextEdit(self)
        self.prompt.setObjectName("system")  # as other fields of several lines look
        self.prompt.setPlaceholderText(self.tr("What is to be done, with each of the files or by itself?"))
        self.prompt.setAccessibleName(self.tr("Prompt of the job"))
        self.prompt.setTabChangesFocus(True)
        self.prompt.setAcceptDrops(False)  # files are for the list, wherever they are let go
        self.setAcceptDrops(True)
        self.files = QListWidget(self)
        self.files.setAccessibleName(self.tr("Files of the job: each is answered by itself"))
        self.files.setMaximumHeight(110)
        self.add_files = self._button(self.tr("Add files…"), self._ask_files)
        self.add_folder = self._button(self.tr("Add a folder…"), self._ask_folder)
        self.clear = self._button(self.tr("No files"), self._clear)
        self.now, self.at = QRadioButton(self.tr("Now"), self), QRadioButton(self.tr("From"), self)
        self.idle = QRadioButton(self.tr("While nobody uses the computer"), self)
        self.idle.setToolTip(self.tr("After 10 minutes without a key or the mouse. Where the desktop does not tell, within Ouzel."))
        self.group = QButtonGroup(self)
        for button in (self.now, self.at, self.idle):
            self.group.addButton(button)
            button.setAccessibleName(button.text())
        self.now.setChecked(True)
        self.time = QTimeEdit(QTime(22, 0), self)
        self.time.lineEdit().setTextMargins(6, 0, 0, 0)
        self.time.setAccessibleName(self.tr("Time from which the job runs"))
        self.time.timeChanged.connect(lambda _: self.at.setChecked(True))
        self.mains = QCheckBox(self.tr("Only on mains power"), self)
        self.mains.setAccessibleName(self.mains.text())
        self.documents = QLineEdit(self)
        self.documents.setPlaceholderText(self.tr("with the job, in Ouzel's data folder"))
        self.documents.setAccessibleName(self.tr("Folder of the answers"))
        self.choose = self._button(self.tr("Choose…"), self._ask_documents)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel, self)
        self.ok = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        self.ok.setText(self.tr("Add the job"))
        quiet(self.buttons)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.prompt.textChanged.connect(self._check)
        self._lay_out(model)
        self._check()
        resize_within(self, *SIZE)

    def _button(self, text: str, act: object) -> QPushButton:
        button = QPushButton(text, self)
        button.setAccessibleName(text)
        button.setAutoDefault(False)
        button.clicked.connect(act)
        return button

    def _lay_out(self, model: str) -> None:
        when, picks = Flow(), Flow()
        for part in (self.now, self.at, self.time, self.idle):
            when.addWidget(part)
        for button in (self.add_files, self.add_folder, self.clear):
            picks.addWidget(button)
        where = QHBoxLayout()
        where.addWidget(self.documents, 1)
        where.addWidget(self.choose)
        note = QLabel(self.tr("Answered by {0}, with the settings for answers as they are now.").format(model), self)
        note.setObjectName("dim")
        note.setWordWrap(True)
        grid = QGridLayout()
        told = QLabel(self.tr("When"), self)
        told.setMinimumHeight(self.time.sizeHint().height())  # beside the first line
        grid.addWidget(told, 0, 0, Qt.AlignmentFlag.AlignTop)
        grid.addLayout(when, 0, 1)
        grid.addWidget(self.mains, 1, 1)
        grid.addWidget(QLabel(self.tr("Answers"), self), 2, 0)
        grid.addLayout(where, 2, 1)
        column = QVBoxLayout(self)
        column.addWidget(self.prompt, 1)
        column.addWidget(QLabel(self.tr("Files, each answered by itself:"), self))
        column.addWidget(self.files)
        column.addLayout(picks)
        column.addLayout(grid)
        column.addWidget(note)
        column.addWidget(self.buttons)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        """Files can be dropped."""
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        """Add what was dropped."""
        event.acceptProposedAction()
        self.add_paths(tuple(Path(u.toLocalFile()) for u in event.mimeData().urls() if u.isLocalFile()))

    def add_paths(self, paths: tuple[Path, ...]) -> None:
        """Take files, and of folders the files in them."""
        found = dict.fromkeys(self.paths)
        for path in paths:
            found.update(dict.fromkeys(files_in(path)))
        self.paths = list(found)[:MOST_FILES]
        self.files.clear()
        self.files.addItems([p.name for p in self.paths])

    def result_for(self, model: Path, settings: Settings, defaults: Sampling) -> tuple[Job, Order, tuple[Path, ...]]:
        """(the job, what is asked without the files' texts, the files)."""
        when: When = "at" if self.at.isChecked() else "idle" if self.idle.isChecked() else "now"
        at = next_time(datetime.now().astimezone(), self.time.time().hour(), self.time.time().minute()) if when == "at" else 0.0
        chosen = self.documents.text().strip()
        documents = str(Path(chosen).expanduser().absolute()) if chosen else ""
        job = Job("", "", str(model), documents, 0.0, when, at, self.mains.isChecked())
        given = {name: getattr(settings, name) for name in SAMPLED if getattr(settings, name) is not None}
        return job, Order(self.prompt.toPlainText(), (), settings.system_prompt, tuple(given.items())), tuple(self.paths)

    @Slot()
    def _check(self) -> None:
        self.ok.setEnabled(bool(self.prompt.toPlainText().strip()))

    @Slot()
    def _ask_files(self) -> None:
        found, _ = QFileDialog.getOpenFileNames(self, self.tr("Files of the job"))
        self.add_paths(tuple(map(Path, found)))

    @Slot()
    def _ask_folder(self) -> None:
        if found := QFileDialog.getExistingDirectory(self, self.tr("Folder of the job")):
            self.add_paths((Path(found),))

    @Slot()
    def _clear(self) -> None:
        self.paths = []
        self.add_paths(())

    @Slot()
    def _ask_documents(self) -> None:
        if found := QFileDialog.getExistingDirectory(self, self.tr("Folder of the answers")):
            self.documents.setText(found)
