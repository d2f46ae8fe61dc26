"""A hub on this computer, and a drive whose speed is known, so that no test waits for its measurement."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl

from engine import paths
from engine.setup import ranges, speed
from engine.setup.catalogue import find
from engine.setup.speed import BURSTS, RECORDS, DriveSpeed
from tests.app.wizard.driving import OLMOE
from tests.hub.server import Hub, Repo

Tiny = Callable[..., Path]


def served(folder: Path, token: str | None = None) -> Repo:
    return Repo({f.name: f.read_bytes() for f in folder.iterdir()}, token, lfs_from=1000)


@pytest.fixture(autouse=True)
def known_drive(ouzel_home: Path) -> None:
    """2 GB/s from every drive, as if it had been measured a moment ago."""
    rows = tuple(tuple(1e-4 + record * n / 2e9 for n in BURSTS) for record in RECORDS)
    drives = {speed.drive_of(paths.nearest(p)) for p in (paths.models_dir(), Path("/"))}
    speed._keep({drive: (time.time(), DriveSpeed(rows, True, "")) for drive in drives})


@pytest.fixture(autouse=True)
def short_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    """The smallest two of the catalogue's models: planning all of them takes seconds each time."""
    monkeypatch.setattr("engine.setup.judge.catalogue", lambda: (find(OLMOE), find("openai/gpt-oss-20b")))


@pytest.fixture
def hub(tiny_checkpoint: Tiny, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """owner/tiny, a model of the catalogue under its own name, and owner/gated, which opens with the token hf_open."""
    monkeypatch.setattr(ranges, "FIRST_WAIT_S", 0.01)
    monkeypatch.setattr(ranges, "CHUNK", 4096)
    monkeypatch.setattr("engine.setup.stream.NOTE_BYTES", 1)
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    folder = tiny_checkpoint("mixtral")
    repos = {"owner/tiny": served(folder), "owner/gated": served(folder, "hf_open"), OLMOE: served(tiny_checkpoint("olmoe"))}
    with Hub(repos) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        yield server


@pytest.fixture
def opened_links(monkeypatch: pytest.MonkeyPatch) -> list[QUrl]:
    """What the desktop is asked to open."""
    links: list[QUrl] = []
    monkeypatch.setattr("PySide6.QtGui.QDesktopServices.openUrl", lambda url: bool(links.append(url)) or True)
    return links
