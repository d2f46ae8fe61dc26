"""Numbers of the engine as a gauge shows them: short, and no better than they are."""

from dataclasses import dataclass, replace

from PySide6.QtCore import QCoreApplication

from app.language import number
from app.presentation import size

DASH = "–"


@dataclass(frozen=True, slots=True)
class Reading:
    """value: a number for the line and None where nothing is measured; text and unit as shown; share: of a whole, 0 to 1."""

    value: float | None
    text: str
    unit: str = ""
    share: float | None = None


def speed(tokens_per_second: float | None) -> Reading:
    """Tokens per second."""
    if tokens_per_second is None:
        return Reading(None, DASH)
    text = number(tokens_per_second, 1) if tokens_per_second < 99.95 else number(tokens_per_second)
    return Reading(tokens_per_second, text, _tr("tok/s"))


def percent(share: float | None) -> Reading:
    """A share as whole percents; 100% only where nothing is missing."""
    if share is None:
        return Reading(None, DASH)
    return Reading(share, f"{min(round(share * 100), 99) if share < 1 else 100}", "%")


def kept(share: float | None, gain: float | None) -> Reading:
    """The share of drafts that were kept, and how much faster (gain, of the time taken) they made it."""
    reading = percent(share)
    if share is None or gain is None:
        return reading
    rounded = round(gain * 100)
    told = _tr("% · {0}% faster").format(rounded) if rounded > 0 else _tr("% · {0}% slower").format(-rounded) if rounded < 0 else "%"
    return replace(reading, unit=told)


def flow(bytes_per_second: float | None) -> Reading:
    """Bytes per second."""
    if bytes_per_second is None:
        return Reading(None, DASH)
    value, unit = _scaled(bytes_per_second)
    return Reading(bytes_per_second, value, _tr("{0}/s").format(unit))


def memory(used: int, budget: int) -> Reading:
    """Memory against the budget."""
    value, unit = _scaled(used)
    same = unit == _scaled(budget)[1]
    against = _tr("of {0}").format(size(budget)) if same else _tr("{0} of {1}").format(unit, size(budget))
    return Reading(float(used), value, against, used / budget)


def _scaled(nbytes: float) -> tuple[str, str]:
    number, unit = size(nbytes).split(" ", 1)
    return number, unit


def _tr(text: str) -> str:
    return QCoreApplication.translate("Gauges", text)
