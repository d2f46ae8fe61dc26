"""Usage counts on disk: kept whole, bound to their container, and never in the way."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

from engine import paths
from engine.container.reader import Container
from engine.experts.usage import UsageFile
from tests.conftest import Tiny


@pytest.fixture
def container(tiny: Tiny) -> Container:
    return Container.open(tiny("qwen2_moe"))


def counts_for(container: Container, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).gamma(0.5, size=sum(e.n_experts for e in container.experts))


def only_file() -> Path:
    (path,) = (paths.cache_dir() / "usage").iterdir()
    return path


def test_that_counts_come_back_as_they_were_kept(container: Container) -> None:
    assert UsageFile(container).load() is None
    counts = counts_for(container)
    assert UsageFile(container).save(counts)
    assert np.array_equal(UsageFile(container).load(), counts)
    assert UsageFile(container).save(counts * 2)
    assert np.array_equal(UsageFile(container).load(), counts * 2)
    assert only_file().stat().st_size == 16 + 16 + 8 * len(counts) + 8


def test_that_another_container_s_counts_are_not_taken(container: Container, tiny: Tiny) -> None:
    UsageFile(container).save(counts_for(container))
    other = UsageFile(Container.open(tiny("qwen2_moe", seed=1)))
    assert other.load() is None
    only_file().rename(other._paths[-1])
    assert other.load() is None


def test_that_every_damaged_byte_makes_the_file_as_good_as_none(container: Container) -> None:
    usage = UsageFile(container)
    usage.save(counts_for(container))
    path = only_file()
    data = path.read_bytes()
    for at in range(0, len(data), 7):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        assert usage.load() is None
    for wrong in (b"", data[:-1], data + b"\0", data[:30]):
        path.write_bytes(wrong)
        assert usage.load() is None
    path.unlink()
    path.mkdir()
    assert usage.load() is None
    assert not usage.save(counts_for(container))


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0])
def test_that_counts_that_cannot_be_are_not_taken(container: Container, value: float) -> None:
    counts = counts_for(container)
    counts[3] = value
    UsageFile(container).save(counts)
    assert UsageFile(container).load() is None


def test_that_counts_lie_beside_the_container_or_in_the_cache_where_that_is_read_only(
    container: Container, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OUZEL_HOME")
    monkeypatch.setattr(paths, "cache_dir", lambda: tmp_path / "cache")
    folder = tmp_path / "models"
    folder.mkdir()
    moved = Container.open(container.path)
    moved.path = folder / "m.ouzel"
    usage, counts = UsageFile(moved), counts_for(container)
    assert usage.save(counts)
    assert [p.name for p in folder.iterdir()] == ["m.ouzel.usage"]
    assert np.array_equal(usage.load(), counts)
    (folder / "m.ouzel.usage").unlink()
    if os.name == "posix" and os.geteuid() == 0:  # root may write everywhere: a folder in the way instead
        (folder / "m.ouzel.usage.new").mkdir()
    else:
        folder.chmod(0o500)
    assert usage.save(counts)
    assert only_file().read_bytes()
    assert np.array_equal(usage.load(), counts)


def test_that_nothing_is_written_beside_a_starter_that_came_with_a_bundle(
    container: Container, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OUZEL_HOME")
    monkeypatch.setattr(paths, "cache_dir", lambda: tmp_path / "cache")
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path / "bundle"), raising=False)
    brought = Container.open(container.path)
    brought.path = tmp_path / "bundle" / "starter.ouzel"
    brought.path.mkdir(parents=True)
    usage, counts = UsageFile(brought), counts_for(container)
    assert usage.save(counts) and np.array_equal(usage.load(), counts)
    assert [p.name for p in brought.path.parent.iterdir()] == ["starter.ouzel"]
