"""The list of pulls and what is said about each: as tables."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.wizard import pulls
from app.wizard.pulls import Item, Stage, bar, view
from app.wizard.remedies import Remedy, label, remedies
from engine.errors import BadCheckpoint, BadRequest, Cancelled, EngineError, StorageError, UnsupportedModel
from engine.events import Event, Failed, Pulled, Pulling, PullStopped, Startable, Surveying
from engine.offers import KeptPull
from engine.requests import PullModel
from engine.setup.hub import HubError, NeedsToken
from engine.setup.ranges import SourceChanged

A, B = Path("/m/a.ouzel"), Path("/m/b.ouzel")
REQUEST = PullModel(7, "owner/a", A)
FLOWING = Pulling(7, A, "downloading", 12_300_000_000, 52_000_000_000, 48e6, 830.0)
STALLED = replace(FLOWING, state="stalled", text="no data for 7 s")
OTHER = Item(PullModel(8, "o/b", B), Stage.RUNNING, FLOWING)
RUNNING = Item(REQUEST, Stage.RUNNING)
PAUSED = Item(REQUEST, Stage.PAUSED)
ERROR = EngineError("It broke.")


@pytest.mark.parametrize(
    ("item", "event", "stage"),
    [
        (RUNNING, FLOWING, Stage.RUNNING),
        (RUNNING, Startable(7, A), Stage.RUNNING),
        (RUNNING, Pulled(7, A), Stage.READY),
        (RUNNING, PullStopped(7, A, False), Stage.PAUSED),
        (RUNNING, Failed(7, ERROR), Stage.FAILED),
        (RUNNING, Failed(7, Cancelled("stopped")), Stage.PAUSED),
        (RUNNING, Failed(6, ERROR), Stage.RUNNING),
        (RUNNING, Pulled(6, A), Stage.RUNNING),
        (RUNNING, PullStopped(6, A, False), Stage.RUNNING),  # of a pull that was paused and goes on as another request
        (replace(RUNNING, stage=Stage.PAUSING, stop=8), PullStopped(8, A, False), Stage.PAUSED),
        (replace(RUNNING, stage=Stage.PAUSING, stop=8, before=Stage.RUNNING), Failed(8, ERROR), Stage.RUNNING),
        (replace(RUNNING, stage=Stage.PAUSING, stop=8), Pulled(7, A), Stage.READY),
        (replace(PAUSED, stage=Stage.DISCARDING, stop=8), Failed(8, ERROR), Stage.FAILED),
        (replace(RUNNING, stage=Stage.DISCARDING, stop=8), PullStopped(7, A, True), None),
        (replace(PAUSED, stage=Stage.DISCARDING, stop=8), PullStopped(8, A, True), None),
        (PAUSED, FLOWING, Stage.PAUSED),
        (PAUSED, Surveying(7, 0.5), Stage.PAUSED),
    ],
)
def test_that_events_move_a_pull(item: Item, event: Event, stage: Stage | None) -> None:
    assert [i.stage for i in pulls.happened((item,), event)] == ([stage] if stage else [])


def test_that_an_error_is_forgotten_when_bytes_flow_again() -> None:
    failed = pulls.happened((RUNNING,), Failed(7, ERROR))
    again = pulls.asked(failed, replace(REQUEST, id=9))
    assert again[0].stage is Stage.RUNNING and again[0].error is None and len(again) == 1
    assert len(pulls.asked(again, PullModel(10, "owner/b", B))) == 2


def test_that_what_an_earlier_run_left_comes_back() -> None:
    left = (
        KeptPull("owner/a", A),
        KeptPull("owner/b", B, paused=True),
        KeptPull("owner/c", Path("/m/c.ouzel"), problem="No space."),
    )
    found = pulls.kept(left, (REQUEST,))
    assert [i.stage for i in found] == [Stage.RUNNING, Stage.PAUSED, Stage.FAILED]
    assert found[0].request.id == 7 and str(found[2].error) == "No space."


@pytest.mark.parametrize(
    ("item", "amount", "state", "tone", "buttons"),
    [
        (RUNNING, "", "Beginning…", "plain", "pause discard"),
        (replace(RUNNING, progress=FLOWING), "12.3 GB of 52.0 GB · 48 MB/s · about 14 minutes left",
         "Downloading", "plain", "pause discard"),
        (replace(RUNNING, progress=STALLED), "12.3 GB of 52.0 GB · 0 kB/s",
         "No data arrives: no data for 7 s", "wait", "pause discard"),
        (replace(RUNNING, progress=replace(FLOWING, state="waiting", text="trying again in 4 s")), "12.3 GB of 52.0 GB · 0 kB/s",
         "Waiting: trying again in 4 s", "wait", "pause discard"),
        (replace(RUNNING, progress=replace(FLOWING, state="no space", text="300 MB are missing")), "12.3 GB of 52.0 GB · 0 kB/s",
         "The drive is full: 300 MB are missing. Free space", "bad", "pause discard"),
        (replace(RUNNING, progress=replace(FLOWING, state="verifying")), "12.3 GB of 52.0 GB", "Checking every part", "plain", "discard"),
        (replace(RUNNING, progress=FLOWING, startable=True), "12.3 GB", "You can chat already", "good", "pause discard start"),
        (replace(RUNNING, progress=Pulling(7, A, "queued")), "", "Waits for the download before it.", "plain", "pause discard"),
        (replace(PAUSED, progress=FLOWING), "12.3 GB of 52.0 GB", "Paused.", "plain", "resume discard"),
        (replace(RUNNING, stage=Stage.PAUSING, progress=FLOWING), "12.3 GB of 52.0 GB", "Pausing…", "plain", ""),
        (replace(RUNNING, stage=Stage.DISCARDING), "", "Removing", "plain", ""),
        (replace(RUNNING, stage=Stage.FAILED, error=ERROR), "", "It broke.", "bad", "resume discard"),
        (replace(RUNNING, stage=Stage.READY, progress=FLOWING), "", "Ready.", "good", "start"),
    ],
)  # fmt: skip
def test_that_each_state_is_said_with_what_can_be_done(item: Item, amount: str, state: str, tone: str, buttons: str) -> None:
    v = view(item)
    assert v.amount.startswith(amount) and (amount or not v.amount)
    assert state in v.state and v.tone == tone
    can = {"pause": v.can_pause, "resume": v.can_resume, "discard": v.can_discard, "start": v.can_start}
    assert [name for name, there in can.items() if there] == buttons.split()


@pytest.mark.parametrize(
    ("items", "text", "fraction"),
    [
        ((), "", None),
        ((replace(RUNNING, progress=FLOWING),), "a: 23% · 48 MB/s · about 14 minutes left", 12.3 / 52),
        ((replace(RUNNING, progress=Pulling(7, A, "queued")), OTHER), "b (and 1 more): 23%", 0.2365),
        ((replace(RUNNING, progress=STALLED),), "a: 23% · No data arrives: no data", 0.2365),
        ((PAUSED,), "a: paused", None),
        ((replace(RUNNING, stage=Stage.FAILED),), "a: needs you", None),
        ((replace(RUNNING, stage=Stage.READY),), "", None),
    ],
)
def test_that_the_windows_bar_says_it_in_a_line(items: tuple[Item, ...], text: str, fraction: float | None) -> None:
    v = bar(items)
    assert v.text.startswith(text) and bool(v.text) == bool(text)
    assert v.fraction == (None if fraction is None else pytest.approx(fraction, rel=0.01))


@pytest.mark.parametrize(
    ("error", "wanted"),
    [
        (NeedsToken("gated"), (Remedy.TOKEN, Remedy.LICENCE)),
        (EngineError("o/a is only for those who accepted its licence, give an access token."), (Remedy.TOKEN, Remedy.LICENCE)),
        (EngineError("x needs 40 MB, but 5 MB are free."), (Remedy.SPACE, Remedy.FOLDER)),
        (HubError("cannot be reached"), (Remedy.RETRY,)),
        (StorageError("No space is left on the drive."), (Remedy.SPACE, Remedy.FOLDER)),
        (StorageError("x needs 40 MB, but 5 MB are free."), (Remedy.SPACE, Remedy.FOLDER)),
        (StorageError("x lies on a drive that cannot be written."), (Remedy.RETRY, Remedy.FOLDER)),
        (StorageError("x is being written by another Ouzel"), (Remedy.RETRY,)),
        (SourceChanged("changed"), (Remedy.DISCARD, Remedy.RETRY)),
        (UnsupportedModel("no"), (Remedy.MODEL,)),
        (BadCheckpoint("damaged"), (Remedy.RETRY, Remedy.MODEL)),
        (BadRequest("x exists already."), (Remedy.NAME,)),
        (BadRequest("is no name"), (Remedy.MODEL,)),
        (EngineError("anything"), (Remedy.RETRY,)),
    ],
)
def test_that_every_error_has_a_button_that_does_something(error: EngineError, wanted: tuple[Remedy, ...]) -> None:
    assert tuple(o.remedy for o in remedies(error)) == wanted
    assert all(o.label == label(o.remedy) and o.label for o in remedies(error))
