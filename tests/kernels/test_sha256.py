"""The resumable SHA-256 against hashlib."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels_pyx.sha256 import Sha256


@given(st.lists(st.binary(max_size=300), max_size=12), st.booleans())
def test_that_it_equals_hashlib_however_it_is_cut_and_taken_up(pieces: list[bytes], plain: bool) -> None:
    h, known = Sha256(plain=plain), hashlib.sha256()
    for piece in pieces:
        h = Sha256(h.state(), plain)
        h.update(piece)
        known.update(piece)
        assert h.hexdigest() == known.hexdigest()
    assert h.nbytes == sum(map(len, pieces))


@pytest.mark.parametrize("n", [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000003])
@pytest.mark.parametrize("plain", [False, True])
def test_that_each_length_is_padded_as_the_standard_says(n: int, plain: bool) -> None:
    data = bytes(i * 7 & 255 for i in range(n))
    h = Sha256(plain=plain)
    h.update(data)
    assert h.hexdigest() == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("state", [b"", bytes(39), bytes(41), bytes(32) + (70).to_bytes(8, "little") + bytes(5)])
def test_that_a_damaged_state_is_refused(state: bytes) -> None:
    with pytest.raises(ValueError, match="no state"):
        Sha256(state)
