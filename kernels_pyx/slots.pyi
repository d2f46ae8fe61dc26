"""Addresses of the items of several groups that are visited in turn, and which item is probably needed last."""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

class SlotTable:
    """n_groups x width items (key = group * width + item), of which some have an address. Groups are visited in rounds.

    Of each item decayed counts of its uses are kept, sum over uses i of 2 ** ((step_i - step) / half_life), whether it has an address or
    not; a count times 1 - 2 ** (-1 / half_life) is a frequency f. The odds of a use at a group's next visit are taken as
    2 ** (bias + sum over three scales of weights * max(log2(f), floors)), and from them follows the visit at which an item is probably
    used again. habit: half-life of a fourth count that `habits` tells. Half-lives are in steps.

    The order among the items of a group changes only when it is visited: a visit costs one pass over its width, finding the item that
    is needed last is O(log(n_groups * width)). One thread at a time.
    """

    n_groups: Final[int]
    width: Final[int]
    step: int  # rows so far
    def __init__(
        self,
        n_groups: int,
        width: int,
        half_lives: Sequence[float],
        weights: Sequence[float],
        floors: Sequence[float],
        bias: float,
        habit: float,
    ) -> None: ...
    @staticmethod
    def nbytes_for(n_groups: int, width: int) -> int: ...  # bytes that a table takes
    def visit(
        self, group: int, items: npt.NDArray[np.int32], rows: int = 1, uses: npt.NDArray[np.int32] | None = None
    ) -> tuple[npt.NDArray[np.int64], int]:
        """Count the uses of the distinct items [m] of a group: by each of `rows` steps, or by uses [m] of them. A group not after the
        last one begins the next round. Returns addresses [m], 0 for items without one, and how many have one."""

    def address(self, key: int) -> int: ...  # 0: none
    def forecast(self, key: int, after_use: bool = False) -> float: ...  # next use in group visits; after_use: after one more at this step
    def admit(self, key: int, address: int) -> None: ...  # ValueError where the key has an address
    def forget(self, key: int) -> int: ...  # the address that it had, 0 for none; a hold ends
    def hold(self, keys: Iterable[int]) -> None: ...  # keys with an address keep it until release
    def release(self, keys: Iterable[int]) -> None: ...
    def evict(self, n: int, newcomers: list[int], spare: int, after_use: bool = False) -> list[int]:
        """Take the addresses of up to n items that are not held, that needed last first; among equals that of the later group. Beyond
        `spare` an item loses its own only to one of the newcomers (at least n) that is needed sooner."""

    def habits(self) -> npt.NDArray[np.float64]: ...  # decayed counts [n_groups * width] of the half-life `habit`
    def take_up(self, counts: npt.NDArray[np.float64]) -> None: ...  # habits of an earlier table, as if use had gone on like that
