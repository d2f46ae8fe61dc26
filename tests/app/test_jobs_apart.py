"""Jobs beside what a person does: no job opens what was closed, takes another's answer, or overwrites a document; crashes hold them up."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.jobs import new_job
from app.jobs.control import FIRST_JOB, JobsControl
from app.jobs.new_job import NewJob
from app.jobs.when import IDLE_S, Wait
from app.safe_mode import Earlier, RunMark
from app.state import Phase
from engine import paths
from engine.batch.jobs import Job, JobStore, Order, write_document
from engine.events import Counted, Event, Finished
from engine.requests import CountTokens, Generate, LoadModel, Message
from tests.app.window import LONG, SHORT, Driver, opened


def add(driver: Driver, prompt: str, **job: object) -> str:
    control = driver.window.jobs.control
    before = set(control.jobs)
    model = driver.engine.state.model
    given = Job("", "", str(model), "", 0.0)
    limit = (("max_tokens", driver.engine.settings.max_tokens), ("temperature", 0.0))
    control.add(replace(given, **job), Order(prompt, parameters=limit))  # type: ignore[arg-type]
    driver.wait(lambda: set(control.jobs) > before)
    (id,) = set(control.jobs) - before
    return id


@contextmanager
def stuck(control: JobsControl) -> Iterator[None]:
    """The drive does not answer for a while."""
    free = threading.Event()
    control._files._pool.submit(free.wait)
    try:
        yield
    finally:
        free.set()


def test_that_a_job_that_was_removed_while_it_began_answers_for_no_other(driver: Driver) -> None:
    driver.engine.change_settings(SHORT)
    control = driver.window.jobs.control
    first = add(driver, "Name a river", paused=True)
    second = add(driver, "Name a mountain", paused=True)
    with stuck(control):
        control.pause(first, False)
        assert control._current == first
        control.remove(first)
        control.pause(second, False)
        assert control._current == second
    driver.wait(lambda: control.jobs[second].finished)
    asked = [r.messages[-1].content for r in driver.requests if isinstance(r, Generate)]
    assert asked == ["Name a mountain"]


def test_that_closing_while_a_job_begins_ends_in_peace(driver: Driver) -> None:
    control = driver.window.jobs.control
    id = add(driver, "Name a river", paused=True)
    with stuck(control):
        control.pause(id, False)
        control.close()
        assert not control.join(0)
    assert control.join(60)
    driver.qtbot.wait(50)
    assert not any(isinstance(r, Generate) for r in driver.requests)


def test_that_no_job_opens_what_was_closed_while_somebody_is_there(driver: Driver) -> None:
    driver.engine.change_settings(SHORT)
    control, clock = driver.window.jobs.control, driver.window.jobs.control._clock
    opened_first = sum(isinstance(r, LoadModel) for r in driver.requests)
    id = add(driver, "Name a river", paused=True)
    driver.engine.act("unload")
    driver.wait(lambda: driver.engine.state.info is None and driver.phase is Phase.IDLE)
    control._calm.stop()
    control.pause(id, False)
    assert control.jobs[id].wait is Wait.MODEL
    assert sum(isinstance(r, LoadModel) for r in driver.requests) == opened_first
    # When nobody is there it does; what cannot be opened is tried once.
    driver.engine.change_settings(replace(driver.engine.settings, budget_bytes=1_000_000))
    control._clock = lambda: clock() + IDLE_S + 60
    control.look()
    driver.wait(lambda: bool(control.jobs[id].trouble))
    assert "was not opened" in control.jobs[id].trouble
    control._calm.stop()
    control.look()
    assert sum(isinstance(r, LoadModel) for r in driver.requests) == opened_first + 1
    driver.engine.change_settings(replace(driver.engine.settings, budget_bytes=None))
    control.pause(id, False)
    driver.wait(lambda: control.jobs[id].finished)


def test_that_what_is_written_is_counted_before_a_job_goes_on(driver: Driver) -> None:
    driver.engine.change_settings(LONG)
    control, bridge = driver.window.jobs.control, driver.engine.bridge
    ended: list[Event] = []
    bridge.taps.append(lambda e: ended.append(e) is not None if isinstance(e, Finished | Counted) else False)
    id = add(driver, "Tell a long story of a river")
    driver.wait(lambda: control._part > 5)
    ended.clear()
    number = bridge.next_id()
    bridge.post(CountTokens(number, (Message("user", "Hello"),)))
    driver.wait(lambda: any(e.id == number for e in ended if isinstance(e, Counted)))
    assert [type(e) for e in ended][:2] == [Finished, Counted]
    assert isinstance(ended[0], Finished) and ended[0].id >= FIRST_JOB and ended[0].stats.reason == "cancelled"
    driver.wait(lambda: control.jobs[id].finished)


def test_that_a_running_job_is_noted_and_asked_about(driver: Driver, ouzel_home: Path) -> None:
    driver.engine.change_settings(LONG)
    control = driver.window.jobs.control
    add(driver, "Tell a long story of a river")
    driver.wait(lambda: control._part > 5)
    model = driver.engine.state.model
    assert model is not None
    driver.wait(lambda: RunMark(ouzel_home).earlier() == Earlier("working", model.name) or not control.busy)
    if control.busy:
        driver.main.close()
        box = driver.window.leaving.box
        assert box is not None and "job" in box.informativeText() and driver.main.isVisible()
        box.reject()


def test_that_after_a_crash_jobs_wait_for_a_person(qtbot: QtBot, starter: Path, ouzel_home: Path) -> None:
    JobStore(paths.home() / "jobs").add(Job("", "", str(starter), "", 5.0), Order("Name a river", parameters=(("max_tokens", 4),)))
    RunMark(ouzel_home).note("working", starter.name)
    with opened(qtbot, starter) as d:
        d.wait_ready()
        control = d.window.jobs.control
        d.wait(lambda: bool(control.jobs))
        (id,) = control.jobs
        control._calm.stop()
        control.look()
        assert "did not end properly" in control.jobs[id].trouble and not control._current
        QTest.keyClick(d.main, Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
        window = d.window.jobs.window
        assert window is not None
        d.click(window.rows[id].resume)
        d.wait(lambda: control.jobs[id].finished)


def test_that_no_document_is_written_over(tmp_path: Path) -> None:
    job = Job("a", "a", "/m/a.ouzel", str(tmp_path), 0.0)

    def body(text: str) -> dict[str, object]:
        return {"choices": [{"message": {"content": text}}]}

    (tmp_path / "a_b.txt.md").write_text("A person's own.\n")
    for custom_id, text in (("a:b.txt", "one"), ("a?b.txt", "two"), ("a?b.txt", "two"), ("long" * 50 + "1", "x"), ("long" * 50 + "2", "y")):
        write_document(job, custom_id, body(text))
    found = {p.name: p.read_text().strip() for p in tmp_path.iterdir()}
    assert {k: v for k, v in found.items() if k.startswith("a")} == {
        "a_b.txt.md": "A person's own.",
        "a_b.txt (2).md": "one",
        "a_b.txt (3).md": "two",
    }
    assert len(found) == 5 and sorted(v for k, v in found.items() if k.startswith("long")) == ["x", "y"]


def test_that_folders_are_taken_that_cannot_be_read_or_are_large(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    form = NewJob("a")
    qtbot.addWidget(form)
    for name in ("b.txt", "a.txt", ".hidden"):
        (tmp_path / name).write_text("x")
    (tmp_path / "folder").mkdir()
    form.add_paths((tmp_path, tmp_path / "b.txt", tmp_path))
    assert [p.name for p in form.paths] == ["a.txt", "b.txt"]
    form.add_paths(tuple(tmp_path / f"{n}.txt" for n in range(2 * new_job.MOST_FILES)))
    assert len(form.paths) == new_job.MOST_FILES == form.files.count()

    def refused(_path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", refused)
    form._clear()
    form.add_paths((tmp_path,))
    assert not form.paths
