"""Answers under way: begun as their requests come, computed together step by step, each told and ended by itself."""

from collections.abc import Callable

from engine.cancel import CancelToken
from engine.container.making import TakenBack
from engine.errors import BadRequest
from engine.events import Called, Drawn, Event, Finished, Ids, Prefill, Text
from engine.generate.turn import Heard, Turn
from engine.requests import Generate, Message
from engine.words import say
from engine.worker.opened import OpenModel


class Answers:
    """The answers of one open model; on the engine's thread."""

    def __init__(self, opened: OpenModel, tell: Callable[[Event], None]) -> None:
        self._opened, self._tell = opened, tell
        self._turns: dict[int, Turn] = {}  # by the requests' ids

    def __len__(self) -> int:
        return len(self._turns)

    @property
    def several(self) -> bool:
        """Whether the model was opened for more than one at a time."""
        return self._opened.config.parallel > 1

    @property
    def room(self) -> bool:
        """Whether one more may begin."""
        return self._opened.session.free() > 0

    def begin(self, request: Generate, cancel: CancelToken) -> None:
        """One more. Raises BadRequest, ContextFull, Cancelled, and TakenBack; those under way go on."""
        last = request.messages[-1] if request.messages else Message("user", "")
        if not request.continued and request.options.prompt is None and not (last.content.strip() or last.role == "tool"):
            raise BadRequest(say("There is nothing to answer: write a message first."))
        cancel.check()
        opened, session = self._opened, self._opened.session
        if not self._turns:
            try:
                opened.refresh()
            except TakenBack:
                session.reset()  # what it holds may be wrong
                raise
        heard = self._heard(request)
        self._turns[request.id] = session.begin(
            request.messages,
            request.sampling,
            cancel,
            heard,
            opened.config.draft,
            request.thinking,
            request.continued,
            request.conversation,
            request.options,
        )

    def _heard(self, request: Generate) -> Heard:
        id, tell = request.id, self._tell
        return Heard(
            text=lambda piece: tell(Text(id, piece)),
            prefill=lambda done, total: tell(Prefill(id, done, total)),
            reasoning=lambda piece: tell(Text(id, piece, "reasoning")),
            call=lambda part: tell(Called(id, part.index, part.call_id, part.name, part.arguments)),
            drawn=lambda token, top: tell(Drawn(id, token, top)),
            ids=(lambda ids: tell(Ids(id, ids))) if request.options.tell_ids else None,
        )

    def give_up(self, error: Exception) -> None:
        """End all, untold: something went wrong that was no one answer's."""
        for turn in self._turns.values():
            if not turn.over:
                turn.fail(error)
        self._turns.clear()

    def step(self) -> list[tuple[int, Event | Exception]]:
        """One step of all; the requests that have ended, each with its Finished or with what went wrong."""
        session, turns = self._opened.session, self._turns
        try:
            session.step(list(turns.values()))
        except Exception as error:  # of no one turn
            for turn in turns.values():
                if not turn.over:
                    turn.fail(error)
        wrong = next((turn.error for turn in turns.values() if isinstance(turn.error, TakenBack)), None)
        if wrong is not None:  # what is held may be wrong for all
            for turn in turns.values():
                if not turn.over:
                    turn.fail(wrong)
            session.reset()
        ended: list[tuple[int, Event | Exception]] = []
        for id, turn in list(turns.items()):
            if turn.stats is not None:
                ended.append((id, Finished(id, turn.stats)))
            elif turn.error is not None:
                ended.append((id, turn.error))
            else:
                continue
            del turns[id]
        return ended
