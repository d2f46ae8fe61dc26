"""Memory and cores are what this process may use."""

import psutil

from engine.machine import memory, physical_cores


def test_that_available_memory_is_within_the_limit_and_the_host() -> None:
    m = memory()
    assert 0 < m.available_bytes <= m.limit_bytes <= psutil.virtual_memory().total


def test_that_cores_are_at_least_one_and_at_most_the_host_s() -> None:
    assert 1 <= physical_cores() <= (psutil.cpu_count() or 1)
