"""The map of a model's experts: a picture with a row a layer and a column an expert, and the same in words. Pure functions of the map.

NumPy is imported where there is a map: it would hold up the start of the window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from app.language import number
from app.looks.theme import Theme
from engine.events import ExpertMap

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Bytes = npt.NDArray[np.uint8]

COLDEST = 0.25  # of the way to its full colour for an expert in memory that was hardly ever used
OUTSIDE = 0.45  # most of that way for an expert that is not in memory
USED = 0.5  # uses since the last map from which on an expert counts as used: less is rounding
SHADES = 64
BUSIEST = 3  # experts of a layer that are named


@dataclass(frozen=True, slots=True, eq=False)
class Heat:
    """By layer and expert [n_layers, width]: in memory, used over thousands of tokens (0 to 1 of the layer's busiest), used just now."""

    layers: tuple[int, ...]
    n_experts: tuple[int, ...]
    cached: npt.NDArray[np.bool_]
    habit: npt.NDArray[np.float32]
    used: npt.NDArray[np.bool_]
    steps: int


def heat(m: ExpertMap) -> Heat:
    """The map's numbers as arrays."""
    import numpy as np  # noqa: PLC0415

    shape = len(m.layers), m.width
    cached = np.frombuffer(m.cached, np.uint8).reshape(shape) != 0
    habit = np.frombuffer(m.habit, "<f4").reshape(shape)
    most = habit.max(1, keepdims=True, initial=0.0) if habit.size else habit
    scaled = np.divide(habit, most, out=np.zeros(shape, np.float32), where=most > 0)
    used = np.frombuffer(m.lately, "<f4").reshape(shape) >= USED
    return Heat(m.layers, m.n_experts, cached, scaled.astype(np.float32), used, m.steps)


def pixels(h: Heat, theme: Theme) -> Bytes:
    """Colours [n_layers, 2, width, 4] in the bytes of QImage.Format_RGB32.

    Above: where an expert is, in a colour that is the stronger the more it is used. Below: the same, but for those used just now.
    """
    import numpy as np  # noqa: PLC0415

    # Colours by number, since an array of colours is large where experts are many: SHADES on the drive, SHADES in memory, used, none.
    ground, full, away, now = (_rgb(c) for c in (theme.hover, theme.part_experts, theme.part_rest, theme.part_reads))
    warmth = np.linspace(0, 1, SHADES)[:, None]
    outside = ground + (away - ground) * OUTSIDE * warmth
    inside = ground + (full - ground) * (COLDEST + (1 - COLDEST) * warmth)
    colours = np.concatenate([outside, inside, [now], [_rgb(theme.base)]])
    table = np.full((len(colours), 4), 255, np.uint8)
    table[:, :3] = np.rint(colours[:, ::-1]).astype(np.uint8)
    place = np.rint(np.sqrt(h.habit) * (SHADES - 1)).astype(np.int16) + SHADES * h.cached.astype(np.int16)
    both = np.stack([place, np.where(h.used, 2 * SHADES, place)], 1)
    there = np.arange(place.shape[1]) < np.array(h.n_experts, np.int64).reshape(-1, 1)
    found: Bytes = table[np.where(there[:, None], both, 2 * SHADES + 1)]
    return found


def _rgb(colour: str) -> npt.NDArray[np.float64]:
    import numpy as np  # noqa: PLC0415

    return np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)], np.float64)


def layer_words(h: Heat, row: int) -> str:
    """One layer in a sentence or two."""
    n = h.n_experts[row]
    used, cached = h.used[row, :n], h.cached[row, :n]
    words = _tr("Layer {0}: {1} of {2} experts in memory.").format(h.layers[row], int(cached.sum()), n)
    if h.steps:
        words += " " + _tr("{0} used since the last look, {1} of them in memory now.").format(int(used.sum()), int((used & cached).sum()))
    if busiest := _busiest(h.habit[row, :n]):
        words += " " + _tr("Used most: {0}.").format(", ".join(map(str, busiest)))
    return words


def _busiest(habit: npt.NDArray[np.float32]) -> Sequence[int]:
    import numpy as np  # noqa: PLC0415

    order = np.argsort(-habit, kind="stable")[:BUSIEST]
    return [int(e) for e in order if habit[e] > 0]


def whole_words(h: Heat) -> str:
    """All layers in a sentence or two."""
    total = sum(h.n_experts)
    if not total:
        return _tr("This model has no experts: all of it stays in memory.")
    words = _tr("{0} of {1} experts are in memory.").format(number(int(h.cached.sum())), number(total))
    if h.steps:
        words += " " + _tr("{0} were used for the last {1} tokens.").format(number(int(h.used.sum())), h.steps)
    return words


def _tr(text: str) -> str:
    return QCoreApplication.translate("Experts", text)
