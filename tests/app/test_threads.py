"""What runs on which thread."""

import gc
import threading
import time
from pathlib import Path
from typing import ClassVar

import pytest
from pytestqt.qtbot import QtBot

from app.background import Background
from app.collector import GuiCollector


class Cycle:
    """A reference cycle that notes the thread on which it dies."""

    died_on: ClassVar[list[threading.Thread]] = []

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        Cycle.died_on.append(threading.current_thread())


def test_that_cycles_die_on_the_gui_thread_only(qtbot: QtBot) -> None:
    Cycle.died_on.clear()
    collector = GuiCollector()
    try:
        Cycle()

        def churn() -> None:
            for _ in range(200):
                [[] for _ in range(1000)]

        other = threading.Thread(target=churn)
        other.start()
        other.join()
        assert Cycle.died_on == []
        collector.collect()
        assert Cycle.died_on == [threading.current_thread()]
    finally:
        collector.stop()
        gc.unfreeze()
    assert gc.isenabled()


def test_that_a_burst_of_objects_is_set_aside_and_goes_with_its_last_reference(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.collector.MANY", 1000)
    collector = GuiCollector()
    try:
        looked: list[str] = []
        gc.callbacks.append(lambda phase, info: looked.append(phase))
        before, burst = gc.get_freeze_count(), [[n] for n in range(5000)]
        collector.collect()
        assert looked == [] and gc.get_freeze_count() >= before + 5000
        burst.clear()
        assert gc.get_freeze_count() < before + 5000
        collector.collect()
        assert looked, "as usual after that"
    finally:
        gc.callbacks.pop()
        collector.stop()
        gc.unfreeze()


def test_that_disk_work_is_done_in_order_elsewhere_and_finished_at_the_end(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    background, done = Background(), []

    def slow() -> None:
        time.sleep(0.05)
        done.append(threading.current_thread())

    background.run(slow)
    background.run(lambda: (tmp_path / "missing").read_text())
    background.run(lambda: done.append(threading.current_thread()))
    assert done == []
    background.close()
    assert len(done) == 2 and threading.current_thread() not in done
    assert "Work in the background failed" in caplog.text
