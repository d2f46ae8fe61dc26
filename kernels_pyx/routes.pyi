"""Chosen experts of some rows, and the same rows grouped by expert."""

from typing import Final

import numpy as np
import numpy.typing as npt

class Routes:
    """Chosen experts of n rows: ids int32 [capacity, top_k] in router order (best first), weights f32 alike."""

    capacity: Final[int]
    top_k: Final[int]
    nbytes: Final[int]
    ids: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float32]
    def __init__(self, capacity: int, top_k: int) -> None: ...

class Groups:
    """Rows grouped by expert (counting sort): experts int32 [m] ascending, starts int32 [m + 1]; pairs of expert j are
    starts[j]..starts[j+1] of rows int32 (input row) and pairs int32 (row * top_k + rank), rows ascending."""

    n_experts: int  # m
    nbytes: Final[int]
    experts: npt.NDArray[np.int32]  # views of capacity arrays; the first m (m + 1, n_pairs) entries count
    starts: npt.NDArray[np.int32]
    rows: npt.NDArray[np.int32]
    pairs: npt.NDArray[np.int32]
    def __init__(self, capacity: int, top_k: int, n_experts: int) -> None: ...
    def fill(self, routes: Routes, n: int) -> None: ...  # ValueError for an id out of range
