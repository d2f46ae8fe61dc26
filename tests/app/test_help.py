"""The help, the log, and reports of what went wrong: what is in them, and what is not."""

import logging
import sys
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer, qWarning
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.help import licences, window
from app.help.log import MOST_BYTES, log_file, logging_to, tail
from app.help.redaction import redacted, words
from app.help.surprises import MOST, Surprises, catching
from app.help.traces import told
from engine import __version__
from engine.errors import EngineError, OverBudget
from tests.app.test_end_to_end import limit
from tests.app.window import Driver, opened

SECRET = "Dear Aunt Philippa, about the inheritance"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("/home/ada/models/a.ouzel is gone", "~/models/a.ouzel is gone"),
        ("/home/adam/x", "/home/adam/x"),
        ("/media/ada/disk/a.ouzel", "/media/USER/disk/a.ouzel"),
        (r"C:\Users\ada\x", r"C:\Users\USER\x"),
        ("token hf_abcdefghijkl in it", "token hf_… in it"),
        ("https://ada:secret@proxy:8080/", "https://…@proxy:8080/"),
        ('Authorization: Bearer abcdefghijk"', "Authorization: …"),
        ("api_key=abcdef123456", "api_key=…"),
        ("write to ada@example.org", "write to …@…"),
        ("128 tokens of 4096, adaptive", "128 tokens of 4096, adaptive"),
    ],
)
def test_that_names_and_secrets_are_taken_out(text: str, left: str) -> None:
    assert redacted(text, Path("/home/ada"), "ada").startswith(left) and "secret" not in redacted(text, Path("/home/ada"), "ada")


def test_that_an_errors_words_quote_no_chat() -> None:
    assert words(KeyError(SECRET)) == "'…'"
    assert SECRET not in words(ValueError(f"cannot parse {SECRET!r} and \"{SECRET}\""))
    assert words(UnicodeEncodeError("utf-8", SECRET, 0, 1, "surrogates not allowed")) == "surrogates not allowed"
    assert words(OverBudget("The limit is under 140 MB.", 140, 100)) == "The limit is under 140 MB."
    assert SECRET not in words(EngineError(f"Something unexpected went wrong (KeyError: '{SECRET}')."))
    assert words(FileNotFoundError(2, "No such file", "/x/y")) == "No such file /x/y"


def test_that_a_traceback_tells_places_and_causes_and_no_values() -> None:
    def inner(chat: str) -> None:
        raise ValueError(f"bad: {chat!r}")

    try:
        try:
            inner(SECRET)
        except ValueError as e:
            raise RuntimeError("outer") from e
    except RuntimeError as e:
        text = told(e)
    assert "inner" in text and "ValueError: bad: '…'" in text and text.endswith("RuntimeError: outer") and SECRET not in text
    assert str(Path.home()) + "/" not in text


@pytest.fixture
def logs(ouzel_home: Path) -> Path:
    return log_file(ouzel_home)


def test_that_the_log_takes_what_matters_and_is_redacted(ouzel_home: Path, logs: Path) -> None:
    with logging_to(ouzel_home):
        logging.getLogger("app").info("Opened %s", Path.home() / "models" / "a.ouzel")
        logging.getLogger("somebody").warning("request %s", SECRET)
        logging.getLogger("app").debug("nobody needs this")
        qWarning("from Qt")
        qWarning("This plugin does not support propagateSizeHints()")
        try:
            raise ValueError(f"bad: {SECRET!r}")
        except ValueError:
            logging.getLogger("app").exception("It failed")
    text = logs.read_text()
    assert "Opened ~/models/a.ouzel" in text and "qt: from Qt" in text and "ValueError: bad: '…'" in text
    assert SECRET not in text and "nobody" not in text and "propagate" not in text
    assert tail(ouzel_home, 2) == "\n".join(text.splitlines()[-2:])


@pytest.mark.long
def test_that_the_log_stays_small_and_its_end_is_found_across_files(ouzel_home: Path, logs: Path) -> None:
    with logging_to(ouzel_home):
        for n in range(4 * MOST_BYTES // 1000):
            logging.getLogger("app").info("%d %s", n, "x" * 940)
    assert sum(f.stat().st_size for f in logs.parent.iterdir()) < 3.1 * MOST_BYTES
    found = tail(ouzel_home, 600).splitlines()
    assert len(found) == 600 and f" {4 * MOST_BYTES // 1000 - 1} x" in found[-1]


def test_that_a_folder_that_cannot_be_written_costs_the_log_alone(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with logging_to(tmp_path / "file"):
        logging.getLogger("app").warning("lost")
    assert tail(tmp_path / "file") == ""


def test_that_what_nobody_foresaw_is_told_once_on_any_thread(qtbot: QtBot, capsys: pytest.CaptureFixture[str]) -> None:
    surprises, seen = Surprises(), []
    surprises.happened.connect(lambda name, trace: seen.append((name, trace)))

    def fail(n: int = 0) -> None:
        raise ValueError(n)

    def late() -> None:
        raise OSError(28, "No space left on device")

    before = sys.excepthook, threading.excepthook
    with catching(surprises):
        for _ in range(3):
            try:
                fail()
            except ValueError as e:
                sys.excepthook(type(e), e, e.__traceback__)
        thread = threading.Thread(target=late)
        thread.start()
        thread.join()
        sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
        qtbot.waitUntil(lambda: len(seen) == 2)
    assert [name for name, _ in seen] == ["ValueError: 0", "OSError: No space left on device"]
    assert (sys.excepthook, threading.excepthook) == before
    assert "Traceback" in capsys.readouterr().err
    for n in range(MOST + 5):
        surprises.take(ValueError(str(n)))
    assert len(seen) <= MOST


def page(d: Driver, at: int) -> None:
    d.window.help.show(at)
    assert d.window.help.window is not None
    qt_page = d.window.help.window
    d.wait(qt_page.isVisible)


def test_that_the_diagnostics_tell_the_machine_and_nothing_of_the_chats(qtbot: QtBot, starter_home: Path, ouzel_home: Path) -> None:
    with logging_to(ouzel_home), opened(qtbot) as d:
        d.wait_ready()
        limit(d, 6)
        d.engine.change_settings(d.engine.settings.__class__(**{**_settings(d), "system_prompt": "You are Philippa", "threads": 1}))
        answer = d.ask(SECRET)
        page(d, window.LOG)
        assert d.window.help.window is not None
        log = d.window.help.window.log
        d.click(log.copy)
        text = QGuiApplication.clipboard().text()
        assert text == log.text.toPlainText() and log.said.text()
        wanted = (f"version: {__version__}", "Python: ", "Qt: ", "processor: ", "threads: 1", "tokens_decoded: ", "phase: ready")
        for part in wanted:
            assert part in text, part
        assert "system_prompt: set" in text
        assert "Philippa" not in text and "inheritance" not in text and (len(answer) < 8 or answer.strip() not in text)
        assert str(Path.home()) + "/" not in text


def _settings(d: Driver) -> dict[str, object]:
    return {name: getattr(d.engine.settings, name) for name in d.engine.settings.__slots__}


def test_that_licences_of_everything_are_there(qtbot: QtBot) -> None:
    found = {library.name.lower().replace("_", "-"): library for library in licences.libraries()}
    assert {"numpy", "pyside6-essentials", "tokenizers", "markupsafe"} <= set(found), "what libraries need in turn as well"
    assert not {"pytest", "ruff", "ouzel"} & set(found)
    with opened(qtbot) as d:
        page(d, window.ABOUT)
        assert d.window.help.window is not None
        about = d.window.help.window.about
        assert about is not None and "Apache License" in about.text.toPlainText()
        for row in range(about.works.count()):
            about.works.setCurrentRow(row)
            name = about.works.item(row).text()
            assert about.text.toPlainText().strip() and not name.endswith(": "), name
            if name.startswith("PySide6"):
                assert "LGPL-3.0" in name and "GNU LESSER GENERAL PUBLIC LICENSE" in about.text.toPlainText()


def test_that_a_bundle_shows_the_texts_that_it_carries(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "numpy").mkdir()
    (tmp_path / "numpy" / "LICENSE.txt").write_text("BSD of NumPy")
    (tmp_path / "NOTICE").write_text("of others")
    monkeypatch.setattr(licences, "BUNDLED", tmp_path)
    monkeypatch.setattr(licences, "ROOT", tmp_path / "none")
    (library,) = licences.libraries()
    assert library.name == "numpy" and licences.text(library) == "BSD of NumPy" and licences.own_text("NOTICE") == "of others"


def test_that_a_failure_in_the_window_is_told_with_a_report(qtbot: QtBot, ouzel_home: Path) -> None:
    surprises = Surprises()
    with opened(qtbot) as d:
        surprises.happened.connect(d.window.help.on_surprise)
        with catching(surprises), qtbot.captureExceptions() as caught:
            error = ValueError("three wheels")
            QTimer.singleShot(0, lambda: surprises.take(error))
            d.wait(lambda: d.main.notice.isVisible())
        assert not caught and "ValueError: three wheels" in d.main.notice.label.text()
        d.press("Details…", d.main.notice)
        crash = d.window.help.crash
        assert crash is not None and crash.isVisible()
        d.click(crash.page.copy)
        assert "three wheels" in QGuiApplication.clipboard().text() and "Machine" in QGuiApplication.clipboard().text()
        crash.close()
        assert d.window.help.crash is None
