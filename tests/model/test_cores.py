"""Performance cores are counted from what the system tells, under the process's affinity and its cgroups' quotas."""

import os
import struct
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.cores import fastest_of, performance_cores

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /sys")


def tree(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text + "\n")
    return root


def siblings(pairs: list[tuple[int, ...]]) -> dict[str, str]:
    """One core a tuple of its hardware threads."""
    cpus = "sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"
    return {cpus.format(i): ",".join(map(str, pair)) for pair in pairs for i in pair}


Allow = Callable[[set[int]], None]


@pytest.fixture
def allow(monkeypatch: pytest.MonkeyPatch) -> Allow:
    def give(cpus: set[int]) -> None:
        monkeypatch.setattr(os, "sched_getaffinity", lambda pid: cpus, raising=False)

    return give


def test_that_cores_of_this_machine_are_at_least_one_and_at_most_its_processors() -> None:
    assert 1 <= performance_cores() <= (os.cpu_count() or 1)


@linux
def test_that_two_threads_of_a_core_count_once(tmp_path: Path, allow: Allow) -> None:
    root = tree(tmp_path, siblings([(0, 4), (1, 5), (2, 6), (3, 7)]))
    allow(set(range(8)))
    assert performance_cores(root) == 4
    allow({0, 4, 5})
    assert performance_cores(root) == 2


@linux
def test_that_without_a_topology_every_processor_counts(tmp_path: Path, allow: Allow) -> None:
    allow({0, 1, 2})
    assert performance_cores(tmp_path) == 3


@linux
def test_that_efficiency_cores_of_an_intel_hybrid_do_not_count(tmp_path: Path, allow: Allow) -> None:
    cores = siblings([(0, 1), (2, 3), (4,), (5,), (6,), (7,)])
    root = tree(tmp_path, cores | {"sys/devices/cpu_core/cpus": "0-3", "sys/devices/cpu_atom/cpus": "4-7"})
    allow(set(range(8)))
    assert performance_cores(root) == 2
    allow({3, 6, 7})
    assert performance_cores(root) == 1
    allow({4, 5, 6})  # all that the process has
    assert performance_cores(root) == 3


@linux
def test_that_small_arm_cores_do_not_count_but_middle_ones_do(tmp_path: Path, allow: Allow) -> None:
    capacities = [381, 381, 381, 381, 870, 870, 870, 1024]
    files = {f"sys/devices/system/cpu/cpu{i}/cpu_capacity": str(c) for i, c in enumerate(capacities)}
    allow(set(range(8)))
    assert performance_cores(tree(tmp_path, files)) == 4
    allow({0, 1})
    assert performance_cores(tmp_path) == 2


@linux
@pytest.mark.parametrize(("quota", "cores"), [("max 100000", 8), ("200000 100000", 2), ("250000 100000", 3), ("5000 100000", 1)])
def test_that_a_quota_of_cgroup_2_counts_rounded_up(tmp_path: Path, allow: Allow, quota: str, cores: int) -> None:
    allow(set(range(8)))
    tree(tmp_path, {"proc/self/cgroup": "0::/a/b", "sys/fs/cgroup/a/cpu.max": quota, "sys/fs/cgroup/a/b/cpu.max": "max 100000"})
    assert performance_cores(tmp_path) == cores


@linux
@pytest.mark.parametrize(("quota", "cores"), [("-1", 8), ("150000", 2), ("300000", 3)])
def test_that_a_quota_of_cgroup_1_counts_rounded_up(tmp_path: Path, allow: Allow, quota: str, cores: int) -> None:
    allow(set(range(8)))
    folder = "sys/fs/cgroup/cpu/docker/x/"
    groups = "5:cpu,cpuacct:/docker/x\n3:memory:/docker/x"
    tree(tmp_path, {"proc/self/cgroup": groups, folder + "cpu.cfs_quota_us": quota, folder + "cpu.cfs_period_us": "100000"})
    assert performance_cores(tmp_path) == cores


def test_that_windows_records_count_the_fastest_class() -> None:
    def core(efficiency: int) -> bytes:
        return struct.pack("<IIBB", 0, 48, 0, efficiency) + bytes(38)

    cache = struct.pack("<II", 2, 60) + bytes(52)
    assert fastest_of(core(1) + cache + core(1) + core(0) + core(0) + core(0)) == 2
    assert fastest_of(core(0) * 6) == 6
    assert fastest_of(b"") == 0
