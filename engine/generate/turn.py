"""One answer under way on one lane: what of its text the next step computes, and what comes of the logits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from time import perf_counter

import numpy as np
import numpy.typing as npt

from engine.cancel import CancelToken
from engine.errors import BadRequest
from engine.events import Likely
from engine.generate.answer import Answer
from engine.generate.lane import Lane
from engine.generate.sampler import Sampler
from engine.model.step import Part
from engine.stats import AnswerStats, Snapshot
from engine.text.tool_calls import CallPart
from engine.words import say

CHECKPOINT = 512  # prompt tokens between two places to which a recurrent layer can go back
_LEVELS = {"time", "lookahead_on", "memory_bytes", "budget_bytes", "context_used", "context_limit"}  # of a Snapshot, not counted up


@dataclass(frozen=True, slots=True)
class Heard:
    """Who is told of an answer: text and reasoning get whole characters, prefill (done, total) of the new prompt tokens, call the calls of
    tools, drawn the answer's tokens and the likeliest at their places, ids the answer's ids step by step, after their text.
    """

    text: Callable[[str], None]
    prefill: Callable[[int, int], None]
    reasoning: Callable[[str], None] = lambda piece: None
    call: Callable[[CallPart], None] = lambda part: None
    drawn: Callable[[Likely, tuple[Likely, ...]], None] = lambda token, top: None
    ids: Callable[[tuple[int, ...]], None] | None = None


@dataclass(slots=True)
class Tally:
    """Tokens drawn, of all turns of a session."""

    decoded: int = 0


@dataclass(slots=True, eq=False)
class Turn:
    """ids: the prompt of n_prompt tokens, `resumed` ones that an earlier run drew, then the answer; the newest has no state yet.

    It is over when `stats` or `error` is there. counters(): the engine's now; remember(ids): keeps the text of an answer that is whole.
    """

    lane: Lane
    ids: list[int]
    n_prompt: int
    reused: int
    answer: Answer
    sampler: Sampler
    draft: str
    cancel: CancelToken
    heard: Heard
    tally: Tally
    counters: Callable[[], Snapshot]
    remember: Callable[["Turn"], None]
    start: float
    before: Snapshot
    begun: bool = False  # the first logits have come
    drew: int = 0  # tokens of the last step
    drawn: Callable[[Sequence[int]], None] | None = None  # told the tokens of the step under way
    resumed: int = field(init=False)
    stats: AnswerStats | None = None
    error: Exception | None = None

    def __post_init__(self) -> None:
        self.resumed = len(self.ids) - self.n_prompt

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.stats is not None or self.error is not None

    @property
    def decoding(self) -> bool:
        """Whether the next step computes its newest token alone."""
        return self.begun and self.lane.state.length == len(self.ids) - 1

    def part(self, room: int, drafted: Sequence[int] = ()) -> Part:
        """What the next step computes of it: up to `room` tokens of the text, or the newest one and the drafted ones after it."""
        at = self.lane.state.length
        if self.decoding:
            return Part(np.asarray([*self.ids[at:], *drafted], np.int32), self.lane.state, "all")
        ids = np.asarray(self.ids[at : at + room], np.int32)
        return Part(ids, self.lane.state, "last" if at + len(ids) == len(self.ids) else "none")

    def take(self, logits: npt.NDArray[np.float32], drafted: Sequence[int] = ()) -> None:
        """The step is done; logits [n, vocab] after the text's end and after each drafted token, none where it ended before."""
        state = self.lane.state
        if not self.begun:
            if state.length - max(state.checkpoints.newest, self.reused) >= CHECKPOINT:
                state.keep()
            self.heard.prefill(state.length - self.reused, len(self.ids) - self.reused)
        if len(logits) == 0:
            return
        if not self.begun:
            self._resume()
        known = len(self.ids)
        try:
            for row in range(len(logits)):
                token = self.sampler.pick(logits[row], len(self.ids))
                self.ids.append(token)
                self.tally.decoded += 1
                self.answer.take(token, logits[row])
                if self.answer.reason or row == len(drafted) or drafted[row] != token:
                    break
        finally:
            self.drew = len(self.ids) - known
            state.truncate(len(self.ids) - 1)  # rows of rejected drafts are taken back
            if self.heard.ids is not None:
                self.heard.ids(tuple(self.ids[known:]))
        if self.drawn is not None:  # before the end, whose counters have this step in them
            self.drawn(self.ids[known:])
        if self.answer.reason:
            self._end()

    def _resume(self) -> None:
        self.begun = True
        for token in self.ids[self.n_prompt :]:
            self.answer.take(token)
        if self.resumed and self.answer.reason:
            raise BadRequest(say("The tokens to go on after are a whole answer already. Leave them out."))

    def stop(self) -> None:
        """End it where it is: it was cancelled."""
        self.answer.reason = "cancelled"
        self._end()

    def fail(self, error: Exception) -> None:
        """It could not be carried out."""
        self.error = error
        self.lane.stands(self.ids)

    def _end(self) -> None:
        self.lane.stands(self.ids)
        self.lane.state.keep()
        answer = self.answer
        answer.finish()
        self.remember(self)
        self.stats = AnswerStats(
            reason=answer.reason,
            prompt_tokens=self.n_prompt,
            reused_tokens=min(self.reused, self.n_prompt),
            answer_tokens=answer.count,
            seconds_to_first_token=(answer.first or perf_counter()) - self.start,
            seconds_decode=answer.last - answer.first,
            seed=self.sampler.seed,
            counters=difference(self.counters(), self.before),
            reasoning_tokens=answer.reasoning,
            resumed_tokens=self.resumed,
        )


def difference(after: Snapshot, before: Snapshot) -> Snapshot:
    """Counters of `after` minus those of `before`; levels such as memory are those of `after`."""
    counts = (f.name for f in fields(Snapshot) if f.name not in _LEVELS)
    return replace(after, **{n: getattr(after, n) - getattr(before, n) for n in counts})
