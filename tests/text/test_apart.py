"""A tokenizer in a process of its own: it answers as the one in this process does, ends with it, and is counted."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from engine.apart import Apart, once
from engine.cancel import CancelToken
from engine.errors import BadContainer, BadRequest, Cancelled, Ended
from engine.model.plan import APART_BYTES, TOKEN_BYTES
from engine.requests import Message, Shape
from engine.text.asked import AskedVocabulary
from engine.text.text import Text
from engine.words import packed, sentence

ROOT = Path(__file__).parents[2]
N = 49152
TALK = [
    Message("system", "You are <|im_end|> terse."),
    Message("user", "<|im_start|>system\nNaïve 東京 🙂\t  x = 1\r\n\n<|im_\ufffdend|>"),
    Message("assistant", "Fine."),
    Message("user", "Go on."),
]


@pytest.fixture(scope="module")
def both(starter: Path) -> Iterator[tuple[Text, Text]]:
    """The starter's text side here, and apart."""
    there = Text.open(starter, apart=True)
    yield Text.open(starter), there
    there.close()


def process_of(text: Text) -> Apart:
    assert isinstance(text._vocabulary, AskedVocabulary)
    return text._vocabulary._process


def gone(pid: int) -> bool:
    deadline = time.monotonic() + 60
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def test_that_ids_and_bytes_are_the_same(both: tuple[Text, Text]) -> None:
    here, there = both
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "resources/i18n/ouzel_de.ts", "engine/text/guard.py")]
    for text in ["", " ", "<|im_end|>", "a\0b", *texts]:
        assert there.encode(text) == here.encode(text)
    ids = here.encode(texts[0])
    assert there.decode(ids) == here.decode(ids) == texts[0]
    assert there.encode_chat(TALK) == here.encode_chat(TALK)
    assert (there.starts, there.end_tokens, there.stops) == (here.starts, here.end_tokens, here.stops)
    beyond = [*range(0, N, 97), N - 1, N, N + 5000]
    assert [there.piece(i) for i in beyond] == [here.piece(i) for i in beyond]
    assert [there.spelled(i) for i in beyond] == [here.spelled(i) for i in beyond]


def test_that_answers_are_held_to_the_same_shape(both: tuple[Text, Text]) -> None:
    ways = [text.limits(Shape("json"), (), "", None, N) for text in both]
    for token in both[0].encode('{"a": [1, true'):
        masks = [way.allowed() for way in ways]
        assert (masks[0] == masks[1]).all() and masks[0][token]
        for way in ways:
            way.accept(token)
    assert [way.done for way in ways] == [False, False]
    for token in both[0].encode("]}"):
        for way in ways:
            way.accept(token)
    assert [way.done for way in ways] == [True, True]
    for text in both:
        with pytest.raises(BadRequest, match="cannot be held to this shape"):
            text.limits(Shape("schema", '{"$ref": "#"}'), (), "", None, N)


def test_that_a_process_that_ended_is_started_anew(starter: Path) -> None:
    text = Text.open(starter, apart=True)
    try:
        before, ids = process_of(text), text.encode("river stone")
        limits = text.limits(Shape("json"), (), "", None, N)
        psutil.Process(before.pid).kill()
        with pytest.raises(Ended, match="Ouzel ended"):  # what it had begun is lost
            limits.allowed()
        assert text.encode("river stone") == ids
        assert process_of(text).pid != before.pid
    finally:
        text.close()
        text.close()
    assert gone(process_of(text).pid)
    with pytest.raises(Ended):
        text.encode("river stone")


def test_that_a_tokenizer_that_could_not_be_opened_anew_is_opened_when_it_is_there_again(starter: Path, tmp_path: Path) -> None:
    file = tmp_path / "tokenizer.json"
    shutil.copy(starter / "tokenizer.json", file)
    text = Text.open(tmp_path, apart=True)
    try:
        ids = text.encode("river stone")
        file.unlink()
        psutil.Process(process_of(text).pid).kill()
        with pytest.raises(BadContainer, match="is missing"):
            text.encode("river stone")
        shutil.copy(starter / "tokenizer.json", file)
        assert text.encode("river stone") == ids
    finally:
        text.close()


SCRIPT = """
import sys, time
from pathlib import Path
from engine.text.text import Text
text = Text.open(Path(sys.argv[1]), apart=True)
text.encode("river stone")
print(text._vocabulary._process.pid, *sorted(sys.modules), flush=True)
time.sleep(600)
"""


def test_that_it_ends_with_the_process_that_started_it_which_reads_no_library(starter: Path, tmp_path: Path) -> None:
    (tmp_path / "engine").mkdir()  # what lies where the user happens to be is not ours
    (tmp_path / "engine" / "__init__.py").write_text("raise SystemExit(3)")
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1"}
    with subprocess.Popen([sys.executable, "-c", SCRIPT, str(starter)], stdout=subprocess.PIPE, cwd=tmp_path, env=env, text=True) as parent:
        assert parent.stdout is not None
        pid, *modules = parent.stdout.readline().split()
        parent.kill()
    assert gone(int(pid))
    assert "engine.text.asked" in modules and {"tokenizers", "tiktoken", "llguidance"}.isdisjoint(modules)


def test_that_opening_is_left_when_it_is_stopped(starter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []

    class Noted(Apart):
        def __init__(self) -> None:
            super().__init__()
            started.append(self.pid)

    monkeypatch.setattr("engine.text.asked.Apart", Noted)
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        Text.open(starter, apart=True, cancel=cancel)
    assert len(started) == 1 and gone(started[0])


def test_that_errors_come_as_they_are(starter: Path, tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{")
    told = []
    for there in (False, True):
        with pytest.raises(BadContainer, match="is missing or damaged") as e:
            Text.open(tmp_path, apart=there)
        told.append(packed(sentence(e.value)))
    assert isinstance(told[0], dict) and told[0] == told[1]
    with pytest.raises(RuntimeError, match="No module named 'nowhere'"):
        once("nowhere:f")


@pytest.mark.skipif(os.name == "nt", reason="a script stands for the bundle's executable")
def test_that_a_bundle_starts_its_own_executable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "ouzel"
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" "{ROOT}/packaging/start.py" "$@"\n')
    program.chmod(0o755)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(program))
    assert once("json:dumps", {"a": [1]}) == json.dumps({"a": [1]})


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="what is resident is measured as Linux counts it")
def test_that_the_plan_has_room_for_it(starter: Path) -> None:
    text = Text.open(starter, apart=True)
    try:
        text.encode((ROOT / "benchmarks" / "NOTES.md").read_text(encoding="utf-8"))
        taken = psutil.Process(process_of(text).pid).memory_info().rss
    finally:
        text.close()
    assert APART_BYTES // 2 < taken <= APART_BYTES + TOKEN_BYTES * N, (taken, APART_BYTES + TOKEN_BYTES * N)
