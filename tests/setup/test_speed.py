"""The speed of a folder's drive: measured with direct reads, nothing left behind, kept for some days, never trusted when damaged."""

import json
import tempfile
import time
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from engine import paths
from engine.activity import at_work
from engine.cancel import CancelToken
from engine.errors import Cancelled, StorageError
from engine.setup import memory_speed as memory
from engine.setup import speed
from engine.setup.memory_speed import memory_speed
from engine.setup.speed import BURSTS, RECORDS, DriveSpeed, as_weights, drive_of, drive_speed, file_rate, folder_rate


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test of half a second over a file of 64 MB."""
    monkeypatch.setattr(speed, "SECONDS", 0.3)
    monkeypatch.setattr(speed, "WRITE_SECONDS", 0.0)
    monkeypatch.setattr(memory, "MEMORY", 16 << 20)
    monkeypatch.setattr(speed, "RATE_SECONDS", 0.05)


def test_that_a_drive_is_measured_once_and_nothing_is_left(tmp_path: Path) -> None:
    fractions: list[float] = []
    first = drive_speed(tmp_path / "not" / "there", CancelToken(), fractions.append)
    assert list(tmp_path.iterdir()) == []
    assert fractions == sorted(fractions) and fractions[-1] == 1 and len(fractions) == len(RECORDS) * len(BURSTS)
    assert all(a <= b for row in first.seconds for a, b in pairwise(row))
    assert 1e6 < first.rate < 1e12
    began = time.monotonic()
    assert drive_speed(tmp_path, CancelToken()) == first
    assert time.monotonic() - began < 0.2
    assert drive_speed(tmp_path, CancelToken(), again=True) != first


def test_that_figures_are_forgotten_after_days_and_when_they_are_damaged(tmp_path: Path) -> None:
    first = drive_speed(tmp_path, CancelToken())
    file = paths.cache_dir() / "drives.json"
    kept = json.loads(file.read_text())
    (entry,) = kept.values()
    now = time.time()
    changes = [{"when": now - 8 * 86400}, {"when": now + 1e6}, {"seconds": [[1]]}, {"seconds": "x"}, {"when": "x"}, {"why": 3}]
    for change in changes:
        file.write_text(json.dumps({drive_of(tmp_path): entry | change}))
        assert drive_speed(tmp_path, CancelToken()) != first
    for text in ("", "{", "[]", "[" * 100_000, '{"a": 1, "a": 2}'):
        file.write_text(text)
        assert drive_speed(tmp_path, CancelToken()).rate > 0


@pytest.mark.parametrize("when", ["never", "before", "meanwhile"])
def test_that_what_was_measured_beside_other_work_is_soon_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    def progress(_fraction: float) -> None:
        if when == "meanwhile":
            with at_work():
                pass

    with at_work() if when == "before" else nullcontext():
        first = drive_speed(tmp_path, CancelToken(), progress)
    assert drive_speed(tmp_path, CancelToken()) == first
    later, clocks = time.time() + speed.SOON + 1, {"monotonic": time.monotonic, "perf_counter": time.perf_counter}
    monkeypatch.setattr(speed, "time", SimpleNamespace(time=lambda: later, **clocks))
    assert (drive_speed(tmp_path, CancelToken()) == first) == (when == "never")


def test_that_an_expert_file_of_a_model_there_is_read_instead_of_a_new_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    experts = tmp_path / "a.ouzel" / "experts"
    experts.mkdir(parents=True)
    with (experts / "L00.bin").open("wb") as file:
        file.truncate(speed.LEAST_SAMPLE)
    monkeypatch.setattr(speed, "_written", None)  # it would fail
    assert drive_speed(tmp_path, CancelToken()).rate > 0


def test_that_a_test_of_a_drive_can_be_stopped(tmp_path: Path) -> None:
    cancel = CancelToken()
    with pytest.raises(Cancelled):
        drive_speed(tmp_path, cancel, lambda fraction: cancel.cancel())
    assert list(tmp_path.iterdir()) == []
    assert not (paths.cache_dir() / "drives.json").exists()


def test_that_a_full_or_read_only_drive_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as full:
        full.setattr(psutil, "disk_usage", lambda path: SimpleNamespace(free=1000))
        with pytest.raises(StorageError, match="no room"):
            drive_speed(tmp_path, CancelToken())
    monkeypatch.setattr(tempfile, "mkstemp", lambda **options: (_ for _ in ()).throw(PermissionError(13, "Permission denied")))
    with pytest.raises(StorageError, match="cannot be written"):
        drive_speed(tmp_path, CancelToken())


def test_that_bursts_between_and_beyond_what_was_measured_follow_it() -> None:
    seconds = tuple(tuple(1e-4 + r * n / 2e9 for n in BURSTS) for r in RECORDS)
    d = DriveSpeed(seconds, True, "")
    for r in (1 << 16, 300_000, 2_700_000, 1 << 22, 17_547_264):
        for n in (1, 3, 8, 16):
            assert d.burst(r, n) == pytest.approx(1e-4 + r * n / 2e9, rel=0.15)
    assert d.burst(1 << 20, 0) == 0 and d.burst(0, 4) == 0
    assert d.burst(1 << 20, 0.5) == d.burst(1 << 20, 1) / 2


def test_that_the_nearest_folder_stands_for_one_that_is_not_there(tmp_path: Path) -> None:
    assert paths.nearest(tmp_path / "a" / "b") == tmp_path
    assert drive_of(paths.nearest(tmp_path / "a")) == drive_of(tmp_path)


def test_that_a_rate_alone_leaves_nothing_and_stops_when_told(tmp_path: Path) -> None:
    assert 1e6 < folder_rate(tmp_path, CancelToken()) < 1e12
    assert list(tmp_path.iterdir()) == []
    file = tmp_path / "L00.bin"
    file.write_bytes(bytes(speed.RATE_READ))
    assert 1e6 < file_rate(file, CancelToken()) < 1e12
    file.write_bytes(b"small")
    with pytest.raises(StorageError, match="too small"):
        file_rate(file, CancelToken())
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        folder_rate(tmp_path, cancel)
    assert [f.name for f in tmp_path.iterdir()] == ["L00.bin"]
    with pytest.raises(StorageError, match="cannot be"):
        folder_rate(tmp_path / "gone", CancelToken())


def test_that_rates_become_small_weights() -> None:
    assert as_weights([7e9, 6e9, 3.5e9, 1e8]) == [16, 16, 8, 1]


def test_that_memory_is_measured_with_the_threads_that_are_asked_for() -> None:
    m = memory_speed(1)
    assert m.threads == 1 and m.isa
    assert m.product_rate > 1e8 and 1e8 < m.read_rate < 1e13 and 0 < m.call_seconds < 1e-2
    assert memory_speed(1) is m
    memory._known.clear()
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        memory_speed(1, cancel)
