"""What this machine has: memory that the process may really use."""

import ctypes
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from engine import cgroup

_V2 = ("memory.max", "memory.current", ("inactive_file", "active_file"))
_V1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", ("total_inactive_file", "total_active_file"))
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # malloc.h of glibc
_ROOT = Path("/")
_V1_UNLIMITED = 1 << 60  # cgroup v1 writes "no limit" as the largest page-aligned integer


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes. limit: the machine's memory or the container's (cgroup) limit, whichever is less; available: free of it now."""

    limit_bytes: int
    available_bytes: int


def memory(root: Path = _ROOT) -> Memory:
    """The memory that this process can be given: the limits of all cgroups above it count, pages of files that can go do not, nor swap."""
    import psutil  # noqa: PLC0415  megabytes that a process for a tokenizer does without

    host = psutil.virtual_memory()
    limit, available = host.total, host.available
    for cap, used in _cgroup_limits(root):
        if cap < limit:
            limit = cap
        available = min(available, max(cap - used, 0))
    return Memory(limit, available)


def bound_heap() -> None:
    """Have the C library (glibc) give larger blocks back at once; it would learn from the first ones to keep megabytes."""
    if sys.platform.startswith("linux"):
        with suppress(AttributeError, OSError):
            libc = ctypes.CDLL(None)
            libc.mallopt(_M_MMAP_THRESHOLD, 256 << 10)
            libc.mallopt(_M_TRIM_THRESHOLD, 512 << 10)


def trim_heap() -> None:
    """Give the heap's free pages back to the system, where the C library keeps them otherwise (glibc)."""
    if sys.platform.startswith("linux"):
        with suppress(AttributeError, OSError):
            ctypes.CDLL(None).malloc_trim(0)


def _cgroup_limits(root: Path) -> list[tuple[int, int]]:
    """(limit, in use without reclaimable file pages) of each memory cgroup above this process; empty outside Linux."""
    out = []
    for folder, is_v1 in cgroup.folders("memory", root):
        limit_name, usage_name, cached = _V1 if is_v1 else _V2
        try:
            text = (folder / limit_name).read_text().strip()
            used = int((folder / usage_name).read_text())
            stat = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
        except (OSError, ValueError):
            continue
        if text != "max" and int(text) < _V1_UNLIMITED:
            out.append((int(text), max(used - sum(int(stat.get(key, 0)) for key in cached), 0)))
    return out
