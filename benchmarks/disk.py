"""Reads of experts against fio: the same file, block size, depth and direct flag, in turn in one run.

For three sizes of records (a small one, Qwen3-30B-A3B's in q4, Kimi K3's) random records of a file of 2 GB: our reader with 8 records
asked for at a time, against fio with as many bytes in flight: its blocks are as large as our parts, its threads as many as ours. And
the engine itself: the demand reads of a model that finds nothing in its cache, over fio with the same sizes. OUZEL_DISK names the
folder of the file; else the system's for temporary files.
"""

import json
import os
import shutil
import subprocess
import tempfile
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.cache_engine import starter
from engine.cancel import CancelToken
from engine.config import EngineConfig
from engine.container.format import RecordLayout
from engine.container.reader import Container, ExpertFile
from engine.errors import EngineError
from engine.experts.store import READ_THREADS, ExpertStore
from engine.model.model import Model
from engine.model.plan import plan
from kernels_pyx.aio import Arena

RECORDS = {"small": 102_400, "qwen3_30b_a3b": 2_949_120, "kimi_k3": 17_563_648}
FILE_BYTES = 2 * 10**9
ASKED = 8  # records at a time, as many as a layer's misses
ROUNDS, SECONDS = 7, 0.8
PART = 2**20


def measure() -> dict[str, Any]:
    """share_of_fio (the least), by record, MB/s of both sides, and microseconds from a read's end to Python."""
    if shutil.which("fio") is None:
        raise EngineError("fio is not installed. Install it (apt-get install fio) and start again.")
    folder = Path(os.environ.get("OUZEL_DISK") or tempfile.gettempdir())
    with tempfile.NamedTemporaryFile(dir=folder, prefix="ouzel-disk-") as file:
        path = Path(file.name)
        _fill(path)
        ours: dict[str, list[float]] = {name: [] for name in RECORDS}
        theirs: dict[str, list[float]] = {name: [] for name in RECORDS}
        engine: list[float] = []
        with ExitStack() as undo:
            decode = _Decode(undo)
            for turn in range(ROUNDS):
                for name, stride in RECORDS.items():
                    sides = [(ours, _ours), (theirs, _fio)]
                    for into, run in sides if turn % 2 else sides[::-1]:
                        into[name].append(run(path, stride))
                engine.append(decode.rate() / _fio(path, decode.stride))
        wake = _wake(path)
    shares = {name: median(a / b for a, b in zip(ours[name], theirs[name], strict=True)) for name in RECORDS}
    return {
        "share_engine": median(engine),
        "share_of_fio": min(shares.values()),
        **{f"share_{name}": share for name, share in shares.items()},
        **{f"mb_s_{name}": median(rates) / 1e6 for name, rates in ours.items()},
        **{f"fio_mb_s_{name}": median(rates) / 1e6 for name, rates in theirs.items()},
        "wake_us": wake * 1e6,
    }


class _Decode:
    """The starter under its least memory limit, which finds nearly nothing in its cache."""

    def __init__(self, undo: ExitStack) -> None:
        path = starter()
        container = Container.open(path)
        undo.callback(container.close)
        config = EngineConfig(path, context=1024, lookahead="off")
        config = EngineConfig(path, plan(container, config).floor_bytes, 1024, lookahead="off")
        self.model = Model(container, config, plan(container, config), lambda fraction: None, CancelToken())
        undo.callback(self.model.close)
        self.stride = container.experts[0].layout.stride
        self.state = self.model.new_state()
        self.row = self.model.forward(np.arange(100, 116, dtype=np.int32), self.state, "last")[-1]

    def rate(self) -> float:
        """Bytes read per second with reads in flight, over about SECONDS of decoding."""
        before, start = self.model.snapshot(), perf_counter()
        while perf_counter() - start < SECONDS:
            self.row = self.model.forward(np.array([self.row.argmax()], np.int32), self.state, "all")[-1]
        after = self.model.snapshot()
        return (after.bytes_read - before.bytes_read) / (after.read_seconds - before.read_seconds)


def _fill(path: Path) -> None:
    block = np.random.default_rng(0).integers(0, 256, 16 * PART, np.uint8)
    with path.open("wb", buffering=0) as file:
        for _ in range(FILE_BYTES // block.nbytes + 1):
            file.write(block.data)
        os.fsync(file.fileno())


def _store(path: Path, stride: int) -> ExpertStore:
    n = FILE_BYTES // stride
    layout = RecordLayout(32, 32, 32, ("f32", 0), ("f32", 1024), ("f32", 2048), None, 3072, stride)
    store = ExpertStore([ExpertFile(0, path, n, layout, np.zeros(n, np.uint64))], n, True, READ_THREADS, ASKED)
    for key in range(n):
        store._checked.note(key)  # what is compared here is the drive, not the checksum of the first read
    return store


def _ours(path: Path, stride: int) -> float:
    """Bytes per second of demand reads: ASKED records in flight, a new one for each that ends."""
    store, rng = _store(path, stride), np.random.default_rng()
    arena = Arena(ASKED * stride)
    n, free, read = FILE_BYTES // stride, [arena.address + i * stride for i in range(ASKED)], 0
    places: dict[int, int] = {}
    start = perf_counter()
    while perf_counter() - start < SECONDS:
        keys = [k for k in set(rng.integers(0, n, len(free)).tolist()) if k not in places]
        slots = [free.pop() for _ in keys]
        places.update(zip(keys, slots, strict=True))
        if keys:
            store.submit(0, keys, slots)
        for key, code in store.reap(20):
            if code:
                raise EngineError(str(store.problem(key, code)))
            free.append(places.pop(key))
            read += stride
    seconds = perf_counter() - start
    store.close()
    return read / seconds


def _fio(path: Path, stride: int) -> float:
    """Bytes per second of fio on the same file: as many threads with blocks as large as our parts."""
    n_parts = -(-stride // PART)
    block = -(-stride // n_parts // 4096) * 4096
    done = subprocess.run(
        [
            "fio", "--name=x", f"--filename={path}", "--rw=randread", f"--bs={block}", "--direct=1", "--ioengine=psync", "--thread",
            f"--numjobs={READ_THREADS}", f"--size={FILE_BYTES}", "--time_based", f"--runtime={SECONDS * 1000:.0f}ms", "--group_reporting",
            "--output-format=json", "--allow_file_create=0", "--norandommap", "--randrepeat=0",
        ],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise EngineError(f"fio failed: {done.stderr.strip() or done.stdout.strip()}")
    return float(json.loads(done.stdout[done.stdout.index("{") :])["jobs"][0]["read"]["bw_bytes"])


def _wake(path: Path) -> float:
    """Median seconds by which a read of one block alone takes longer through store and Python than through pread."""
    store, arena, rng = _store(path, 4096), Arena(4096), np.random.default_rng()
    fd = os.open(path, os.O_RDONLY | getattr(os, "O_DIRECT", 0))
    extra = []
    for _ in range(300):
        key = int(rng.integers(FILE_BYTES // 4096))
        start = perf_counter()
        os.preadv(fd, [arena.array.data], key * 4096)
        middle = perf_counter()
        store.submit(0, [key], [arena.address])
        while not store.reap(20):
            pass
        extra.append((perf_counter() - middle) - (middle - start))
    os.close(fd)
    store.close()
    return median(extra)


def told(result: dict[str, Any]) -> str:
    """A table by record."""
    lines = [f"{'record':<16}{'ours MB/s':>10}{'fio MB/s':>10}{'share':>8}"]
    for name in RECORDS:
        lines.append(f"{name:<16}{result[f'mb_s_{name}']:10.0f}{result[f'fio_mb_s_{name}']:10.0f}{result[f'share_{name}']:8.1%}")
    lines.append(f"{'starter decoding':<36}{result['share_engine']:8.1%}  of fio with blocks of its records")
    return "\n".join([*lines, f"from a read's end to Python: {result['wake_us']:.0f} us over a plain pread"])
