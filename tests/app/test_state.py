"""The engine's state as the window knows it, and what the controls say: both as tables."""

from dataclasses import replace
from pathlib import Path

import pytest

from app import state as t
from app.presentation import needed, needs_reload, present, size
from app.settings import Settings
from app.state import EngineState, Phase
from engine.errors import BadContainer
from engine.events import Converted, Converting, Counters, Event, Failed, Finished, Loaded, Loading, ModelInfo, Prefill, Text, Unloaded
from engine.stats import AnswerStats, Snapshot

MODEL = Path("/models/small.ouzel")
SETTINGS = Settings()
INFO = ModelInfo("small", "qwen2_moe", SETTINGS.engine(MODEL), 30, 32, 448, 448, 4096, 180, 240, 130, "fast", "avx2", 2, "f16", True)
IDLE = EngineState()
READY = EngineState(Phase.READY, 3, model=MODEL, info=INFO)
STATS = AnswerStats("end", 5, 0, 5, 0.1, 1.0, 1, Snapshot())
FAILED = Failed(7, BadContainer("broken"))


def in_phase(phase: Phase, info: ModelInfo | None = INFO) -> EngineState:
    return EngineState(phase, 7, "step", 1, 2, MODEL, info)


@pytest.mark.parametrize(
    ("before", "event", "phase", "has_model"),
    [
        (in_phase(Phase.LOADING, None), Loading(7, "trunk", 0.5), Phase.LOADING, False),
        (in_phase(Phase.LOADING, None), Loaded(7, INFO), Phase.READY, True),
        (in_phase(Phase.LOADING, None), FAILED, Phase.IDLE, False),
        (in_phase(Phase.UNLOADING, None), Unloaded(7), Phase.IDLE, False),
        (in_phase(Phase.BUILDING), Converting(7, "download", 5, 10), Phase.BUILDING, True),
        (in_phase(Phase.BUILDING), Converted(7, "x"), Phase.READY, True),
        (in_phase(Phase.BUILDING, None), Converted(7, "x"), Phase.IDLE, False),
        (in_phase(Phase.BUILDING, None), FAILED, Phase.IDLE, False),
        (in_phase(Phase.READING), Prefill(7, 3, 9), Phase.READING, True),
        (in_phase(Phase.READING), Text(7, "a"), Phase.WRITING, True),
        (in_phase(Phase.READING), FAILED, Phase.READY, True),
        (in_phase(Phase.WRITING), Finished(7, STATS), Phase.READY, True),
        (in_phase(Phase.STOPPING), Text(7, "late"), Phase.STOPPING, True),
        (in_phase(Phase.STOPPING), Prefill(7, 1, 2), Phase.STOPPING, True),
        (in_phase(Phase.STOPPING), Finished(7, STATS), Phase.READY, True),
        (in_phase(Phase.CLOSING), Finished(7, STATS), Phase.CLOSING, True),
    ],
)
def test_that_events_move_the_state(before: EngineState, event: Event, phase: Phase, has_model: bool) -> None:
    after = t.happened(before, event)
    assert after.phase is phase and (after.info is not None) == has_model


@pytest.mark.parametrize("event", [Loaded(6, INFO), replace(FAILED, id=8), Finished(6, STATS), Text(9, "a"), Counters(Snapshot())])
@pytest.mark.parametrize("phase", list(Phase))
def test_that_events_of_other_requests_change_nothing(phase: Phase, event: Event) -> None:
    assert t.happened(in_phase(phase), event) == in_phase(phase)


def test_that_progress_follows_its_events() -> None:
    loading = t.happened(in_phase(Phase.LOADING, None), Loading(7, "trunk", 0.25))
    assert (loading.step, loading.done / loading.total) == ("trunk", 0.25)
    assert t.happened(in_phase(Phase.READING), Prefill(7, 3, 9)).done == 3


def test_that_asking_moves_the_state_at_once() -> None:
    assert t.asked_load(READY, 9, MODEL) == EngineState(Phase.LOADING, 9, model=MODEL)
    assert t.asked_unload(READY, 9).phase is Phase.UNLOADING and t.asked_unload(READY, 9).info is None
    assert t.asked_build(READY, 9).info is INFO
    assert t.asked_answer(READY, 9).phase is Phase.READING
    assert t.asked_stop(t.asked_answer(READY, 9)).phase is Phase.STOPPING
    assert t.asked_stop(READY) == READY


# phase, model open: action, its button works, choice, send, shows stop, stop works, progress, welcome
TABLE = [
    (Phase.IDLE, False, "load", True, True, False, False, False, None, "load"),
    (Phase.BUILDING, False, "cancel", True, False, False, False, False, 0.5, "wait"),
    (Phase.LOADING, False, "cancel", True, False, False, False, False, 0.5, "wait"),
    (Phase.READY, True, "unload", True, True, True, False, False, None, "chat"),
    (Phase.READING, True, "unload", False, False, False, True, True, 0.5, "chat"),
    (Phase.WRITING, True, "unload", False, False, False, True, True, None, "chat"),
    (Phase.STOPPING, True, "unload", False, False, False, True, False, None, "chat"),
    (Phase.UNLOADING, False, "unload", False, False, False, False, False, -1.0, "wait"),
    (Phase.CLOSING, False, "unload", False, False, False, False, False, None, "chat"),
]


@pytest.mark.parametrize("row", TABLE, ids=lambda r: r[0].value)
def test_that_the_controls_follow_the_phase(row: tuple[Phase, bool, str, bool, bool, bool, bool, bool, float | None, str]) -> None:
    phase, is_open, *expected = row
    p = present(in_phase(phase, INFO if is_open else None), SETTINGS, (MODEL,), MODEL)
    shown = [p.load_action, p.load_enabled, p.choice_enabled, p.can_send, p.shows_stop, p.can_stop, p.progress, p.welcome]
    assert shown == expected
    assert p.status and p.composer_hint and p.send_tip and p.load_label


def test_that_the_table_has_every_phase() -> None:
    assert [row[0] for row in TABLE] == list(Phase) or {row[0] for row in TABLE} == set(Phase)


def test_that_nothing_can_be_loaded_without_a_choice() -> None:
    p = present(IDLE, SETTINGS, (), None)
    assert (p.load_enabled, p.welcome, p.can_send) == (False, "setup", False)


@pytest.mark.parametrize(
    ("settings", "chosen", "needed"),
    [
        (SETTINGS, MODEL, False),
        (SETTINGS, Path("/models/other.ouzel"), True),
        (replace(SETTINGS, budget_bytes=200), MODEL, True),
        (replace(SETTINGS, context=2048), MODEL, True),
        (replace(SETTINGS, threads=1), MODEL, True),
        (replace(SETTINGS, exact=True), MODEL, True),
        (replace(SETTINGS, draft=False), MODEL, True),
        (replace(SETTINGS, temperature=0.1, seed=4, system_prompt="x", theme="dark"), MODEL, False),
        (replace(SETTINGS, context=2048), None, False),
    ],
)
def test_that_a_reload_is_asked_for_exactly_when_the_model_would_open_differently(
    settings: Settings, chosen: Path | None, needed: bool
) -> None:
    assert needs_reload(READY, settings, chosen) == needed
    p = present(READY, settings, (MODEL,), chosen)
    assert (p.load_action == "reload") == needed and ("Reload" in p.status) == needed


def test_that_the_status_names_numbers() -> None:
    assert "3 of 9" in present(t.happened(in_phase(Phase.READING), Prefill(7, 3, 9)), SETTINGS, (MODEL,), MODEL).status
    building = t.happened(in_phase(Phase.BUILDING, None), Converting(7, "download", 31_000_000, 93_000_000))
    p = present(building, SETTINGS, (), None)
    assert p.status == "Downloading the base weights: 31 MB of 93 MB" and p.progress == pytest.approx(1 / 3)
    assert "12 of 448 experts" in present(replace(READY, info=replace(INFO, n_slots=12)), SETTINGS, (MODEL,), MODEL).status


@pytest.mark.parametrize(
    ("nbytes", "text"), [(0, "0 kB"), (1500, "2 kB"), (93_000_000, "93 MB"), (1_440_000_000, "1.4 GB"), (3e11, "300 GB")]
)
def test_that_sizes_are_short(nbytes: float, text: str) -> None:
    assert size(nbytes) == text


@pytest.mark.parametrize(
    ("nbytes", "text"), [(1_001, "2 kB"), (93_000_000, "93 MB"), (93_000_001, "94 MB"), (999_900_000, "1.0 GB"), (1_440_000_000, "1.5 GB")]
)
def test_that_what_is_needed_is_never_said_to_be_less(nbytes: int, text: str) -> None:
    assert needed(nbytes) == text


def test_that_thinking_is_shown_until_the_answer_begins() -> None:
    thinking = t.happened(in_phase(Phase.READING), Text(7, "hm", "reasoning"))
    assert present(thinking, SETTINGS, (MODEL,), MODEL).status == "Thinking…"
    assert present(t.wrote(thinking), SETTINGS, (MODEL,), MODEL).status == "Writing…"
    assert t.wrote(thinking).step == ""
    assert t.happened(thinking, Text(7, "a")).step == ""


@pytest.mark.parametrize("phase", [Phase.READING, Phase.WRITING])
def test_that_an_answer_that_waits_for_the_network_says_so(phase: Phase) -> None:
    state = t.waiting(in_phase(phase), "the network (trying again in 4 s)")
    assert present(state, SETTINGS, (), None).status == "Waiting for the network (trying again in 4 s)…"
    assert "Waiting" not in present(t.waiting(state, ""), SETTINGS, (), None).status
    assert t.happened(state, Finished(7, STATS)).waits == ""


@pytest.mark.parametrize("phase", [Phase.READY, Phase.STOPPING, Phase.CLOSING, Phase.IDLE])
def test_that_nothing_else_waits_for_the_network(phase: Phase) -> None:
    assert t.waiting(in_phase(phase), "the network") == in_phase(phase)
