"""Long work in a process of its own: the same result and errors, progress, a stop, and what a kill leaves."""

import pickle
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from engine.apart import _portable, work
from engine.cancel import CancelToken
from engine.errors import Cancelled, Ended, StorageError, UnsupportedConfig
from engine.requests import PullModel
from engine.setup.make import make
from engine.words import packed, say, sentence

Tiny = Callable[..., Path]
HERE = "tests.setup.apart_work:"


def nothing(*told: object) -> None:
    pass


def test_that_the_last_progress_comes_before_the_result_and_the_first_at_once() -> None:
    told: list[tuple[object, ...]] = []
    assert work(f"{HERE}counted", 1000, progress=lambda *t: told.append(t), cancel=CancelToken()) == 1000
    assert told[0] == ("step", 0, 1000) and told[-1] == ("step", 999, 1000) and len(told) < 1000


def test_that_a_stop_reaches_it_and_nothing_is_left() -> None:
    cancel, pids = CancelToken(), list[int]()

    def stop(_what: str, pid: int, n: int) -> None:
        assert n == 5
        pids.append(pid)
        cancel.cancel()

    with pytest.raises(Cancelled, match=r"^Stopped\.$"):
        work(f"{HERE}until_stopped", 2, progress=stop, cancel=cancel, more=3)
    assert len(pids) == 1 and not psutil.pid_exists(pids[0])


def test_that_work_that_does_not_hear_a_stop_is_ended() -> None:
    cancel, pids = CancelToken(), list[int]()
    with pytest.raises(Cancelled):
        work(f"{HERE}deaf", progress=lambda _what, pid, _n: (pids.append(pid), cancel.cancel()), cancel=cancel)
    assert len(pids) == 1 and not psutil.pid_exists(pids[0])


def test_that_a_process_that_was_killed_is_told() -> None:
    with pytest.raises(Ended, match="A part of Ouzel ended"):
        work(f"{HERE}deaf", progress=lambda _what, pid, _n: psutil.Process(pid).kill(), cancel=CancelToken())


def test_that_an_unsupported_config_keeps_its_kind() -> None:
    error = UnsupportedConfig([say("the key {key} is not known", key="b"), "a is missing"])
    kept = pickle.loads(pickle.dumps(_portable(error)))
    assert isinstance(kept, UnsupportedConfig) and kept.problems == error.problems
    assert packed(sentence(kept)) == packed(sentence(error))


def test_that_errors_keep_their_kind_and_their_words() -> None:
    with pytest.raises(StorageError) as e:
        work(f"{HERE}refused", progress=nothing, cancel=CancelToken())
    assert e.value.details == "details"
    assert packed(sentence(e.value)) == {"template": "{path} is full. Free some space.", "values": {"path": "D"}}
    with pytest.raises(FileNotFoundError) as gone:
        work(f"{HERE}refused_by_system", progress=nothing, cancel=CancelToken())
    assert gone.value.filename == "D"


def test_that_a_conversion_apart_writes_the_same_bytes(tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    source = tiny_checkpoint("qwen3_moe")
    here, there = (PullModel(1, str(source), tmp_path / f"{name}.ouzel", "q4", "q8") for name in ("here", "there"))
    make(here, nothing, CancelToken())
    make(there, nothing, CancelToken(), apart=True)
    files = sorted(f.relative_to(here.target) for f in here.target.rglob("*") if f.is_file())
    assert len(files) > 3 and files == sorted(f.relative_to(there.target) for f in there.target.rglob("*") if f.is_file())
    assert all((here.target / f).read_bytes() == (there.target / f).read_bytes() for f in files)
