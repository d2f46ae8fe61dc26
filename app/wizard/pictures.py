"""Pictures of the wizard's pages for `app.screenshots`: a real survey of this computer, and downloads that are only shown."""

import os
from collections.abc import Callable
from pathlib import Path

from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QWidget

from app.wizard.host import WizardHost
from app.wizard.state import Page
from engine.cancel import CancelToken
from engine.container.storage import DriveFull
from engine.events import Looked, Pulled, Pulling
from engine.offers import KeptPull, Precision
from engine.requests import PullModel
from engine.setup.catalogue import find
from engine.setup.convert import need_space
from engine.setup.judge import judge, this_machine
from engine.words import say, sentence

SHOWN = "google/gemma-4-26B-A4B-it"
NOWHERE = "http://127.0.0.1:9"  # a port that nothing listens at
LARGE = (860, 640)
Wait = Callable[[Callable[[], bool]], bool]


def sharp(widget: QWidget, scale: float = 2.0) -> QPixmap:
    """The widget as a screen of that many pixels a point shows it."""
    picture = QPixmap(widget.size() * scale)
    picture.setDevicePixelRatio(scale)
    widget.render(picture)
    return picture


def take(folder: Path, host: WizardHost, look: str, wait: Wait, settle: Callable[[], None]) -> None:
    """All pages; `wait` runs the event loop until its condition holds, `settle` until everything is drawn."""
    os.environ["HF_ENDPOINT"] = NOWHERE
    host.show()
    wizard, control = host.wizard, host.control
    assert wizard is not None
    wizard.resize(*LARGE)

    def shoot(name: str) -> None:
        settle()
        wizard.grab().save(str(folder / f"wizard-{name}-{look}.png"))

    control.survey()
    settle()
    shoot("1-folder-testing")
    wait(lambda: control.state.survey is not None)
    shoot("1-folder")
    control.go(Page.MODEL)
    control.change(picked=SHOWN)
    shoot("2-model")
    sharp(wizard).save(str(folder / f"wizard-2-model-{look}-2x.png"))
    control.change(picked="moonshotai/Kimi-K3")
    shoot("2-model-impossible")
    for tab in ("repository", "file"):
        control.change(tab=tab)
        shoot(f"2-model-{tab}")
    control.change(tab="catalogue", picked=SHOWN)
    control.go(Page.OPTIONS)
    wait(lambda: control.state.problem is not None)
    shoot("3-options-unreachable")
    control.look_up()
    host.fetching.happened.emit(_looked(control.state.looking, control.place.folder))
    shoot("3-options")
    _begin(host, control.place.folder)
    control.go(Page.PROGRESS)
    shoot("4-progress")
    wizard.resize(700, 520)
    shoot("4-progress-narrow")
    wizard.resize(*LARGE)
    item = host.pulls.items[0]
    host.fetching.happened.emit(Pulled(item.request.id, item.target))
    control.go(Page.CHAT)
    shoot("5-chat")
    wizard.close()


def _looked(id: int, folder: Path) -> Looked:
    entry, machine = find(SHOWN), this_machine(folder, CancelToken())
    nbytes = 51_600_000_000
    precisions = tuple(
        Precision(experts, trunk, experts == "bf16", judge(entry.unwritten(experts, trunk), machine, download_bytes=nbytes))
        for experts, trunk in (("q4", "q4"), ("q8", "q8"), ("bf16", "bf16"))
    )
    return Looked(id, SHOWN, "hub", entry.name.replace(" ", "-"), "gemma4", "9f2c41d07be3", entry.licence, True, nbytes, precisions)


def _begin(host: WizardHost, folder: Path) -> None:
    """One that runs, one that waits, one that failed: shown, not fetched."""
    names = ("Gemma-4-26B-A4B", "gpt-oss-120b", "Kimi-Linear-48B")
    targets = [folder / f"{name}.ouzel" for name in names]
    full = ""
    try:
        need_space(targets[2], 1 << 50, 0)
    except DriveFull as e:
        full = sentence(e)
    waits = say("trying again in {left:.0f} s: {why}", left=12, why=say("the server is busy ({status})", status=503))
    kept = tuple(KeptPull(f"owner/{n}", t, problem=full if n == names[2] else "") for n, t in zip(names, targets, strict=True))
    going = tuple(PullModel(host.fetching.next_id(), k.source, k.target) for k in kept[:2])
    host.pulls.take_up((kept, going))
    for event in (
        Pulling(going[0].id, targets[0], "downloading", 12_300_000_000, 51_600_000_000, 48e6, 818.0),
        Pulling(going[1].id, targets[1], "waiting", 2_000_000_000, 65_300_000_000, text=waits),
    ):
        host.fetching.happened.emit(event)
