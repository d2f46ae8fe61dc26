"""Where models and data lie: shown, opened in the file manager, and the folder of models changed."""

import os
from pathlib import Path

from PySide6.QtCore import QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QPushButton, QWidget

from app.views.settings.page import SettingsPage
from app.wizard.page import say
from engine import paths
from engine.paths import nearest


class FoldersPage(SettingsPage):
    """models_folder_chosen: a folder, or None for the usual one."""

    models_folder_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Folders"))
        self.models, self.data = QLineEdit(self), QLineEdit(self)
        self.data.setReadOnly(True)
        self.change = self._button(self.tr("Change…"), self.tr("Change the folder of models"))
        self.usual = self._button(self.tr("As usual"), self.tr("Keep models in the usual folder"))
        self.open_models = self._button(self.tr("Open"), self.tr("Open the folder of models"))
        self.open_data = self._button(self.tr("Open"), self.tr("Open the folder of data"))
        self.models.setAccessibleName(self.tr("Models"))
        self.data.setAccessibleName(self.tr("Chats and settings"))
        self.add_row(self.tr("Models"), self._row(self.models))
        self.add_row("", self._row(self.open_models, self.change, self.usual, stretched=False))
        self.trouble = self.problem()
        self.hint(self.tr("New models go there. Those in the folder before stay where they are, and stay listed."))
        self.add_row(self.tr("Chats and settings"), self._row(self.data, self.open_data))
        self.hint(self.tr("It moves with the environment variable OUZEL_HOME."), expert=True)
        self.models.editingFinished.connect(self._on_typed)
        self.change.clicked.connect(self._ask)
        self.usual.clicked.connect(lambda: self.models_folder_chosen.emit(None))
        self.open_models.clicked.connect(lambda: open_folder(paths.models_dir()))
        self.open_data.clicked.connect(lambda: open_folder(paths.home()))

        self.show_folders()

    def _button(self, text: str, name: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setAccessibleName(name)
        button.setToolTip(name)
        button.setAutoDefault(False)
        return button

    def _row(self, *parts: QWidget, stretched: bool = True) -> QWidget:
        row = QWidget(self)
        layout = QHBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        for at, part in enumerate(parts):
            layout.addWidget(part, int(stretched and at == 0))
        if not stretched:
            layout.addStretch(1)
        return row

    @Slot()
    def show_folders(self) -> None:
        """Show where things lie now."""
        folder = paths.models_dir()
        self.models.setText(str(folder))
        self.models.setCursorPosition(0)
        self.data.setText(str(paths.home()))
        self.data.setCursorPosition(0)
        self.usual.setEnabled(folder != paths.usual_models_dir())
        there = nearest(folder)
        self.show_problem("" if os.access(there, os.W_OK) else self.tr("This folder cannot be written. New models find no place there."))

    def show_problem(self, text: str) -> None:
        """Say what is wrong with the folder; nothing where all is well."""
        say(self.trouble, text, "bad")
        self.form.setRowVisible(self.trouble, bool(text))

    @Slot()
    def _ask(self) -> None:
        if found := QFileDialog.getExistingDirectory(self, self.tr("Folder of models"), self.models.text()):
            self.models_folder_chosen.emit(Path(found))

    @Slot()
    def _on_typed(self) -> None:
        folder = Path(self.models.text().strip()).expanduser()
        if folder == paths.models_dir():
            return
        if folder.is_absolute() and folder.is_dir() and os.access(folder, os.W_OK):
            self.models_folder_chosen.emit(folder)
        else:
            text = self.tr("Models cannot be kept in {0}: it is no folder that can be written.")
            self.show_problem(text.format(self.models.text().strip()))


def open_folder(folder: Path) -> None:
    """Show a folder, or the nearest one above it that is there, in the system's file manager."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(nearest(folder))))
