"""Every exception as a sentence for a person: what happened and what to do."""

import errno
import traceback

from engine.errors import EngineError, StorageError
from engine.words import say

_SPACE = {errno.ENOSPC, errno.EDQUOT} if hasattr(errno, "EDQUOT") else {errno.ENOSPC}
_DENIED = {errno.EACCES, errno.EPERM}
_GONE = {errno.ENOENT, errno.ENODEV, errno.ENXIO, errno.ENOTDIR}


def as_engine_error(error: BaseException) -> EngineError:
    """`error` itself where it is meant for people, else one that wraps it; the traceback lies in its details."""
    if isinstance(error, EngineError):
        return error
    details = "".join(traceback.format_exception(error))
    if isinstance(error, OSError):
        return StorageError(_storage(error), details)
    if isinstance(error, MemoryError):
        return EngineError(say("The system has no memory left for this. Close other programs or choose a lower memory limit."), details)
    what = "".join(traceback.format_exception_only(error)).strip()
    return EngineError(
        say("Something unexpected went wrong ({what}). Try again; if it comes back, report it with the details.", what=what), details
    )


def _storage(error: OSError) -> str:
    place = str(error.filename) if error.filename is not None else say("A file")
    if error.errno in _SPACE:
        where = say(" of {place}", place=place) if error.filename is not None else ""
        return say("No space is left on the drive{where}. Free some space, then try again.", where=where)
    if error.errno in _DENIED:
        return say("{place} may not be read or written. Check its permissions or choose another place.", place=place)
    if error.errno == errno.EROFS:
        return say("{place} lies on a drive that cannot be written. Choose another place.", place=place)
    if error.errno in _GONE:
        return say("{place} is not there. Connect its drive or check the path.", place=place)
    if error.errno == errno.EIO:
        return say("The drive failed to read or write {place}. Check the drive and its cable, then try again.", place=place)
    return say("{place} could not be used: {why}. Check the drive and the path, then try again.", place=place, why=error.strerror or error)
