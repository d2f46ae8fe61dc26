"""Products of one row against a plain read loop, and of many rows in GFLOP/s: `python -m benchmarks.kernels [--json]`.

One set of 4096 x 4096 matrices per format, larger than the last-level cache, so that each product reads its weights from
memory. The read loop runs over the same bytes with the same threads, in turn with the products, so that a busy machine slows
both; the figure is the median of the ratios.
"""

import argparse
import json
import time
from collections.abc import Callable

import numpy as np

from kernels_pyx.compute import Compute, Rows
from kernels_pyx.linear import Linear, Matrix, pack, read_loop

SIDE = 4096
FORMATS = ("q4", "q8", "mxfp4")


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def matrices(fmt: str, total_bytes: int) -> tuple[np.ndarray, list[Linear]]:
    """Copies of one packed matrix in a single aligned block of about total_bytes, and a Linear over each."""
    strip = np.random.default_rng(0).standard_normal((SIDE // 16, SIDE), np.float32) * np.float32(0.02)
    packed = np.tile(pack(fmt, strip), 16)
    n = max(2, total_bytes // packed.size)
    raw = np.zeros(n * packed.size + 64, np.uint8)
    block = raw[-raw.ctypes.data % 64 :][: n * packed.size]
    block.reshape(n, -1)[:] = packed
    return block, [Linear([Matrix(fmt, SIDE, SIDE, part)]) for part in block.reshape(n, -1)]


def measure(fmt: str, c: Compute, megabytes: int, repeats: int, rows: int) -> dict[str, float]:
    block, linears = matrices(fmt, megabytes << 20)
    x, out = Rows(rows, SIDE), Rows(rows, SIDE)
    x.array[:] = np.random.default_rng(1).standard_normal(x.array.shape, np.float32)
    outs = [out]

    def matvecs() -> None:
        for linear in linears:
            linear(c, x, 1, outs)

    reads, products = [], []
    for _ in range(repeats):
        reads.append(seconds(lambda: read_loop(c, block)))
        products.append(seconds(matvecs))
    many = min(seconds(lambda: linears[0](c, x, rows, outs)) for _ in range(5))
    return {
        "read_gbs": block.size / float(np.median(reads)) / 1e9,
        "matvec_gbs": block.size / float(np.median(products)) / 1e9,
        "matvec_share": float(np.median(np.array(reads) / np.array(products))),
        "gemm_gflops": 2 * rows * SIDE**2 / many / 1e9,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--isa", help="generic, avx2, avx512 or neon; default the best")
    parser.add_argument("--megabytes", type=int, default=160, help="weights per format; more than the last-level cache")
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--rows", type=int, default=256, help="rows of the many-row product")
    a = parser.parse_args()
    c = Compute(a.threads, False, a.rows, SIDE, a.isa)
    found = {fmt: measure(fmt, c, a.megabytes, a.repeats, a.rows) for fmt in FORMATS}
    if a.json:
        by_key = {key: {fmt: round(found[fmt][key], 3) for fmt in FORMATS} for key in found[FORMATS[0]]}
        print(json.dumps({"isa": c.isa, "threads": c.threads, **by_key}))
        return
    print(f"{c.isa}, {c.threads} threads, {SIDE} x {SIDE}")
    for fmt, f in found.items():
        print(
            f"{fmt:6} read {f['read_gbs']:5.1f} GB/s   1 row {f['matvec_gbs']:5.1f} GB/s = {f['matvec_share']:.0%} of read"
            f"   {a.rows} rows {f['gemm_gflops']:5.0f} GFLOP/s"
        )


if __name__ == "__main__":
    main()
