"""The map of the experts: its colours and its words."""

from dataclasses import replace

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.heat import heat, layer_words, pixels, whole_words
from app.looks.theme import Theme
from app.views.heat_list import HeatList
from engine.events import ExpertMap

MAP = ExpertMap(
    id=1,
    layers=(1, 2),
    n_experts=(4, 3),
    width=4,
    n_slots=3,
    cached=bytes([1, 0, 1, 0, 0, 0, 1, 0]),
    habit=np.array([9, 1, 4, 0, 0, 0, 0, 0], "<f4").tobytes(),
    lately=np.array([2, 1, 0, 0.2, 0, 0, 0, 0], "<f4").tobytes(),
    steps=2,
)


def rgb(colour: str) -> list[int]:
    return [int(colour[at : at + 2], 16) for at in (5, 3, 1)] + [255]  # as QImage has its bytes


def test_that_a_layer_is_told_in_words() -> None:
    h = heat(MAP)
    assert layer_words(h, 0) == (
        "Layer 1: 2 of 4 experts in memory. 2 used since the last look, 1 of them in memory now. Used most: 0, 2, 1."
    )
    assert layer_words(h, 1) == "Layer 2: 1 of 3 experts in memory. 0 used since the last look, 0 of them in memory now."
    assert layer_words(heat(replace(MAP, steps=0)), 1) == "Layer 2: 1 of 3 experts in memory."
    assert whole_words(h) == "3 of 7 experts are in memory. 2 were used for the last 2 tokens."


def test_that_a_model_without_experts_says_so() -> None:
    h = heat(ExpertMap(1, (), (), 0, 0, b"", b"", b"", 0))
    assert "no experts" in whole_words(h) and h.cached.size == 0


def test_that_colours_say_what_is_in_memory_used_and_used_now(theme: Theme) -> None:
    p = pixels(heat(MAP), theme)
    assert p.shape == (2, 2, 4, 4)
    assert p[0, 1, 0].tolist() == rgb(theme.part_reads) == p[0, 1, 1].tolist()  # used now, wherever it lies
    assert p[0, 0, 3].tolist() == rgb(theme.hover) == p[1, 1, 0].tolist()  # on the drive and never used
    assert (p[1, :, 3] == rgb(theme.base)).all()  # this layer has no such expert
    assert (p[1, 0] == p[1, 1]).all() and (p[0, 0, 2] == p[0, 1, 2]).all()  # nothing was used, both lines are the same
    full, ground = np.array(rgb(theme.part_experts)[:3]), np.array(rgb(theme.hover)[:3])

    def towards(row: int, expert: int) -> float:
        return float(np.abs(p[row, 0, expert, :3].astype(int) - ground).sum() / np.abs(full - ground).sum())

    assert 0.2 < towards(1, 2) < towards(0, 2) < towards(0, 0) == 1  # in memory: more used is stronger


def test_that_the_arrow_keys_go_through_the_layers(theme: Theme, qtbot: QtBot) -> None:
    view = HeatList(theme)
    qtbot.addWidget(view)
    view.resize(400, 200)
    view.show()
    view.show_heat(heat(MAP))
    assert view.words.startswith("Layer 1:")
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert view.words.startswith("Layer 2:")
    said = view.layers.data(view.currentIndex(), Qt.ItemDataRole.AccessibleTextRole)
    assert said == view.words
    view.show_heat(heat(replace(MAP, cached=bytes(8))))
    assert view.words.startswith("Layer 2: 0 of 3")  # the chosen layer stays
    view.show_heat(None)
    assert view.words == "" and view.layers.rowCount() == 0


def test_that_the_picture_is_the_maps(theme: Theme, qtbot: QtBot) -> None:
    view = HeatList(theme)
    qtbot.addWidget(view)
    view.resize(500, 120)
    view.show_heat(heat(MAP))
    view.show()
    image = view.grab().toImage()
    row = view.visualRect(view.layers.index(0))
    above, below = (
        {image.pixelColor(x, y).name() for x in range(row.left(), row.right())} for y in (row.top() + 3, row.bottom() - 3)
    )
    assert theme.part_experts in above and theme.part_reads not in above and theme.part_reads in below and theme.hover in above & below
