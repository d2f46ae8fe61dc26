"""What this machine has: memory that the process may really use."""

import ctypes
import sys
from contextlib import suppress
from dataclasses import dataclass

import psutil

from engine import cgroup

_V2 = ("memory.max", "memory.current", "inactive_file")
_V1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
_V1_UNLIMITED = 1 << 60  # cgroup v1 writes "no limit" as the largest page-aligned integer


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes. limit: the machine's memory or the container's (cgroup) limit, whichever is less; available: free of it now."""

    limit_bytes: int
    available_bytes: int


def memory() -> Memory:
    """The memory that this process can be given, cgroup limits included."""
    host = psutil.virtual_memory()
    limit, available = host.total, host.available
    for cap, used in _cgroup_limits():
        if cap < limit:
            limit = cap
        available = min(available, max(cap - used, 0))
    return Memory(limit, available)


def trim_heap() -> None:
    """Give the heap's free pages back to the system, where the C library keeps them otherwise (glibc)."""
    if sys.platform.startswith("linux"):
        with suppress(AttributeError, OSError):
            ctypes.CDLL(None).malloc_trim(0)


def _cgroup_limits() -> list[tuple[int, int]]:
    """(limit, in use without reclaimable file pages) of each memory cgroup above this process; empty outside Linux."""
    out = []
    for folder, is_v1 in cgroup.folders("memory"):
        limit_name, usage_name, cache_key = _V1 if is_v1 else _V2
        try:
            text = (folder / limit_name).read_text().strip()
            used = int((folder / usage_name).read_text())
            stat = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
        except (OSError, ValueError):
            continue
        if text != "max" and int(text) < _V1_UNLIMITED:
            out.append((int(text), max(used - int(stat.get(cache_key, 0)), 0)))
    return out
