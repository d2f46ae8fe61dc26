"""The status line says what the engine does beside the chat, and leads there."""

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.state import Phase
from tests.app.test_jobs import add, jobs_window
from tests.app.test_serving import Asking, free_port
from tests.app.window import LONG, Driver


def test_that_a_running_job_is_told_until_the_chat_comes_before_it(driver: Driver) -> None:
    bar, control = driver.main.model_bar, driver.window.jobs.control
    before = bar.status.text()
    assert before.startswith("Ready") and not bar.work.isVisible()
    driver.engine.change_settings(LONG)
    window = jobs_window(driver)
    id = add(driver, window, "Tell of rivers.")
    driver.wait(lambda: control.busy and bar.work.isVisible())
    window.hide()
    assert bar.status.text().startswith("Job “Tell of rivers.”: 0 of 1 answered") and bar.progress.isVisible()
    bar.work.setFocus()
    QTest.keyClick(bar.work, Qt.Key.Key_Space)
    assert bar.work.text() == "Show jobs" and window.isVisible()
    driver.say("Hello")
    driver.wait(lambda: driver.phase in (Phase.READING, Phase.WRITING))
    assert not bar.work.isVisible() and "Job" not in bar.status.text()
    driver.wait_ready()
    control.remove(id)
    driver.wait(lambda: not control.busy)
    assert bar.status.text() == before and not bar.work.isVisible() and not bar.progress.isVisible()


def test_that_a_request_of_a_program_is_told(driver: Driver) -> None:
    bar, serving = driver.main.model_bar, driver.window.serving
    driver.engine.change_settings(replace(driver.engine.settings, serve=True, serve_port=free_port()))
    driver.wait(lambda: bool(serving.address))
    before = bar.status.text()
    assert before == "Changed: room for programs. Reload the model to use it."
    asking = Asking(serving.address, max_tokens=300)
    driver.wait(bar.work.isVisible)
    assert bar.status.text() == "Answering 1 request of another program"
    driver.click(bar.work)
    dialog = driver.main.dialog
    assert dialog is not None and dialog.tabs.currentWidget() is dialog.programs
    driver.wait(asking.ended)
    driver.wait(lambda: not bar.work.isVisible())
    assert bar.status.text() == before
