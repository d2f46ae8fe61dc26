"""What went wrong with a read, as an error that says what to do."""

import ctypes
import os
import sys
from pathlib import Path

from engine.errors import BadContainer, EngineError, StorageError
from engine.experts.sources import too_short
from engine.words import say
from kernels_pyx.aio import SHORT

DAMAGED, ABSENT = -3, -4  # beside the reader's codes: not what was written; could not be fetched


def problem_of(code: int, expert: int, path: Path, making: bool) -> EngineError:
    """code: DAMAGED, SHORT or the system's. making: the container is still being fetched, so that it can be discarded but not repaired."""
    if code == SHORT:
        return StorageError(too_short(path))
    if code == DAMAGED and making:
        return BadContainer(
            say(
                "Expert {expert} in {path} is not what was written there a while ago: its drive may be failing. "
                "Discard the download, and start it again on another drive.",
                expert=expert,
                path=path,
            )
        )
    if code == DAMAGED:
        return BadContainer(
            say(
                "Expert {expert} in {path} is damaged: its checksum differs from the one in the model. Run `ouzel "
                "verify` on the model to see all damage, and `ouzel repair` to mend it.",
                expert=expert,
                path=path,
            )
        )
    return StorageError(
        say(
            "Expert {expert} in {path} cannot be read ({code}). Check that its drive is connected and try again; "
            "if that fails, copy the model to another drive.",
            expert=expert,
            path=path,
            code=_words(code),
        )
    )


def _words(code: int) -> str:
    """The system's words for an error code of a read."""
    if sys.platform == "win32":
        return ctypes.FormatError(code)
    return os.strerror(code)
