"""What a slow face finds in the event box."""

from pathlib import Path

from engine.errors import BadRequest
from engine.events import Converting, Counters, Event, Failed, Loading, Prefill, Pulling, Startable, Surveying, Text
from engine.stats import Snapshot
from engine.worker.box import EventBox


def filled(*events: Event) -> list[Event]:
    box = EventBox()
    for event in events:
        box.put(event)
    return box.drain()


def test_that_text_of_one_answer_is_joined_across_counters() -> None:
    counters = Counters(Snapshot(time=1.0))
    assert filled(Text(1, "a"), counters, Text(1, "b"), Text(1, "c")) == [Text(1, "abc"), counters]


def test_that_text_of_two_answers_stays_apart_and_leaves_no_backlog() -> None:
    assert filled(Text(1, "a"), Text(2, "b")) == [Text(1, "a"), Text(2, "b")]
    mixed = [e for i in range(5) for e in (Text(1, f"a{i}"), Text(2, f"b{i}"), Prefill(3, i, 9))]
    assert filled(*mixed) == [Text(1, "a0a1a2a3a4"), Text(2, "b0b1b2b3b4"), Prefill(3, 4, 9)]


def test_that_only_the_newest_counters_and_progress_are_kept() -> None:
    new = Counters(Snapshot(time=2.0))
    assert filled(Prefill(1, 8, 20), Counters(Snapshot(time=1.0)), Prefill(1, 16, 20), new) == [Prefill(1, 16, 20), new]
    assert filled(Loading(1, "trunk", 0.1), Loading(1, "trunk", 0.2)) == [Loading(1, "trunk", 0.2)]
    assert filled(Converting(1, "a", 1, 9), Converting(1, "b", 2, 9)) == [Converting(1, "a", 1, 9), Converting(1, "b", 2, 9)]


def test_that_progress_of_several_pulls_and_a_survey_leaves_no_backlog() -> None:
    a, b = Path("a.ouzel"), Path("b.ouzel")
    mixed = [e for i in range(5) for e in (Pulling(1, a, "downloading", i), Surveying(2, i / 5), Pulling(3, b, "queued"))]
    assert filled(*mixed) == [Pulling(1, a, "downloading", 4), Surveying(2, 0.8), Pulling(3, b, "queued")]
    old, new = Pulling(1, a, "downloading", 1), Pulling(1, a, "downloading", 2)
    assert filled(old, Startable(1, a), new) == [old, Startable(1, a), new]


def test_that_nothing_is_folded_over_an_event_that_ends_work() -> None:
    failed, old, new = Failed(1, BadRequest("no")), Counters(Snapshot(time=1.0)), Counters(Snapshot(time=2.0))
    assert filled(old, failed, new) == [old, failed, new]
    assert filled(Text(1, "a"), failed, Text(1, "b")) == [Text(1, "a"), failed, Text(1, "b")]


def test_that_the_face_is_woken_once_until_it_drains() -> None:
    woken: list[int] = []
    box = EventBox(lambda: woken.append(1))
    box.put(Text(1, "a"))
    box.put(Text(2, "b"))
    assert len(woken) == 1
    box.drain()
    box.put(Text(3, "c"))
    assert len(woken) == 2


def test_that_reasoning_and_answer_are_not_joined() -> None:
    box = EventBox()
    for piece, kind in (("a", "reasoning"), ("b", "reasoning"), ("c", "answer"), ("d", "answer"), ("e", "reasoning")):
        box.put(Text(1, piece, kind))  # type: ignore[arg-type]
    assert box.drain() == [Text(1, "ab", "reasoning"), Text(1, "cd"), Text(1, "e", "reasoning")]
