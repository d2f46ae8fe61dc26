"""Cuts out of stored tensors, in whole and in strips, against NumPy."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from engine.arch.spec import Source
from engine.setup.cut import cut, fits, rows_taken
from engine.setup.source import TensorInfo


@dataclass
class Memory:
    """A TensorSource of one tensor."""

    array: np.ndarray
    name: str = "memory"
    repo: str | None = None
    commit: str | None = None
    key: str = ""
    config: Mapping[str, Any] = field(default_factory=dict)

    @property
    def tensors(self) -> Mapping[str, TensorInfo]:
        return {"t": TensorInfo("F32", self.array.shape)}

    def rows(self, name: str, start: int, count: int, step: int = 1, index: int | None = None) -> np.ndarray:
        entry = self.array if index is None else self.array[index]
        assert start >= 0 and start + (count - 1) * step < len(entry)
        return entry[start : start + (count - 1) * step + 1 : step]

    def raw(self, name: str, index: int | None = None) -> np.ndarray:
        raise AssertionError

    def files(self) -> Mapping[str, bytes]:
        return {}


def numbers(*shape: int) -> np.ndarray:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


CASES = {
    "whole": (numbers(12, 5), Source("t"), numbers(12, 5)),
    "part": (numbers(12, 5), Source("t", start=4), numbers(12, 5)[4:8]),
    "every second row": (numbers(12, 5), Source("t", start=1, step=2), numbers(12, 5)[1::2]),
    "one of a stack": (numbers(3, 8, 5), Source("t", index=2, start=4), numbers(3, 8, 5)[2, 4:]),
    "heads": (numbers(12, 5), Source("t", start=1, groups=3), numbers(3, 4, 5)[:, 1:3].reshape(6, 5)),
    "heads transposed": (numbers(12, 5), Source("t", groups=3, transpose=True), numbers(3, 4, 5)[:, :2].swapaxes(1, 2).reshape(15, 2)),
    "taps": (numbers(12, 1, 4), Source("t", start=3, transpose=True), numbers(12, 4)[3:9].T),
    "row": (numbers(1, 7), Source("t"), numbers(7)),
    "matrix of one row": (numbers(1, 7), Source("t"), numbers(1, 7)),
    "numbers under axes of 1": (numbers(1, 1, 4, 1), Source("t"), numbers(4)),
    "padded numbers": (numbers(16), Source("t", padded=True), numbers(4)),
    "padded numbers under axes of 1": (numbers(1, 1, 16, 1), Source("t", padded=True), numbers(4)),
    "vector in heads": (numbers(12), Source("t", start=2, groups=3), numbers(3, 4)[:, 2:].reshape(6)),
}


@pytest.mark.parametrize("case", CASES)
def test_that_every_strip_is_that_part_of_the_whole(case: str) -> None:
    stored, s, want = CASES[case]
    inner = stored.shape if s.index is None else stored.shape[1:]
    assert fits(s, inner, want.shape)
    for start in range(len(want)):
        for count in range(1, len(want) - start + 1):
            got = cut(Memory(stored), s, want.shape, start, count)
            assert got.shape == (count, *want.shape[1:])
            assert np.array_equal(got, want[start : start + count])


@pytest.mark.parametrize(
    ("stored", "source", "wanted"),
    [
        ((12, 5), Source("t"), (12, 6)),
        ((12, 5), Source("t"), (13, 5)),
        ((12, 5), Source("t", start=8), (6, 5)),
        ((12, 5), Source("t", start=1, step=2), (7, 5)),
        ((12, 5), Source("t", groups=5), (5, 5)),
        ((12, 5), Source("t", start=3, groups=3), (6, 5)),
        ((12, 5), Source("t", groups=3, transpose=True), (12, 4)),
        ((12, 5), Source("t", groups=3, transpose=True), (15, 5)),
        ((12,), Source("t"), (12, 5)),
    ],
)
def test_that_a_tensor_of_another_shape_does_not_fit(stored: tuple[int, ...], source: Source, wanted: tuple[int, ...]) -> None:
    assert not fits(source, stored, wanted)


def test_that_the_rows_of_all_cuts_add_up() -> None:
    assert rows_taken(Source("t", groups=3), (12, 5), (6, 5)) == (6, 12)
    assert rows_taken(Source("t", groups=3, transpose=True), (12, 5), (15, 2)) == (6, 12)
    assert rows_taken(Source("t", start=3, transpose=True), (12, 1, 4), (4, 9)) == (9, 12)
    assert rows_taken(Source("t"), (1, 7), (7,)) == (7, 7)
