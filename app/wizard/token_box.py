"""Where a person gives the access token of a hub: hidden, with a choice where it is kept."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.wizard.page import plain, say
from app.wizard.words import tr

KEYRING, SESSION, FILE = "keyring", "session", "file"


class TokenBox(QFrame):
    """given: the token and how it is kept: "keyring", "session" or "file". page_asked: the repository's page is to be opened."""

    given = Signal(str, str)
    page_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.text = plain(QLabel(self))
        self.field = QLineEdit(self)
        self.field.setEchoMode(QLineEdit.EchoMode.Password)
        self.field.setAccessibleName(tr("Access token"))
        self.field.setPlaceholderText(tr("Access token"))
        self.keep = QComboBox(self)
        self.keep.setAccessibleName(tr("Where the token is kept"))
        self.keep.view().setAccessibleName(tr("Where the token is kept"))
        self.use = self._button(tr("Use it"))
        self.page = self._button(tr("Open its page…"))
        self.note = plain(QLabel(self), "dim")
        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self.field, 3)
        row.addWidget(self.keep, 2)
        row.addWidget(self.use)
        row.addWidget(self.page)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 10)
        column.setSpacing(8)
        column.addWidget(self.text)
        column.addLayout(row)
        column.addWidget(self.note)
        self.show_ways(False)
        self.show_known(False)
        self.use.clicked.connect(self._on_use)
        self.field.returnPressed.connect(self._on_use)
        self.field.textChanged.connect(lambda text: self.use.setEnabled(bool(text.strip())))
        self.page.clicked.connect(self.page_asked)
        self.keep.currentIndexChanged.connect(self._say_where)
        self.use.setEnabled(False)

    def _button(self, text: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setAccessibleName(text)
        button.setAutoDefault(False)
        return button

    def show_ways(self, keyring: bool) -> None:
        """Offer the system's keyring where there is one."""
        chosen = self.keep.currentData()
        self.keep.clear()
        if keyring:
            self.keep.addItem(tr("Keep in the system's keyring"), KEYRING)
        self.keep.addItem(tr("Only until Ouzel closes"), SESSION)
        if not keyring:
            self.keep.addItem(tr("Keep in a file"), FILE)
        self.keep.setCurrentIndex(max(self.keep.findData(chosen), 0))

    def show_known(self, known: bool, said: bool = False) -> None:
        """Say whether a token is there; said: that one is needed is said elsewhere."""
        self.text.setVisible(not said)
        if known:
            self.text.setText(tr("This repository is only for accounts that accepted its licence; your token opens it."))
        else:
            self.text.setText(tr("This repository is only for accounts that accepted its licence. Accept it on its page and give a token."))
        self._say_where()

    @Slot()
    def _say_where(self) -> None:
        way = self.keep.currentData()
        kept = tr("The file is readable by your account only, but it is not encrypted.")
        say(self.note, kept if way == FILE else tr("It is sent to the hub's own host only."))

    @Slot()
    def _on_use(self) -> None:
        token = self.field.text().strip()
        if token:
            self.field.clear()
            self.given.emit(token, str(self.keep.currentData()))
