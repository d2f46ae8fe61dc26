"""What a source of drafts proposes."""

from collections.abc import Sequence
from dataclasses import dataclass

NGRAM, MODEL, MTP = SOURCES = ("ngram", "model", "mtp")  # the text itself, a draft model, a model's own heads for further tokens


@dataclass(frozen=True, slots=True)
class Proposal:
    """ids that may come next, of one source.

    Of the text: match tokens at its end occurred before, and agree says whether all such places go on alike. Of a model that drafts:
    sure, its own probability of each id.
    """

    ids: tuple[int, ...] = ()
    match: int = 0
    agree: bool = True
    source: str = NGRAM
    sure: tuple[float, ...] = ()


NONE = Proposal()


def matching(proposal: Proposal, drawn: Sequence[int]) -> int:
    """How many of the first ids of a proposal were drawn."""
    n = 0
    for a, b in zip(proposal.ids, drawn, strict=False):
        if a != b:
            break
        n += 1
    return n


def compared(proposal: Proposal, drawn: Sequence[int]) -> tuple[int, int]:
    """(ids that were drawn, ids that could be compared, the first wrong one included)."""
    right = matching(proposal, drawn)
    return right, min(right + 1, len(proposal.ids), len(drawn))
