"""What one step computes: rows of one sequence or of several, which share each weight and each expert that it reads."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from engine.errors import BadRequest, ContextFull
from engine.model.state import State
from engine.words import say


@dataclass(frozen=True, slots=True)
class Part:
    """One sequence in a step: ids [n] are appended to `state`; logits of no, the last or all of these rows are wanted."""

    ids: npt.NDArray[np.int32]
    state: State
    logits: Literal["none", "last", "all"]


class Span(NamedTuple):
    """Rows first..first+n-1 of a step, which are positions position.. of one sequence."""

    first: int
    n: int
    position: int


def spans(parts: Sequence[Part], most: int, vocab_size: int) -> list[Span]:
    """Where the rows of each part lie in a step of at most `most` rows. Raises BadRequest, ContextFull."""
    out: list[Span] = []
    at = 0
    for ids, state in ((part.ids, part.state) for part in parts):
        n = len(ids)
        if state.length + n > state.context:
            full = say(
                "The context of {context:,} tokens is full. Start a new chat or open the model with a longer context.",
                context=state.context,
            )
            raise ContextFull(full, state.context)
        if n and (ids.min() < 0 or ids.max() >= vocab_size):
            raise BadRequest(say("Token ids must lie between 0 and {last}.", last=vocab_size - 1))
        out.append(Span(at, n, state.length))
        at += n
    if not all(1 <= span.n <= most for span in out) or not 1 <= at <= most:
        raise BadRequest(say("A step of {at} rows is not possible; this plan takes 1 to {most}.", at=at, most=most))
    wanted = [part.logits == "all" for part in parts]
    if len({id(part.state) for part in parts}) < len(parts) or wanted != sorted(wanted, reverse=True):
        raise BadRequest(say("Each sequence has one part in a step, and those that want all logits come first."))
    return out


def wanted_rows(parts: Sequence[Part], at: Sequence[Span]) -> list[list[int]]:
    """The rows of the step whose logits each part wants."""
    out = []
    for part, span in zip(parts, at, strict=True):
        rows = list(range(span.first, span.first + span.n))
        out.append(rows if part.logits == "all" else rows[-1:] if part.logits == "last" else [])
    return out
