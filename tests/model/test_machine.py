"""Memory is what this process may use."""

from pathlib import Path

import psutil
import pytest

from engine.machine import memory


def test_that_available_memory_is_within_the_limit_and_the_host() -> None:
    m = memory()
    assert 0 < m.available_bytes <= m.limit_bytes <= psutil.virtual_memory().total


MB = 1_000_000
NAMES = {1: ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_"), 2: ("memory.max", "memory.current", "")}


def group(root: Path, version: int, name: str, limit: str, used: int, files: int) -> None:
    """A memory cgroup with `files` bytes of pages of files among those used."""
    folder = root / "sys/fs/cgroup" / ("memory" if version == 1 else ".") / name
    folder.mkdir(parents=True, exist_ok=True)
    limit_file, used_file, prefix = NAMES[version]
    (folder / limit_file).write_text(limit + "\n")
    (folder / used_file).write_text(f"{used}\n")
    (folder / "memory.stat").write_text(f"{prefix}inactive_file {files // 2}\n{prefix}active_file {files - files // 2}\nanon 7\n")


@pytest.mark.parametrize("version", [1, 2])
def test_that_the_tightest_group_above_the_process_counts(tmp_path: Path, version: int) -> None:
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text("4:memory:/a/b\n" if version == 1 else "0::/a/b\n")
    none = str(0x7FFFFFFFFFFFF000) if version == 1 else "max"
    group(tmp_path, version, ".", none, 900 * MB, 0)
    group(tmp_path, version, "a", str(200 * MB), 120 * MB, 40 * MB)  # a parent
    group(tmp_path, version, "a/b", str(300 * MB), 10 * MB, 0)
    m = memory(tmp_path)
    assert (m.limit_bytes, m.available_bytes) == (200 * MB, 120 * MB)
    group(tmp_path, version, "a/b", str(50 * MB), 60 * MB, 5 * MB)
    assert memory(tmp_path).available_bytes == 0
    group(tmp_path, version, "a/b", none, 60 * MB, 5 * MB)
    assert memory(tmp_path).limit_bytes == 200 * MB


def test_that_without_groups_the_machine_s_memory_counts(tmp_path: Path) -> None:
    assert memory(tmp_path).limit_bytes == psutil.virtual_memory().total
