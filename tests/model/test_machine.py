"""Memory is what this process may use."""

import psutil

from engine.machine import memory


def test_that_available_memory_is_within_the_limit_and_the_host() -> None:
    m = memory()
    assert 0 < m.available_bytes <= m.limit_bytes <= psutil.virtual_memory().total
