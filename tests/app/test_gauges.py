"""What the gauges show and say."""

from dataclasses import replace

import pytest
from PySide6.QtGui import QAccessible, QColor
from pytestqt.qtbot import QtBot

from app import answers
from app.looks.theme import LIGHT, Theme
from app.rates import Rates, Split
from app.readings import DASH, Reading, flow, kept, memory, percent, speed
from app.views.gauges import GaugeStrip
from app.views.split_bar import SplitBar
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
        (kept(0.62, 0.18), "62", "% · 18% faster"),
        (kept(0.1, -0.054), "10", "% · 5% slower"),
        (kept(0.5, 0.001), "50", "%"),
        (kept(0.5, None), "50", "%"),
        (kept(None, 0.1), DASH, ""),
        (flow(2.5e9), "2.5", "GB/s"),
        (flow(45e6), "45", "MB/s"),
        (flow(0.0), "0", "kB/s"),
        (flow(None), DASH, ""),
        (memory(188_000_000, 240_000_000), "188", "of 240 MB"),
        (memory(900_000_000, 2_000_000_000), "900", "MB of 2.0 GB"),
    ],
)
def test_that_values_are_short_and_honest(reading: Reading, text: str, unit: str) -> None:
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
    assert strip.speed.history.values == [10.0, 10.0, 0.0] and strip.speed.reading.text == "0.0"
    assert strip.speed.accessibleDescription() == "0.0 tok/s; in the last minutes 0.0 tok/s to 10.0 tok/s"


def test_that_a_screen_reader_finds_name_and_value(strip: GaugeStrip) -> None:
    strip.show_rates(Rates(tokens=9.5), live=True)
    told = QAccessible.queryAccessibleInterface(strip.speed)
    assert told.text(QAccessible.Text.Name) == "Speed" and told.text(QAccessible.Text.Description) == "9.5 tok/s"


def test_that_the_tool_tip_has_what_may_be_cut(strip: GaugeStrip) -> None:
    strip.show_rates(Rates(accepted=0.62, gain=0.18), live=True)
    assert "62 % · 18% faster" in strip.drafts.toolTip()
    strip.hits.set_details("more")
    strip.show_rates(Rates(hits=0.5), live=True)
    assert strip.hits.toolTip().endswith("50 %\nmore")


def test_that_lines_can_be_given_more_room(strip: GaugeStrip) -> None:
    before = strip.sizeHint().height()
    strip.set_tall(True)
    strip.layout().activate()
    assert strip.sizeHint().height() > before + 30
    strip.set_tall(False)
    strip.layout().activate()
    assert strip.sizeHint().height() == before


def test_that_a_line_is_drawn_where_its_values_are(theme: Theme, qtbot: QtBot) -> None:
    strip = GaugeStrip(theme)
    qtbot.addWidget(strip)
    strip.resize(700, strip.sizeHint().height())
    for n in range(120):  # a minute at the top, a third of what is shown
        strip.hits.show_reading(percent(1.0), True, 1000 + n / 2)
    drawn = strip.hits.grab().toImage()
    strip.hits.history.clear()
    empty, y = strip.hits.grab().toImage(), drawn.height() - 4 - 14 + 1
    inked = [x for x in range(drawn.width()) if drawn.pixelColor(x, y) != empty.pixelColor(x, y)]
    assert len(inked) == pytest.approx(drawn.width() / 3, abs=4) and min(inked) >= drawn.width() * 2 / 3 - 4


SPLIT = Split(0.012, 0.03, 0.0051, 0.001)


def test_that_a_tokens_time_is_told_and_drawn_in_parts(theme: Theme, qtbot: QtBot) -> None:
    bar = SplitBar(theme)
    qtbot.addWidget(bar)
    assert bar.accessibleDescription() == "not measured yet" and bar.shares == ()
    bar.show_split(SPLIT)
    assert bar.accessibleDescription() == (
        "Time of a token written: 48 ms: waiting for reads 12 ms, experts 30 ms, attention 5.1 ms, rest 1.0 ms"
    )
    assert bar.shares == pytest.approx((0.25, 0.624, 0.106, 0.021), abs=0.001)
    bar.resize(600, bar.sizeHint().height())
    image = bar.grab().toImage()
    y = bar.fontMetrics().height() + 4 + 6
    colours = [image.pixelColor(round(600 * at), y).name() for at in (0.1, 0.5, 0.92, 0.99)]
    assert colours == [theme.part_reads, theme.part_experts, theme.part_attention, theme.part_rest]
    bar.show_split(Split(0.0, 0.0, 0.0, 0.25, prompt=True))
    assert bar.title == "Time of a token read: 250 ms" and bar.shares == (0.0, 0.0, 0.0, 1.0)


def test_that_averages_are_not_added_to_the_live_line(strip: GaugeStrip) -> None:
    strip.show_rates(Rates(tokens=10.0), live=True)
    strip.show_rates(Rates(tokens=5.0), live=False)
    assert strip.speed.history.values == [10.0] and strip.speed.reading.text == "5.0"


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


@pytest.mark.parametrize(("saved", "end"), [(0.84, "about 0.8 s saved"), (-0.31, "about 0.3 s lost by them"), (0.01, "4 of 6 drafts kept")])
def test_that_the_line_says_what_drafts_brought(saved: float, end: str) -> None:
    stats = replace(STATS, counters=replace(STATS.counters, drafts_seconds_saved=saved))
    assert answers.note(answers.numbers(stats, "small")).endswith(end)


@pytest.mark.parametrize(
    ("reason", "begin"), [("cancelled", "Stopped"), ("length", "Cut at"), ("context", "Cut: the context is full"), ("end", "10.0")]
)
def test_that_an_answer_that_was_cut_says_so(reason: str, begin: str) -> None:
    assert answers.note({**answers.numbers(STATS, "small"), "reason": reason}).startswith(begin)


@pytest.mark.parametrize("found", [None, {}, {"reason": 3}, {"tokens_per_second": "fast", "answer_tokens": None}, {"expert_hits": True}])
def test_that_odd_stored_numbers_are_left_out(found: dict[str, object] | None) -> None:
    assert answers.note(found) == ""
