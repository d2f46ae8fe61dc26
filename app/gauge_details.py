"""What a gauge's tool tip adds to its number: each drive, reading ahead, how memory is held. Pure functions of the engine's counters."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from app.language import number, told
from app.presentation import size
from engine.events import ModelInfo
from engine.stats import Snapshot, VolumeCounters


def drives(volumes: Sequence[VolumeCounters]) -> str:
    """A line for each drive of the experts: how fast it reads, how much it has read, what is wrong with it."""
    return "\n".join(_drive(v) for v in volumes)


def _drive(v: VolumeCounters) -> str:
    state = {"slow": _tr("it stalls, others are read instead"), "dead": _tr("it fails, others are read instead"), "missing": _tr("missing")}
    parts = [_tr("{0}/s while reading").format(size(v.rate))] if v.rate > 0 else []
    parts.append(_tr("{0} read").format(size(v.bytes_read)))
    if v.errors:
        parts.append(_tr("{0} errors").format(v.errors))
    if v.state in state:
        parts.append(told(v.problem) if v.problem else state[v.state])
    return f"{v.path}: {', '.join(parts)}"


def drafted(s: Snapshot) -> str:
    """How many drafts were kept since the model was opened, and what that brought."""
    if not s.drafts_proposed:
        return ""
    told = _tr("Drafts: {0} of {1} kept, about {2} s saved.")
    if s.drafts_seconds_saved < 0:
        told = _tr("Drafts: {0} of {1} kept, about {2} s lost.")
    lines = [told.format(number(s.drafts_accepted), number(s.drafts_proposed), number(abs(s.drafts_seconds_saved), 1))]
    sources = (
        (s.drafts_ngram_accepted, s.drafts_ngram_proposed, _tr("from the text {0} of {1}")),
        (s.drafts_model_accepted, s.drafts_model_proposed, _tr("from the draft model {0} of {1}")),
        (s.drafts_mtp_accepted, s.drafts_mtp_proposed, _tr("from the model's own layers {0} of {1}")),
    )
    named = [words.format(number(accepted), number(proposed)) for accepted, proposed, words in sources if proposed]
    return "\n".join([*lines, ", ".join(named)] if len(named) > 1 else lines)


def ahead(s: Snapshot) -> str:
    """Whether experts are read before they are asked for, and how many of them were wanted."""
    if not s.lookahead_reads:
        return _tr("Experts are read ahead where that is measured to gain.") if s.lookahead_on else ""
    wanted = s.lookahead_used + s.lookahead_late
    told = _tr("Read ahead: {0} experts, {1}% of them wanted, {2}% in time.").format(
        number(s.lookahead_reads), round(100 * wanted / s.lookahead_reads), round(100 * s.lookahead_used / s.lookahead_reads)
    )
    return told if s.lookahead_on else told + " " + _tr("It is off now, since it did not gain.")


def drafting(info: ModelInfo | None) -> str:
    """Which model drafts beside the open one, or why none does though one was chosen."""
    if info is None:
        return ""
    if info.draft_model:
        return _tr("Draft model: {0}").format(info.draft_model)
    return _tr("Without a draft model: {0}").format(told(info.draft_note)) if info.draft_note else ""


def held(info: ModelInfo | None) -> str:
    """How the trunk is kept in memory."""
    if info is None:
        return ""
    if info.locked:
        return _tr("The trunk is locked in memory.")
    return _tr("The trunk is not locked in memory: {0}").format(told(info.locked_note)) if info.locked_note else ""


def _tr(text: str) -> str:
    return QCoreApplication.translate("Gauges", text)
