"""All jobs, and the way to a new one."""

from pathlib import Path

from PySide6.QtCore import QPoint, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QDragEnterEvent, QDropEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QHBoxLayout, QLabel, QMessageBox, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.engine_control import EngineControl
from app.jobs.control import JobsControl
from app.jobs.new_job import NewJob
from app.jobs.row import JobRow
from app.views.fitting import resize_within, widen
from app.views.parts import quiet

SIZE = (680, 560)


class JobsWindow(QDialog):
    """Stays open beside the chat."""

    def __init__(self, engine: EngineControl, jobs: JobsControl, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._engine, self._jobs = engine, jobs
        self.setWindowTitle(self.tr("Jobs"))
        self.setAcceptDrops(True)
        self.form: NewJob | None = None
        self.box: QMessageBox | None = None
        self.rows: dict[str, JobRow] = {}
        self._place: QPoint | None = None
        intro = QLabel(self.tr("Work that nobody waits for: a prompt alone, or over each of your files. The chat always goes first."))
        intro.setWordWrap(True)
        intro.setObjectName("dim")
        self.new = QPushButton(self.tr("New job…"), self)
        self.new.setAccessibleName(self.tr("New job"))
        self.new.setAutoDefault(False)
        self.new.setProperty("primary", True)
        self.new.clicked.connect(lambda _=False: self.show_form(()))
        self.note = QLabel(self)
        self.note.setWordWrap(True)
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.note.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.note.hide()
        inner = QWidget(self)
        inner.setObjectName("plainpage")
        self._column = QVBoxLayout(inner)
        self._column.setSpacing(10)
        self._column.addStretch(1)
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(inner)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        quiet(buttons)
        buttons.rejected.connect(self.reject)
        head = QHBoxLayout()
        head.addWidget(intro, 1)
        head.addWidget(self.new)
        column = QVBoxLayout(self)
        column.addLayout(head)
        column.addWidget(self.note)
        column.addWidget(area, 1)
        column.addWidget(buttons)
        resize_within(self, *SIZE)
        jobs.changed.connect(self.present)
        jobs.noted.connect(self._on_noted)
        engine.changed.connect(self.present)
        self.present()

    @Slot()
    def present(self) -> None:
        """Show all jobs, the newest first."""
        shown = self._jobs.jobs
        for id in [id for id in self.rows if id not in shown]:
            row = self.rows.pop(id)
            self._column.removeWidget(row)
            row.deleteLater()
        for id, one in shown.items():
            if id not in self.rows:
                self.rows[id] = row = JobRow(one.job.name, self)
                row.asked.connect(lambda action, id=id: self._on_asked(id, action))
                self._column.insertWidget(0, row)
            self.rows[id].present(one)
        self.new.setEnabled(self._engine.state.info is not None)
        self.new.setToolTip("" if self.new.isEnabled() else self.tr("Open a model first: it is the one that answers."))

    def show_form(self, files: tuple[Path, ...]) -> None:
        """Ask what is to be done, with these files."""
        model = self._engine.state.model
        if model is None or self._engine.state.info is None:
            return
        if self.form is None:
            self.form = NewJob(model.name.removesuffix(".ouzel"), self)
            self.form.accepted.connect(lambda: self._add(model))
            self.form.finished.connect(self._forget_form)
        self.form.add_paths(files)
        self.form.open()

    def _add(self, model: Path) -> None:
        if self.form is not None:
            self.note.hide()
            settings, defaults = self._engine.settings, self._engine.defaults
            self._jobs.add(*self.form.result_for(model, settings, defaults))

    @Slot()
    def _forget_form(self) -> None:
        if self.form is not None:
            self.form.deleteLater()
            self.form = None

    def _on_asked(self, id: str, action: str) -> None:
        match action:
            case "pause" | "resume":
                self._jobs.pause(id, action == "pause")
            case "now":
                self._jobs.run_now(id)
            case "open":
                self._open_documents(self._jobs.jobs[id].job.documents)
            case "remove":
                self._ask_remove(id)

    def _open_documents(self, folder: str) -> None:
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(folder)):
            self._on_noted(self.tr("No program opened the folder. The documents are in {0}.").format(folder))

    def _ask_remove(self, id: str) -> None:
        job = self._jobs.jobs[id].job
        own = not Path(job.documents).is_relative_to(self._jobs.folder)
        text = self.tr("The documents in {0} stay.").format(job.documents) if own else self.tr("Its documents are removed with it.")
        self.box = box = QMessageBox(self)
        box.setWindowTitle(self.tr("Remove the job?"))
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(self.tr("Remove the job “{0}”?").format(job.name))
        box.setInformativeText(text)
        yes = box.addButton(self.tr("Remove"), QMessageBox.ButtonRole.AcceptRole)
        no = box.addButton(self.tr("Keep"), QMessageBox.ButtonRole.RejectRole)
        for button in (yes, no):
            button.setAccessibleName(button.text())
        widen(box)
        box.setDefaultButton(no)
        box.setEscapeButton(no)
        box.finished.connect(lambda _: self._jobs.remove(id) if box.clickedButton() is yes else None)
        box.open()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Where it was before, its frame included, which would else be put around where its inside was."""
        super().showEvent(event)
        if self._place is not None and not event.spontaneous():
            self.move(self._place)
            self.new.setFocus()

    def done(self, result: int) -> None:
        """Remember the place."""
        self._place = self.pos()
        super().done(result)

    @Slot(str)
    def _on_noted(self, text: str) -> None:
        self.note.setText(text)
        self.note.setVisible(bool(text))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        """Files can be dropped for a new job."""
        if event.mimeData().hasUrls() and self.new.isEnabled():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        """Begin a new job with what was dropped."""
        self.show_form(tuple(Path(u.toLocalFile()) for u in event.mimeData().urls() if u.isLocalFile()))
