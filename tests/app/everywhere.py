"""Every page of the window, opened one after the other as a person would come to see it, for tests that look at all of them."""

from collections.abc import Iterator
from dataclasses import replace

from PySide6.QtWidgets import QApplication, QTabWidget, QWidget

from app.chats.options import ChatOptions
from app.chats.records import Attached, Draft
from app.safe_mode import Earlier
from app.wizard.state import TABS, Page
from tests.app.wizard.driving import WizardDriver
from tests.app.wizard.test_access import fill

ASKED = "Hello 1"
NAMES = ("Hello", "notes.md", "ValueError", "starter", "A model.")  # of what these pages show, the same in every language
Seen = Iterator[tuple[str, QWidget]]


def first_pages(d: WizardDriver) -> Seen:
    """What is there before any model is."""
    yield "first start", d.main
    d.window.careful.ask(Earlier("opening", "a.ouzel"))
    assert d.window.careful.box is not None
    yield "careful start", d.window.careful.box
    d.window.careful.box.close()
    d.host.show()
    post = d.host.fetching.post
    for page in Page:
        fill(d, page)
        yield f"wizard, page {page.name}", d.wizard
    fill(d, Page.MODEL)
    for tab in TABS:
        d.control.change(tab=tab)
        yield f"wizard, tab {tab}", d.wizard
    d.host.fetching.post = post  # type: ignore[assignment]  # nothing was fetched for these pages
    d.wizard.close()


def pages(d: WizardDriver) -> Seen:
    """What is there once a model is open: the chat in its states, the engine, the dialogs, help and jobs."""
    main, desk, panel = d.main, d.main.desk, d.main.model_bar.panel
    yield "ready", main
    d.engine.change_settings(replace(d.engine.settings, max_tokens=4))
    d.ask(ASKED)
    d.chats.again(main.transcript.turns[-1].number)
    d.wait_ready()
    yield "answered", main
    main.model_bar.memory.setChecked(True)
    d.wait(lambda: bool(panel.headline.text()))
    yield "memory", main
    d.engine.change_settings(replace(d.engine.settings, budget_bytes=(panel._steps or (10**9,))[-1], context=1024))
    yield "reload", main
    d.engine.change_settings(replace(d.engine.settings, budget_bytes=None, context=None))
    main.model_bar.memory.setChecked(False)
    main.composer.edit(d.chats.draft_of(main.transcript.turns[0].number) or Draft())
    main.composer.attach_files([Attached("notes.md", "1234\n"), Attached("a.ouzel", "12345\n")])
    d.wait(lambda: len(main.composer.known_costs) == 2)
    yield "a new version", main
    main.composer.cancel_edit()
    main.context_bar.offer(5000, 1024, True, 8192)
    yield "context full", main
    main.context_bar.offer(5000, 1024, False, None)
    yield "message too long", main
    main.context_bar.hide()
    view = d.window.engine_view
    view.button.setChecked(True)
    d.wait(view.page.map.isVisible)
    yield "engine", main
    view.leave()
    side = main.sidebar
    row = next(r for r in side.list.chats.rows if r.id is not None)
    yield "a chat's menu", side.menu(row)
    side.search.setText(ASKED)
    yield "search", main
    side.search.clear()
    d.chats.delete(row.id or 0)
    side.show_trash_mode(True)
    yield "trash", main
    yield "a deleted chat's menu", side.menu(next(r for r in side.list.chats.rows if r.id is not None))
    side.show_trash_mode(False)
    main.notice.hide()
    desk.show_options()
    assert desk.dialog is not None
    d.chats.set_options(ChatOptions(temperature=1.0))
    yield "options of the chat", desk.dialog
    desk.dialog.close()
    yield from settings_pages(d)
    yield from help_pages(d)
    yield from jobs_pages(d)


def settings_pages(d: WizardDriver) -> Seen:
    """All pages of the settings, simple and with everything."""
    d.main.show_settings()
    dialog = d.main.dialog
    assert dialog is not None
    for expert in (False, True):
        if expert != dialog.expert.isChecked():
            dialog.expert.click()
        yield from tabs(dialog, "settings" + (", all" if expert else ""))
    dialog.close()


def help_pages(d: WizardDriver) -> Seen:
    """Help, the report of a failure, and what is asked before the end."""
    d.window.help.show(0)
    assert d.window.help.window is not None
    yield from tabs(d.window.help.window, "help")
    d.window.help.window.close()
    d.window.help.show_crash("⟦1234⟧", "ValueError")
    assert d.window.help.crash is not None
    yield "crash", d.window.help.crash
    d.window.help.crash.close()


def jobs_pages(d: WizardDriver) -> Seen:
    """Jobs that run and wait, a new one, and what is asked before one is removed or the window closes over it."""
    d.window.jobs.show()
    jobs, control = d.window.jobs.window, d.window.jobs.control
    assert jobs is not None
    yield "no jobs", jobs
    for idle, tokens in ((True, 4), (False, 400)):
        d.engine.change_settings(replace(d.engine.settings, max_tokens=tokens))
        jobs.show_form(())
        form = jobs.form
        assert form is not None
        form.prompt.setPlainText("1234")
        form.idle.setChecked(idle)
        if idle:
            yield "a new job", form
        form.accept()
        d.wait(lambda: bool(control.jobs))
    d.wait(lambda: control.busy and control._part > 0)
    yield "jobs", jobs
    d.wait(d.main.model_bar.work.isVisible)
    yield "a running job", d.main
    d.window.leaving.may_close()
    if d.window.leaving.box is not None:
        yield "leaving", d.window.leaving.box
        d.window.leaving.box.reject()
    next(iter(jobs.rows.values())).remove.click()
    assert jobs.box is not None
    yield "remove a job", jobs.box
    jobs.box.reject()
    for id in list(control.jobs):
        control.remove(id)
    d.wait(lambda: not control.busy)
    jobs.close()


def tabs(dialog: QWidget, name: str) -> Seen:
    """A dialog with each of its tabs in front."""
    held = dialog.findChild(QTabWidget)
    assert held is not None
    for at in range(held.count()):
        held.setCurrentIndex(at)
        yield f"{name}, page {at + 1}", dialog


def drawn(seen: Seen) -> Seen:
    """Each page once it is laid out."""
    for name, page in seen:
        QApplication.processEvents()
        yield name, page
        QApplication.processEvents()
