"""What went wrong that nobody foresaw, with all that a report of it needs. Nothing is sent."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QVBoxLayout, QWidget

from app.help.log_page import LogPage
from app.views.fitting import resize_within
from app.views.parts import quiet

SIZE = (720, 520)


class CrashDialog(QDialog):
    """text: the sentence above; report: makes the traceback with the diagnostics."""

    def __init__(self, text: str, report: Callable[[], str], home: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Something went wrong"))
        said = QLabel(text, self)
        said.setWordWrap(True)
        said.setContentsMargins(14, 0, 14, 0)  # above the page's own text
        self.page = LogPage(report, home, self)
        self.page.refresh()
        self.page.text.moveCursor(QTextCursor.MoveOperation.Start)  # what went wrong stands first
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        quiet(buttons)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 14, 14, 12)
        column.addWidget(said)
        column.addWidget(self.page, 1)
        column.addWidget(buttons)
        resize_within(self, *SIZE)
