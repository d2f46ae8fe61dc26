"""Products that go head by head over packed weights."""

from kernels_pyx.compute import Compute, Rows
from kernels_pyx.linear import Matrix

class HeadLinear:
    """y[:, h] = W[h] x[:, h] for each head h: weight [n_heads * d_out, d_in], d_out a multiple of 16."""

    def __init__(self, weight: Matrix, n_heads: int) -> None: ...
    def __call__(self, c: Compute, x: Rows, n: int, out: Rows) -> None:
        """x [n, n_heads * stride]: the first d_in of each head's stride numbers count; out [n, n_heads * d_out].
        Raises ValueError for other shapes, Interrupted."""
