"""What the gauges' tool tips add."""

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.gauge_details import ahead, drafted, drafting, drives, held
from app.settings import Settings
from engine.events import ModelInfo
from engine.stats import Snapshot, VolumeCounters
from tests.app.window import opened

OK = VolumeCounters("/mnt/a", "ok", 3_400_000_000, 900, 2.0, 0, 1.7e9)
INFO = ModelInfo("m", "qwen2_moe", Settings().engine(Path("/m")), 2, 8, 16, 8, 512, 1, 2, 1, "fast", "avx2", 2, "f16", True)


@pytest.mark.parametrize(
    ("volume", "text"),
    [
        (OK, "/mnt/a: 1.7 GB/s while reading, 3.4 GB read"),
        (replace(OK, rate=0), "/mnt/a: 3.4 GB read"),
        (replace(OK, state="slow", errors=2), "/mnt/a: 1.7 GB/s while reading, 3.4 GB read, 2 errors, it stalls, others are read instead"),
        (replace(OK, state="missing", problem="it is not there", rate=0, bytes_read=0), "/mnt/a: 0 kB read, it is not there"),
    ],
)
def test_that_each_drive_has_a_line(volume: VolumeCounters, text: str) -> None:
    assert drives((volume,)) == text and drives((volume, OK)).count("\n") == 1 and drives(()) == ""


@pytest.mark.parametrize(
    ("snapshot", "text"),
    [
        (Snapshot(), ""),
        (Snapshot(lookahead_on=True), "Experts are read ahead where that is measured to gain."),
        (Snapshot(lookahead_on=True, lookahead_reads=200, lookahead_used=120, lookahead_late=30, lookahead_wasted=50),
         "Read ahead: 200 experts, 75% of them wanted, 60% in time."),
        (Snapshot(lookahead_on=True, lookahead_reads=20000, lookahead_used=15000, lookahead_wasted=5000),
         "Read ahead: 20,000 experts, 75% of them wanted, 75% in time."),
        (Snapshot(lookahead_reads=10, lookahead_used=1, lookahead_wasted=9),
         "Read ahead: 10 experts, 10% of them wanted, 10% in time. It is off now, since it did not gain."),
    ],
)  # fmt: skip
def test_that_reading_ahead_is_told(snapshot: Snapshot, text: str) -> None:
    assert ahead(snapshot) == text


def test_that_drafts_are_told_with_their_sources() -> None:
    s = Snapshot(drafts_proposed=9, drafts_accepted=5, drafts_ngram_proposed=9, drafts_ngram_accepted=5, drafts_seconds_saved=0.52)
    assert drafted(Snapshot()) == "" and drafted(s) == "Drafts: 5 of 9 kept, about 0.5 s saved."
    two = replace(s, drafts_model_proposed=4, drafts_model_accepted=1, drafts_seconds_saved=-2.0)
    assert drafted(two) == "Drafts: 5 of 9 kept, about 2.0 s lost.\nfrom the text 5 of 9, from the draft model 1 of 4"


def test_that_locked_memory_is_told() -> None:
    assert held(None) == "" == held(INFO)
    assert held(replace(INFO, locked=True)) == "The trunk is locked in memory."
    assert held(replace(INFO, locked_note="not permitted")) == "The trunk is not locked in memory: not permitted"


def test_that_the_windows_tool_tips_follow_the_engine(qtbot: QtBot, starter_home: Path) -> None:
    with opened(qtbot) as d:
        d.wait_ready()
        d.engine.change_settings(replace(d.engine.settings, max_tokens=4))
        d.ask("hi")
        assert str(starter_home) in d.main.gauges.disk.toolTip() and " read" in d.main.gauges.disk.toolTip()
        assert "trunk is" in d.main.gauges.memory.toolTip()
        d.press("Unload", d.main.model_bar)
        d.wait(lambda: d.engine.state.info is None and str(starter_home) not in d.main.gauges.disk.toolTip())


def test_that_the_draft_model_is_named_or_why_there_is_none() -> None:
    assert drafting(None) == drafting(INFO) == ""
    assert drafting(replace(INFO, draft_model="small")) == "Draft model: small"
    assert drafting(replace(INFO, draft_note="small is not there.")) == "Without a draft model: small is not there."
