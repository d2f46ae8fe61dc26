"""Sleep is held off while something is fetched, where the system lets us, and nothing breaks where it does not."""

import threading
from collections.abc import Callable
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.wizard.awake import Awake


class System:
    """What stands for the desktop: whether it agrees, what is held, and by which threads."""

    def __init__(self, answer: Callable[[], bool]) -> None:
        self.answer, self.held, self.threads = answer, 0, set[str]()

    @contextmanager
    def running(self, on_fail: str) -> Any:
        assert on_fail == "pass"
        self.threads.add(threading.current_thread().name)
        active = self.answer()
        self.held += active
        yield SimpleNamespace(active=active, result=SimpleNamespace(get_failure_text=lambda: "no bus"))
        self.held -= active


def broken() -> bool:
    raise OSError("the bus is gone")


@pytest.mark.parametrize(
    ("answer", "refused", "why"), [(lambda: True, False, ""), (lambda: False, True, "no bus"), (broken, True, "the bus")]
)
def test_that_it_is_asked_for_and_given_back(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, answer: Callable[[], bool], refused: bool, why: str
) -> None:
    system = System(answer)
    monkeypatch.setattr("wakepy.keep", system)
    a = Awake()
    with qtbot.waitSignal(a.changed):
        a.want(True)
        a.want(True)
    assert a.wanted and a.refused is refused and a.why.startswith(why) and system.held == (not refused)
    with qtbot.waitSignal(a.changed):
        a.want(False)
    assert system.held == 0 and not a.refused
    a.want(True)
    a.close()
    assert system.held == 0 and system.threads == {"awake"}
    a.want(True)
    assert not a.wanted


def test_that_this_machine_is_asked_without_harm(qtbot: QtBot) -> None:
    a = Awake()
    with qtbot.waitSignal(a.changed, timeout=30_000):
        a.want(True)
    assert a.refused is bool(a.why)
    a.close()
