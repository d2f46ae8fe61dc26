"""Every number of a checkpoint looked at once: the first that is none (NaN, infinity) of each tensor, by its bits."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.cancel import CancelToken
from engine.container.files import PIECE
from engine.setup.ahead import in_order
from engine.setup.tensor_file import TensorFile

BATCH = 8 * PIECE  # bytes that one thread looks at before it takes the next ones

# dtype: (unsigned type, bits of exponent and mantissa, the least of them that is no number). E8M0: arXiv 2310.10537.
RULES = {
    "F32": ("<u4", 0x7FFFFFFF, 0x7F800000),
    "F16": ("<u2", 0x7FFF, 0x7C00),
    "BF16": ("<u2", 0x7FFF, 0x7F80),
    "F8_E4M3": ("u1", 0x7F, 0x7F),
    "E8M0": ("u1", 0xFF, 0xFF),
}


@dataclass(frozen=True, slots=True)
class Numbers:
    """A stored tensor, or its first `nbytes`: dtype a key of RULES."""

    shard: TensorFile
    name: str
    dtype: str
    start: int
    nbytes: int


@dataclass(frozen=True, slots=True)
class Bad:
    """count numbers of a tensor are none, the first, `value`, at flat index `at`."""

    count: int
    at: int
    value: str


def unsound(
    tensors: Iterable[Numbers], threads: int, keep: bool, on_bytes: Callable[[int], None], cancel: CancelToken
) -> dict[str, Bad]:
    """What is no number, by tensor. At most BATCH bytes a thread are ahead, in buffers of PIECE bytes.

    keep: leave what was read in the system's cache, for another read. Raises BadCheckpoint (a file became shorter), StorageError,
    Cancelled.
    """
    out: dict[str, Bad] = {}
    with ThreadPoolExecutor(threads, "check") as pool:
        jobs = (lambda batch=batch: _look(batch, keep, cancel) for batch in _batches(tensors))
        for nbytes, found in in_order(pool, jobs, threads, cancel):
            on_bytes(nbytes)
            for name, bad in found:
                old = out.get(name)
                out[name] = bad if old is None else Bad(old.count + bad.count, old.at, old.value)
    return out


def _batches(tensors: Iterable[Numbers]) -> Iterator[list[Numbers]]:
    batch, size = list[Numbers](), 0
    for t in tensors:
        for at in range(0, t.nbytes, BATCH):
            n = min(BATCH, t.nbytes - at)
            batch.append(Numbers(t.shard, t.name, t.dtype, t.start + at, n))
            size += n
            if size >= BATCH:
                yield batch
                batch, size = [], 0
    if batch:
        yield batch


def _look(batch: list[Numbers], keep: bool, cancel: CancelToken) -> tuple[int, list[tuple[str, Bad]]]:
    """(bytes, what is bad in them)."""
    longest = min(PIECE, max(t.nbytes for t in batch))
    data, bits = (np.empty(-(-longest // 4), np.uint32).view(np.uint8) for _ in range(2))
    found = []
    for t in batch:
        kind, mask, least = RULES[t.dtype]
        for at in range(t.start, t.start + t.nbytes, PIECE):
            cancel.check()
            n = min(PIECE, t.start + t.nbytes - at)
            t.shard.read_into(t.name, at, data[:n], keep)
            raw = data[:n].view(kind)
            masked = np.bitwise_and(raw, mask, out=bits[:n].view(kind))
            if masked.max() >= least:
                bad = np.flatnonzero(masked >= least)
                found.append((t.name, Bad(len(bad), at // raw.itemsize + int(bad[0]), _spelled(raw[bad[0]], t.dtype))))
    return sum(t.nbytes for t in batch), found


def _spelled(bits: npt.NDArray[np.unsignedinteger], dtype: str) -> str:
    _, mask, least = RULES[dtype]
    if dtype not in ("F32", "F16", "BF16") or int(bits) & mask != least:
        return "nan"
    return "-inf" if int(bits) > mask else "inf"
