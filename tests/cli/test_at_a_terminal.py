"""`ouzel chat` at a real terminal: the prompt, Markdown, Ctrl-C."""

import os
import select
import signal
import stat
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.running import command, environment
from tests.conftest import Tiny

pty = pytest.importorskip("pty", reason="only Unix has pseudo terminals")
PROMPT = b"> "


class Terminal:
    """A process that sits at a terminal of 30 lines and 90 columns."""

    def __init__(self, *arguments: object, env: dict[str, str] | None = None) -> None:
        env = environment(TERM="xterm-256color", COLUMNS="90", LINES="30", PYTHON_BASIC_REPL="1", **(env or {}))
        line = command(*arguments)
        try:
            self.process, self.screen = pty.fork()
        except OSError as error:
            pytest.skip(f"this system gives no pseudo terminal: {error}")
        if self.process == 0:
            # Whoever runs the tests in the background ignores Ctrl-C, and so would this child; a person's terminal does not.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.execve(line[0], line, env)
        self.seen, self.read = b"", 0

    def type(self, text: bytes) -> None:
        os.write(self.screen, text)

    def until(self, wanted: bytes, seconds: float = 30) -> bytes:
        """What comes up to and with `wanted`, from where the last call ended; all that is left where wanted is empty."""
        deadline = time.monotonic() + seconds
        while not wanted or wanted not in self.seen[self.read :]:
            assert time.monotonic() < deadline, self.seen[self.read :]
            if not select.select([self.screen], [], [], 0.1)[0]:
                continue
            try:
                piece = os.read(self.screen, 65536)
            except OSError:  # Linux says EIO where macOS says nothing
                piece = b""
            if not piece:
                assert not wanted, self.seen[self.read :]
                break
            self.seen += piece
        start = self.read
        self.read = self.seen.index(wanted, start) + len(wanted) if wanted else len(self.seen)
        return self.seen[start : self.read]

    def close(self) -> int:
        """The exit code."""
        self.until(b"")
        os.close(self.screen)
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])


def test_that_ctrl_c_stops_the_answer_and_the_chat_goes_on(starter: Path) -> None:
    terminal = Terminal("chat", "--model", starter, "--seed", 3, "--exact", "--system", "Write at length.")
    terminal.until(PROMPT)
    terminal.type(b"Write a story of a river without an end.\n")
    terminal.until(b"\n")
    time.sleep(1)
    terminal.type(b"\x03")
    terminal.until(b"Stopped.")
    terminal.until(PROMPT)
    terminal.type(b"/stats\n")
    assert b"seed" in terminal.until(b"seed 3")
    terminal.until(PROMPT)
    terminal.type(b"half a line")
    terminal.until(b"line")
    time.sleep(0.3)  # readline looks for signals only while it waits for a key
    terminal.type(b"\x03")
    terminal.until(b"/quit ends the chat")
    terminal.until(PROMPT)
    terminal.type(b"/quit\n")
    assert terminal.close() == 0
    assert b"Traceback" not in terminal.seen


def test_that_markdown_is_drawn(starter: Path) -> None:
    terminal = Terminal("chat", "--model", starter, "--temperature", 0, "--max-tokens", 60)
    terminal.until(PROMPT)
    terminal.type(b"Write a Python function that reverses a string.\n")
    answer = terminal.until(b"\n" + PROMPT)
    assert b"def" in answer
    assert b"```" not in answer.split(b"\x1b[?25h")[-1]
    terminal.type(b"\x04")
    assert terminal.close() == 0


def test_that_lines_of_earlier_sessions_are_recalled_and_commands_completed(starter: Path, tmp_path: Path) -> None:
    home = {"OUZEL_HOME": str(tmp_path)}
    first = Terminal("chat", "--model", starter, env=home)
    first.until(PROMPT)
    first.type(b"/he\t\n")
    first.until(b"this list")
    first.until(PROMPT)
    first.type(b"/sta\t\n")  # /stats alone, since no download has a status here
    first.until(b"no answer yet")
    first.until(PROMPT)
    first.type(b"/quit\n")
    assert first.close() == 0
    assert stat.S_IMODE((tmp_path / "typed").stat().st_mode) == 0o600
    second = Terminal("chat", "--model", starter, env=home)
    second.until(PROMPT)
    second.type(b"\x1b[A\x1b[A\x1b[A\n")  # Up three times: before /stats and /quit
    second.until(b"this list")
    second.until(PROMPT)
    second.type(b"\x04")
    assert second.close() == 0


def test_that_the_shell_completes_commands_and_models(tiny: Tiny, ouzel_home: Path) -> None:
    (ouzel_home / "models").mkdir()
    (ouzel_home / "models" / "olmoe.ouzel").symlink_to(tiny("olmoe", "q4"), target_is_directory=True)
    for words, wanted in (("ouzel ver", {"verify", "version"}), ("ouzel chat --model ol", {"olmoe"}), ("ouzel plan ", {"olmoe"})):
        asked = {"_OUZEL_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1)}
        env = environment(OUZEL_HOME=str(ouzel_home), **asked)
        assert set(subprocess.run(command(), env=env, capture_output=True, text=True, check=False).stdout.split()) == wanted
