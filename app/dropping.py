"""What is dropped on the window, or given to it at its start: a model is opened or converted, everything else is attached."""

import os
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent

from app.engine_control import is_container
from app.views.chat_desk import ChatDesk
from app.views.composer import files_of
from app.views.main_window import MainWindow
from engine.errors import StorageError

GGUF = ".gguf"


def kind_of(path: Path) -> str:
    """ "container", "source" (what a model can be made of), "folder" (nothing of ours) or "file"."""
    if path.name == "manifest.json" and is_container(path.parent):
        return "container"
    if os.path.isdir(path):  # noqa: PTH112  Path raises where a folder cannot be read, or a name is too long
        if is_container(path):
            return "container"
        return "source" if os.path.isfile(path / "config.json") or has_gguf(path) else "folder"  # noqa: PTH113  as above
    return "source" if path.suffix.lower() == GGUF else "file"


def has_gguf(folder: Path) -> bool:
    """Whether a folder holds one model as GGUF and nothing that is opened before it."""
    from engine.setup.opening import gguf_in  # noqa: PLC0415  it brings the engine along, which the start does not wait for

    try:
        return gguf_in(folder) is not None
    except StorageError:
        return False


class Dropping(QObject):
    """source_dropped: a checkpoint's folder or a GGUF file, which the wizard is to convert."""

    source_dropped = Signal(object)

    def __init__(self, main: MainWindow, desk: ChatDesk) -> None:
        super().__init__(main)
        self._main, self._desk = main, desk
        main.setAcceptDrops(True)
        for part in (main, main.composer, main.composer.field.viewport()):
            part.installEventFilter(self)
        main.composer.files_dropped.connect(self.take)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Take files that come over the window and are not for one of its parts; show that they can be let go."""
        if event.type() in (QEvent.Type.DragLeave, QEvent.Type.Drop):
            self._main.composer.show_dragged(False)
        elif isinstance(event, QDragEnterEvent) and files_of(event.mimeData()):
            self._main.composer.show_dragged(True)
        if watched is not self._main:
            return False
        if isinstance(event, QDropEvent):  # a drag that enters or moves is one as well
            if not files_of(event.mimeData()):
                return False
            event.acceptProposedAction()
            if not isinstance(event, QDragEnterEvent | QDragMoveEvent) and event.type() == QEvent.Type.Drop:
                self.take(files_of(event.mimeData()))
            return True
        return False

    @Slot(list)
    def take(self, paths: Sequence[Path]) -> None:
        """Do with these what they are for: one model at a time, the first that is one."""
        self._main.notice.clear()  # it was about what was done before
        kinds = [(kind_of(path), path) for path in paths]
        model = next(((kind, path) for kind, path in kinds if kind in ("container", "source")), None)
        if model is not None:
            kind, path = model
            if kind == "container":
                self._main.open_folder(path.parent if path.name == "manifest.json" else path)
            else:
                self.source_dropped.emit(path)
        elif folder := next((path for kind, path in kinds if kind == "folder"), None):
            self._main.open_folder(folder)
        if files := [path for kind, path in kinds if kind == "file"]:
            self._desk.attach(files)
