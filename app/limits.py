"""What the memory panel shows: a pure function of the estimate, the settings and what was measured here."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from app import language
from app.presentation import needed, size
from app.settings import Settings
from engine.events import Estimated
from engine.offers import ContextOffer, LimitOffer
from engine.stats import number

Measured = Callable[[LimitOffer], float | None]  # tokens a second that were measured here with such a limit


@dataclass(frozen=True, slots=True)
class LimitsView:
    """steps: limits that the slider offers, in bytes; at: which of them is nearest to the limit that counts.

    spoken: that limit and what it brings, in a sentence. contexts: (tokens or None for automatic, text). progress: as in Presentation.
    """

    steps: tuple[int, ...]
    at: int
    automatic: bool
    headline: str
    brings: str
    measured: str
    note: str
    contexts: tuple[tuple[int | None, str], ...]
    progress: float | None

    @property
    def spoken(self) -> str:
        """For a screen reader."""
        return " ".join(filter(None, (self.headline, self.brings, self.measured)))


def view(
    e: Estimated | None, settings: Settings, measured: Measured, progress: float | None = None, problem: str = ""
) -> LimitsView:
    """The whole panel. e: the newest estimate, perhaps of slightly other settings; progress: of a new one; problem: why there is none."""
    if e is None:
        told = problem or (_tr("Working out what this computer can do…") if progress is not None else "")
        contexts = _contexts((), settings.context)
        return LimitsView((), 0, settings.budget_bytes is None, "", "", "", told, contexts, progress)
    offer, steps = current(e, settings.budget_bytes), tuple(o.budget_bytes for o in e.limits)
    seen = measured(offer) if offer is not None else None
    return LimitsView(
        steps=steps,
        at=min(range(len(steps)), key=lambda n: abs(steps[n] - offer.budget_bytes), default=0) if offer is not None else 0,
        automatic=settings.budget_bytes is None,
        headline=headline(offer) if offer is not None else "",
        brings=brings(offer) if offer is not None else "",
        measured=_seen(seen, settings.draft) if seen is not None else "",
        note=problem or _note(e),
        contexts=_contexts(e.contexts, settings.context),
        progress=progress,
    )


def _seen(rate: float, drafts: bool) -> str:
    said = _tr("Measured here so far, with drafts: {0} tokens/s.") if drafts else _tr("Measured here so far: {0} tokens/s.")
    return said.format(_pace(rate))


def current(e: Estimated, budget: int | None) -> LimitOffer | None:
    """What the limit that is set costs and brings; of one that was not looked at, the largest below it."""
    if budget is None:
        return e.automatic
    if e.chosen is not None and e.chosen.budget_bytes == budget:
        return e.chosen
    return next((o for o in reversed(e.limits) if o.budget_bytes <= budget), e.limits[0] if e.limits else None)


def looked_at(e: Estimated, budget: int | None) -> bool:
    """Whether the estimate is about just this limit."""
    return budget is None or any(o is not None and o.budget_bytes == budget for o in (*e.limits, e.chosen))


def headline(o: LimitOffer) -> str:
    """A limit and its speed."""
    if not o.tokens_per_second:
        return _tr("{0}: no speed is expected for exact arithmetic, which is slower").format(size(o.budget_bytes))
    said = _tr("{0}: about {1} tokens/s, between {2} and {3}")
    return said.format(size(o.budget_bytes), _pace(o.tokens_per_second), _pace(o.slowest), _pace(o.fastest))


def brings(o: LimitOffer) -> str:
    """What the memory is used for."""
    words = _tr("Takes {0}, with a context of {1} tokens.").format(size(o.planned_bytes), language.number(o.context))
    if not o.n_records:
        return words + " " + _tr("It has no experts: all of it stays in memory, and nothing is read from the drive.")
    if o.n_slots >= o.n_records:
        return words + " " + _tr("All {0} experts stay in memory: nothing is read from the drive.").format(language.number(o.n_records))
    told = _tr("{0} of {1} experts in memory; {2}% of the uses should find theirs there, and {3} a token come from the drive.")
    hits = min(round(o.hit_rate * 100), 99)
    return words + " " + told.format(language.number(o.n_slots), language.number(o.n_records), hits, size(o.drive_bytes))


def _note(e: Estimated) -> str:
    if not e.limits:
        short = _tr("This model needs {0}, and {1} are free. Close other programs, choose a shorter context or a smaller model.")
        return short.format(needed(e.floor_bytes), size(e.available_bytes))
    note = _tr("It needs at least {0}; {1} are free for it.").format(needed(e.floor_bytes), size(e.available_bytes))
    return note if e.direct else note + " " + _tr("The drive was measured through the system's cache, so speeds may be too high.")


def _contexts(offers: tuple[ContextOffer, ...], asked: int | None) -> tuple[tuple[int | None, str], ...]:
    """Automatic, what fits, and what is set."""
    named = [(c.context, _tr("{0} tokens · {1}").format(language.number(c.context), size(c.kv_bytes))) for c in offers]
    if asked is not None and asked not in (c for c, _ in named):
        named.append((asked, _tr("{0} tokens").format(language.number(asked))))
    return ((None, _tr("Automatic")), *sorted(named))


def raised(e: Estimated, budget: int | None, context: int | None) -> int | None:
    """The limit to go with a context: the one that is set, or where that is too low the least whole 10 MB."""
    floor = next((c.floor_bytes for c in e.contexts if c.context == context), 0)
    return budget if budget is None or budget >= floor else -(-floor // 10_000_000) * 10_000_000


def _pace(rate: float) -> str:
    figure = number(rate)
    return language.number(float(figure), len(figure.partition(".")[2]))


def _tr(text: str) -> str:
    return QCoreApplication.translate("Limits", text)
