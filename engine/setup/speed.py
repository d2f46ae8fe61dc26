"""What this machine can do, measured in seconds: direct reads of a folder's drive, reads and products over memory.

A drive's figures are kept for some days in the cache folder; memory is measured once a process.
"""

import bisect
import contextlib
import json
import math
import os
import secrets
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from statistics import median

import numpy as np
import psutil

from engine import paths
from engine.cancel import CancelToken
from engine.container.storage import write_whole, writing
from engine.container.strict import Fields, Malformed, parse_object, read_limited
from engine.errors import StorageError
from kernels_pyx.aio import Arena, DirectFile, Reader
from kernels_pyx.compute import Compute, Rows
from kernels_pyx.linear import Linear, Matrix, pack, read_loop

RECORDS = (1 << 16, 1 << 18, 1 << 20, 1 << 22)  # bytes; an expert of a released model takes 1 to 18 MB
BURSTS = (1, 2, 4, 8)  # experts that a layer misses at once
SECONDS = 5.0  # of reading
SAMPLE, LEAST_SAMPLE, WRITE_SECONDS = 1 << 29, 1 << 26, 3.0
READ_THREADS = 4  # as the streamer's
DAYS = 7
MEMORY = 192 << 20  # bytes beyond all caches
SIDE = 2048
ROUNDS = 12
Progress = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class DriveSpeed:
    """seconds[i][j]: of BURSTS[j] random reads of RECORDS[i] bytes at once, until the last one is there.

    direct: past the page cache; else `why` has the system's words, and the figures may be those of memory.
    """

    seconds: tuple[tuple[float, ...], ...]
    direct: bool
    why: str

    def burst(self, nbytes: float, n: float) -> float:
        """Seconds of n reads of nbytes each at once; n need not be whole."""
        if n <= 0 or nbytes <= 0:
            return 0.0
        if n < 1:
            return n * self.burst(nbytes, 1)
        rows = [_on_curve(n, BURSTS, row) for row in self.seconds]
        return _on_curve(nbytes, RECORDS, rows)

    @property
    def rate(self) -> float:
        """Bytes a second of the largest burst."""
        return RECORDS[-1] * BURSTS[-1] / self.seconds[-1][-1]


@dataclass(frozen=True, slots=True)
class MemorySpeed:
    """threads: compute threads of all figures. read_rate: bytes a second of a plain read loop over memory; product_rate: of packed 4-bit
    weights in products with one row; call_seconds: of a product so small that only the call counts.
    """

    threads: int
    isa: str
    read_rate: float
    product_rate: float
    call_seconds: float


def _on_curve(x: float, xs: tuple[int, ...], ys: tuple[float, ...] | list[float]) -> float:
    """Power laws between the points, constant below them, above them as the last two go on."""
    if x <= xs[0]:
        return ys[0]
    if x >= xs[-1]:
        return ys[-1] + (x - xs[-1]) * (ys[-1] - ys[-2]) / (xs[-1] - xs[-2])
    i = bisect.bisect_right(xs, x)
    (x0, x1), (y0, y1) = xs[i - 1 : i + 1], ys[i - 1 : i + 1]
    return y0 * math.exp(math.log(y1 / y0) * math.log(x / x0) / math.log(x1 / x0))


def drive_speed(folder: Path, cancel: CancelToken, progress: Progress = lambda fraction: None, again: bool = False) -> DriveSpeed:
    """How fast experts would come from `folder`, or the nearest folder above it that exists; about 5 seconds, or what was measured lately.

    again: measure in any case. A temporary file is written there and removed, unless an expert file lies there already. Raises
    StorageError, Cancelled.
    """
    folder = nearest(folder)
    key, known = drive_of(folder), _kept()
    if not again and key in known:
        return known[key][1]
    with writing(folder), contextlib.ExitStack() as undo:
        sample = _existing(folder) or undo.enter_context(_written(folder, cancel))
        speed = _measured(sample, cancel, progress)
    _keep({**known, key: (time.time(), speed)})
    return speed


def nearest(folder: Path) -> Path:
    """`folder`, or the nearest one above it that exists."""
    folder = folder.expanduser().absolute()
    return next((p for p in (folder, *folder.parents) if p.is_dir()), folder)


def drive_of(folder: Path) -> str:
    """A name of the drive that holds an existing folder: the longest mount point above it, and its device."""
    real = folder.resolve()
    mounts = {Path(p.mountpoint): p.device for p in psutil.disk_partitions(all=True)}
    mount = next((p for p in (real, *real.parents) if p in mounts), None)
    return f"{mounts[mount]} at {mount}" if mount else f"device {folder.stat().st_dev}"


def _existing(folder: Path) -> Path | None:
    """An expert file of a model in this folder that is large enough to read from."""
    for file in sorted(folder.glob(f"*{paths.SUFFIX}/experts/*")):
        if not file.is_symlink() and file.is_file() and file.stat().st_size >= LEAST_SAMPLE:
            return file
    return None


@contextlib.contextmanager
def _written(folder: Path, cancel: CancelToken) -> Iterator[Path]:
    """A file of random bytes, on the drive and not only in memory, for as long as the block lasts."""
    free = psutil.disk_usage(str(folder)).free
    if free < 2 * LEAST_SAMPLE:
        raise StorageError(f"{folder} has no room for a test of its drive: {free // 1_000_000} MB are free. Choose another folder.")
    handle, name = tempfile.mkstemp(prefix=".ouzel-speed-", dir=folder)
    path = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            began, n = time.monotonic(), 0
            while n < min(SAMPLE, free // 2) and (n < LEAST_SAMPLE or time.monotonic() - began < WRITE_SECONDS):
                cancel.check()
                n += file.write(secrets.token_bytes(1 << 22))
                file.flush()
                os.fsync(file.fileno())
        yield path
    finally:
        path.unlink(missing_ok=True)


def _measured(sample: Path, cancel: CancelToken, progress: Progress) -> DriveSpeed:
    rng = np.random.default_rng()
    file, arena = DirectFile(str(sample)), Arena(RECORDS[-1] * BURSTS[-1])
    reader = Reader(READ_THREADS)
    cells = [(record, n) for record in RECORDS for n in BURSTS]
    medians = []
    try:
        for i, (record, n) in enumerate(cells):
            until, seconds = time.monotonic() + SECONDS / len(cells), list[float]()
            addresses, tags = arena.address + record * np.arange(n), np.arange(n)
            while len(seconds) < 3 or time.monotonic() < until:
                cancel.check()
                places = rng.integers(0, file.nbytes // record, n) * record
                began = time.perf_counter()
                reader.submit(file, places, addresses, record, tags)
                left = n
                while left:
                    for _, code, *_ in reader.reap(True):
                        if code:
                            raise StorageError(f"{sample} cannot be read ({code}). Check the drive, or choose another folder.")
                        left -= 1
                seconds.append(time.perf_counter() - began)
            medians.append(median(seconds))
            progress((i + 1) / len(cells))
    finally:
        reader.close()
        file.close()
        arena.close()
    rows = tuple(tuple(medians[i : i + len(BURSTS)]) for i in range(0, len(medians), len(BURSTS)))
    return DriveSpeed(tuple(map(_rising, rows)), file.direct, file.why)


def _rising(seconds: tuple[float, ...]) -> tuple[float, ...]:
    """More reads at once never take less time, whatever the noise."""
    return tuple(np.maximum.accumulate(seconds).tolist())


def _file() -> Path:
    return paths.cache_dir() / "drives.json"


def _kept() -> dict[str, tuple[float, DriveSpeed]]:
    """What was measured in the last days, by drive; a file that is damaged or of another version counts as none."""
    try:
        drives = parse_object(read_limited(_file(), 1 << 20))
        kept = {key: _read(Fields(value)) for key, value in drives.items()}
    except (Malformed, OSError, TypeError, ValueError):
        return {}
    return {key: entry for key, entry in kept.items() if 0 <= time.time() - entry[0] < DAYS * 86400}


def _read(f: Fields) -> tuple[float, DriveSpeed]:
    rows = tuple(tuple(float(s) for s in row) for row in f.array("seconds"))
    when, speed = float(f.get("when")), DriveSpeed(rows, bool(f.get("direct")), f.text("why"))
    f.done()
    if len(rows) != len(RECORDS) or any(len(r) != len(BURSTS) for r in rows) or not all(0 < s < 1e6 for r in rows for s in r):
        raise Malformed("has no figures of a drive")
    return when, speed


def _keep(drives: dict[str, tuple[float, DriveSpeed]]) -> None:
    text = json.dumps({key: {"when": when, **asdict(speed)} for key, (when, speed) in drives.items()}, indent=1)
    with contextlib.suppress(OSError):  # it is measured again then
        write_whole(_file(), text.encode())


@cache
def memory_speed(threads: int) -> MemorySpeed:
    """Measure for about a second, with 200 MB of memory that are given back."""
    c = Compute(threads, False, 1, SIDE)
    arena = Arena(MEMORY)
    try:
        strip = np.random.default_rng(0).standard_normal((SIDE, SIDE), np.float32)
        packed = pack("q4", strip)
        n = MEMORY // packed.nbytes
        block = arena.array[: n * packed.nbytes].reshape(n, -1)
        block[:] = packed
        linears = [Linear([Matrix("q4", SIDE, SIDE, part)]) for part in block]
        small = Linear([Matrix("q4", 64, 64, pack("q4", strip[:64, :64]))])
        x, out, few = Rows(1, SIDE), [Rows(1, SIDE)], [Rows(1, 64)]
        x.array[:] = strip[:1]
        narrow = Rows(1, 64)

        def products() -> None:
            for linear in linears:
                linear(c, x, 1, out)

        def calls() -> None:
            for _ in range(n):
                small(c, narrow, 1, few)

        works = (lambda: read_loop(c, block.reshape(-1)), products, calls)
        # The least of several rounds: other programs slow a round down, nothing speeds one up.
        read, product, call = (min(_seconds(work) for _ in range(ROUNDS)) for work in works)
        return MemorySpeed(threads, c.isa, block.nbytes / read, block.nbytes / product, call / n)
    finally:
        c.close()
        arena.close()


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
