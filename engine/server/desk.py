"""Requests wait here for the engine, which carries out as many at a time as its model was opened for: each asker in turn, first come
first served among one's own.

All of it runs on the server's event loop; the engine's thread only wakes it.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from itertools import count
from time import monotonic
from typing import Protocol

from engine.errors import Cancelled, EngineError
from engine.events import Called, Drawn, Event, Failed, Finished, Ids, ModelInfo, Prefill, Text
from engine.openai.asked import Asked
from engine.openai.collected import Collected
from engine.openai.refusals import Busy, Refused
from engine.requests import Generate
from engine.server import FIRST_ID

TOO_LIKELY = Refused(
    "The logprobs of this answer take more memory than is free for requests. Stream chat completions and read them as they come, or ask "
    "for fewer of them.",
    "logprobs",
    "too_many_logprobs",
)
RETRY_S = (5, 600)  # the least and the most that is told to one who came too late


class Engine(Protocol):
    """What a desk needs of an engine; methods may be called from the server's thread."""

    @property
    def info(self) -> ModelInfo | None:
        """The open model, None where none is."""

    def post(self, request: Generate) -> None:
        """Queue a request."""

    def cancel(self, id: int) -> None:
        """Stop a request."""


class Ticket:
    """A request that waits or is carried out. `events` ends after its last answer; `close` gives it up at any time.

    hold(event): takes the memory of what is to be told. Raises Refused where there is none, which ends the request.
    """

    def __init__(self, desk: "Desk", asked: Asked, asker: str, hold: Callable[[Event], None]) -> None:
        self.asked, self.asker, self._hold = asked, asker, hold
        self.index, self.id = -1, 0
        self.came, self.began = monotonic(), 0.0
        self.closed = False
        self.ids: list[int] = []  # of the present answer
        self.seen = Collected()  # what it has brought
        self._again = Collected()  # what its repetition has, where it was interrupted
        self._repeats = False
        self._desk = desk
        self._queue: deque[tuple[int, Event]] = deque()
        self._more = asyncio.Event()

    async def events(self) -> AsyncIterator[tuple[int, Event]]:
        """(index of the answer, event); a Failed is the last one."""
        while True:
            while self._queue:
                index, event = self._queue.popleft()
                yield index, event
                if isinstance(event, Failed) or (isinstance(event, Finished) and index == self.asked.count - 1):
                    return
            self._more.clear()
            await self._more.wait()

    def close(self) -> None:
        """Give it up; what is under way stops."""
        self._desk.leave(self)

    def put(self, event: Event) -> None:
        """An event of the present answer."""
        told = self._new(event) if self._repeats else event
        if told is None:
            return
        if not self._repeats:
            self.seen.take(told)
        self.seen.drawn.clear()
        if not self.closed:
            try:
                self._hold(told)
            except Refused:
                self.close()
                told = Failed(self.id, TOO_LIKELY)
        at, last = self._queue[-1] if self._queue else (-1, None)
        if isinstance(told, Text) and isinstance(last, Text) and at == self.index and last.kind == told.kind:
            self._queue[-1] = (at, Text(told.id, last.piece + told.piece, told.kind))  # a slow reader gets larger pieces
        else:
            self._queue.append((self.index, told))
        self._more.set()

    def fail(self, error: EngineError) -> None:
        """End it with an error, whatever came."""
        self._repeats = False
        self.put(Failed(self.id, error))

    def next_answer(self) -> None:
        """The next answer begins."""
        self.index += 1
        self.ids, self.seen, self._repeats = [], Collected(), False

    def interrupted(self) -> None:
        """The present answer will go on later, after its tokens so far; what was told is not told again."""
        self._again, self._repeats = Collected(), True

    def request(self, id: int) -> Generate:
        """The present answer's request, from where it is. The last token is drawn again, since an answer must not be whole already."""
        made = self.asked.generate(self.index, id)
        if made.options.logprobs is not None:  # they are told of drawn tokens alone, so all are drawn again
            return made
        del self.ids[-1:]
        return replace(made, options=replace(made.options, tell_ids=True, resumed=tuple(self.ids)))

    def _new(self, event: Event) -> Event | None:
        """What of an event of a repetition has not been told, None for nothing."""
        before, again = self.seen, self._again
        match event:
            case Text(id, piece, kind):
                known = len(before.text if kind == "answer" else before.reasoning)
                have = len(again.text if kind == "answer" else again.reasoning)
                again.take(event)
                event = Text(id, piece[max(known - have, 0) :], kind)
                if not event.piece:
                    return None
            case Called(id, index, call_id, name, arguments):
                again.take(event)
                if index < len(before.calls):
                    have = len(again.calls[index].arguments) - len(arguments)
                    arguments = arguments[max(len(before.calls[index].arguments) - have, 0) :]
                    if not arguments:
                        return None
                    event = Called(id, index, "", "", arguments)
                else:
                    event = Called(id, index, call_id, name, arguments)
            case Drawn():
                again.take(event)
                again.drawn.clear()
                if again.n_drawn <= before.n_drawn:
                    return None
        before.take(event)
        return event


class Desk:
    """The queue in front of one engine. `waiting`: how many may wait."""

    def __init__(self, engine: Engine, waiting: int, ended: Callable[[Ticket, Event], None] = lambda ticket, event: None) -> None:
        """ended(ticket, event): told of each answer's last event."""
        self._engine, self._most, self._ended = engine, waiting, ended
        self._askers: OrderedDict[str, deque[Ticket]] = OrderedDict()
        self._current: list[Ticket] = []
        self._ids = count(FIRST_ID)
        self._held = self._stopped = False
        self._seconds = 10.0  # a request takes about, lately
        self.waiting = 0

    @property
    def running(self) -> int:
        """Requests that are being carried out."""
        return len(self._current)

    @property
    def _free(self) -> bool:
        """Whether one more can be carried out."""
        return len(self._current) < self._parallel

    @property
    def _parallel(self) -> int:
        info = self._engine.info
        return info.config.parallel if info is not None else 1

    def enter(self, asked: Asked, asker: str, hold: Callable[[Event], None] = lambda event: None) -> Ticket:
        """Take a request; hold: see Ticket. Raises Busy, and Refused where no model is open."""
        if self._engine.info is None:
            raise Refused("No model is open at the moment. Open one, then try again.", code="no_model", status=503)
        if self._stopped:
            raise Refused("The server is stopping.", code="stopping", status=503)
        free = self._free and not self._held and not self._askers
        if self.waiting >= self._most and not free:
            raise Busy(int(min(max(self.waiting * self._seconds / self._parallel, RETRY_S[0]), RETRY_S[1])))
        ticket = Ticket(self, asked, asker, hold)
        self._askers.setdefault(asker, deque()).append(ticket)
        self.waiting += 1
        self._go_on()
        return ticket

    def leave(self, ticket: Ticket) -> None:
        """See Ticket.close; idempotent."""
        if ticket.closed:
            return
        ticket.closed = True
        if ticket in self._current and self._held:
            self._current.remove(ticket)
        elif ticket in self._current:
            self._engine.cancel(ticket.id)  # its closing event brings the next one's turn
        elif ticket in (queue := self._askers.get(ticket.asker, deque())):
            queue.remove(ticket)
            self.waiting -= 1
            if not queue:
                del self._askers[ticket.asker]

    def take(self, event: Event) -> None:
        """An event of the engine; those of others pass by."""
        id = getattr(event, "id", None)
        ticket = next((t for t in self._current if t.id == id), None)
        if ticket is None:
            return
        if not isinstance(event, Finished | Failed):
            if isinstance(event, Ids):
                ticket.ids += event.ids
            elif isinstance(event, Prefill | Text | Called | Drawn):
                ticket.put(event)
            return
        stopped = isinstance(event, Failed) and isinstance(event.error, Cancelled)
        stopped = stopped or (isinstance(event, Finished) and event.stats.reason == "cancelled")
        if stopped and not ticket.closed:
            event = Failed(event.id, Cancelled("The answer was stopped before its end."))
        self._ended(ticket, event)
        ticket.put(event)
        self._seconds += 0.2 * (monotonic() - ticket.began - self._seconds)
        if ticket.closed or isinstance(event, Failed) or ticket.index + 1 == ticket.asked.count:
            ticket.closed = True
            self._current.remove(ticket)
            self._go_on()
        else:
            self._post(ticket)

    def hold(self) -> None:
        """Let another face of the engine go first: what is under way is interrupted, and goes on, unseen, after `release`."""
        if not self._held:
            self._held = True
            for ticket in self._current:
                self._engine.cancel(ticket.id)
                ticket.id = 0  # what still comes of it is not told
                ticket.interrupted()

    def release(self) -> None:
        """Go on."""
        if self._held:
            self._held = False
            for ticket in self._current:
                self._send(ticket)
            self._go_on()

    def stop(self, error: EngineError) -> None:
        """End all requests with an error, and take no more."""
        self._stopped = True
        self.turn_away(error)

    def turn_away(self, error: EngineError) -> None:
        """End all requests with an error, as when another model is opened."""
        tickets = [t for queue in self._askers.values() for t in queue]
        self._askers.clear()
        self.waiting = 0
        current, self._current = self._current, []
        for ticket in [*current, *tickets]:
            ticket.fail(error)
        for ticket in current:
            ticket.closed = True
            self._engine.cancel(ticket.id)

    def _go_on(self) -> None:
        """Begin the next requests, as far as the engine is free."""
        while self._free and not self._held and self._askers:
            asker, queue = self._askers.popitem(last=False)
            ticket = queue.popleft()
            if queue:
                self._askers[asker] = queue  # behind the others
            self.waiting -= 1
            self._current.append(ticket)
            ticket.began = monotonic()
            self._post(ticket)

    def _post(self, ticket: Ticket) -> None:
        ticket.next_answer()
        if not self._held:
            self._send(ticket)

    def _send(self, ticket: Ticket) -> None:
        ticket.id = next(self._ids)
        self._engine.post(ticket.request(ticket.id))
