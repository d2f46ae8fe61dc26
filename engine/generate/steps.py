"""The steps of all answers under way: one alone with drafts, several in one forward pass, which reads what they share once."""

from collections.abc import Callable, Sequence
from time import perf_counter

import numpy as np
import numpy.typing as npt

from engine.cancel import CancelToken
from engine.errors import Cancelled
from engine.generate.drafts import Drafts
from engine.generate.mtp import MtpDrafts
from engine.generate.turn import Turn
from engine.model.model import Model

SHARE = 0.5  # of the seconds that a piece of a prompt took, which the answers beside it have for themselves after it
F32 = npt.NDArray[np.float32]


class Steps:
    """Carries out steps over an open model.

    Answers that are computed together take no drafts: what a step of several rows costs is learned from those of one answer, and rows of
    other answers bring a token each for certain.
    """

    def __init__(self, model: Model, drafts: Drafts, mtp: MtpDrafts | None) -> None:
        self._model, self._drafts, self._mtp = model, drafts, mtp
        self._followed: Turn | None = None  # whose text the drafts follow
        self._pace = Pace()
        self._joint: dict[tuple[Turn, ...], CancelToken] = {}

    def step(self, turns: Sequence[Turn]) -> None:
        """The next step of those that are not over; each ends in itself, a failure of the model ends all that were in the step."""
        going = []
        for turn in turns:
            if not turn.over and turn.cancel.cancelled:
                _guarded(turn, turn.stop)
            if not turn.over:
                going.append(turn)
        if len(going) == 1:
            self._alone(going[0])
        elif going:
            self._together(going)
        # A turn that is over would keep the session alive.
        self._joint = {key: token for key, token in self._joint.items() if not any(turn.over for turn in key)}
        if self._followed is not None and self._followed.over:
            self._followed = None

    def _alone(self, turn: Turn) -> None:
        drafts = self._drafts if turn.draft != "off" and turn.decoding else None
        clock, streamer, plan = self._model.clock, self._model.streamer, self._model.plan
        drafted: tuple[int, ...] = ()
        try:
            if drafts is not None:
                new = turn.ids[-turn.drew :]
                if turn is not self._followed:
                    self._follow(turn, drafts)
                room = min(plan.chunk, plan.logit_rows, turn.answer.left) - 1
                drafted = drafts.propose(new, room, turn.answer.left, turn.sampler.guess, turn.cancel)
            start, waited, missed = perf_counter(), clock.read_wait, streamer.misses
            logits = self._model.forward_parts([turn.part(plan.chunk, drafted)], turn.cancel)[0]
        except Exception as error:
            self._failed([turn], error)
            return
        seconds, waited, missed = perf_counter() - start, clock.read_wait - waited, streamer.misses - missed
        if drafts is not None:
            turn.drawn = lambda ids: drafts.stepped(len(logits), ids, seconds, waited, int(missed))
        self._take(turn, logits, drafted)
        turn.drawn = None

    def _follow(self, turn: Turn, drafts: Drafts) -> None:
        self._followed = turn
        if self._mtp is not None:
            self._mtp.follow(turn.lane.state)
        drafts.begin(turn.ids[: -turn.drew], turn.draft)

    def _together(self, turns: Sequence[Turn]) -> None:
        """Answers with a row each, and as much of prompts as the rows that are left hold, the oldest first."""
        self._followed = None
        answers = [turn for turn in turns if turn.decoding]
        prompts = [turn for turn in turns if not turn.decoding]
        room = self._model.plan.chunk - len(answers)
        chosen = list(answers)
        parts = [turn.part(1) for turn in answers]
        reads = bool(prompts) and (not answers or self._pace.reads)
        for turn in prompts if reads else []:
            if room:
                parts.append(turn.part(room))
                chosen.append(turn)
                room -= len(parts[-1].ids)
        start = perf_counter()
        try:
            logits = self._model.forward_parts(parts, self._stop_of(chosen[len(answers) :] or chosen))
        except Exception as error:
            self._failed(chosen, error)
            return
        self._pace.passed(perf_counter() - start, reads and bool(answers), bool(prompts))
        for turn, rows in zip(chosen, logits, strict=True):
            self._take(turn, rows)

    def _stop_of(self, turns: Sequence[Turn]) -> CancelToken:
        """Set when one of them is cancelled. A piece of a prompt is not lost because an answer beside it is stopped."""
        if len(turns) == 1:
            return turns[0].cancel
        key = tuple(turns)
        if key not in self._joint:
            self._joint[key] = CancelToken()
            for turn in turns:
                turn.cancel.on_cancel(self._joint[key].cancel)
        return self._joint[key]

    def _take(self, turn: Turn, logits: F32, drafted: Sequence[int] = ()) -> None:
        turn.drew = 0
        _guarded(turn, lambda: turn.take(logits, drafted))

    def _failed(self, turns: Sequence[Turn], error: Exception) -> None:
        """A step could not be done: by a stop of some of them, which the others repeat without them, or by what ends all."""
        for turn in turns:
            if not isinstance(error, Cancelled):
                turn.fail(error)
            elif turn.cancel.cancelled:
                _guarded(turn, turn.stop)


class Pace:
    """When a piece of a prompt is read beside answers: it delays them, so they have steps of their own after it, by measured seconds."""

    def __init__(self) -> None:
        self._owed = 0.0

    @property
    def reads(self) -> bool:
        """Whether the next step may read of a prompt."""
        return self._owed <= 0

    def passed(self, seconds: float, delayed: bool, waiting: bool) -> None:
        """A step took so long; delayed: it read of a prompt beside answers; waiting: there are prompts at all."""
        if not waiting:
            self._owed = 0.0
        else:
            self._owed = SHARE * seconds if delayed else self._owed - seconds


def _guarded(turn: Turn, do: Callable[[], None]) -> None:
    """What goes wrong in one turn ends that one."""
    try:
        do()
    except Exception as error:
        turn.fail(error)
