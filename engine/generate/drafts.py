"""Drafts of one session: proposes tokens, decides how many the next step verifies, learns from what the model drew, keeps a record.

The model draws every token itself; a draft only lets one step do the work of several.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from engine.errors import StorageError
from engine.generate.ngram import NONE, NgramSpeculator, Proposal
from engine.generate.width import Choice, WidthController
from engine.model.plan import MOST_LOGIT_ROWS

MOST = MOST_LOGIT_ROWS - 1  # drafted tokens of a step


class Drafts:
    """proposed, accepted: drafted tokens that were in steps, and those that the model drew. record: a file to which each decision is
    appended as a line of JSON; raises StorageError where it cannot be opened.
    """

    def __init__(self, record: Path | None = None) -> None:
        self._index, self._controller = NgramSpeculator(), WidthController()
        self._choice: Choice | None = None
        self.proposed = self.accepted = 0
        self._file: TextIO | None = None
        if record is not None:
            try:
                self._file = record.open("a", encoding="utf-8")
            except OSError as e:
                raise StorageError(f"{record} can't be written: {e.strerror}. Choose another file for --record-drafts.") from e

    @property
    def seconds_saved(self) -> float:
        """Estimated gain over plain steps, below 0 for a loss."""
        return self._controller.saved

    def begin(self, ids: Sequence[int]) -> None:
        """An answer to the prompt `ids` begins."""
        self._index.sync(ids)
        self._choice = None

    def propose(self, new: Sequence[int], room: int) -> tuple[int, ...]:
        """`new` ids were appended; what to verify in the next step: at most `room` ids, and none where that would not pay."""
        self._index.extend(new)
        proposal = self._index.propose(min(room, MOST)) if room > 0 else NONE
        self._choice = self._controller.choose(proposal)
        self.proposed += self._choice.width
        return proposal.ids[: self._choice.width]

    def stepped(self, rows: int, drawn: Sequence[int], seconds: float, read_wait: float, misses: int) -> None:
        """The step of `rows` rows that followed yielded the tokens `drawn`; see WidthController.stepped."""
        choice, self._choice = self._choice, None
        if choice is None:
            return
        right = matching(choice.proposal, drawn)
        self.accepted += min(right, choice.width)
        self._controller.judge(choice.proposal, right, min(right + 1, len(choice.proposal.ids), len(drawn)))
        self._controller.stepped(rows, len(drawn), seconds, read_wait, misses)
        if self._file is not None:
            self._write(choice, right, len(drawn), seconds, misses)

    def _write(self, choice: Choice, right: int, drawn: int, seconds: float, misses: int) -> None:
        line = {
            "position": len(self._index), "match": choice.proposal.match, "agree": choice.proposal.agree,
            "proposed": len(choice.proposal.ids), "width": choice.width, "right": right, "drawn": drawn,
            "seconds": round(seconds, 6), "misses": misses,
            "expected_tokens": [round(t, 3) for t in choice.tokens], "expected_seconds": [round(s, 6) for s in choice.seconds],
        }  # fmt: skip
        if self._file is not None:
            self._file.write(json.dumps(line) + "\n")

    def close(self) -> None:
        """Idempotent."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            self._file = None


def matching(proposal: Proposal, drawn: Sequence[int]) -> int:
    """How many of the first ids of a proposal were drawn."""
    n = 0
    for a, b in zip(proposal.ids, drawn, strict=False):
        if a != b:
            break
        n += 1
    return n
