"""Exceptions as sentences."""

import errno
import os

import pytest

from engine.errors import BadContainer, StorageError
from engine.worker.failures import as_engine_error


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES, errno.EROFS, errno.ENOENT, errno.EIO, errno.EBUSY])
def test_that_a_storage_failure_names_the_file_and_a_way_out(code: int) -> None:
    told = as_engine_error(OSError(code, os.strerror(code), "/media/disk/x.bin"))
    assert isinstance(told, StorageError)
    assert "/media/disk/x.bin" in str(told)
    assert any(word in str(told) for word in ("Free", "Choose", "choose", "Connect", "Check"))
    assert f"[Errno {code}]" in told.details


def test_that_an_error_for_people_passes_unchanged() -> None:
    error = BadContainer("It is damaged.")
    assert as_engine_error(error) is error


def test_that_an_unknown_error_keeps_its_traceback_in_the_details() -> None:
    try:
        [][1]
    except IndexError as error:
        told = as_engine_error(error)
    assert str(told).startswith("Something unexpected went wrong (IndexError")
    assert "test_failures.py" in told.details
    assert "Traceback" not in str(told)
