"""Other programs: whether the open model is served to them, where, with which key, and what they have asked."""

from PySide6.QtCore import Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPlainTextEdit, QPushButton, QWidget

from app.language import number
from app.presentation import size
from app.serving import PORT, Serving
from app.settings import Settings
from app.views.settings.page import SettingsPage
from engine.config import MOST_PARALLEL
from engine.events import ModelInfo


class ProgramsPage(SettingsPage):
    """Shows a `Serving` once it follows one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Programs"))
        self._serving: Serving | None = None
        self.hint(self.tr("Editors and other programs on this computer can use the open model, through OpenAI's interface."))
        self.flag("serve", self.tr("Serve the open model to other programs"), self.tr("On this computer only; the chat goes first"))
        self.address = QLineEdit(self)
        self.address.setReadOnly(True)
        self.address.setAccessibleName(self.tr("Address for programs"))
        self.copy_address = self._button(self.tr("Copy"), self.tr("Copy the address"))
        self.add_row(self.tr("Address"), _beside(self, self.address, self.copy_address))
        self.state = self.hint("")
        numbers = tuple((n, number(n)) for n in range(1, MOST_PARALLEL + 1))
        tip = self.tr("Of programs and of jobs; experts that several need are read once")
        self.choice("parallel", self.tr("Answers at once"), numbers, tip, expert=True)
        self.cost = self.hint("", expert=True)
        self.whole("serve_port", self.tr("Port"), 1024, 65535, str(PORT), self.tr("Another one where this is taken"), expert=True)
        self.flag("serve_key", self.tr("Programs need a key"), self.tr("It is kept in the system's keyring, where there is one"))
        self.copy_key = self._button(self.tr("Copy the key"), self.tr("Copy the key for programs"))
        self.new_key = self._button(self.tr("Make a new key"), self.tr("Make a new key for programs"))
        self.keys = _beside(self, self.copy_key, self.new_key)
        self.add_row("", self.keys)
        self.log = QPlainTextEdit(self)
        self.log.setObjectName("system")
        self.log.setReadOnly(True)
        self.log.setTabChangesFocus(True)
        self.log.setAccessibleName(self.tr("What programs have asked"))
        self.log.setPlaceholderText(self.tr("Nothing has been asked yet."))
        self.log.setMinimumHeight(90)
        self.add_row(self.tr("Requests"), self.log)
        self.copy_address.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.address.text()))
        self.copy_key.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._serving.key if self._serving else ""))
        self.new_key.clicked.connect(lambda: self._serving.make_key() if self._serving else None)
        self._show()

    def follow(self, serving: Serving) -> None:
        """Show what this one does."""
        self._serving = serving
        serving.changed.connect(self._show)
        serving.logged.connect(self._note)
        self._note()
        self._show()

    def show_settings(self, settings: Settings) -> None:
        """Fill all fields."""
        super().show_settings(settings)
        self._show()

    @Slot()
    def _show(self) -> None:
        serving = self._serving
        address = serving.address if serving else ""
        self.address.setText(address)
        self.copy_address.setEnabled(bool(address))
        if serving is None:
            told = ""
        elif serving.problem:
            told = serving.problem
        elif serving.starting:
            told = self.tr("The server is starting…")
        elif address and not serving.has_model:
            told = self.tr("No model is open, so programs are turned away.")
        elif address and not serving.has_room:
            told = self.tr("Open the model again to let programs ask for JSON and for calls of tools.")
        else:
            told = self.tr("Programs can ask now.") if address else self.tr("Nothing is served.")
        self.state.setText(told)
        self.cost.setText(self._cost(serving.info if serving else None))
        self.form.setRowVisible(self.keys, bool(serving and serving.key))

    def _cost(self, info: ModelInfo | None) -> str:
        """What several answers at once take of memory."""
        if info is None or not info.further_bytes:
            return self.tr("Each beyond the first takes the memory of a context of its own.")
        told = self.tr("With {0} each beyond the first takes {1} of memory, for a context of {2} tokens of its own.")
        return told.format(info.name, size(info.further_bytes), number(info.context))

    @Slot()
    def _note(self) -> None:
        if self._serving is None:
            return
        lines = (f"{at:%H:%M:%S}  {path}  {status}  {number(seconds, 1)} s" for at, path, status, seconds in self._serving.requests)
        self.log.setPlainText("\n".join(lines))
        self.log.verticalScrollBar().setValue(self.log.verticalScrollBar().maximum())

    def _button(self, text: str, name: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setAccessibleName(name)
        button.setAutoDefault(False)
        return button


def _beside(parent: QWidget, *parts: QWidget) -> QWidget:
    row = QWidget(parent)
    line = QHBoxLayout(row)
    line.setContentsMargins(0, 0, 0, 0)
    for part in parts:
        line.addWidget(part)
    if not isinstance(parts[0], QLineEdit):
        line.addStretch(1)
    return row
