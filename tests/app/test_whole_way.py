"""The whole way as a real program on a real screen (Xvfb): first start, wizard, chat, Stop, edit, restart, history."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from engine import paths
from engine.setup import speed
from engine.setup.speed import BURSTS, RECORDS, DriveSpeed
from tests.hub.server import Hub, Repo

ROOT = Path(__file__).parents[2]
LONG = "Write a very long story about a river."  # as person.py says
pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux") or not all(map(shutil.which, ("xvfb-run", "Xvfb", "xauth"))),
    reason="needs Linux with xvfb and xauth (Debian's packages of these names)",
)


@pytest.fixture
def hub(tiny_checkpoint: Callable[..., Path]) -> Iterator[Hub]:
    folder = tiny_checkpoint("mixtral")
    with Hub({"owner/tiny": Repo({f.name: f.read_bytes() for f in folder.iterdir()}, None, lfs_from=1000)}) as server:
        yield server


@pytest.fixture
def screen(ouzel_home: Path, hub: Hub) -> dict[str, str]:
    """The environment of a program on a screen; the drive counts as measured, which takes seconds."""
    rows = tuple(tuple(1e-4 + record * n / 2e9 for n in BURSTS) for record in RECORDS)
    speed._keep({speed.drive_of(paths.nearest(p)): (time.time(), DriveSpeed(rows, True, "")) for p in (paths.models_dir(), Path("/"))})
    dropped = ("WAYLAND_DISPLAY", "DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR")
    env = {k: v for k, v in os.environ.items() if k not in dropped}
    return {**env, "QT_QPA_PLATFORM": "xcb", "HF_ENDPOINT": hub.url, "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"}


def begin(env: dict[str, str], part: str) -> "subprocess.Popen[str]":
    command = ["xvfb-run", "-a", "-s", "-screen 0 1280x900x24", sys.executable, str(Path(__file__).with_name("person.py")), part]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def seen(child: "subprocess.Popen[str]", told: dict[str, Any], until: str = "") -> dict[str, Any]:
    """What the person has seen, up to something, else to the end."""
    assert child.stdout is not None and child.stderr is not None
    for line in child.stdout:
        told |= json.loads(line)
        if until and until in told:
            return told
    err = child.stderr.read()
    assert child.wait(timeout=100) == 0 and "failed" not in told, f"{told}\n{err}"
    assert "Traceback" not in err, err
    return told


def end(child: "subprocess.Popen[str]") -> None:
    """Leave nothing behind, whatever went wrong."""
    if child.poll() is None:
        for process in (*psutil.Process(child.pid).children(recursive=True), psutil.Process(child.pid)):
            process.kill()
    child.communicate()


def whole(child: "subprocess.Popen[str]") -> dict[str, Any]:
    try:
        return seen(child, {})
    finally:
        end(child)


def test_the_whole_way_from_the_first_start_to_the_history(ouzel_home: Path, starter: Path, tmp_path: Path, screen: dict[str, str]) -> None:
    model = tmp_path / "starter.ouzel"
    model.symlink_to(starter, target_is_directory=True)
    child, told = begin(screen, "first"), dict[str, Any]()
    try:
        seen(child, told, until="ready")
        assert told["screen"] == "xcb" and told["colours"] > 50, "the window was drawn"
        assert told["model"] == "tiny" and (ouzel_home / "models" / "tiny.ouzel" / "manifest.json").is_file()
        # As a file manager does: a second start with a model, which the first one's window opens.
        second = subprocess.run(
            [sys.executable, "-m", "engine.cli", str(model)], env={**screen, "QT_QPA_PLATFORM": "offscreen"}, cwd=ROOT, check=False
        )
        assert second.returncode == 0
        seen(child, told)
    finally:
        end(child)
    assert len(told["stopped"]) > 10 and "Stopped" in told["note"] and told["screen_while_writing"] > 50
    assert told["asked"] == "Name one river." and told["answered"]
    ours = [p for p in psutil.process_iter(["environ"]) if (p.info["environ"] or {}).get("OUZEL_HOME") == str(ouzel_home)]
    _, left = psutil.wait_procs([p for p in ours if p.pid != os.getpid()], timeout=60)  # the screen takes a moment to go
    assert left == [], "no process is left"
    assert not (ouzel_home / "running.json").exists()

    after = whole(begin(screen, "again"))
    assert after["listed"][0].startswith("Write a very long story") and len(after["listed"]) == 2
    assert after["now"] == ["Name one river.", told["answered"]]
    assert after["before"] == [LONG, told["stopped"]]
