"""Drafts of one session: proposes tokens, decides how many the next step verifies, learns from what the model drew, keeps a record.

The model draws every token itself; a draft only lets one step do the work of several. The text's own proposals are free and looked at
each time; a source that takes seconds is asked where it promises more, and of all that was proposed the best is verified.
"""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import TextIO

from engine.cancel import CancelToken
from engine.errors import StorageError
from engine.generate.drafter import Drafted, Drafter, Guess, Outlook, Speculator
from engine.generate.ngram import NgramSpeculator
from engine.generate.proposal import NGRAM, NONE, SOURCES, compared
from engine.generate.width import Choice, WidthController
from engine.model.plan import MOST_LOGIT_ROWS

MOST = MOST_LOGIT_ROWS - 1  # drafted tokens of a step
KINDS = {"off": (), "ngram": (NGRAM,), "mtp": ("mtp",), "auto": SOURCES}  # EngineConfig.draft -> sources, as far as there are


class Drafts:
    """record: a file to which each decision is appended as a line of JSON; raises StorageError where it cannot be opened.

    speculators: sources beside the text itself. proposed, accepted: by source, the drafted tokens that were in steps, and those of them
    that the model drew. seconds_drafting: what the speculators took.
    """

    def __init__(
        self, record: Path | None = None, speculators: Sequence[Speculator] = (), clock: Callable[[], float] = perf_counter
    ) -> None:
        self._index, self._controller = NgramSpeculator(), WidthController()
        self._all = [Drafter(s, clock) for s in speculators]
        self._asked: list[Drafter] = []  # those that this answer may use
        self._ngram = True
        self._choice: Choice | None = None  # what was decided for the step under way
        self._text_choice: Choice | None = None
        self._drafted: tuple[Drafter, Drafted] | None = None
        self._looks: dict[Drafter, Outlook] = {}  # of the step under way, by those that were considered
        self.proposed, self.accepted = dict.fromkeys(SOURCES, 0), dict.fromkeys(SOURCES, 0)
        self.seconds_drafting = 0.0
        self._file: TextIO | None = None
        if record is not None:
            try:
                self._file = record.open("a", encoding="utf-8")
            except OSError as e:
                raise StorageError(f"{record} can't be written: {e.strerror}. Choose another file for --record-drafts.") from e

    @property
    def seconds_saved(self) -> float:
        """Estimated gain over plain steps, drafting included, below 0 for a loss."""
        return self._controller.saved

    def begin(self, ids: Sequence[int], kind: str = "auto") -> None:
        """An answer to the prompt `ids` begins; kind: see KINDS."""
        self._ngram = NGRAM in KINDS[kind]
        self._asked = [d for d in self._all if d.source.name in KINDS[kind]]
        self._index.sync(ids)
        for drafter in self._asked:
            drafter.begin(ids)
        self._choice = None

    def propose(
        self, new: Sequence[int], room: int, left: int = 0, guess: Guess | None = None, cancel: CancelToken | None = None
    ) -> tuple[int, ...]:
        """`new` ids were appended; what to verify in the next step: at most `room` ids, and none where that would not pay.

        left: tokens that the answer may still have. guess: what makes a token of the speculators' logits. Raises as Model.forward.
        """
        self._index.extend(new)
        for drafter in self._asked:
            drafter.extend(new)
        room, self._drafted, self._looks = min(room, MOST), None, {}
        proposal = self._index.propose(room) if room > 0 and self._ngram else NONE
        self._choice = self._text_choice = self._controller.choose(proposal)
        if room > 0 and guess is not None and self._controller.known and self._asked:
            self._ask(room, left, guess, cancel or CancelToken())
        return self._choice.proposal.ids[: self._choice.width]

    def _ask(self, room: int, left: int, guess: Guess, cancel: CancelToken) -> None:
        """Let the speculator that promises most draft, where one promises more than the text does, and choose anew."""
        assert self._choice is not None
        steps, text = self._controller.steps(room), self._choice
        looks = self._looks = {d: d.outlook(steps, text.rate, room, left) for d in self._asked}
        drafter = max(looks, key=lambda d: (bool(looks[d].most), not looks[d].trying, looks[d].rate))
        if not looks[drafter].most:
            return
        if not looks[drafter].trying:  # it pays, but another one may pay more once it is known again
            for other in (d for d in self._asked if d is not drafter):
                looks[other] = other.outlook(steps, looks[drafter].rate, room, left, rival=True)
            drafter = next((d for d in self._asked if looks[d].trying), drafter)
        drafted = drafter.draft(steps, looks[drafter].most, len(self._index), guess, cancel)
        self._drafted = drafter, drafted
        self.seconds_drafting += drafted.seconds
        self._controller.spent(drafted.seconds)
        self._choice = self._controller.among(text, drafted)

    def stepped(self, rows: int, drawn: Sequence[int], seconds: float, read_wait: float, misses: int) -> None:
        """The step of `rows` rows that followed yielded the tokens `drawn`; see WidthController.stepped."""
        choice, self._choice, text = self._choice, None, self._text_choice
        if choice is None or text is None:
            return
        self.proposed[choice.proposal.source] += choice.width
        self.accepted[choice.proposal.source] += min(compared(choice.proposal, drawn)[0], choice.width)
        self._controller.judge(text.proposal, *compared(text.proposal, drawn))
        if self._drafted is not None:
            drafter, drafted = self._drafted
            drafter.judge(drafted.proposal, drawn)
        for drafter in self._asked:
            drafter.passed(seconds)
        self._controller.stepped(rows, len(drawn), seconds, read_wait, misses)
        if self._file is not None:
            self._write(self._file, choice, text, drawn, seconds, misses)

    def _write(self, file: TextIO, choice: Choice, text: Choice, drawn: Sequence[int], seconds: float, misses: int) -> None:
        """One step. source: whose proposal was considered last, and verified where width is not 0; expected_*: of a step with 0, 1, ... of
        its tokens. text: what the text proposed, and the tokens a second of its best step. sources: what each other one promised before
        it was asked, "most" tokens at most, "trying" where only to be known. drafting: seconds that `asked` took.
        """
        p, looks, asked = choice.proposal, self._looks.items(), self._drafted
        line = {
            "position": len(self._index), "source": p.source if p.ids else None, "match": p.match, "agree": p.agree,
            "sure": [round(s, 3) for s in p.sure], "proposed": len(p.ids), "width": choice.width, "right": compared(p, drawn)[0],
            "drawn": len(drawn), "asked": asked[0].source.name if asked else None, "drafting": round(asked[1].seconds if asked else 0.0, 6),
            "seconds": round(seconds, 6), "misses": misses,
            "expected_tokens": [round(t, 3) for t in choice.tokens], "expected_seconds": [round(s, 6) for s in choice.seconds],
            "text": {"match": text.proposal.match, "agree": text.proposal.agree, "proposed": len(text.proposal.ids), "width": text.width,
                     "right": compared(text.proposal, drawn)[0], "rate": round(text.rate, 3)},
            "sources": {d.source.name: {"rate": round(x.rate, 3), "most": x.most, "trying": x.trying} for d, x in looks},
        }  # fmt: skip
        file.write(json.dumps(line) + "\n")

    def close(self) -> None:
        """Idempotent."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            self._file = None
