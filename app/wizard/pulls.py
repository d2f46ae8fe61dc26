"""The models that are being fetched, as the window knows them, and what is said about each: pure functions."""

from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from app.language import told
from app.presentation import size
from app.wizard.words import duration, tr
from engine.errors import Cancelled, EngineError
from engine.events import Event, Failed, Pulled, Pulling, PullStopped, Startable
from engine.offers import KeptPull
from engine.paths import SUFFIX
from engine.requests import PullModel


class Stage(Enum):
    """What becomes of a pull."""

    RUNNING = "running"
    PAUSING = "pausing"
    PAUSED = "paused"
    DISCARDING = "discarding"
    FAILED = "failed"
    READY = "ready"


LIVE = (Stage.RUNNING, Stage.PAUSING, Stage.DISCARDING)


@dataclass(frozen=True, slots=True)
class Item:
    """One pull. request: the one that it goes on with, or would; stop: the number of a StopPull under way, 0 for none."""

    request: PullModel
    stage: Stage
    progress: Pulling | None = None
    startable: bool = False
    error: EngineError | None = None
    stop: int = 0
    before: Stage = Stage.PAUSED  # that it was in before the stop was asked for

    @property
    def target(self) -> Path:
        """The container."""
        return self.request.target

    @property
    def name(self) -> str:
        """The container's name."""
        return self.target.name.removesuffix(SUFFIX)


Items = tuple[Item, ...]


def kept(pulls: tuple[KeptPull, ...], going: tuple[PullModel, ...]) -> Items:
    """Pulls of an earlier run; `going` are those that go on by themselves."""
    out = []
    for k in pulls:
        if (request := next((r for r in going if r.target == k.target), None)) is not None:
            out.append(Item(request, Stage.RUNNING))
            continue
        request = PullModel(0, k.source, k.target, k.experts, k.trunk, k.revision, k.start_now, k.mtp)
        error = EngineError(k.problem) if k.problem and not k.paused else None
        out.append(Item(request, Stage.FAILED if error else Stage.PAUSED, error=error))
    return tuple(out)


def asked(items: Items, request: PullModel) -> Items:
    """A pull begins, or goes on."""
    item = Item(request, Stage.RUNNING)
    found = [item if i.target == request.target else i for i in items]
    return tuple(found if item in found else [*found, item])


def asked_stop(items: Items, target: Path, stop: int, discard: bool) -> Items:
    """A pull is to be paused or discarded."""
    stage = Stage.DISCARDING if discard else Stage.PAUSING
    return tuple(replace(i, stage=stage, stop=stop, before=i.stage) if i.target == target else i for i in items)


def without(items: Items, target: Path) -> Items:
    """The list without one."""
    return tuple(i for i in items if i.target != target)


def happened(items: Items, event: Event) -> Items:
    """The list after an event."""
    out: list[Item] = []
    for i in items:
        number = getattr(event, "id", 0)
        mine = number != 0 and number == i.request.id
        match event:
            case Pulling() if mine and i.stage in LIVE:
                i = replace(i, progress=event, error=None)
            case Startable() if mine:
                i = replace(i, startable=True)
            case Pulled() if mine:
                i = replace(i, stage=Stage.READY, startable=False, error=None)
            case PullStopped(_, _, discarded) if (mine or number == i.stop != 0) and i.stage is not Stage.READY:
                if discarded:
                    continue
                if i.stage is not Stage.DISCARDING:
                    i = replace(i, stage=Stage.PAUSED, startable=False)
            case Failed(_, Cancelled()) if mine and i.stage in LIVE:
                i = replace(i, stage=Stage.PAUSED, startable=False)
            case Failed(_, error) if mine and i.stage in LIVE:
                i = replace(i, stage=Stage.FAILED, error=error, startable=False)
            case Failed(id, error) if id == i.stop != 0 and i.stage in (Stage.PAUSING, Stage.DISCARDING):
                # What was under way has ended by itself, or ends with an error of its own.
                i = replace(i, stage=Stage.RUNNING) if i.before is Stage.RUNNING else replace(i, stage=Stage.FAILED, error=error)
        out.append(i)
    return tuple(out)


@dataclass(frozen=True, slots=True)
class PullView:
    """fraction: None hides the bar, below 0 is a bar without an end. tone: "plain", "wait", "bad" or "good".

    amount: bytes, rate and time; state: what it does or waits for.
    """

    title: str
    fraction: float | None
    amount: str
    state: str
    tone: str
    can_pause: bool
    can_resume: bool
    can_discard: bool
    can_start: bool


def view(item: Item) -> PullView:
    """What the progress page says about one pull."""
    p = item.progress
    running = item.stage is Stage.RUNNING
    state, tone = _state(item)
    moving = running and p is not None and p.state in ("downloading", "converting", "copying")
    return PullView(
        title=item.name,
        fraction=_fraction(item),
        amount=_amount(item, moving),
        state=state,
        tone=tone,
        can_pause=running and not (p is not None and p.state in ("verifying", "done")),
        can_resume=item.stage in (Stage.PAUSED, Stage.FAILED),
        can_discard=item.stage in (Stage.RUNNING, Stage.PAUSED, Stage.FAILED),
        can_start=item.stage is Stage.READY or (running and item.startable),
    )


def _fraction(item: Item) -> float | None:
    p = item.progress
    if item.stage is Stage.READY:
        return 1.0
    if p is None or p.total <= 0:
        queued = p is not None and p.state == "queued"
        return -1.0 if item.stage in LIVE and not queued else None
    if p.state == "verifying" and p.done >= p.total:
        return -1.0
    return min(p.done / p.total, 1.0)


def _amount(item: Item, moving: bool) -> str:
    p = item.progress
    if p is None or p.total <= 0 or item.stage is Stage.READY:
        return ""
    parts = [tr("{0} of {1}").format(size(p.done), size(p.total))]
    if item.stage is Stage.RUNNING and p.state in ("downloading", "converting", "copying", "stalled", "waiting", "no space"):
        parts.append(tr("{0}/s").format(size(p.rate if moving else 0)))
    if moving and p.eta is not None:
        parts.append(tr("{0} left").format(duration(p.eta)))
    return " · ".join(parts)


def _state(item: Item) -> tuple[str, str]:
    match item.stage:
        case Stage.PAUSING:
            return tr("Pausing…"), "plain"
        case Stage.DISCARDING:
            return tr("Removing what was fetched…"), "plain"
        case Stage.PAUSED:
            return tr("Paused. What was fetched is kept."), "plain"
        case Stage.FAILED:
            return told(item.error) if item.error else tr("It ended early. What was fetched is kept."), "bad"
        case Stage.READY:
            return tr("Ready. Every part was checked."), "good"
    p = item.progress
    if p is None:
        return tr("Beginning…"), "plain"
    if p.state in ("stalled", "waiting"):
        text = tr("No data arrives") if p.state == "stalled" else tr("Waiting")
        return (f"{text}: {told(p.text)}" if p.text else f"{text}…"), "wait"
    if p.state == "no space":
        return tr("The drive is full: {0}. Free space and it goes on by itself.").format(told(p.text)), "bad"
    if item.startable:
        return tr("You can chat already, slower until the rest has come."), "good"
    return {
        "queued": tr("Waits for the download before it."),
        "looking": tr("Looking at what is to be fetched…"),
        "checking": tr("Checking the source…"),
        "downloading": tr("Downloading and converting"),
        "converting": tr("Converting"),
        "copying": tr("Copying"),
        "verifying": tr("Checking every part…"),
        "done": tr("Finishing…"),
    }.get(p.state, tr("Working…")), "plain"


@dataclass(frozen=True, slots=True)
class BarView:
    """The small bar in the main window; hidden where text is empty."""

    text: str
    fraction: float | None
    tone: str


def bar(items: Items) -> BarView:
    """What the main window says about all pulls."""
    live = [i for i in items if i.stage in LIVE]
    if live:
        shown = next((i for i in live if i.progress and i.progress.state != "queued"), live[0])
        v = view(shown)
        more = tr(" (and {0} more)").format(len(live) - 1) if len(live) > 1 else ""
        p = shown.progress
        parts = [tr("{0}%").format(int(p.done / p.total * 100))] if p and p.total > 0 else []
        if v.tone in ("wait", "bad") or not parts:
            parts.append(v.state)
        elif p and p.eta is not None and shown.stage is Stage.RUNNING:
            parts += [tr("{0}/s").format(size(p.rate)), tr("{0} left").format(duration(p.eta))]
        return BarView(f"{shown.name}{more}: {' · '.join(parts)}", v.fraction, "bad" if v.tone == "bad" else "plain")
    failed = [i for i in items if i.stage is Stage.FAILED]
    if failed:
        return BarView(tr("{0}: needs you").format(failed[0].name), None, "bad")
    paused = [i for i in items if i.stage is Stage.PAUSED]
    if paused:
        return BarView(tr("{0}: paused").format(paused[0].name), None, "plain")
    return BarView("", None, "plain")
