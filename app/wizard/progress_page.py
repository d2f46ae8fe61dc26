"""Page 4: the models that are being fetched or made."""

from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.looks.theme import Theme
from app.wizard.card import Card
from app.wizard.control import WizardControl
from app.wizard.page import PageView, plain, say
from app.wizard.pulls import PullView, Stage, view
from app.wizard.state import Page
from app.wizard.words import tr
from engine.errors import EngineError, StorageError


class ProgressPage(PageView):
    """asked: as Card's."""

    asked = Signal(object, object)

    def __init__(self, control: WizardControl, theme: Theme, parent: QWidget | None = None) -> None:
        about = tr("You can close this window, or Ouzel: it goes on where it was.")
        super().__init__(control, theme, tr("On its way"), about, parent)
        self._column = QVBoxLayout()
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(10)
        self._column.addStretch(1)
        self.empty = plain(QLabel(tr("Nothing is being fetched."), self), "dim")
        self._column.insertWidget(0, self.empty)
        self.sleep = plain(QLabel(self), "dim")
        self.body.addLayout(self._column, 1)
        self.body.addWidget(self.sleep)
        self.cards: dict[Path, Card] = {}
        self._starter: tuple[Path, PullView] | None = None
        control.pulls.changed.connect(self.render_state)

    @Slot()
    def render_state(self) -> None:
        """Show what the control knows."""
        pulls = self.control.pulls
        shown: list[tuple[Path, PullView, EngineError | None]] = []
        for item in pulls.items:
            error = item.error if item.stage is Stage.FAILED else None
            if item.stage is Stage.RUNNING and item.progress is not None and item.progress.state == "no space":
                error = StorageError("No space")
            shown.append((item.target, view(item), error))
        if self._starter is not None:
            shown.append((*self._starter, None))
        for target in set(self.cards) - {t for t, _, _ in shown}:
            card = self.cards.pop(target)
            self._column.removeWidget(card)
            card.deleteLater()
        for at, (target, v, error) in enumerate(shown):
            if target not in self.cards:
                self.cards[target] = Card(target, self)
                self.cards[target].asked.connect(self.asked)
                self._column.insertWidget(at, self.cards[target])
                self.cards[target].show()
            self.cards[target].present(v, error)
        self.empty.setVisible(not shown)
        awake = pulls.awake
        note = ""
        if awake.wanted and awake.refused:
            note = tr("This system does not let Ouzel keep it awake. If it goes to sleep, the download waits and goes on afterwards.")
        elif awake.wanted:
            note = tr("The computer stays awake meanwhile.")
        say(self.sleep, note)
        self.sleep.setToolTip(awake.why if awake.refused else "")

    @property
    def has_starter(self) -> bool:
        """Whether the starter model is shown."""
        return self._starter is not None

    def show_starter(self, starter: tuple[Path, PullView] | None) -> None:
        """What the engine says of the starter model that it makes, or None."""
        self._starter = starter
        self.render_state()

    def start(self) -> None:
        """Begin where a person acts first."""
        card = next(iter(self.cards.values()), None)
        if card is not None:
            next((b for b in (card.start, card.pause, card.resume) if b.isVisible()), card.discard).setFocus()

    def next_label(self) -> str:
        """The text of the wizard's button."""
        return tr("Next")

    def can_next(self) -> bool:
        """Whether one can go on."""
        return self.control.ready() is not None

    def go_on(self) -> None:
        """Do what the wizard's button says."""
        self.control.go(Page.CHAT)

