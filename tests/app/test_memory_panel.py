"""The memory panel: what it says as a table, and with the real window, engine and fetcher what each control makes of it."""

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app import limits, measured
from app.settings import Settings
from engine import paths
from engine.config import EngineConfig
from engine.cores import performance_cores
from engine.errors import OverBudget, StorageError
from engine.events import Estimated, Failed
from engine.offers import ContextOffer, LimitOffer
from engine.requests import Generate, LoadModel
from engine.setup import memory_speed, speed
from engine.setup.memory_speed import MemorySpeed
from engine.setup.speed import BURSTS, RECORDS, DriveSpeed
from tests.app.window import Driver, opened

MB, GB = 10**6, 10**9


def offer(budget: int, slots: int, rate: float = 6.0) -> LimitOffer:
    return LimitOffer(budget, budget - MB, 4096, slots, 448, slots / 448, 210e6 * (1 - slots / 448), rate, rate / 1.2, rate * 1.3)


LIMITS = (offer(2 * GB, 50, 2.0), offer(4 * GB, 200, 4.0), offer(8 * GB, 448, 6.0))
CONTEXTS = (ContextOffer(1024, 24 * MB, 2 * GB), ContextOffer(8192, 190 * MB, 3 * GB))
E = Estimated(1, EngineConfig(Path("/m.ouzel")), 14 * GB, 1_990_000_000, LIMITS, offer(7 * GB, 448), None, CONTEXTS, 8192, True)


def never(_offer: LimitOffer) -> None:
    return None


def test_that_a_limit_says_what_it_costs_and_brings() -> None:
    v = limits.view(E, Settings(budget_bytes=4 * GB), never)
    assert v.headline == "4.0 GB: about 4.0 tokens/s, between 3.3 and 5.2" and (v.at, v.automatic) == (1, False)
    assert v.brings == (
        "Takes 4.0 GB, with a context of 4,096 tokens. "
        "200 of 448 experts in memory; 45% of the uses should find theirs there, and 116 MB a token come from the drive."
    )
    assert v.note == "It needs at least 2.0 GB; 14.0 GB are free for it." and v.measured == ""
    assert v.steps == (2 * GB, 4 * GB, 8 * GB) and v.spoken.startswith("4.0 GB: about")


def test_that_all_in_memory_is_said_and_automatic_too() -> None:
    v = limits.view(E, Settings(), never)
    assert v.automatic and v.headline.startswith("7.0 GB: about 6.0") and "All 448 experts stay in memory" in v.brings


def test_that_a_dense_model_is_said_to_be_in_memory() -> None:
    said = limits.brings(LimitOffer(2 * GB, 2 * GB, 4096, 0, 0, 1.0, 0.0, 6.0, 5.0, 7.0))
    assert said.endswith("It has no experts: all of it stays in memory, and nothing is read from the drive.")


def test_that_what_was_measured_is_said_beside_it() -> None:
    v = limits.view(E, Settings(budget_bytes=8 * GB), lambda o: 6.44 if o.n_slots == 448 else None)
    assert v.measured == "Measured here so far, with drafts: 6.4 tokens/s." and v.measured in v.spoken
    plain = limits.view(E, Settings(budget_bytes=8 * GB, draft=False), lambda o: 6.44)
    assert plain.measured == "Measured here so far: 6.4 tokens/s."


@pytest.mark.parametrize(
    ("budget", "shown"), [(2 * GB, 2 * GB), (5 * GB, 4 * GB), (20 * GB, 8 * GB), (GB, 2 * GB)]
)
def test_that_a_limit_that_was_not_looked_at_is_shown_as_the_one_below(budget: int, shown: int) -> None:
    found = limits.current(E, budget)
    assert found is not None and found.budget_bytes == shown
    assert limits.looked_at(E, budget) == (budget == shown) and limits.looked_at(E, None)
    exact = replace(E, chosen=offer(budget, 77))
    assert limits.current(exact, budget) == exact.chosen or budget == 2 * GB
    assert limits.looked_at(exact, budget)


def test_that_nothing_is_offered_that_does_not_fit() -> None:
    v = limits.view(replace(E, limits=(), automatic=None, contexts=()), Settings(), never)
    assert v.steps == () and v.headline == "" and "Close other programs" in v.note and v.contexts == ((None, "Automatic"),)


def test_that_contexts_have_their_memory_and_raise_a_limit_under_their_floor() -> None:
    v = limits.view(E, Settings(context=3000), never)
    assert v.contexts == ((None, "Automatic"), (1024, "1,024 tokens · 24 MB"), (3000, "3,000 tokens"), (8192, "8,192 tokens · 190 MB"))
    assert [limits.raised(E, b, 8192) for b in (None, 4 * GB, 2 * GB)] == [None, 4 * GB, 3 * GB]


def test_that_exact_arithmetic_has_no_expected_speed() -> None:
    v = limits.view(replace(E, automatic=replace(offer(4 * GB, 9), tokens_per_second=0.0)), Settings(), never)
    assert "no speed is expected" in v.headline


def test_that_problems_and_progress_are_told() -> None:
    assert limits.view(None, Settings(), never, problem="It is damaged.").note == "It is damaged."
    v = limits.view(None, Settings(context=2048), never, progress=0.4)
    assert v.progress == 0.4 and "Working out" in v.note and v.contexts[1] == (2048, "2,048 tokens")


# With the real window


@pytest.fixture(autouse=True)
def known_machine(ouzel_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """2 GB/s from every drive and 10 GB/s of memory, as if they had been measured a moment ago."""
    threads = performance_cores()
    monkeypatch.setitem(memory_speed._known, threads, MemorySpeed(threads, "avx2", 1e10, 9e9, 1e-6))
    rows = tuple(tuple(1e-4 + record * n / 2e9 for n in BURSTS) for record in RECORDS)
    drives = {speed.drive_of(paths.nearest(p)) for p in (paths.models_dir(), Path("/"))}
    speed._keep({drive: (time.time(), DriveSpeed(rows, True, "")) for drive in drives})


def show(d: Driver) -> None:
    """Open the panel and wait for what it says."""
    d.wait_ready()
    d.click(d.main.model_bar.memory)
    d.wait(lambda: bool(d.main.model_bar.panel.headline.text()))


def reload(d: Driver) -> EngineConfig:
    d.press("Reload", d.main.model_bar)
    d.wait_ready()
    request = d.last(LoadModel)
    assert isinstance(request, LoadModel)
    return request.config


def test_that_the_slider_opens_the_model_with_the_limit_that_it_names(qtbot: QtBot, starter_home: Path) -> None:
    with opened(qtbot, starter_home) as d:
        show(d)
        panel, e = d.main.model_bar.panel, d.window.memory.estimate
        assert e is not None and panel.automatic.isChecked() and panel.slider.isEnabled()
        panel.slider.setFocus()
        QTest.keyClick(panel.slider, Qt.Key.Key_Home)
        least = e.limits[0]
        assert d.engine.settings.budget_bytes == least.budget_bytes >= e.floor_bytes and not panel.automatic.isChecked()
        assert all(text.startswith(limits.headline(least)) for text in (panel.headline.text(), panel.slider.accessibleDescription()))
        QTest.keyClick(panel.slider, Qt.Key.Key_Right)
        second = e.limits[1]
        assert "memory limit" in d.main.model_bar.status.text() and "Reload" in d.main.model_bar.status.text()
        assert reload(d).budget_bytes == second.budget_bytes
        info = d.engine.state.info
        assert info is not None and (info.n_slots, info.context) == (second.n_slots, second.context)
        assert info.memory_bytes <= info.budget_bytes == second.budget_bytes
        d.click(panel.automatic)
        assert d.engine.settings.budget_bytes is None and panel.automatic.isChecked()
        assert reload(d).budget_bytes is None


def test_that_a_typed_limit_is_looked_at_itself(qtbot: QtBot, starter_home: Path) -> None:
    with opened(qtbot, starter_home) as d:
        show(d)
        panel, memory = d.main.model_bar.panel, d.window.memory
        panel.budget.setValue(0.17)
        d.wait(lambda: memory.estimate is not None and limits.looked_at(memory.estimate, 170 * MB))
        assert panel.headline.text().startswith("170 MB: about ")
        panel.budget.setValue(0.01)  # under the floor
        assert memory.estimate is not None and d.engine.settings.budget_bytes == memory.estimate.limits[0].budget_bytes


def test_that_a_context_reaches_the_engine_with_a_limit_that_holds_it(qtbot: QtBot, starter_home: Path) -> None:
    with opened(qtbot, starter_home) as d:
        show(d)
        panel, e = d.main.model_bar.panel, d.window.memory.estimate
        assert e is not None
        QTest.keyClick(panel.slider, Qt.Key.Key_Home)
        before = d.engine.settings.budget_bytes
        panel.context.setFocus()
        QTest.keyClick(panel.context, Qt.Key.Key_End)
        longest = e.contexts[-1]
        assert d.engine.settings.context == longest.context == 8192
        raised = d.engine.settings.budget_bytes
        assert before is not None and raised is not None and before < longest.floor_bytes <= raised
        d.wait(lambda: d.window.memory.estimate is not e)
        config = reload(d)
        info = d.engine.state.info
        assert info is not None and (config.context, info.context, info.budget_bytes) == (8192, 8192, raised)


def test_that_nothing_is_measured_beside_an_answer_and_what_was_written_is_kept(qtbot: QtBot, starter_home: Path, ouzel_home: Path) -> None:
    with opened(qtbot, starter_home) as d:
        show(d)
        memory = d.window.memory
        d.engine.change_settings(replace(d.engine.settings, max_tokens=40, temperature=0.0))
        d.say("Tell me about the sea")
        d.wait(lambda: any(isinstance(r, Generate) for r in d.requests))
        assert memory._request is None and not d.main.model_bar.panel.slider.isEnabled()
        d.wait_ready()
        d.wait(lambda: "Measured here so far" in d.main.model_bar.panel.headline.text())
        stats = d.finished[-1]
        found = measured.rate(memory._speeds, starter_home, 448, 448, False, True)
        assert found == pytest.approx((stats.answer_tokens - 1) / stats.seconds_decode)
    assert measured.load(ouzel_home / "measured.json") == memory._speeds


def test_that_a_closed_panel_asks_for_nothing(qtbot: QtBot, starter_home: Path) -> None:
    with opened(qtbot, starter_home) as d:
        d.wait_ready()
        assert d.window.memory.estimate is None and d.window.memory._request is None and not d.main.model_bar.panel.isVisible()


def test_that_a_load_that_fails_says_what_to_do_and_can_be_tried_again(qtbot: QtBot, starter_home: Path) -> None:
    with opened(qtbot, starter_home) as d:
        d.wait_ready()
        for error in (StorageError("The drive is gone. Connect it."), OverBudget("Only 1 MB are free. Close other programs.", 1 << 60, MB)):
            d.engine.load()
            d.engine.bridge.happened.emit(Failed(d.engine.state.request, error))
            assert d.main.notice.isVisible() and d.main.notice.label.text() == str(error) and d.main.notice.action.text() == "Try again"
            d.wait(lambda: d.phase.value in ("idle", "ready"))
            d.click(d.main.notice.action)
            d.wait_ready()
            d.main.notice.hide()


# What was measured


def test_that_a_damaged_file_counts_as_none(tmp_path: Path) -> None:
    for text in ("", "[", "[1]", '{"m": 3}', '{"m": [{"n_slots": 1}]}'):
        (tmp_path / "measured.json").write_text(text)
        assert measured.load(tmp_path / "measured.json") == {}
    assert measured.load(tmp_path / "none.json") == {}
    wrong = measured.Speed(5, 9, False, True, 2, -1.0, 2.0)
    measured.save(tmp_path / "measured.json", {"m": (wrong, replace(wrong, tokens=4.0))})
    assert measured.load(tmp_path / "measured.json") == {"m": (replace(wrong, tokens=4.0),)}
    assert json.loads((tmp_path / "measured.json").read_text())
