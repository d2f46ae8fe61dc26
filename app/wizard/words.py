"""Numbers of the wizard in plain words."""

from PySide6.QtCore import QCoreApplication

from app.language import number
from app.presentation import needed, size
from engine.events import Surveyed
from engine.offers import Verdict

FAST, FAIR, LOW = 2e9, 8e8, 2e8  # bytes a second of a drive
TONES = {"good": "good", "slow": "fair", "impossible": "bad"}


def tr(text: str) -> str:
    """The text in the person's language."""
    return QCoreApplication.translate("Wizard", text)


def pace(slowest: float, fastest: float) -> str:
    """ "about 6 to 9 tokens/s"."""
    low, high = figure(slowest), figure(fastest)
    return tr("about {0} tokens/s").format(low) if low == high else tr("about {0} to {1} tokens/s").format(low, high)


def figure(rate: float) -> str:
    """Two digits that count."""
    return number(rate, 0 if rate >= 9.95 else 1 if rate >= 0.095 else 2)


def verdict_words(v: Verdict, memory_bytes: int, free_bytes: int) -> str:
    """How a model would run on a machine of so much memory and free disk, in a few words."""
    if v.level != "impossible":
        return pace(v.slowest, v.fastest)
    lacks_memory, lacks_disk = v.floor_bytes - memory_bytes, v.disk_peak_bytes - free_bytes
    if lacks_memory > 0:
        return tr("needs {0} more memory").format(needed(lacks_memory))
    if lacks_disk > 0:
        return tr("needs {0} more disk").format(needed(lacks_disk))
    return tr("does not run here")


def doubt(name: str, v: Verdict, survey: Surveyed | None) -> str:
    """Why a model leads nowhere on this computer; "" where it runs."""
    if v.level != "impossible" or survey is None:
        return ""
    return tr("{0} does not run on this computer: {1}.").format(name, verdict_words(v, survey.memory_bytes, survey.free_bytes))


def drive_words(rate: float, direct: bool) -> str:
    """What a drive's speed means for models that are read from it."""
    if rate >= FAST:
        meaning = tr("a fast drive, good for models larger than memory.")
    elif rate >= FAIR:
        meaning = tr("a fair drive. Models larger than memory answer from it, the largest ones slowly.")
    elif rate >= LOW:
        meaning = tr("a slow drive. Models that fit in memory run well from it; larger ones answer slowly.")
    else:
        meaning = tr("a very slow drive. For models larger than memory, choose another one if you can.")
    text = tr("It reads {0}/s: {1}").format(size(rate), meaning)
    return text if direct else text + " " + tr("It cannot be read past the system's cache, so this may be too high.")


def duration(seconds: float) -> str:
    """ "less than a minute", "about 12 minutes", "about 2 h 10 min", "about 3 days"."""
    minutes = round(seconds / 60)
    if seconds < 50:
        return tr("less than a minute")
    if minutes < 2:
        return tr("about a minute")
    if minutes < 90:
        return tr("about {0} minutes").format(minutes)
    hours = seconds / 3600
    if hours < 10:
        whole, rest = divmod(round(minutes / 10) * 10, 60)
        return tr("about {0} h {1} min").format(whole, rest) if rest else tr("about {0} hours").format(whole)
    if hours < 48:
        return tr("about {0} hours").format(round(hours))
    return tr("about {0} days").format(round(hours / 24))


def formats(experts: str) -> str:
    """A format's name for people."""
    return {
        "q4": tr("4 bits"), "q8": tr("8 bits"), "bf16": tr("16 bits"), "f32": tr("32 bits"), "mxfp4": tr("4 bits, MXFP4"),
        "q4-all": tr("4 bits throughout"), "keep": tr("as the file has it"),
    }.get(experts, experts)  # fmt: skip
