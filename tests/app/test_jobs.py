"""Jobs in the window with the real engine: added by hand, answered when they may be, held up by the chat, there after a restart."""

import json
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt, QTime
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from app.jobs.control import FIRST_JOB
from app.jobs.shown import Shown
from app.jobs.when import IDLE_S, Moment, Wait, next_time, seconds_left, wait_of
from app.jobs.window import JobsWindow
from app.jobs.words import state_words
from app.settings import Settings
from app.state import Phase
from engine.batch.jobs import Job, JobStore, Order
from engine.config import Sampling
from engine.events import Finished
from engine.requests import Generate, Message
from engine.server import FIRST_ID
from tests.app.test_dropping import drop
from tests.app.window import LONG, SHORT, Driver, opened


def jobs_window(driver: Driver) -> JobsWindow:
    QTest.keyClick(driver.main, Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
    window = driver.window.jobs.window
    assert window is not None
    driver.wait(window.isVisible)
    return window


def add(driver: Driver, window: JobsWindow, prompt: str, *files: Path) -> str:
    """Add a job as a person does; its id."""
    before = set(window.rows)
    driver.click(window.new)
    form = window.form
    assert form is not None and not form.ok.isEnabled()
    form.add_paths(files)
    form.prompt.setFocus()
    QTest.keyClicks(form.prompt, prompt)
    driver.click(form.ok)
    driver.wait(lambda: set(window.rows) > before)
    (id,) = set(window.rows) - before
    return id


def texts(tmp_path: Path, n: int) -> list[Path]:
    folder = tmp_path / "Akten ü"
    folder.mkdir()
    for i in range(n):
        (folder / f"{i}.txt").write_text(f"The number of this file is {i}.", encoding="utf-8")
    return sorted(folder.iterdir())


def shown(driver: Driver, id: str) -> Shown:
    return driver.window.jobs.control.jobs[id]


def test_that_each_file_is_answered_into_a_document(driver: Driver, tmp_path: Path) -> None:
    driver.engine.change_settings(SHORT)
    window = jobs_window(driver)
    files = texts(tmp_path, 3)
    (files[0].parent / "picture.bin").write_bytes(b"\x00\xff\xfd\x01" * 40)
    id = add(driver, window, "Which number?", files[0].parent)
    driver.wait(lambda: shown(driver, id).finished)
    assert "picture.bin" in window.note.text()
    assert window.rows[id].state.text() == "Done: 3 answered."
    job = shown(driver, id).job
    written = {p.name: p.read_text() for p in Path(job.documents).iterdir()}
    assert set(written) == {"0.txt.md", "1.txt.md", "2.txt.md"}
    with JobStore(driver.window.jobs.control.folder).lines(job) as lines:
        line = next(x for x in lines if x.custom_id == "1.txt")
    assert dict(line.body)["temperature"] == 0 and dict(line.body)["max_tokens"] == 8
    assert line.body["messages"][-1]["content"] == "Which number?\n\n1.txt:\n\nThe number of this file is 1."
    assert all(text.strip() for text in written.values())
    driver.click(window.rows[id].remove)
    box = window.box
    assert isinstance(box, QMessageBox)
    driver.click(next(b for b in box.buttons() if b.text() == "Remove"))
    driver.wait(lambda: not window.rows and not Path(job.documents).exists())


def test_that_files_are_dropped_on_a_new_job(driver: Driver, tmp_path: Path) -> None:
    window, files = jobs_window(driver), texts(tmp_path, 2)
    driver.click(window.new)
    assert window.form is not None
    assert drop(driver, window.form, *files) and window.form.paths == files
    window.form.reject()


def test_that_documents_that_no_program_opens_are_told(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda _url: False)
    window = jobs_window(driver)
    driver.engine.change_settings(SHORT)
    id = add(driver, window, "Say hello")
    driver.wait(lambda: shown(driver, id).finished)
    driver.click(window.rows[id].open)
    assert window.note.isVisible() and shown(driver, id).job.documents in window.note.text()


def test_that_the_chat_goes_first_and_the_job_goes_on_where_it_was(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    driver.engine.change_settings(LONG)
    window, control = jobs_window(driver), driver.window.jobs.control
    posted: list[Generate] = []
    post = driver.engine.bridge.post
    monkeypatch.setattr(driver.engine.bridge, "post", lambda r: (posted.append(r) if isinstance(r, Generate) else None, post(r)))
    id = add(driver, window, "Tell a long story of a river")
    driver.wait(lambda: shown(driver, id).running)
    driver.wait(lambda: control._part > 5)
    driver.say("Hello")
    assert driver.engine.state.phase is Phase.READING
    driver.wait(lambda: not control.busy)
    driver.wait(lambda: len(driver.finished) == 1)
    driver.wait(lambda: shown(driver, id).finished)
    story = Path(shown(driver, id).job.documents, "answer.md").read_text()
    ours = [r for r in posted if r.options.tell_ids]
    assert len(ours) >= 2 and ours[-1].options.resumed
    undisturbed = add(driver, window, "Tell a long story of a river")
    driver.wait(lambda: shown(driver, undisturbed).finished)
    assert Path(shown(driver, undisturbed).job.documents, "answer.md").read_text() == story


def test_that_answers_of_a_job_are_computed_at_once_and_go_on_after_the_chat(
    driver: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, control = jobs_window(driver), driver.window.jobs.control
    files = texts(tmp_path, 4)
    posted: list[Generate] = []
    post = driver.engine.bridge.post
    monkeypatch.setattr(driver.engine.bridge, "post", lambda r: (posted.append(r) if isinstance(r, Generate) else None, post(r)))

    def written(parallel: int) -> dict[str, str]:
        driver.engine.change_settings(Settings(temperature=0.8, seed=3, max_tokens=60, context=1024, parallel=parallel))
        driver.engine.load()
        driver.wait_ready()
        id = add(driver, window, "Tell a long story of it", files[0].parent)
        if parallel > 1:
            driver.wait(lambda: len(control._parts) == parallel and min(control._parts.values()) > 3)
            driver.say("Hello")
            driver.wait(lambda: not control.busy)
            driver.wait(lambda: len(driver.finished) == 1)
        driver.wait(lambda: shown(driver, id).finished)
        return {p.name: p.read_text() for p in Path(shown(driver, id).job.documents).iterdir()}

    alone = written(1)
    posted.clear()
    assert written(3) == alone and len(alone) == 4
    assert sum(bool(r.options.resumed) for r in posted) == 3


def test_that_programs_go_before_jobs(driver: Driver) -> None:
    driver.engine.change_settings(LONG)
    window, control = jobs_window(driver), driver.window.jobs.control
    ended: list[Finished] = []
    driver.engine.bridge.taps.append(lambda e: ended.append(e) is not None if isinstance(e, Finished) else False)
    id = add(driver, window, "Tell a long story of a mountain")
    driver.wait(lambda: control._part > 5)
    question = (Message("user", "Hello"),)
    driver.engine.bridge.post(Generate(FIRST_ID + 7, question, Sampling(temperature=0, max_tokens=3)))
    driver.wait(lambda: shown(driver, id).finished)
    reasons = [(e.id >= FIRST_JOB, e.stats.reason) for e in ended]
    assert reasons[:2] == [(True, "cancelled"), (False, "length")] and len(reasons) == 3 and reasons[2][0]


def test_that_jobs_outlive_the_window_and_wait_for_their_time(qtbot: QtBot, starter: Path, tmp_path: Path) -> None:
    with opened(qtbot, starter) as first:
        first.wait_ready()
        first.engine.change_settings(SHORT)
        window = jobs_window(first)
        first.click(window.new)
        form = window.form
        assert form is not None
        QTest.keyClicks(form.prompt, "Say a number")
        form.time.setTime(QTime.currentTime().addSecs(3600))
        assert form.at.isChecked()
        form.mains.setFocus()
        QTest.keyClick(form.mains, Qt.Key.Key_Space)
        form.documents.setText(str(tmp_path / "answers"))
        first.click(form.ok)
        first.wait(lambda: bool(window.rows))
        (id,) = window.rows
        assert shown(first, id).wait is Wait.TIME and shown(first, id).job.mains
        assert "waits until" in window.rows[id].state.text()
    with opened(qtbot, starter) as second:
        second.wait_ready()
        second.wait(lambda: id in second.window.jobs.control.jobs)
        window = jobs_window(second)
        assert shown(second, id).wait is Wait.TIME
        control, before = second.window.jobs.control, shown(second, id)
        for away, wait, words in ((5.0, Wait.AWAY, "used the computer"), (None, Wait.IDLE, "used Ouzel")):
            control._away = lambda away=away: away
            control.jobs[id] = replace(before, job=replace(before.job, when="idle"))
            control.look()
            assert shown(second, id).wait is wait and words in window.rows[id].state.text()
        control.jobs[id] = before
        second.click(window.rows[id].pause)
        assert shown(second, id).wait is Wait.PAUSED and "paused" in window.rows[id].state.text()
        second.click(window.rows[id].resume)
        second.click(window.rows[id].now)
        second.wait(lambda: shown(second, id).finished)
        assert (tmp_path / "answers" / "answer.md").read_text().strip()


@pytest.mark.parametrize(
    ("job", "moment", "wait"),
    [
        ({}, {}, Wait.NOTHING),
        ({"paused": True}, {}, Wait.PAUSED),
        ({"when": "at", "at": 101.0}, {}, Wait.TIME),
        ({"when": "at", "at": 99.0}, {}, Wait.NOTHING),
        ({"when": "idle"}, {"unused": IDLE_S - 1}, Wait.IDLE),
        ({"when": "idle"}, {"unused": IDLE_S}, Wait.NOTHING),
        ({"when": "idle"}, {"unused": IDLE_S, "away": IDLE_S - 1}, Wait.AWAY),
        ({"when": "idle"}, {"unused": IDLE_S - 1, "away": IDLE_S}, Wait.AWAY),
        ({"when": "idle"}, {"unused": IDLE_S, "away": IDLE_S}, Wait.NOTHING),
        ({}, {"away": 0.0}, Wait.NOTHING),
        ({"mains": True}, {"mains": False}, Wait.MAINS),
        ({"mains": True}, {"mains": True}, Wait.NOTHING),
        ({}, {"chatting": True}, Wait.CHAT),
    ],
)
def test_what_a_job_waits_for(job: dict[str, Any], moment: dict[str, Any], wait: Wait) -> None:
    now = {"now": 100.0, "unused": 0.0, "mains": True, "chatting": False} | moment
    assert wait_of(Job(**({"id": "a", "name": "a", "model": "m", "documents": "d", "created": 0.0} | job)), Moment(**now)) is wait


def test_times_and_what_is_left() -> None:
    zone = timezone(timedelta(hours=2))
    evening = datetime(2026, 5, 1, 21, 30, tzinfo=zone)
    assert next_time(evening, 22, 0) == datetime(2026, 5, 1, 22, 0, tzinfo=zone).timestamp()
    assert next_time(evening, 21, 30) == datetime(2026, 5, 2, 21, 30, tzinfo=zone).timestamp()
    assert seconds_left(0, 10, 0, 5.0, 0) is None and seconds_left(2, 10, 100, 0.0, 0) is None
    assert seconds_left(2, 10, 100, 5.0, 20) == (8 * 50 - 20) / 5
    one = Shown(Job("a", "a", "/m/gemma.ouzel", "d", 0.0), 2, 10, 0, True, Wait.NOTHING, 5.0, 600.0)
    assert state_words(one) == "2 of 10 answered, 5.0 tokens/s, about 10 min left"


def test_that_a_store_passes_over_what_it_cannot_read(tmp_path: Path) -> None:
    store = JobStore(tmp_path / "jobs")
    assert store.jobs() == []
    order = Order("Sum up", (("a.txt", "one"), ("A.txt", "two"), ("b/c", "three")), "Be brief", (("seed", 3),))
    job = store.add(Job("", "", "/m/gemma.ouzel", "", 5.0), order)
    assert store.jobs() == [job] and store.finished(job) == (0, 0, 3)
    with store.lines(job) as lines:
        assert [line.custom_id for line in lines] == ["a.txt", "A (2).txt", "b/c"] and lines[0].body["seed"] == 3
    folder = tmp_path / "jobs" / "strange"
    folder.mkdir()
    whole = (tmp_path / "jobs" / job.id / "job.json").read_text()
    found = json.loads(whole)
    strange: list[object] = [found, {**found, "version": 2}, {**found, "id": "strange", "when": "never"}, {**found, "extra": 1}, [], 3]
    for text in ["", "{", *map(json.dumps, strange)]:
        (folder / "job.json").write_text(text)
        assert store.jobs() == [job]
