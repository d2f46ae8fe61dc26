"""An answer in the terminal while it is written: closed Markdown blocks stay as they are, only the open one is drawn anew."""

import sys
from types import TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.live import Live
from rich.markdown import Markdown

FENCES = ("```", "~~~")


class Writer(Protocol):
    """Takes the pieces of one answer."""

    def __enter__(self) -> Self: ...
    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...
    def write(self, piece: str) -> None:
        """Show the next piece."""


class PlainWriter:
    """The answer as it comes, for pipes and files."""

    def __enter__(self) -> Self:
        self._ends_line = True
        return self

    def write(self, piece: str) -> None:
        """Write the next piece through."""
        sys.stdout.write(piece)
        sys.stdout.flush()
        self._ends_line = piece.endswith("\n")

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if not self._ends_line:
            sys.stdout.write("\n")
            sys.stdout.flush()


class MarkdownWriter:
    """The answer as formatted Markdown."""

    def __init__(self) -> None:
        self._console = Console()
        self._open = ""
        self._live = Live(console=self._console, transient=True, auto_refresh=False)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def write(self, piece: str) -> None:
        """Show the next piece."""
        closed, self._open = closed_part(self._open + piece)
        if closed.strip():
            self._live.update("", refresh=True)
            self._console.print(Markdown(closed))
        # Lines above the screen cannot be drawn anew, so a tall block shows its end.
        tail = "\n".join(self._open.split("\n")[-max(self._console.height - 2, 1) :])
        self._live.update(Markdown(tail) if tail == self._open else tail, refresh=True)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._live.update("", refresh=True)
        self._live.stop()
        if self._open.strip():
            self._console.print(Markdown(self._open))


def closed_part(text: str) -> tuple[str, str]:
    """(blocks that later text cannot change, the rest): cut at the last blank line outside a code fence."""
    fence, cut, at = "", 0, 0
    for line in text.splitlines(keepends=True):
        at += len(line)
        bare = line.strip()
        if fence:
            if bare.startswith(fence) and not bare.strip(fence[0]):
                fence = ""
        elif bare.startswith(FENCES):
            fence = bare[: len(bare) - len(bare.lstrip(bare[0]))]
        elif not bare and line.endswith("\n"):
            cut = at
    return text[:cut], text[cut:]


def answer_writer() -> Writer:
    """Markdown where a person watches, plain text elsewhere."""
    return MarkdownWriter() if sys.stdout.isatty() else PlainWriter()
