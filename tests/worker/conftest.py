"""A worker for each test."""

from collections.abc import Iterator

import pytest

from tests.worker.driving import Driver


@pytest.fixture
def driver() -> Iterator[Driver]:
    with Driver() as d:
        yield d
