"""The operating system's refusals as sentences, and the lock that keeps two writers apart."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path

from engine.errors import StorageError
from engine.words import say

_FULL = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}
_DENIED = {errno.EACCES, errno.EPERM, errno.EROFS}


class DriveFull(StorageError):
    """There is no space for what is to be written."""


@contextmanager
def writing(target: Path) -> Iterator[None]:
    """OSErrors of the body become StorageErrors about `target`."""
    try:
        yield
    except OSError as e:
        raise (DriveFull if e.errno in _FULL else StorageError)(_sentence(target, e), repr(e)) from e


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """OSErrors of the body become StorageErrors about reading `path`."""
    try:
        yield
    except OSError as e:
        raise StorageError(
            say("{path} cannot be read ({why}). Check its permissions and its drive.", path=path, why=e.strerror or e), repr(e)
        ) from e


def _sentence(target: Path, e: OSError) -> str:
    if e.errno in _FULL:
        return say(
            "No space is left on the drive of {target}. Free some space and start again: the work goes on where it stopped.", target=target
        )
    if e.errno == errno.EFBIG:
        return say(
            "The drive of {target} cannot hold files of this size. Choose a drive with another file system, or another format.",
            target=target,
        )
    if e.errno in _DENIED:
        return say("{target} cannot be written: {why}. Choose another folder, or change its permissions.", target=target, why=e.strerror)
    if e.errno in (errno.ENOTDIR, errno.EEXIST) and target.is_file():
        return say("{drive} is no folder. Check the path, or that its drive is connected.", drive=target)
    if e.errno in (errno.ENOENT, errno.ENOTDIR, errno.EEXIST) and not target.parent.is_dir():
        return say(
            "{target} cannot be made: {parent} is no folder that exists. Check the path, or that its drive is connected.",
            target=target,
            parent=target.parent,
        )
    return say("{target} cannot be written ({why}). Check the drive, or choose another folder.", target=target, why=e.strerror or e)


class InUse(StorageError):
    """Another process writes the same target now, or has it open where it is to be removed."""


class FolderLock:
    """An exclusive lock of the operating system on a file; it ends with the process, however that ends."""

    def __init__(self, path: Path, target: Path) -> None:
        """Raises StorageError about `target` where another writer holds it, OSError."""
        self._file = path.open("a+b")
        try:
            if sys.platform == "win32":
                import msvcrt  # noqa: PLC0415

                self._file.seek(2**30)  # locks bind on Windows, and what the file says must stay readable
                msvcrt.locking(self._file.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                import fcntl  # noqa: PLC0415

                fcntl.flock(self._file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as e:
            who = self._holder()
            self._file.close()
            if e.errno in (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK):
                raise InUse(
                    say(
                        "{target} is being written by another Ouzel{who} right now. Wait until it is ready, or choose another name.",
                        target=target,
                        who=who,
                    )
                ) from None
            raise
        with suppress(OSError):  # a full drive: the lock holds without the note
            self._file.truncate(0)
            self._file.write(str(os.getpid()).encode())
            self._file.flush()

    def _holder(self) -> str:
        """What the other one noted of itself."""
        with suppress(OSError):
            self._file.seek(0)
            if (noted := self._file.read(20)).isdigit():
                return say(" (process {process})", process=noted.decode())
        return ""

    def close(self) -> None:
        """Release it; idempotent."""
        self._file.close()


class Hold:
    """A file held open under a lock of the operating system: shared by its readers, or for one alone. It ends with the process.

    Raises InUse with `words` where another's hold excludes it, OSError. Where a file system has no locks, nobody is kept apart.
    """

    def __init__(self, path: Path, alone: bool, words: str) -> None:
        self._fd = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOINHERIT", 0))
        try:
            _lock(self._fd, alone)
        except OSError as e:
            if e.errno in (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK):
                self.close()
                raise InUse(words) from None

    def close(self) -> None:
        """Let go; idempotent."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __del__(self) -> None:
        if getattr(self, "_fd", -1) >= 0:
            self.close()


def _lock(fd: int, alone: bool) -> None:
    if sys.platform == "win32":
        import ctypes  # noqa: PLC0415
        import msvcrt  # noqa: PLC0415

        # One byte far behind the end: locks bind on Windows, and the file itself must stay readable. 1: fail at once, 2: alone.
        at = (ctypes.c_ulong * 8)()
        at[4 if ctypes.sizeof(ctypes.c_void_p) == 8 else 2] = at[5 if ctypes.sizeof(ctypes.c_void_p) == 8 else 3] = 0x7FFFFFFF
        handle = ctypes.c_void_p(msvcrt.get_osfhandle(fd))
        if not ctypes.windll.kernel32.LockFileEx(handle, 3 if alone else 1, 0, 1, 0, ctypes.byref(at)):
            raise OSError(errno.EWOULDBLOCK, "held by another")
    else:
        import fcntl  # noqa: PLC0415

        fcntl.flock(fd, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable, where the system has a call for it."""
    if sys.platform == "win32":
        return
    fd = os.open(path, os.O_RDONLY)
    try:
        with suppress(OSError):  # some network file systems refuse to sync folders
            os.fsync(fd)
    finally:
        os.close(fd)


def append_whole(file: FileIO, data: bytes) -> None:
    """Append to an unbuffered file, durably; of what could not be written whole nothing stays. Raises OSError."""
    start = file.seek(0, os.SEEK_END)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[file.write(rest) :]
        os.fsync(file.fileno())
    except BaseException:  # Ctrl-C too
        with suppress(OSError):
            file.truncate(start)
        raise


def write_whole(path: Path, data: bytes) -> None:
    """A small file, durable before its name appears. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(path.name + ".new")
    with draft.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
