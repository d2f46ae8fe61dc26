"""Starts the window as a process of its own, for tests."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def begin(home: Path, *words: object) -> "subprocess.Popen[str]":
    """A window on that home folder; words: see starting.py."""
    env = {**os.environ, "OUZEL_HOME": str(home), "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, str(Path(__file__).with_name("starting.py")), *map(str, words)]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def line(child: "subprocess.Popen[str]") -> str:
    """The next line that it tells."""
    assert child.stdout is not None
    told = child.stdout.readline().rstrip("\n")
    if not told:
        raise AssertionError(f"it ended: {child.wait()}\n{child.stderr.read() if child.stderr else ''}")
    return told


def end(child: "subprocess.Popen[str]") -> str:
    """Ask it to end as the system does; what it said on standard error."""
    child.terminate()
    _, err = child.communicate(timeout=100)
    assert child.returncode == 0, err
    return err
