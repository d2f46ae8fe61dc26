"""Products over packed weights: of few rows against a plain read loop, of 512 rows against ggml.

Weights that are read for few rows lie in sets larger than the last-level cache, and a read loop over the same bytes with the same
threads runs in turn with each product, so that a busy machine slows both. `matvec_share` and `gemm_vs_peer` are the least over thread
counts (and shapes); `details` has the rest. The peer computes in a process of its own, in turn with ours, in its fastest buffer type.
OUZEL_ISA forces an instruction set of ours; the peer has what it was built with.
"""

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.ggml import Peer
from kernels_pyx.compute import Compute, Rows
from kernels_pyx.linear import Experts, Linear, Matrix, pack, packed_bytes, read_loop
from kernels_pyx.routes import Groups, Routes

FORMATS = ("q4", "q8", "mxfp4")
SIDE = 4096
SHAPES = ((4096, 4096), (768, 2048))  # a trunk matrix; gate or up of an expert of Qwen3-30B-A3B
GEMM_ROWS = 512
EXPERT, TOP_K = (768, 2048), 8
QKV = (4096, 512, 512)  # query, key and value rows over 2048 columns
FEW = (2, 4, 8, 16)
REPEATS = 9

Bytes = npt.NDArray[np.uint8]


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def cache_bytes() -> int:
    """Size of the last-level cache; 32 MB where the system does not tell."""
    found = [p.read_text().strip() for p in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size")]
    return max((int(s[:-1]) << {"K": 10, "M": 20}[s[-1]] for s in found if s[-1] in "KM"), default=32 << 20)


def aligned(nbytes: int) -> Bytes:
    raw = np.zeros(nbytes + 64, np.uint8)
    return raw[-raw.ctypes.data % 64 :][:nbytes]


def weights(rows: int, cols: int, seed: int = 0) -> npt.NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal((rows, cols), np.float32) * np.float32(0.02)


def packed(fmt: str, rows: int, cols: int) -> Bytes:
    """Random weights; 256 rows of them, repeated, so that packing takes no minute."""
    strip = min(rows, 256)
    return np.tile(pack(fmt, weights(strip, cols)), rows // strip)


def random_rows(n: int, width: int) -> Rows:
    x = Rows(n, width)
    x.array[:] = np.random.default_rng(1).standard_normal(x.array.shape, np.float32)
    return x


def copies(parts: Sequence[Bytes], total: int) -> Bytes:
    """The parts, one after the other, again and again in one block: [copies, bytes]."""
    record = np.concatenate(parts)
    block = aligned(max(2, total // record.size) * record.size).reshape(-1, record.size)
    block[:] = record
    return block


def shares(c: Compute, block: Bytes, works: dict[int, Callable[[], object]]) -> dict[str, float]:
    """Rate of the read loop, share of it that one row reaches, and the time of more rows over that of one."""
    reads: list[float] = []
    took: dict[int, list[float]] = {n: [] for n in works}
    flat = block.reshape(-1)
    for _ in range(REPEATS):
        reads.append(seconds(lambda: read_loop(c, flat)))
        for n, work in works.items():
            took[n].append(seconds(work))
    one = np.array(took[1])
    found = {"read_gbs": block.size / float(np.median(reads)) / 1e9, "share": float(np.median(np.array(reads) / one))}
    return found | {f"time_{n}_rows": float(np.median(np.array(took[n]) / one)) for n in works if n > 1}


def linear_shares(c: Compute, fmt: str, shape: Sequence[int], cols: int, total: int) -> dict[str, float]:
    """One Linear over matrices of shape[i] rows, many copies."""
    block = copies([packed(fmt, rows, cols) for rows in shape], total)
    ends = np.cumsum([packed_bytes(fmt, rows, cols) for rows in shape])[:-1]
    linears = [
        Linear([Matrix(fmt, rows, cols, part) for rows, part in zip(shape, np.split(record, ends), strict=True)]) for record in block
    ]
    x, outs = random_rows(max(FEW), cols), [Rows(max(FEW), rows) for rows in shape]

    def run(n: int) -> Callable[[], None]:
        def work() -> None:
            for linear in linears:
                linear(c, x, n, outs)

        return work

    return shares(c, block, {n: run(n) for n in (1, *FEW)})


def expert_shares(c: Compute, fmt: str, total: int) -> dict[str, float]:
    """Eight experts for one row, other eight for the next; of more rows all choose the same eight."""
    hidden, width = EXPERT
    parts = [packed(fmt, hidden, width), packed(fmt, hidden, width), packed(fmt, width, hidden)]
    block = copies(parts, total)
    block = block[: len(block) // TOP_K * TOP_K]
    at = [0, parts[0].size, 2 * parts[0].size]
    experts = Experts(width, hidden, width, (fmt, at[0]), (fmt, at[1]), (fmt, at[2]), "silu")
    addresses = (block.ctypes.data + block.shape[1] * np.arange(len(block), dtype=np.int64)).reshape(-1, TOP_K)
    most = max(FEW)
    x, up, out = random_rows(most, width), Rows(most * TOP_K, hidden), Rows(most * TOP_K, width)
    routes, which = Routes(most, TOP_K), np.arange(TOP_K, dtype=np.int32)
    routes.ids[:] = which

    def run(n: int) -> Callable[[], None]:
        groups = Groups(most, TOP_K, TOP_K)
        groups.fill(routes, n)

        def work() -> None:
            for eight in addresses:
                experts.prepare(c, x, n)
                experts.run(c, x, groups, which, eight, up, out)

        return work

    return shares(c, block, {n: run(n) for n in (1, *FEW)})


def gemm(c: Compute, fmt: str, shape: tuple[int, int], peer: Peer) -> dict[str, float]:
    """GFLOP/s of both, in turn, and ours over the peer's; both results are held to the product in f64 of the same weights."""
    rows, cols = shape
    w, x, out = weights(rows, cols), random_rows(GEMM_ROWS, cols), Rows(GEMM_ROWS, rows)
    linear = Linear([Matrix(fmt, rows, cols, pack(fmt, w))])
    theirs = peer.product(fmt, w, x.array, c.threads)
    linear(c, x, GEMM_ROWS, [out])
    right = x.array.astype(np.float64) @ w.T.astype(np.float64)
    errors = [float(np.linalg.norm(y - right) / np.linalg.norm(right)) for y in (out.array, theirs)]
    limit = {"q4": 0.1, "q8": 0.02, "mxfp4": 0.15}[fmt]
    if max(errors) > limit:
        raise RuntimeError(f"{fmt} {rows} x {cols}: errors {errors} of ours and the peer's exceed what the format costs, {limit}")
    ours, peers = [], []
    for _ in range(REPEATS):
        linear(c, x, GEMM_ROWS, [out])  # both are awake when their turn is timed
        ours.append(seconds(lambda: linear(c, x, GEMM_ROWS, [out])))
        peers.append(peer.seconds())
        time.sleep(0.06)  # its threads spin for some 20 ms
    flops = 2 * GEMM_ROWS * rows * cols
    return {
        "gflops": flops / float(np.median(ours)) / 1e9,
        "peer_gflops": flops / float(np.median(peers)) / 1e9,
        "ratio": float(np.median(peers) / np.median(ours)),
        "error": errors[0],
        "peer_error": errors[1],
    }


def measure() -> dict[str, Any]:
    total = int(os.environ.get("OUZEL_BENCH_BYTES", 0)) or min(cache_bytes() * 5 // 4, 1 << 30)
    details: dict[str, dict[str, Any]] = {}
    with Peer() as peer:
        for threads in (1, 2):
            c = Compute(threads, False, GEMM_ROWS, SIDE)
            for fmt in FORMATS:
                found: dict[str, Any] = {"matvec": linear_shares(c, fmt, (SIDE,), SIDE, total)}
                found["qkv"] = linear_shares(c, fmt, QKV, EXPERT[1], total)
                found["experts"] = expert_shares(c, fmt, total)
                for shape in SHAPES:
                    found[f"gemm_{shape[0]}x{shape[1]}"] = gemm(c, fmt, shape, peer) | {"buffer": peer.buffer}
                details[f"{fmt}_{threads}_threads"] = found
            isa = c.isa
            c.close()

    def least(fmt: str, prefix: str, key: str) -> float:
        of_format = [found for name, found in details.items() if name.startswith(fmt)]
        return min(float(part[key]) for found in of_format for kind, part in found.items() if kind.startswith(prefix))

    return {
        "matvec_share": {fmt: least(fmt, "matvec", "share") for fmt in FORMATS},
        "gemm_vs_peer": {fmt: least(fmt, "gemm", "ratio") for fmt in FORMATS},
        "isa": isa,
        "set_megabytes": total / 1e6,
        "details": details,
    }


def told(result: dict[str, Any]) -> str:
    lines = [f"{result['isa']}; weights of few rows in sets of {result['set_megabytes']:.0f} MB; times of more rows over one row's"]
    for name, found in result["details"].items():
        for kind, part in found.items():
            if "ratio" in part:
                figures = f"{part['gflops']:6.0f} GFLOP/s, peer {part['peer_gflops']:6.0f} ({part['buffer']}): {part['ratio']:.2f} times"
            else:
                more = ", ".join(f"{n} rows {part[f'time_{n}_rows']:.2f}" for n in FEW)
                figures = f"read {part['read_gbs']:5.1f} GB/s, one row {part['share']:4.0%} of it; {more}"
            lines.append(f"{name.replace('_', ' '):<16} {kind:<15} {figures}")
    for key in ("matvec_share", "gemm_vs_peer"):
        lines.append(f"{key}: " + ", ".join(f"{fmt} {value:.2f}" for fmt, value in result[key].items()))
    return "\n".join(lines)
