"""Models whose drive is missing: looked for when the window comes up or is used again, and made whole by a person who knows the place."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QMessageBox

from app.engine_control import EngineControl
from app.language import told
from app.views.main_window import MainWindow
from app.wizard.errands import Errands
from app.wizard.words import tr
from engine.errors import EngineError
from engine.paths import SUFFIX


def _known() -> ModuleType:
    """The list of known models; it takes long to import, and errands do not keep the window."""
    from engine.setup import known  # noqa: PLC0415

    return known


class Locator(QObject):
    """Nothing of it runs on the GUI thread but the questions."""

    def __init__(self, engine: EngineControl, main: MainWindow, errands: Errands, parent: QObject) -> None:
        super().__init__(parent)
        self._engine, self._main, self._errands = engine, main, errands
        self.box: QMessageBox | None = None
        engine.lost_asked.connect(self.ask)

    def start(self) -> None:
        """Look, and again each time that Ouzel comes to the front: a drive may have been connected meanwhile."""
        self.look()
        application = QGuiApplication.instance()
        if isinstance(application, QGuiApplication):
            application.applicationStateChanged.connect(self._on_application)

    @Slot()
    def look(self) -> None:
        """See again which models are there."""
        self._errands.run(lambda: _known().models(), self._engine.note_known)

    @Slot(object)
    def ask(self, model: Path) -> None:
        """Ask where a model's missing folder is now."""
        lost = self._engine.lost.get(model)
        if not lost:
            return
        name, folder = model.name.removesuffix(SUFFIX), lost[0]
        box = self.box = QMessageBox(self._main)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setWindowTitle(tr("A drive is missing"))
        text = tr("{0} needs {1}, which is not there. Connect its drive and look again, or say where the folder is now.")
        box.setText(text.format(name, folder))
        for label, act in self._choices(model, folder):
            button = box.addButton(label, QMessageBox.ButtonRole.ActionRole)
            button.setAccessibleName(label)
            button.clicked.connect(act)
        box.addButton(QMessageBox.StandardButton.Cancel).setAccessibleName(tr("Cancel"))
        box.finished.connect(self._forget_box)
        box.open()

    def _choices(self, model: Path, folder: Path) -> list[tuple[str, Callable[[], None]]]:
        out = [(tr("Locate…"), lambda: self._choose(model, folder)), (tr("Look again"), self.look)]
        if folder == model and not model.is_symlink():
            out.append((tr("Take off the list"), lambda: self._errands.run(lambda: _known().forget(model), lambda _: self.look())))
        return out

    def _choose(self, model: Path, folder: Path) -> None:
        found = QFileDialog.getExistingDirectory(self._main, tr("Where is {0} now?").format(folder.name))
        if found:
            self._errands.run(lambda: _known().locate(model, folder, Path(found)), self._on_found, lambda e: self._on_wrong(e, model))

    def _on_found(self, model: Path) -> None:
        self._main.notice.note(tr("{0} is found again.").format(model.name.removesuffix(SUFFIX)))
        self.look()

    def _on_wrong(self, error: EngineError, model: Path) -> None:
        self._main.notice.alarm(told(error), tr("Locate…"), lambda: self.ask(model))

    @Slot()
    def _forget_box(self) -> None:
        self.box = None

    @Slot(Qt.ApplicationState)
    def _on_application(self, state: Qt.ApplicationState) -> None:
        if state is Qt.ApplicationState.ApplicationActive:
            self.look()
