"""What the gauges show and say."""

import pytest
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from app import answers
from app.looks.theme import LIGHT, Theme
from app.rates import Rates
from app.views.gauges import DASH, GaugeStrip, flow, memory, percent, speed
from engine.stats import AnswerStats, Snapshot


@pytest.fixture
def strip(qtbot: QtBot) -> GaugeStrip:
    made = GaugeStrip(LIGHT)
    qtbot.addWidget(made)
    made.resize(600, made.sizeHint().height())
    return made


@pytest.mark.parametrize(
    ("reading", "text", "unit"),
    [
        (speed(12.34), "12.3", "tok/s"),
        (speed(0.0), "0.0", "tok/s"),
        (speed(1234.0), "1234", "tok/s"),
        (speed(None), DASH, ""),
        (percent(0.834), "83", "%"),
        (percent(1.0), "100", "%"),
        (percent(0.9999), "99", "%"),
        (percent(0.0), "0", "%"),
        (percent(None), DASH, ""),
        (flow(2.5e9), "2.5", "GB/s"),
        (flow(45e6), "45", "MB/s"),
        (flow(0.0), "0", "kB/s"),
        (flow(None), DASH, ""),
        (memory(188_000_000, 240_000_000), "188", "of 240 MB"),
        (memory(900_000_000, 2_000_000_000), "900", "MB of 2.0 GB"),
    ],
)
def test_that_values_are_short_and_honest(reading: object, text: str, unit: str) -> None:
    assert (reading.text, reading.unit) == (text, unit)


def test_that_nothing_measured_is_a_dash_and_says_so(strip: GaugeStrip) -> None:
    for tile in strip.tiles:
        assert tile.reading.text == DASH and tile.accessibleDescription() == "not measured yet" and tile.accessibleName()


def test_that_values_reach_a_screen_reader(strip: GaugeStrip) -> None:
    strip.show_rates(Rates(9.5, 0.0, 0.83, 45e6, 0.5, 188_000_000, 240_000_000), live=True)
    said = [t.accessibleDescription() for t in strip.tiles]
    assert said == ["9.5 tok/s", "83 %", "45 MB/s", "188 of 240 MB", "50 %"]


def test_that_the_speed_names_what_is_counted(strip: GaugeStrip) -> None:
    strip.show_rates(Rates(tokens=0.0, prompt=250.0), live=True, reading_prompt=True)
    assert (strip.speed.accessibleName(), strip.speed.reading.text) == ("Reading the prompt", "250")
    strip.show_rates(Rates(tokens=9.0, prompt=0.0), live=True)
    assert (strip.speed.accessibleName(), strip.speed.reading.text) == ("Speed", "9.0")


def test_that_a_closed_model_leaves_nothing_behind(strip: GaugeStrip) -> None:
    strip.show_rates(Rates(9.5, 0.0, 0.83, 45e6, 0.5, 1, 2), live=True)
    strip.clear()
    assert [t.reading.text for t in strip.tiles] == [DASH] * 5


def test_that_a_stall_drops_the_line_to_the_ground(strip: GaugeStrip) -> None:
    for value in (10.0, 10.0, 0.0):
        strip.show_rates(Rates(tokens=value), live=True)
    assert list(strip.speed._samples) == [10.0, 10.0, 0.0] and strip.speed.reading.text == "0.0"


def test_that_averages_are_not_added_to_the_live_line(strip: GaugeStrip) -> None:
    strip.show_rates(Rates(tokens=10.0), live=True)
    strip.show_rates(Rates(tokens=5.0), live=False)
    assert list(strip.speed._samples) == [10.0] and strip.speed.reading.text == "5.0"


def test_that_memory_is_drawn_as_a_share(theme: Theme, qtbot: QtBot) -> None:
    strip = GaugeStrip(theme)
    qtbot.addWidget(strip)
    strip.resize(700, strip.sizeHint().height())

    def inked(used: int) -> int:
        strip.show_rates(Rates(memory=used, budget=100), live=False)
        image = strip.memory.grab().toImage()
        accent = QColor(theme.accent).name()
        y = image.height() - 4 - 3
        return sum(image.pixelColor(x, y).name() == accent for x in range(image.width()))

    quarter, half, full = inked(25), inked(50), inked(100)
    assert quarter == pytest.approx(full / 4, abs=8) and half == pytest.approx(full / 2, abs=8) and full > 60


STATS = AnswerStats(
    "end", 30, 10, 41, 0.42, 4.0, 7, Snapshot(expert_hits=83, expert_misses=17, bytes_read=45_000_000, drafts_proposed=6, drafts_accepted=4)
)


def test_that_the_line_under_an_answer_has_its_numbers() -> None:
    line = answers.note(answers.numbers(STATS, "small"))
    assert line == "10.0 tokens/s · 41 tokens · first after 0.42 s · 83% cache hits · 45 MB read · 4 of 6 drafts kept"


@pytest.mark.parametrize(
    ("reason", "begin"), [("cancelled", "Stopped"), ("length", "Cut at"), ("context", "Cut: the context is full"), ("end", "10.0")]
)
def test_that_an_answer_that_was_cut_says_so(reason: str, begin: str) -> None:
    assert answers.note({**answers.numbers(STATS, "small"), "reason": reason}).startswith(begin)


@pytest.mark.parametrize("found", [None, {}, {"reason": 3}, {"tokens_per_second": "fast", "answer_tokens": None}, {"expert_hits": True}])
def test_that_odd_stored_numbers_are_left_out(found: dict[str, object] | None) -> None:
    assert answers.note(found) == ""
