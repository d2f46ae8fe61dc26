"""Pictures of every page, made with the real engine and a real model: python -m app.screenshots FOLDER [MODEL [LOOK…]]."""

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from PySide6.QtWidgets import QWidget

from app import settings as stored
from app.chats.options import ChatOptions
from app.chats.records import Attached, Draft
from app.engine_control import is_container
from app.jobs.new_job import NewJob
from app.main import SETTINGS, Window, prepare
from app.safe_mode import Earlier
from app.settings import Settings
from app.smoke import until as wait
from app.state import Phase
from app.wizard import pictures
from engine import paths

SIZES = {"wide": (1060, 740), "usual": (1000, 700), "narrow": (760, 560), "laptop": (1366, 700)}
CHATS = (
    ("A short poem about a river",),
    ("What makes bread rise?",),
    ("Three tips for better sleep",),
    ("Write a Python function that reverses a string.", "Explain how it works, step by step."),
)
RICH = r"""The roots of $ax^2 + bx + c$ are

$$
x = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}
$$

- real where \(b^2 \ge 4ac\), and the sample costs $5 or $10

```python
def roots(a: float, b: float, c: float) -> tuple[complex, complex]:
    root = cmath.sqrt(b * b - 4 * a * c)  # of a negative number, too
    return (-b - root) / (2 * a), (-b + root) / (2 * a)
```

| Case | Roots |
|---|---:|
| $b^2 > 4ac$ | 2 |
| $b^2 = 4ac$ | 1 |
"""
LOOKS = {"light": ("light", "en", 100), "dark": ("dark", "en", 100), "german": ("light", "de", 100), "large": ("dark", "de", 150)}
TIGHT = 190_000_000  # bytes: with the starter's experts streamed, the gauges have something to show


def settle(milliseconds: int = 300) -> None:
    """Let everything be drawn."""
    wait(lambda: False, milliseconds)


def take(folder: Path, home: Path, model: Path, look: str) -> None:
    """All pages in one of LOOKS."""
    theme, spoken, percent = LOOKS[look]
    stored.save(home / SETTINGS, Settings(theme=theme, language=spoken, text_size=percent, temperature=0.0, budget_bytes=TIGHT))
    models = home / "models"
    window = Window(prepare(["ouzel"]))
    main, engine = window.main, window.engine

    def shoot(page: str, size: str = "usual") -> None:
        main.resize(*SIZES[size])
        settle()
        main.grab().save(str(folder / f"{page}-{size}-{look}.png"))

    window.start()
    settle()
    shoot("first")
    pictures.take(folder, window.wizard, look, wait, settle)
    shoot("fetching")
    models.mkdir(exist_ok=True)
    (models / model.name).symlink_to(model, target_is_directory=True)
    engine.refresh_models()
    engine.choose(models / model.name)
    wait(lambda: engine.state.phase is Phase.READY)
    for size in SIZES:
        shoot("ready", size)
    for questions in CHATS:
        main.desk.new_chat()
        for question in questions:
            main.desk.send(question)
            wait(lambda: engine.state.phase is Phase.READY or len(main.transcript.answer) > 400)
            shoot("writing", "wide")
            wait(lambda: engine.state.phase is Phase.READY)
    for size in SIZES:
        shoot("chat", size)
    chat_pages(window, shoot, lambda name, widget: widget.grab().save(str(folder / f"{name}-{look}.png")))
    engine_pages(window, shoot)
    help_pages(window, lambda name, widget: widget.grab().save(str(folder / f"{name}-{look}.png")))
    job_pages(window, home, shoot, lambda name, widget: widget.grab().save(str(folder / f"{name}-{look}.png")))
    main.show_settings()
    if main.dialog is not None:
        for name in ("settings", "settings-all"):
            for page in range(main.dialog.tabs.count()):
                main.dialog.tabs.setCurrentIndex(page)
                settle(300)
                main.dialog.grab().save(str(folder / f"{name}-{page}-{look}.png"))
            main.dialog.expert.click()
        main.dialog.close()
    engine.change_settings(replace(engine.settings, budget_bytes=20_000_000))
    engine.load()
    wait(main.notice.isVisible, 5000)
    shoot("refused", "narrow")
    window.leaving.close_now()
    wait(lambda: window.chats.closed and not window.bridge.running)
    window.end()
    (models / model.name).unlink()


def engine_pages(window: Window, shoot: Callable[..., None]) -> None:
    """The engine from inside while it writes, and the choice of its memory."""
    main, engine, view, panel = window.main, window.engine, window.engine_view, window.main.model_bar.panel
    view.button.click()
    main.desk.new_chat()
    view.button.setChecked(True)
    main.desk.send(CHATS[-1][0])
    wait(lambda: view.page.map.isVisible() and engine.state.phase is Phase.WRITING)
    settle(2500)
    for size in SIZES:
        shoot("engine", size)
    wait(lambda: engine.state.phase is Phase.READY)
    view.leave()
    main.model_bar.memory.setChecked(True)
    wait(lambda: bool(panel.headline.text()))
    for size in SIZES:
        shoot("memory", size)
    panel.slider.setValue(panel.slider.maximum())
    shoot("memory-more")
    panel.budget.setValue(TIGHT / 1e9)
    main.model_bar.memory.setChecked(False)


def help_pages(window: Window, grab: Callable[[str, QWidget], object]) -> None:
    """The help, the report of a failure, and the two questions."""
    for number, name in enumerate(("keys", "about", "log")):
        window.help.show(number)
        settle()
        if window.help.window is not None:
            grab(name, window.help.window)
    if window.help.window is not None:
        window.help.window.close()
    window.help.show_crash("Something unexpected went wrong (ValueError).", "ValueError")
    window.careful.ask(Earlier("opening", "starter.ouzel"))
    settle()
    for name, dialog in (("crash", window.help.crash), ("careful", window.careful.box)):
        if dialog is not None:
            grab(name, dialog)
            dialog.close()


def job_pages(window: Window, home: Path, shoot: Callable[..., None], grab: Callable[[str, QWidget], object]) -> None:
    """Jobs that are done, run and wait, a new one, and what is asked before one is removed or the window closes over it."""
    host, engine = window.jobs, window.engine
    files = []
    for name in ("Minutes of May.txt", "Minutes of June.txt", "A long letter from the harbour master about the new lights.txt"):
        files.append(home / name)
        files[-1].write_text("The harbour has new lights. They were paid by the town.", encoding="utf-8")
    host.show()
    jobs, control = host.window, host.control
    assert jobs is not None

    def form(prompt: str) -> NewJob:
        jobs.show_form(tuple(files))
        assert jobs.form is not None
        jobs.form.prompt.setPlainText(prompt)
        return jobs.form

    engine.change_settings(replace(engine.settings, max_tokens=8))
    form("Sum up this file in one sentence.").accept()
    wait(lambda: any(s.finished for s in control.jobs.values()))
    later = form("Translate it into French.")
    later.idle.setChecked(True)
    settle()
    grab("jobs-new", later)
    later.accept()
    wait(lambda: len(control.jobs) == 2)
    engine.change_settings(replace(engine.settings, max_tokens=400))
    form("Tell a long story of a river, with all that happened at its banks in the last hundred years.").accept()
    wait(lambda: control.busy and control._part > 20)
    wait(window.main.model_bar.work.isVisible)
    for size in SIZES:
        shoot("job-runs", size)
    window.leaving.may_close()
    settle()
    grab("jobs", jobs)
    if window.leaving.box is not None:
        grab("quit", window.leaving.box)
        window.leaving.box.reject()
    for id in list(jobs.rows):
        jobs.rows[id].remove.click()
        settle()
        if jobs.box is not None:
            grab("jobs-remove", jobs.box)
            jobs.box.accept()
        control.remove(id)
    jobs.close()


def chat_pages(window: Window, shoot: Callable[..., None], grab: Callable[[str, QWidget], object]) -> None:
    """What can be done with chats and messages."""
    main, engine, chats, desk = window.main, window.engine, window.chats, window.main.desk
    side, box = main.sidebar, main.composer
    # Versions of an answer and of a message, and a thought, folded and unfolded.
    answer = main.transcript.turns[-1].number
    chats.set_options(ChatOptions(temperature=1.0, seed=5, max_tokens=60))
    for _ in range(2):
        chats.again(answer)
        wait(lambda: engine.state.phase is Phase.READY)
    main.transcript.branch_asked.emit(main.transcript.turns[-1].number, -1)
    message = chats.messages()[-1]
    thought = "The person wants to know how slicing works.\n\nI explain the step first, then the empty bounds."
    chats.store.update(message.id, message.content, "complete", message.stats, thought, 12.3)
    chats.refresh()
    shoot("versions")
    main.transcript.toggle_thought(message.id)
    shoot("thought", "wide")
    chats.store.update(message.id, RICH, "complete", message.stats, "", 0.0)
    chats.refresh()
    wait(lambda: main.transcript.settled)
    main.transcript.jump_to_latest()
    for size in SIZES:
        shoot("formulas", size)
    # A new version with a file, and what it costs.
    box.edit(chats.draft_of(main.transcript.turns[-2].number) or Draft())
    box.attach_files([Attached("reverse.py", "def reverse(text):\n    return text[::-1]\n" * 8), Attached("notes.md", "# Notes\n" * 20)])
    wait(lambda: len(box.known_costs) == 2)
    for size in SIZES:
        shoot("editing", size)
    box.cancel_edit()
    box.field.setPlainText("river " * 1200)
    wait(main.context_bar.isVisible)
    for size in ("usual", "narrow"):
        shoot("full", size)
    box.show_draft(Draft())
    wait(lambda: not main.context_bar.isVisible())
    desk.show_options()
    if desk.dialog is not None:
        desk.dialog.keep_preset("Short and certain")
        settle()
        grab("options", desk.dialog)
        desk.dialog.close()
    # The side list: pinned, by date, searched, the trash.
    day = 24 * 3600
    for n, title in enumerate(("Bread for Sunday", "Plans for the garden", "Questions about rivers", "Names for a boat", "A letter"), 1):
        number = chats.store.create(title)
        chats.store.add(number, "user", f"{title}: what would you say about the water ouzel and its river?")
        with chats.store.change() as db:
            db.execute("UPDATE conversations SET changed = changed - ? WHERE id = ?", (n * n * 5 * day // 4, number))
    chats.pin(number, True)
    shoot("list", "usual")
    side.search.setText("water ouz")
    settle()
    shoot("search", "usual")
    side.search.clear()
    chats.delete(number)
    side.show_trash_mode(True)
    shoot("trash", "usual")
    side.show_trash_mode(False)
    main.notice.hide()
    grab("menu", side.menu(side.list.chats.rows[1]))


def main(argv: list[str]) -> int:
    """Make the pictures; the exit code."""
    if len(argv) < 2:
        sys.stderr.write("Give the folder for the pictures: python -m app.screenshots FOLDER [MODEL [LOOK…]]\n")
        return 2
    folder, model = Path(argv[1]).absolute(), (Path(argv[2]) if len(argv) > 2 else paths.starter_path()).absolute()
    if not is_container(model):
        sys.stderr.write(f"{model} is no converted model. Name one, or set up the starter model first.\n")
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    prepare(["ouzel"])
    for look in argv[3:] or LOOKS:
        with TemporaryDirectory() as home:
            os.environ["OUZEL_HOME"] = home
            take(folder, Path(home), model, look)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv))
