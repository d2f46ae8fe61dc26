"""The log with the diagnostics around it: what is shown is exactly what is copied, and it goes nowhere by itself."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QUrl, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication, QTextCursor
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from app.help.log import FOLDER


class LogPage(QWidget):
    """report: makes the text."""


    def __init__(self, report: Callable[[], str], home: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._report, self._home = report, home
        about = QLabel(
            self.tr(
                "Machine, settings, counters and the log, without text of chats, access tokens, and names in paths. Ouzel never sends it: "
                "to report a problem, copy it and paste it where you report. What you see here is all of it."
            ),
            self,
        )
        about.setWordWrap(True)
        self.text = QPlainTextEdit(self)
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setAccessibleName(self.tr("Diagnostics"))
        self.copy = self._button(self.tr("Copy diagnostics"), self._copy)
        self.save = self._button(self.tr("Save…"), self._save)
        self.again = self._button(self.tr("Refresh"), self.refresh)
        self.folder = self._button(self.tr("Open the log's folder"), self._open)
        buttons = QHBoxLayout()
        for button in (self.copy, self.save, self.again, self.folder):
            buttons.addWidget(button)
        buttons.addStretch(1)
        self.said = QLabel(self)
        self.said.setObjectName("dim")
        self.said.setAccessibleName(self.tr("What was done"))
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 14, 14, 8)
        column.setSpacing(8)
        column.addWidget(about)
        column.addWidget(self.text, 1)
        column.addLayout(buttons)
        column.addWidget(self.said)

    def _button(self, label: str, act: Callable[[], object]) -> QPushButton:
        button = QPushButton(label, self)
        button.setAccessibleName(label.removesuffix("…"))
        button.setAutoDefault(False)
        button.clicked.connect(lambda _=False: act())
        return button

    @Slot()
    def refresh(self) -> None:
        """Gather it anew."""
        self.text.setPlainText(self._report())
        self.text.moveCursor(QTextCursor.MoveOperation.End)
        self.said.setText("")

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())
        self.said.setText(self.tr("Copied."))

    def _save(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, self.tr("Save the diagnostics"), "ouzel-diagnostics.txt", self.tr("Text (*.txt)"))
        if name:
            try:
                Path(name).write_text(self.text.toPlainText(), encoding="utf-8")
                self.said.setText(self.tr("Saved."))
            except OSError as e:
                self.said.setText(self.tr("It could not be saved: {0}. Choose another folder.").format(e.strerror or str(e)))

    def _open(self) -> None:
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._home / FOLDER))):
            self.said.setText(self.tr("No program opens folders here. The log lies in {0}").format(self._home / FOLDER))
