"""A crash below Python (a segmentation fault, an abort): where each thread was, kept in a file that the next start finds."""

import faulthandler
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from app.help.log import FOLDER
from app.help.redaction import redacted
from engine import __version__

NOW, LAST = "crash.txt", "last-crash.txt"
MOST = 60_000  # characters that are shown of it
SIGNS = ("Fatal Python error", "Windows fatal exception", "Current thread", "Thread 0x")


def last_fault(home: Path) -> str:
    """What the run before wrote when it crashed, "" where it did not; it is told once and kept as LAST."""
    file = home / FOLDER / NOW
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
        if not any(sign in text for sign in SIGNS):
            return ""
        file.replace(file.with_name(LAST))
    except OSError:
        return ""
    return redacted(text[:MOST])


@contextmanager
def watching_faults(home: Path) -> Iterator[None]:
    """Write down where a crash happened, until the end. Call `last_fault` first: this overwrites."""
    path = home / FOLDER / NOW
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("w", encoding="utf-8")
    except OSError:  # a folder that cannot be written costs the report alone
        yield
        return
    with file:
        with suppress(OSError):
            when = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
            file.write(f"Ouzel {__version__}, {platform.platform()}, Python {platform.python_version()}, {when}\n")
            file.flush()
        was = faulthandler.is_enabled()
        faulthandler.enable(file)
        try:
            yield
        finally:
            faulthandler.disable()
            if was:
                faulthandler.enable()
    with suppress(OSError):
        path.unlink()
