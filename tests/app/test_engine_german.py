"""What the engine says is German in the German window: errors of the real engine, and what waits and verdicts say."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.chats.exchange import read_file
from app.chats.records import StoreError
from app.chats.store import ChatStore
from app.gauge_details import drives
from app.language import told
from app.state import Phase
from app.wizard.catalogue_view import details
from engine.setup.verdict import verdict
from engine.stats import VolumeCounters, number
from engine.words import say
from tests.app.spoken import Bracketed, forgotten
from tests.app.test_serving import Asking
from tests.app.window import Driver, opened
from tests.app.wizard.samples import offer, surveyed
from tests.arch.real import KIMI_K3, QWEN3_30B_A3B
from tests.setup.test_verdict import machine, planned


def damaged(folder: Path) -> Path:
    """A container whose manifest is none."""
    broken = folder / "broken.ouzel"
    broken.mkdir()
    (broken / "manifest.json").write_text("{}")
    return broken


def fail_twice(d: Driver, starter: Path) -> list[str]:
    """What the notice says of a damaged container that was to be opened, and then of a limit that is too low."""
    d.wait(lambda: d.main.notice.isVisible() and d.phase is Phase.IDLE)
    said = [d.main.notice.label.text()]
    d.main.notice.hide()
    d.engine.choose(starter)
    d.wait_ready()
    d.engine.change_settings(replace(d.engine.settings, budget_bytes=50_000_000))
    d.engine.load()
    d.wait(lambda: d.main.notice.isVisible() and d.phase is Phase.IDLE)
    return [*said, d.main.notice.label.text()]


def test_that_errors_of_the_engine_are_german_in_the_german_window(
    qtbot: QtBot, german: None, tmp_path: Path, starter_home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    broken = damaged(tmp_path)
    with opened(qtbot, broken) as d:
        of_damage, of_limit = fail_twice(d, starter_home)
        way = "Bitte das Modell neu holen oder neu umwandeln."
        assert of_damage == f"Das Modell {broken} lässt sich nicht öffnen: manifest.json enthält 'format' nicht. {way}"
        floor = f"{-(-d.engine.floor() // 1_000_000)} MB"
        assert f"starter braucht bei einem Kontext von 1.024 Token mindestens {floor} Speicher, " in of_limit
        assert of_limit.endswith(
            f"die Grenze ist aber 50 MB. Bitte die Grenze auf {floor} oder mehr anheben oder ein kleineres Modell wählen."
        )
    assert "the limit is 50 MB" in caplog.text and "Grenze" not in caplog.text  # the log is for those who mend the program


def test_that_an_error_of_the_engine_is_offered_for_translation_whole(
    qtbot: QtBot, brackets: Bracketed, tmp_path: Path, starter_home: Path
) -> None:
    broken = damaged(tmp_path)
    with opened(qtbot, broken) as d:
        for said in fail_twice(d, starter_home):
            assert said.startswith("⟦") and said.endswith("⟧")
        assert forgotten(["broken", "starter", str(starter_home.parent)], [d.main.notice]) == []


def test_that_programs_are_told_english_by_the_german_window(qtbot: QtBot, german: None, starter: Path) -> None:
    with opened(qtbot, starter) as d:
        d.wait_ready()
        d.engine.change_settings(replace(d.engine.settings, serve=True, serve_port=None))
        d.wait(lambda: bool(d.window.serving.address))
        asking = Asking(d.window.serving.address, d.window.serving.key, messages=[{"role": "user", "content": "river " * 9000}])
        d.wait(asking.ended)
        assert asking.answer is not None and asking.answer.status_code == 400
        assert asking.answer.json()["error"]["message"].endswith("start a new chat, or open the model with a longer context.")


def test_that_numbers_and_phrases_inside_of_sentences_are_german(german: None) -> None:
    speed = say(
        "About {slowest} to {fastest} tokens/s: {words}.",
        slowest=number(1.54),
        fastest=number(12.3),
        words=say("slower than most people read"),
    )
    assert told(speed) == "Etwa 1,5 bis 12 Token/s: langsamer, als die meisten lesen." and str(speed).startswith(
        "About 1.5 to 12 tokens/s: slower"
    )
    wrong = say("{path} belongs to another model. Choose another folder.", path="/x")
    counters = VolumeCounters("/x", "missing", 0, 0, 0.0, 0, 0.0, wrong)
    assert drives([counters]).endswith("/x gehört zu einem anderen Modell. Bitte einen anderen Ordner wählen.")
    assert told("plain {text}") == "plain {text}" and told(ValueError("plain")) == "plain"


def test_that_a_verdict_is_german(german: None) -> None:
    """Of a model that is far too large, and of one that runs, as the engine finds them."""
    k3 = details("a/kimi", surveyed(offer("Kimi", "a/kimi", verdict(machine(8, disk=100), planned(KIMI_K3, "mxfp4")))))
    assert k3 is not None and len(k3.why) == 2
    assert k3.why[0].startswith("Es braucht mindestens ") and k3.why[0].endswith(" GB Speicher, und dieser Computer hat 8,0 GB.")
    assert k3.why[1].endswith(" auf dem Laufwerk, und dort sind 100 GB frei.") and k3.helps[0].startswith(
        "Ein kleineres Modell oder ein Computer mit "
    )
    for limit, here in ((9.6, machine()), (9.6, machine(read=0.1e9)), (2.0, machine(16, free=1))):
        runs = verdict(here, planned(QWEN3_30B_A3B, "q4", limit))
        assert runs.reasons and [text for text in (*runs.reasons, *runs.helps) if told(text) == text] == []
        assert any("tokens/s" not in told(text) and "Token/s" in told(text) for text in runs.reasons)


def test_that_chats_that_cannot_be_kept_or_read_in_are_told_in_german(qapp: QApplication, german: None, tmp_path: Path) -> None:
    file = tmp_path / "chats.db"
    file.write_text("no database at all " * 300)
    store = ChatStore(file)
    store.close()
    assert told(store.trouble).startswith("Die Datei mit den Chats war beschädigt (file is not a database). Sie liegt jetzt als ")
    exported = tmp_path / "chats.json"
    exported.write_text('{"format": "ouzel-chats", "version": 1, "conversations": [{"title": 3}]}')
    with pytest.raises(StoreError) as refused:
        read_file(exported)
    want = "chats.json kann nicht eingelesen werden; nicht in Ordnung: der Titel von Chat 1. Es wurde nichts geändert; "
    assert told(refused.value) == want + "bitte die Chats noch einmal exportieren."
