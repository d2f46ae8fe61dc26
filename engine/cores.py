"""How many threads compute: the physical performance cores that this process may use."""

import ctypes
import ctypes.util
import os
import struct
import sys
from pathlib import Path

import psutil

from engine import cgroup

_SMALL_CORE = 2 / 3  # of the largest core's capacity; under it (Cortex-A55 beside A76: 0.52) a core holds the others back


def performance_cores(root: Path = Path("/")) -> int:
    """At least 1. Affinity, cgroup quotas (rounded up) and efficiency cores count. root: where /sys and /proc lie (Linux)."""
    if sys.platform.startswith("linux"):
        cores = _linux(root, os.sched_getaffinity(0))
    else:
        special = _macos() if sys.platform == "darwin" else _windows() if sys.platform == "win32" else 0
        affinity = getattr(psutil.Process(), "cpu_affinity", None)
        cores = special or psutil.cpu_count(logical=False) or 1
        cores = min(cores, len(affinity())) if affinity else cores
    return max(1, min([cores, *_quotas(root)]))


def _linux(root: Path, allowed: set[int]) -> int:
    fast = _fast(root, allowed) & allowed or allowed
    # Two hardware threads of a core name the same siblings; where none are named each counts.
    cores = {_text(root / f"sys/devices/system/cpu/cpu{i}/topology/thread_siblings_list") or str(i) for i in fast}
    return len(cores)


def _fast(root: Path, allowed: set[int]) -> set[int]:
    """The processors of performance cores: Intel's hybrids list them, ARM names a capacity of each; all where nothing is told."""
    if listed := _text(root / "sys/devices/cpu_core/cpus"):
        return _numbers(listed)
    capacity = {i: _text(root / f"sys/devices/system/cpu/cpu{i}/cpu_capacity") for i in allowed}
    told = {i: int(text) for i, text in capacity.items() if text.isdigit()}
    return {i for i in allowed if told.get(i, 0) >= _SMALL_CORE * max(told.values(), default=0)}


def _numbers(text: str) -> set[int]:
    """A list of the kernel's: "0-3,8"."""
    out: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        out |= set(range(int(first), int(last or first) + 1))
    return out


def _quotas(root: Path) -> list[int]:
    """Whole processors that each cgroup above this process may use up, rounded up; those without a quota give none."""
    out = []
    for folder, v1 in cgroup.folders("cpu", root):
        names = ("cpu.cfs_quota_us", "cpu.cfs_period_us") if v1 else ("cpu.max",)
        parts = " ".join(_text(folder / name) for name in names).split()
        if len(parts) == 2 and all(p.isdigit() and int(p) > 0 for p in parts):  # "max" and -1 are no quota
            out.append(-(-int(parts[0]) // int(parts[1])))
    return out


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except (OSError, ValueError):
        return ""


def _macos() -> int:
    """Physical cores of the first performance level (Apple silicon), 0 where there are no levels."""
    value, size = ctypes.c_int32(0), ctypes.c_size_t(4)
    library = ctypes.CDLL(ctypes.util.find_library("c"))
    failed = library.sysctlbyname(b"hw.perflevel0.physicalcpu", ctypes.byref(value), ctypes.byref(size), None, ctypes.c_size_t(0))
    return 0 if failed else value.value


def _windows() -> int:
    """Cores of the highest efficiency class, 0 where the system does not tell."""
    ask = getattr(ctypes, "windll").kernel32.GetLogicalProcessorInformationEx  # noqa: B009 - only Windows has it, and mypy checks on Linux
    size = ctypes.c_uint32(0)
    ask(0, None, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    return fastest_of(buffer.raw[: size.value]) if size.value and ask(0, buffer, ctypes.byref(size)) else 0


def fastest_of(records: bytes) -> int:
    """Cores of the highest efficiency class among SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX records of Windows."""
    classes, at = [], 0
    while at + 10 <= len(records):
        relation, size, _, efficiency = struct.unpack_from("<IIBB", records, at)
        if relation == 0:  # RelationProcessorCore
            classes.append(efficiency)
        at += max(size, 10)
    return classes.count(max(classes, default=0))
