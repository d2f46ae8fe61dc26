"""The same memory for both sides: a memory cgroup (version 1 or 2), else a locked ballast; and an empty page cache before a run."""

import os
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from kernels_pyx.aio import Arena

GROUPS = (  # folder of the hierarchy, file of the limit
    (Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes"),
    (Path("/sys/fs/cgroup"), "memory.max"),
)


class Limit:
    """How a process is held to its memory: `wrap` its command line; `kind` says how."""

    def __init__(self, kind: str, group: Path | None = None) -> None:
        self.kind, self.group = kind, group

    def wrap(self, command: list[str]) -> list[str]:
        """The command that enters the group and then becomes `command`."""
        if self.group is None:
            return command
        return ["sh", "-c", f'echo $$ > "{self.group}/cgroup.procs" && exec "$@"', "sh", *command]


@contextmanager
def limited(nbytes: int | None) -> Iterator[Limit]:
    """Memory of nbytes for what is started with it; None: no limit. Raises RuntimeError where the system allows neither way."""
    if nbytes is None:
        yield Limit("none")
        return
    group = _group(nbytes)
    if group is not None:
        try:
            yield Limit("memory cgroup", group)
        finally:
            group.rmdir()
        return
    ballast = Arena(max(psutil.virtual_memory().available - nbytes, 1), lock=True)
    try:
        if not ballast.locked:
            raise RuntimeError("Neither a memory cgroup nor locked memory is allowed here, so nothing can be held to less memory.")
        yield Limit("locked ballast")
    finally:
        ballast.close()


def _group(nbytes: int) -> Path | None:
    for root, file in GROUPS:
        group = root / f"ouzel-bench-{uuid.uuid4().hex[:8]}"
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            (group / file).write_text(str(nbytes))
        except OSError:
            group.rmdir()
            continue
        return group
    return None


def forget(files: list[Path]) -> None:
    """Nothing of these files is in the page cache afterwards."""
    subprocess.run(["sync"], check=True)
    try:
        Path("/proc/sys/vm/drop_caches").write_text("3")
    except OSError:
        for file in files:
            fd = os.open(file, os.O_RDONLY)
            try:
                os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            finally:
                os.close(fd)
