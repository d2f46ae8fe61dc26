"""The way to the hub and its access token: what is typed is checked and kept at once, and what the environment says instead is told."""

from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFileDialog, QLabel, QLineEdit, QPushButton, QWidget

from app.language import told
from app.views.settings.page import SettingsPage
from app.wizard.errands import Errands
from app.wizard.page import say
from app.wizard.token_box import TokenBox
from engine.errors import EngineError
from engine.setup import network, token
from engine.setup.network import ENDPOINT, Network
from engine.setup.token import Place


@dataclass(frozen=True, slots=True)
class Found:
    """What is set, what the environment decides, the hub that counts, where its token is, and whether there is a keyring."""

    settings: Network
    fixed: tuple[str, ...]
    hub: str
    token_place: Place | None
    keyring: bool


def look() -> Found:
    """Ask files, environment and keyring; the last may take seconds."""
    kept = token.load()
    return Found(network.settings(), network.from_environment(), network.endpoint(), kept.place if kept else None, token.has_keyring())


class NetworkPage(SettingsPage):
    """Files and the keyring are asked on other threads, when the page is first seen: a locked keyring may ask for its password."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Network"))
        self._errands = Errands(self)
        self.found: Found | None = None
        self._seen = False
        self._notes: dict[str, QLabel] = {}
        self.proxy = self._line("proxy", self.tr("Proxy"), self.tr("None, or http://HOST:PORT"))
        self.endpoint = self._line("endpoint", self.tr("Hub"), ENDPOINT, expert=True)
        self.ca_file = self._line("ca_file", self.tr("Certificates"), self.tr("The system's, or more in a PEM file"), expert=True)
        self.choose = self._button(self.tr("Choose a file…"), self.tr("Choose a file of certificates"))
        self.add_row("", self.choose, expert=True)
        self.token = TokenBox(self)
        self.token.page.hide()
        self.token.text.setText(self.tr("Looking for an access token…"))
        self.add_row("", self.token)
        self.forget = self._button(self.tr("Forget the token"), self.tr("Forget the access token"))
        self.add_row("", self.forget)
        self.form.setRowVisible(self.forget, False)
        self.token_problem = self.problem()
        self.choose.clicked.connect(self._ask_file)
        self.token.given.connect(self._give_token)
        self.forget.clicked.connect(self._forget_token)

    def take_typed(self, old: "NetworkPage") -> None:
        """Take up what was typed in a page before and is not kept: lines are checked again, and a token waits for its button."""
        self.token.field.setText(old.token.field.text())
        for name in self._notes:
            field, before = self.fields[name], old.fields[name]
            assert isinstance(field, QLineEdit) and isinstance(before, QLineEdit)
            if before.text() != old._value(name):
                field.setText(before.text())
                field.setModified(True)
                self._on_typed(name)

    def _line(self, name: str, label: str, hint: str, expert: bool = False) -> QLineEdit:
        field = QLineEdit(self)
        field.setPlaceholderText(hint)
        self.add(name, label, field, expert=expert)
        self.expert_settings.discard(name)  # kept in a file of its own
        self._notes[name] = self.problem()
        field.editingFinished.connect(lambda: self._on_typed(name))
        return field

    def _button(self, text: str, name: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setAccessibleName(name)
        button.setAutoDefault(False)
        button.setSizePolicy(button.sizePolicy().Policy.Maximum, button.sizePolicy().verticalPolicy())
        return button

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Look at what is set, once."""
        super().showEvent(event)
        if not self._seen:
            self._seen = True
            self.look()

    def look(self) -> None:
        """Show what is set now."""
        self._errands.run(look, self._on_found)

    def close_errands(self) -> None:
        """Nobody waits for answers any more."""
        self._errands.close()

    def restore(self) -> None:
        """Go the usual way to the usual hub."""
        self._errands.run(lambda: network.change(Network()), lambda _: self.look())

    def _value(self, name: str) -> str:
        return "" if self.found is None or (v := getattr(self.found.settings, name)) is None else str(v)

    def _on_found(self, found: Found) -> None:
        first, self.found = self.found is None, found
        for name in self._notes:
            field = self.fields[name]
            assert isinstance(field, QLineEdit)
            if not field.isModified():
                field.setText(self._value(name))
                field.setCursorPosition(0)
        over = {
            "endpoint": self.tr("The variable HF_ENDPOINT says {0}, and that counts.").format(found.hub),
            "proxy": self.tr("A variable of the environment, as HTTPS_PROXY, says otherwise, and that counts."),
        }
        for name, text in over.items():
            self._note(name, text if name in found.fixed else "", "plain")
        self._show_token(found)
        if first:
            self.token.keep.setCurrentIndex(0)  # the safest way that this system has

    def _show_token(self, found: Found) -> None:
        places = {
            "keyring": self.tr("An access token for {0} is in the system's keyring."),
            "environment": self.tr("The variable HF_TOKEN holds an access token for {0}."),
            "session": self.tr("An access token for {0} is kept until Ouzel closes."),
            "file": self.tr("An access token for {0} is in a file that only this account can read."),
        }
        none = self.tr("Some models are only for accounts that accepted their licence. A token of such an account, for {0}, opens them.")
        self.token.text.setText(places.get(found.token_place or "", none).format(found.hub))
        self.token.show_ways(found.keyring)
        self.form.setRowVisible(self.forget, found.token_place not in (None, "environment"))

    def _note(self, name: str, text: str, tone: str) -> None:
        say(self._notes[name], text, tone)
        self._show_notes()

    def show_expert(self, shown: bool) -> None:
        """Show what only some people need, or hide it, with what is said about it."""
        super().show_expert(shown)
        self._show_notes()

    def _show_notes(self) -> None:
        for name, note in self._notes.items():
            self.form.setRowVisible(note, bool(note.text()) and self.fields[name].isVisibleTo(self))

    def _on_typed(self, name: str) -> None:
        field = self.fields[name]
        assert isinstance(field, QLineEdit)
        text = field.text().strip()
        if not field.isModified():
            return
        field.setModified(False)

        def change() -> Found:
            value = Path(text) if name == "ca_file" and text else text or None
            network.change(replace(network.settings(), **{name: value}))  # type: ignore[arg-type]
            return look()

        self._note(name, "", "plain")
        self._errands.run(change, self._on_found, lambda error: self._on_wrong(name, error))

    def _on_wrong(self, name: str, error: EngineError) -> None:
        self._note(name, told(error), "bad")

    @Slot()
    def _ask_file(self) -> None:
        kinds = self.tr("Certificates (*.pem *.crt *.cer)")
        if found := QFileDialog.getOpenFileName(self, self.tr("Certificates"), self.ca_file.text(), kinds)[0]:
            self.ca_file.setText(found)
            self.ca_file.setModified(True)
            self._on_typed("ca_file")

    @Slot(str, str)
    def _give_token(self, value: str, place: Place) -> None:
        self._tell_token("")
        self._errands.run(lambda: token.store(value, place), lambda _: self.look(), lambda error: self._tell_token(told(error)))

    @Slot()
    def _forget_token(self) -> None:
        self._tell_token("")
        self._errands.run(token.forget, lambda _: self.look(), lambda error: self._tell_token(told(error)))

    def _tell_token(self, text: str) -> None:
        say(self.token_problem, text, "bad")
        self.form.setRowVisible(self.token_problem, bool(text))
