"""Counts what would be sent, with the open model's own tokenizer, a moment after it changed.

A count waits behind an answer, and is given up when something newer is to be counted or sent.
"""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.chats.records import Attached
from app.engine_control import EngineControl
from app.state import Phase
from app.turns import content
from engine.events import Counted, Event, Failed
from engine.requests import CountTokens

AFTER_MS = 250
ROOM = 1024  # tokens for an answer that a shortened conversation leaves at least, a quarter of a small context


class TokenCount(QObject):
    """`counted` carries the newest Counted, or None while nothing is known."""

    counted = Signal(object)
    files_counted = Signal(object)  # Attached to its tokens
    shortened = Signal(object)  # how many of the oldest messages are in the way, None where the last alone is too long

    def __init__(self, engine: EngineControl, wanted: Callable[[], CountTokens | None], parent: QObject) -> None:
        """wanted: what would be sent now, with id 0; None for nothing."""
        super().__init__(parent)
        self._engine, self._wanted = engine, wanted
        self._files: tuple[Attached, ...] = ()
        self._asked: tuple[Attached, ...] = ()  # files of the count under way
        self._costs: dict[Attached, int] = {}
        self._model: object = None
        self._request = self._shorten = 0
        self.last: Counted | None = None
        self._timer = QTimer(self, singleShot=True, interval=AFTER_MS)
        self._timer.timeout.connect(self._ask)
        engine.bridge.happened.connect(self._on_event)
        engine.changed.connect(self._on_engine)

    def change(self, files: tuple[Attached, ...]) -> None:
        """What would be sent is not what it was."""
        self._files = files
        self._timer.start()

    def shorten(self) -> None:
        """Ask how many of the oldest messages are in the way of an answer; `shortened` follows."""
        wanted, info = self._wanted(), self._engine.state.info
        if wanted is None or info is None or self._engine.state.phase is not Phase.READY:
            return
        self._give_up()
        self._shorten = self._engine.bridge.next_id()
        room = min(ROOM, info.context // 4)
        self._engine.bridge.post(CountTokens(self._shorten, wanted.messages, (), wanted.thinking, room=room))

    def _give_up(self) -> None:
        self._timer.stop()
        if self._request:
            self._engine.bridge.cancel(self._request)
            self._request = 0

    @Slot()
    def _on_engine(self) -> None:
        state = self._engine.state
        if state.info is not self._model:
            self._model, self.last = state.info, None
            self._costs.clear()
            self.counted.emit(None)
            self._timer.start()
        elif state.phase is Phase.READING and self._request:
            self._give_up()
        elif state.phase is Phase.READY and not self._request and not self._timer.isActive() and self.last is None:
            self._timer.start()

    @Slot()
    def _ask(self) -> None:
        wanted = self._wanted()
        if self._engine.state.info is None or self._engine.state.phase is not Phase.READY:
            self.last = None  # asked again when it rests
            return
        self._give_up()
        if wanted is None:
            self.last = None
            self.counted.emit(None)
            return
        self._asked = tuple(f for f in self._files if f not in self._costs)
        self._request = self._engine.bridge.next_id()
        texts = tuple(content("", (f,)) for f in self._asked)
        self._engine.bridge.post(CountTokens(self._request, wanted.messages, texts, wanted.thinking))

    @Slot(object)
    def _on_event(self, event: Event) -> None:
        if isinstance(event, Counted) and event.id == self._shorten:
            self._shorten = 0
            self.shortened.emit(event.left_out)
        elif isinstance(event, Counted) and event.id == self._request:
            self._request, self.last = 0, event
            self._costs.update(zip(self._asked, event.texts, strict=True))
            self.files_counted.emit(dict(self._costs))
            self.counted.emit(event)
        elif isinstance(event, Failed) and event.id in (self._request, self._shorten) and event.id:
            # A template may refuse what is not complete yet, which is no failure of what is written.
            self._request = self._shorten = 0
            self.counted.emit(None)
