"""The queue in front of an engine that a test plays: whose turn it is, and that an interruption changes nothing."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine.config import EngineConfig, Sampling
from engine.errors import Cancelled, EngineError
from engine.events import Called, Drawn, Event, Failed, Finished, Ids, Likely, Text
from engine.openai.asked import Asked
from engine.openai.refusals import Busy, Refused
from engine.requests import Generate, Message, Options
from engine.server.desk import Desk, Ticket
from engine.stats import AnswerStats, Snapshot

STATS = AnswerStats("end", 5, 0, 3, 0.1, 0.1, 1, Snapshot())
LIKELY = Likely(1, b"a", -0.5)


class Played:
    """Notes what a desk asks for; `say` answers the request under way."""

    def __init__(self, parallel: int = 1) -> None:
        self.info: Any = SimpleNamespace(config=EngineConfig(Path("m"), parallel=parallel))
        self.posted: list[Generate] = []
        self.cancelled: list[int] = []
        self.desk = Desk(self, 3)

    def post(self, request: Generate) -> None:
        self.posted.append(request)

    def cancel(self, id: int) -> None:
        self.cancelled.append(id)

    def say(self, *events: Callable[[int], Event]) -> None:
        for event in events:
            self.desk.take(event(self.posted[-1].id))


def end(id: int) -> Event:
    return Finished(id, STATS)


def stopped(id: int) -> Event:
    return Finished(id, AnswerStats("cancelled", 5, 0, 3, 0.1, 0.1, 1, Snapshot()))


def says(piece: str, kind: Any = "answer") -> Callable[[int], Event]:
    return lambda id: Text(id, piece, kind)


def asked(name: str, n: int = 1) -> Asked:
    return Asked("chat", "m", (Message("user", name),), sampling=Sampling(seed=7), n=n)


def order(played: Played) -> list[str]:
    return [r.messages[0].content for r in played.posted]


def on_loop(work: Callable[[Played], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        await work(Played())

    asyncio.run(run())


async def got(ticket: Ticket) -> list[tuple[int, Event]]:
    return [pair async for pair in ticket.events()]


def test_that_askers_take_turns_and_the_queue_is_bounded() -> None:
    async def work(played: Played) -> None:
        for name, asker in (("a1", "a"), ("a2", "a"), ("a3", "a"), ("b1", "b")):
            played.desk.enter(asked(name), asker)
        with pytest.raises(Busy) as busy:
            played.desk.enter(asked("late"), "c")
        assert busy.value.status == 429 and busy.value.seconds >= 5
        for _ in range(4):
            played.say(end)
        assert order(played) == ["a1", "a2", "b1", "a3"]
        assert not played.desk.running and played.desk.waiting == 0

    on_loop(work)


def test_that_as_many_are_carried_out_at_once_as_the_model_was_opened_for() -> None:
    async def run() -> None:
        played = Played(parallel=2)
        tickets = [played.desk.enter(asked(name), asker) for name, asker in (("a1", "a"), ("a2", "a"), ("b1", "b"), ("b2", "b"))]
        assert order(played) == ["a1", "a2"] and (played.desk.running, played.desk.waiting) == (2, 2)
        first, second = played.posted
        for id, piece in ((first.id, "one"), (second.id, "two"), (first.id, " more")):
            played.desk.take(Text(id, piece))
        played.desk.take(end(second.id))
        assert order(played)[2:] == ["b1"] and played.desk.running == 2
        assert [e.piece for _, e in await got(tickets[1]) if isinstance(e, Text)] == ["two"]
        # Another face goes first: both are interrupted, and both go on after what they had.
        played.desk.take(Ids(first.id, (4, 5, 6)))
        played.desk.hold()
        assert played.cancelled == [first.id, played.posted[2].id]
        played.desk.take(stopped(first.id))
        tickets[2].close()  # its client goes away meanwhile
        assert order(played) == ["a1", "a2", "b1"]
        played.desk.release()
        assert order(played)[3:] == ["a1", "b2"] and played.posted[3].options.resumed == (4, 5)
        played.desk.take(Text(played.posted[3].id, "one more, and on"))
        played.desk.take(end(played.posted[3].id))
        assert "".join(e.piece for _, e in await got(tickets[0]) if isinstance(e, Text)) == "one more, and on"
        played.desk.stop(EngineError("over"))
        assert played.cancelled[-1] == played.posted[4].id and (played.desk.running, played.desk.waiting) == (0, 0)
        assert isinstance((await got(tickets[3]))[-1][1], Failed)

    asyncio.run(run())


def test_that_without_a_queue_one_request_is_carried_out() -> None:
    async def work(played: Played) -> None:
        played.desk = Desk(played, 0)
        played.desk.enter(asked("first"), "a")
        with pytest.raises(Busy):
            played.desk.enter(asked("late"), "b")
        played.say(end)
        played.desk.enter(asked("second"), "b")
        assert order(played) == ["first", "second"]
        played.say(end)
        played.desk.hold()
        with pytest.raises(Busy):
            played.desk.enter(asked("while another face has the engine"), "b")

    on_loop(work)


def test_that_n_answers_come_one_after_the_other_with_seeds_of_their_own() -> None:
    async def work(played: Played) -> None:
        ticket = played.desk.enter(asked("x", n=2), "a")
        played.say(says("one"), end)
        played.say(says("two"), end)
        assert [(index, type(e).__name__) for index, e in await got(ticket)] == [(0, "Text"), (0, "Finished"), (1, "Text"), (1, "Finished")]
        assert [r.sampling.seed for r in played.posted] == [7, 8]

    on_loop(work)


def test_that_one_who_leaves_stops_what_is_under_way_or_waits() -> None:
    async def work(played: Played) -> None:
        first, second, third = (played.desk.enter(asked(n), "a") for n in "123")
        second.close()
        second.close()
        first.close()
        assert played.cancelled == [played.posted[0].id] and played.desk.waiting == 1
        played.say(stopped)
        assert order(played) == ["1", "3"]
        played.say(says("x"), end)
        assert len(await got(third)) == 2

    on_loop(work)


def test_that_an_interruption_is_not_seen() -> None:
    async def work(played: Played) -> None:
        whole: list[Callable[[int], Event]] = [
            says("I think", "reasoning"),
            says("Hel"),
            lambda id: Drawn(id, LIKELY, ()),
            says("lo"),
            lambda id: Called(id, 0, "first", "f", '{"a"'),
            lambda id: Called(id, 0, "", "", ": 1}"),
            lambda id: Called(id, 1, "second", "g", "{}"),
            end,
        ]
        for cut in range(len(whole)):
            for pieces in (whole, [*whole[:1], says("H"), says("ello"), *whole[2:3], *whole[4:]]):
                ticket = played.desk.enter(asked("x"), "a")
                played.say(*whole[:cut])
                played.desk.hold()
                assert played.cancelled[-1] == played.posted[-1].id
                played.say(says("what comes late is not told"), stopped)
                count = len(played.posted)
                played.desk.release()
                assert len(played.posted) == count + 1 and played.posted[-1].sampling == played.posted[-2].sampling
                played.say(*pieces)
                events = [e for _, e in await got(ticket)]
                assert "".join(e.piece for e in events if isinstance(e, Text) and e.kind == "answer") == "Hello"
                assert "".join(e.piece for e in events if isinstance(e, Text) and e.kind == "reasoning") == "I think"
                assert len([e for e in events if isinstance(e, Drawn)]) == 1
                calls = [e for e in events if isinstance(e, Called)]
                assert [c.call_id for c in calls if c.name] == ["first", "second"]
                assert "".join(c.arguments for c in calls if c.index == 0) == '{"a": 1}'
                assert isinstance(events[-1], Finished)

    on_loop(work)


def test_that_an_interrupted_answer_goes_on_after_its_tokens() -> None:
    async def work(played: Played) -> None:
        ticket = played.desk.enter(asked("x", n=2), "a")
        assert played.posted[0].options.tell_ids and not played.posted[0].options.resumed
        played.say(lambda id: Ids(id, (5, 6, 7)), says("abc"))
        played.desk.hold()
        played.desk.release()
        assert played.posted[1].options.resumed == (5, 6)
        played.say(lambda id: Ids(id, (7, 8)), says("abc"), says("d"))
        played.desk.hold()
        played.desk.release()
        assert played.posted[2].options.resumed == (5, 6, 7)
        played.say(says("abcd"), says("e"), end)
        assert played.posted[3].options.resumed == ()
        played.say(end)
        events = await got(ticket)
        assert "".join(e.piece for _, e in events if isinstance(e, Text)) == "abcde"
        played.desk.enter(replace(asked("y"), options=Options(logprobs=1)), "a")
        assert not played.posted[-1].options.tell_ids

    on_loop(work)


def test_that_nothing_begins_while_another_goes_first() -> None:
    async def work(played: Played) -> None:
        played.desk.hold()
        ticket = played.desk.enter(asked("x"), "a")
        other = played.desk.enter(asked("y"), "b")
        assert played.posted == []
        other.close()
        played.desk.release()
        assert order(played) == ["x"]
        played.desk.hold()
        ticket.close()  # it leaves while it is interrupted
        played.desk.enter(asked("z"), "c")
        played.desk.release()
        assert order(played) == ["x", "z"]

    on_loop(work)


def test_that_another_model_ends_what_was_asked_of_the_first() -> None:
    async def work(played: Played) -> None:
        first, second = played.desk.enter(asked("1"), "a"), played.desk.enter(asked("2"), "a")
        played.say(says("x"))
        played.desk.turn_away(EngineError("Changed."))
        for ticket in (first, second):
            last = (await got(ticket))[-1][1]
            assert isinstance(last, Failed) and str(last.error) == "Changed."
        third = played.desk.enter(asked("3"), "a")
        played.say(end)
        assert isinstance((await got(third))[-1][1], Finished)
        played.desk.stop(Cancelled("Stopping."))
        with pytest.raises(Refused):
            played.desk.enter(asked("4"), "a")
        played.info = None
        with pytest.raises(Refused, match="No model"):
            Desk(played, 3).enter(asked("5"), "a")

    on_loop(work)
