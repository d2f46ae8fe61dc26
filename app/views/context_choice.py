"""How much of the context what is written takes, and what can be done when it is full. Nothing is left out without being asked."""

from dataclasses import replace

from PySide6.QtCore import QObject, Slot

from app.chat_control import ChatControl
from app.chats.records import Draft, StoredMessage
from app.engine_control import EngineControl
from app.token_count import TokenCount
from app.turns import content
from app.views.composer import Composer
from app.views.context_bar import ContextBar
from app.views.notice import Notice
from engine.events import Counted
from engine.requests import CountTokens


class ContextChoice(QObject):
    """Joins the count with the meter, the files' chips and the bar that offers the choice."""

    def __init__(
        self, parent: QObject, engine: EngineControl, chats: ChatControl, composer: Composer, bar: ContextBar, notice: Notice
    ) -> None:
        super().__init__(parent)
        self._engine, self._chats, self._composer, self._bar, self._notice = engine, chats, composer, bar, notice
        self._met = False  # an answer met the end of the context
        self._shortened_in: int | None = None  # the conversation that is to be shortened
        self.count = TokenCount(engine, self._wanted, self)
        self.count.counted.connect(self._on_counted)
        self.count.files_counted.connect(composer.show_costs)
        self.count.shortened.connect(self._on_shortened)
        chats.context_full.connect(lambda: self.offer(True))
        bar.shorten_asked.connect(self._shorten)
        bar.larger_asked.connect(self._load_larger)

    def _stored(self, draft: Draft) -> list[StoredMessage]:
        """What would be sent, as if it were stored; without anything written, what there is."""
        stored = self._chats.messages()
        if draft.replaces is not None:
            at = next((n for n, m in enumerate(stored) if m.id == draft.replaces), len(stored))
            stored = stored[:at]
        if draft.text.strip() or draft.files:
            stored.append(StoredMessage(-1, "user", content(draft.text, draft.files), "complete", None))
        return stored

    def _wanted(self) -> CountTokens | None:
        stored = self._stored(self._composer.draft)
        if not stored:
            return None
        return CountTokens(0, self._chats.given(stored)[0], (), self._chats.options.thinking)

    @Slot(object)
    def _on_counted(self, counted: Counted | None) -> None:
        self._composer.meter.show_count(counted)
        if counted is not None and counted.tokens >= counted.context:
            self.offer(False)
        elif not self._met:
            self._bar.hide()

    def offer(self, met: bool) -> None:
        """Show the choice; met: an answer met the end of the context."""
        info, counted = self._engine.state.info, self.count.last
        if info is None:
            return
        self._met = met
        tokens = counted.tokens if counted is not None and not met else info.context
        given, _ = self._chats.given(self._stored(self._composer.draft))
        turns = sum(m.role == "user" for m in given) > 1
        self._bar.offer(max(tokens, info.context), info.context, turns, info.larger_context or None)

    def hide(self) -> None:
        """Nothing is to be chosen any more."""
        self._met = False
        self._bar.hide()

    @Slot()
    def _shorten(self) -> None:
        self._shortened_in = self._chats.current
        self.count.shorten()

    @Slot(object)
    def _on_shortened(self, left_out: int | None) -> None:
        if self._shortened_in != self._chats.current or self._chats.current is None:
            return
        messages, numbers = self._chats.given(self._stored(self._composer.draft))
        head = 1 if messages and messages[0].role == "system" else 0
        if left_out is None:
            self._notice.alarm(self.tr("The last message alone is too long for the context. Shorten it, or load a larger context."))
            return
        self.hide()
        start = numbers[head + left_out]
        if left_out and start > 0:
            self._chats.set_start(start)
        elif left_out:
            # Only what is being written is left, which has no number yet.
            self._notice.alarm(self.tr("There is room only without all earlier turns. Start a new chat, or load a larger context."))

    @Slot()
    def _load_larger(self) -> None:
        info = self._engine.state.info
        if info is not None and info.larger_context:
            self.hide()
            self._engine.change_settings(replace(self._engine.settings, context=info.larger_context))
            self._engine.load()
