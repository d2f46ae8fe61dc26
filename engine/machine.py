"""What this machine has: memory that the process may really use, and cores."""

import ctypes
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

_CGROUP = Path("/sys/fs/cgroup")
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


def physical_cores() -> int:
    """Physical cores that this process may run on, at least 1."""
    physical = psutil.cpu_count(logical=False) or 1
    affinity = getattr(psutil.Process(), "cpu_affinity", None)
    return max(1, min(physical, len(affinity())) if affinity else physical)


def trim_heap() -> None:
    """Give the heap's free pages back to the system, where the C library keeps them otherwise (glibc)."""
    if sys.platform.startswith("linux"):
        with suppress(AttributeError, OSError):
            ctypes.CDLL(None).malloc_trim(0)


def _cgroup_limits() -> list[tuple[int, int]]:
    """(limit, in use without reclaimable file pages) of each memory cgroup above this process; empty outside Linux."""
    out = []
    for folder, limit_name, usage_name, cache_key in _cgroup_folders():
        try:
            text = (folder / limit_name).read_text().strip()
            used = int((folder / usage_name).read_text())
            stat = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
        except (OSError, ValueError):
            continue
        if text != "max" and int(text) < _V1_UNLIMITED:
            out.append((int(text), max(used - int(stat.get(cache_key, 0)), 0)))
    return out


def _cgroup_folders() -> list[tuple[Path, str, str, str]]:
    v2 = ("memory.max", "memory.current", "inactive_file")
    v1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return []
    out: list[tuple[Path, str, str, str]] = []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        root, names = (_CGROUP / "memory", v1) if controllers else (_CGROUP, v2)
        inside = root / path.lstrip("/")
        # Inside a namespace the named folder may be the mount's root itself.
        for folder in {root, *(p for p in (inside, *inside.parents) if p.is_relative_to(root))}:
            out.append((folder, *names))
    return out
