"""Every exception as a sentence for a person: what happened and what to do."""

import errno
import traceback

from engine.errors import EngineError, StorageError

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
        return EngineError("The system has no memory left for this. Close other programs or choose a lower memory limit.", details)
    what = "".join(traceback.format_exception_only(error)).strip()
    return EngineError(f"Something unexpected went wrong ({what}). Try again; if it comes back, report it with the details.", details)


def _storage(error: OSError) -> str:
    place = str(error.filename) if error.filename is not None else "A file"
    if error.errno in _SPACE:
        where = f" of {place}" if error.filename is not None else ""
        return f"No space is left on the drive{where}. Free some space, then try again."
    if error.errno in _DENIED:
        return f"{place} may not be read or written. Check its permissions or choose another place."
    if error.errno == errno.EROFS:
        return f"{place} lies on a drive that cannot be written. Choose another place."
    if error.errno in _GONE:
        return f"{place} is not there. Connect its drive or check the path."
    if error.errno == errno.EIO:
        return f"The drive failed to read or write {place}. Check the drive and its cable, then try again."
    return f"{place} could not be used: {error.strerror or error}. Check the drive and the path, then try again."
