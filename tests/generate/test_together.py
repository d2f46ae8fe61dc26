"""Turns that are carried out together: each has the tokens that it has alone, and what ends one does not touch the others."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from engine.cancel import CancelToken
from engine.config import Sampling
from engine.errors import BadRequest, StorageError
from engine.generate.session import Session
from engine.generate.steps import SHARE, Pace
from engine.generate.turn import Heard, Turn
from engine.requests import Message, Options, Shape
from tests.conftest import Tiny
from tests.generate.conftest import Talk

Start = Callable[..., Talk]
LONG = "The quick brown fox jumps over the lazy dog. " * 6
PROPERTIES = {"a": {"type": "integer"}, "b": {"type": "string", "maxLength": 5}}
SCHEMA = json.dumps({"type": "object", "properties": PROPERTIES, "required": ["a"]})
ASKED = (
    ("Tell me of rivers.", Sampling(0, max_tokens=20), Options()),
    (LONG, Sampling(1.0, top_p=0.9, repetition_penalty=1.1, seed=11, max_tokens=24), Options()),
    ("A small object", Sampling(0.9, seed=3, max_tokens=30), Options(shape=Shape("schema", SCHEMA))),
    (LONG + "Another end", Sampling(0, max_tokens=9, stop=("z",)), Options(logprobs=2)),
)


@dataclass
class Told:
    """What one turn told."""

    text: str = ""
    thought: str = ""
    ids: list[int] = field(default_factory=list)
    likely: list[float] = field(default_factory=list)
    prefills: list[tuple[int, int]] = field(default_factory=list)
    cancel: CancelToken = field(default_factory=CancelToken)

    def heard(self) -> Heard:
        def text(piece: str) -> None:
            self.text += piece

        def thought(piece: str) -> None:
            self.thought += piece

        return Heard(
            text, lambda done, total: self.prefills.append((done, total)), thought,
            drawn=lambda token, top: self.likely.append(token.logprob), ids=lambda ids: self.ids.extend(ids),
        )  # fmt: skip

    @property
    def all(self) -> tuple[str, str, list[int], list[float]]:
        return self.text, self.thought, self.ids, self.likely


def begin(session: Session, n: int, draft: str = "off", thinking: bool | None = None, **more: object) -> tuple[Told, Turn]:
    content, sampling, options = ASKED[n]
    told = Told()
    options = replace(options, **more) if more else options  # type: ignore[arg-type]
    return told, session.begin([Message("user", content)], sampling, told.cancel, told.heard(), draft, thinking, options=options)


def alone(session: Session, draft: str = "off", thinking: bool | None = None) -> list[Told]:
    out = []
    for n in range(len(ASKED)):
        session.reset()
        told, turn = begin(session, n, draft, thinking)
        while not turn.over:
            session.step([turn])
        assert turn.error is None
        out.append(told)
    return out


@pytest.mark.parametrize("family", ["qwen3_next", "gemma4", "gpt_oss"])
def test_that_each_turn_is_the_one_that_it_is_alone(family: str, tiny: Tiny, talk: Start) -> None:
    path = tiny(family, "mxfp4+q4" if family == "gpt_oss" else "q4")
    options = {"exact": False, "programs": True, "threads": 2}
    thinking = True if family == "gpt_oss" else None
    want = alone(talk(path, **options).session, thinking=thinking)
    session = talk(path, **options, parallel=3).session
    # One after the other joins, with drafts while it is alone; the fourth comes when a lane is free.
    running = [begin(session, 1, "ngram", thinking)]
    order, waiting, joint = [1], [0, 2, 3], 0
    everything = list(running)
    while any(not turn.over for _, turn in running):
        for _ in range(3):
            session.step([turn for _, turn in running])
            joint += sum(not turn.over for _, turn in running) > 1
        running = [(told, turn) for told, turn in running if not turn.over]
        if waiting and session.free():
            order.append(waiting.pop(0))
            running.append(begin(session, order[-1], "ngram", thinking))
            everything.append(running[-1])
    assert joint > 5 and not waiting
    for n, (told, turn) in zip(order, everything, strict=True):
        assert turn.error is None and turn.stats is not None
        assert told.all == want[n].all, n
        assert told.prefills[-1][0] == told.prefills[-1][1] and turn.stats.answer_tokens == len(told.ids)


def test_that_a_stop_of_one_leaves_the_other_as_it_is(tiny: Tiny, talk: Start) -> None:
    path = tiny("kimi_linear", "q4")
    want = alone(talk(path, programs=True).session)
    session = talk(path, programs=True, parallel=2).session
    for stop_at in (1, 4, 9):  # while the prompt is read, and while both decode
        session.reset()
        (a, one), (b, two) = begin(session, 0), begin(session, 1)
        steps = 0
        while not two.over:
            steps += 1
            if steps == stop_at:
                a.cancel.cancel()
            session.step([one, two])
        assert one.stats is not None and one.stats.reason == "cancelled" and b.all == want[1].all
        assert a.ids == want[0].ids[: len(a.ids)]
        told, again = begin(session, 0)  # its lane is free and goes on from what it holds
        while not again.over:
            session.step([again])
        assert told.all == want[0].all


def test_that_what_goes_wrong_in_one_does_not_end_the_other(tiny: Tiny, talk: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tiny("qwen2_moe", "q4")
    want = alone(talk(path, programs=True).session)
    session = talk(path, programs=True, parallel=2).session
    _, broken = begin(session, 3, logprobs=None, resumed=tuple(want[3].ids))  # a whole answer already
    good, whole = begin(session, 1)
    while not whole.over:
        session.step([broken, whole])
    assert isinstance(broken.error, BadRequest) and good.all == want[1].all
    small = talk(path, programs=True, parallel=2, context=128).session
    told, full = Told(), None
    full = small.begin([Message("user", "x")], Sampling(1.0, seed=1, max_tokens=None), told.cancel, told.heard())
    other, beside = begin(small, 0)
    while not (full.over and beside.over):
        small.step([full, beside])
    assert full.stats is not None and full.stats.reason in ("context", "end") and other.all == want[0].all
    # What the drive or the model does wrong ends all that were in the step, and leaves the session usable.
    session.reset()
    turns = [begin(session, 0)[1], begin(session, 1)[1]]
    session.step(turns)

    def fail(*args: object) -> None:
        raise StorageError("The drive is gone.")

    with monkeypatch.context() as patch:
        patch.setattr(session._model.streamer, "stream", fail)
        session.step(turns)
    assert all(isinstance(turn.error, StorageError) for turn in turns) and session.free() == 2
    told, turn = begin(session, 0)
    while not turn.over:
        session.step([turn])
    assert told.all == want[0].all


def test_that_conversations_keep_their_lanes(tiny: Tiny, talk: Start) -> None:
    session = talk(tiny("qwen2_moe"), parallel=2).session
    fresh = talk(tiny("qwen2_moe")).session

    def ask(where: Session, *contents: str) -> tuple[str, int]:
        told = Told()
        messages = [Message(("user", "assistant")[i % 2], c) for i, c in enumerate(contents)]
        turn = where.begin(messages, Sampling(0, max_tokens=8), told.cancel, told.heard())
        while not turn.over:
            where.step([turn])
        assert turn.stats is not None
        return told.text, turn.stats.reused_tokens

    first, second = ask(session, LONG)[0], ask(session, "Different: " + LONG)[0]
    for contents in ((LONG, first, "Go on"), ("Different: " + LONG, second, "And you?")):
        text, reused = ask(session, *contents)
        fresh.reset()
        ask(fresh, contents[0])
        assert reused > 50 and text == ask(fresh, *contents)[0]
    ask(session, "Something else")  # the least recently used lane gives way
    assert ask(session, "Different: " + LONG, second, "And now?")[1] > 50
    assert ask(session, LONG, first, "Go on")[1] < 50


@pytest.mark.parametrize(("family", "known"), [("deepseek_v3", True), ("qwen2_moe", True), ("gemma4", False)])
def test_that_what_begins_as_a_turn_under_way_is_copied_where_layers_allow(family: str, known: bool, tiny: Tiny, talk: Start) -> None:
    session, fresh = talk(tiny(family), parallel=2).session, talk(tiny(family)).session
    a, one = begin(session, 1)
    while len(a.ids) < 3:
        session.step([one])
    b, two = begin(session, 3)
    assert (two.reused > 100) == known
    while not (one.over and two.over):
        session.step([one, two])
    for n, told in ((1, a), (3, b)):
        fresh.reset()
        want, turn = begin(fresh, n)
        while not turn.over:
            fresh.step([turn])
        assert told.all == want.all


def test_that_prompts_and_answers_take_turns_by_seconds() -> None:
    pace = Pace()
    assert pace.reads
    pace.passed(4.0, True, True)
    free = 0.0
    while not pace.reads:
        free += 0.5
        pace.passed(0.5, False, True)
    assert free == SHARE * 4.0
    pace.passed(4.0, True, True)
    pace.passed(0.1, False, False)  # no prompt waits any more
    assert pace.reads


def test_that_a_long_prompt_lets_an_answer_go_on(tiny: Tiny, talk: Start) -> None:
    session = talk(tiny("qwen2_moe", "q4"), parallel=2, chunk=16, context=1024).session
    a, one = begin(session, 1)
    while len(a.ids) < 2:
        session.step([one])
    told, two = Told(), None
    two = session.begin([Message("user", LONG * 4)], Sampling(0, max_tokens=4), told.cancel, told.heard())
    assert two is not None
    drawn, done = len(a.ids), told.prefills[-1][0]
    while told.prefills[-1][0] == done:  # a piece of the prompt, with the answer beside it
        session.step([one, two])
    assert len(a.ids) > drawn and told.prefills[-1][0] <= 15
    while not two.over:
        session.step([one, two])
    assert np.all(np.diff([done for done, _ in told.prefills]) >= 0)
