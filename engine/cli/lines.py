"""Lines that a person types: edited, recalled with the arrow keys, also those of earlier sessions, and /commands completed by Tab."""

import atexit
import contextlib
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

import typer

from engine import paths
from engine.cli.console import say

MOST_LINES = 1000


def remember_lines(commands: Sequence[str]) -> None:
    """Let input() edit and recall lines, at a terminal of a system that has readline; the file is for this user's eyes alone.

    commands: what Tab completes.
    """
    if not sys.stdin.isatty():
        return
    try:
        readline = importlib.import_module("readline")
    except ImportError:  # Windows edits and recalls lines by itself
        return
    file = paths.home() / "typed"
    with contextlib.suppress(OSError):
        readline.read_history_file(file)
    readline.set_history_length(MOST_LINES)
    readline.set_completer_delims("")
    readline.set_completer(completer(commands))
    libedit = "libedit" in (readline.__doc__ or "")  # macOS
    readline.parse_and_bind("bind ^I rl_complete" if libedit else "tab: complete")
    atexit.register(_keep, readline, file)


def _keep(readline: ModuleType, file: Path) -> None:
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600))
        readline.write_history_file(file)
        file.chmod(0o600)


def completer(commands: Sequence[str]) -> Callable[[str, int], str | None]:
    """(text, n) to the n-th command that begins so, as readline asks for it; None after the last."""

    def completed(text: str, n: int) -> str | None:
        found = [name for name in commands if name.startswith(text)] if text.startswith("/") else []
        return found[n] if n < len(found) else None

    return completed


def next_line() -> str | None:
    """A line from the person; None at the end of input. Ctrl-C drops a half-written line."""
    while True:
        try:
            return input("> " if sys.stdin.isatty() and sys.stdout.isatty() else "")
        except EOFError:
            if sys.stdin.isatty():
                typer.echo()
            return None
        except KeyboardInterrupt:
            say("\nCtrl-D or /quit ends the chat.")
