"""What the options page says: a pure function of the wizard's state."""

from dataclasses import dataclass

from app.language import told
from app.presentation import needed, size
from app.wizard.rows import Row
from app.wizard.state import WizardState, bad_name
from app.wizard.words import TONES, duration, formats, tr, verdict_words
from engine.events import Looked, Surveyed
from engine.offers import Precision
from engine.setup.hub import NeedsToken

LINE_RATES = (12_500_000, 125_000_000)  # bytes a second of 100 Mbit/s and of 1 Gbit/s


@dataclass(frozen=True, slots=True)
class OptionsView:
    """source: what was found; looking: it is still looked at; rows: the precisions, `row` the chosen one; needs: of disk and time.

    name_problem: why the container cannot be called so; token: an access token is asked for.
    """

    looking: bool
    source: str
    rows: tuple[Row, ...]
    row: str
    reasons: str
    needs: str
    name: str
    name_problem: str
    has_target: bool
    can_start_now: bool
    token: bool
    next_label: str
    can_next: bool


def view(s: WizardState) -> OptionsView:
    """The whole page."""
    looked, chosen = s.looked, s.precision
    finished = looked is not None and looked.kind == "container"
    hub = looked is not None and looked.kind == "hub"
    problem = tr("Choose a name without any of \\ / : * ? \" < > |") if looked and not finished and bad_name(s.name) else ""
    return OptionsView(
        looking=bool(s.looking),
        source=_source(looked) if looked else tr("Looking at {0}…").format(s.place.source) if s.looking else "",
        rows=() if finished or looked is None else tuple(row(p, s.survey, i == 0) for i, p in enumerate(looked.precisions)),
        row=key(chosen) if chosen else "",
        reasons="" if chosen is None else "\n".join(map(told, (*chosen.verdict.reasons, *chosen.verdict.helps))),
        needs="" if chosen is None or looked is None or finished else _needs(looked, chosen),
        name=s.name,
        name_problem=problem,
        has_target=looked is not None and not finished,
        can_start_now=hub and not (chosen is not None and chosen.dense),  # a dense model answers when all of it is there
        token=isinstance(s.problem, NeedsToken) or (looked is not None and looked.gated),
        next_label=tr("Open it") if finished else tr("Download") if hub or looked is None else tr("Convert"),
        can_next=looked is not None and not s.looking and not problem and (finished or chosen is not None),
    )


def key(p: Precision) -> str:
    """What stands for a precision in the list."""
    return f"{p.experts}+{p.trunk}"


def row(p: Precision, survey: Surveyed | None, first: bool) -> Row:
    """One precision with what it costs."""
    v = p.verdict
    both = tr("{0}; {1} for the part that every word needs").format(formats(p.experts), formats(p.trunk))
    title = formats(p.trunk) if p.dense or p.experts == p.trunk else both
    notes = [t for t, there in ((tr("recommended"), first), (tr("as published"), p.as_published)) if there]
    title = tr("{0} ({1})").format(title, ", ".join(notes)) if notes else title
    below = tr("{0} on disk · memory from {1}, better {2}").format(size(v.disk_bytes), needed(v.floor_bytes), needed(v.recommended_bytes))
    memory, free = (survey.memory_bytes, survey.free_bytes) if survey else (v.floor_bytes, v.disk_peak_bytes)
    return Row(key(p), title, below, verdict_words(v, memory, free), TONES[v.level])


def _source(looked: Looked) -> str:
    kind = {
        "hub": tr("repository"),
        "folder": tr("published model on this computer"),
        "gguf": tr("GGUF file"),
        "container": tr("finished model"),
    }[looked.kind]
    parts = [looked.name, kind, looked.family, looked.licence or tr("licence not named")]
    if looked.kind == "container":
        parts.pop()
    if looked.commit:
        parts.append(tr("version {0}").format(looked.commit[:8]))
    return " · ".join(parts)


def _needs(looked: Looked, p: Precision) -> str:
    v = p.verdict
    if looked.kind != "hub":
        return tr("It takes {0} of disk while it is made and {1} afterwards; what it is made from stays as it is.").format(
            size(v.disk_peak_bytes), size(v.disk_bytes)
        )
    slow, fast = (duration(looked.source_bytes / rate) for rate in LINE_RATES)
    text = tr("The download is {0}: {1} at 100 Mbit/s, {2} at 1 Gbit/s. It is converted as it comes: {3} of disk at most, {4} in the end.")
    return text.format(size(looked.source_bytes), slow, fast, size(v.disk_peak_bytes), size(v.disk_bytes))
