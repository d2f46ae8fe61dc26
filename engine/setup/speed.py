"""How fast a drive reads, measured with direct reads at random places, as the engine's are: what a folder's drive gives in all sizes that
experts have, kept for some days in the cache folder; and a rate alone, quickly, of a file or a folder.
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
from pathlib import Path
from statistics import median

import numpy as np
import psutil

from engine import paths
from engine.activity import disturbed, mark
from engine.cancel import CancelToken
from engine.container.storage import write_whole, writing
from engine.container.strict import Fields, Malformed, parse_object, read_limited
from engine.errors import StorageError
from engine.words import say
from kernels_pyx.aio import Arena, DirectFile, Reader

RECORDS = (1 << 16, 1 << 18, 1 << 20, 1 << 22)  # bytes; an expert of a released model takes 1 to 18 MB
BURSTS = (1, 2, 4, 8)  # experts that a layer misses at once
SECONDS = 5.0  # of reading
SAMPLE, LEAST_SAMPLE, WRITE_SECONDS = 1 << 29, 1 << 26, 3.0
READ_THREADS = 4  # as the streamer's
DAYS, SOON = 7, 600  # how long figures are kept; seconds, where something else worked meanwhile
RATE_READ, RATE_AT_ONCE, RATE_SECONDS = 1 << 20, 8, 0.4  # where only the rate is asked for
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
    folder = paths.nearest(folder)
    key, known = drive_of(folder), _kept()
    if not again and key in known:
        return known[key][1]
    since = mark()
    with writing(folder), contextlib.ExitStack() as undo:
        sample = _existing(folder) or undo.enter_context(_written(folder, cancel, SAMPLE))
        speed = _measured(sample, cancel, progress)
    # Beside an answer or a download it tells too little, so it is soon measured again.
    when = time.time() - (DAYS * 86400 - SOON if disturbed(since) else 0)
    _keep({**known, key: (when, speed)})
    return speed


def file_rate(path: Path, cancel: CancelToken) -> float:
    """Bytes a second of RATE_AT_ONCE reads of RATE_READ bytes at once; half a second. Raises StorageError, OSError, Cancelled."""
    with _bursts(path, RATE_READ * RATE_AT_ONCE) as burst:
        n, seconds, until = 0, 0.0, time.monotonic() + RATE_SECONDS
        while not n or time.monotonic() < until:
            cancel.check()
            seconds += burst(RATE_READ, RATE_AT_ONCE)
            n += RATE_AT_ONCE
        return n * RATE_READ / seconds


def folder_rate(folder: Path, cancel: CancelToken) -> float:
    """The same for a folder, in which a file is written for it and removed. Raises StorageError, Cancelled."""
    with writing(folder), _written(folder, cancel, LEAST_SAMPLE) as sample:
        return file_rate(sample, cancel)


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
def _written(folder: Path, cancel: CancelToken, most: int) -> Iterator[Path]:
    """A file of up to `most` random bytes, on the drive and not only in memory, for as long as the block lasts."""
    free = psutil.disk_usage(str(folder)).free
    if free < 2 * LEAST_SAMPLE:
        raise StorageError(
            say(
                "{folder} has no room for a test of its drive: {free} MB are free. Choose another folder.",
                folder=folder,
                free=free // 1_000_000,
            )
        )
    handle, name = tempfile.mkstemp(prefix=".ouzel-speed-", dir=folder)
    path = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            began, n = time.monotonic(), 0
            while n < min(most, free // 2) and (n < LEAST_SAMPLE or time.monotonic() - began < WRITE_SECONDS):
                cancel.check()
                n += file.write(secrets.token_bytes(1 << 22))
                file.flush()
                os.fsync(file.fileno())
        yield path
    finally:
        path.unlink(missing_ok=True)


def _measured(sample: Path, cancel: CancelToken, progress: Progress) -> DriveSpeed:
    cells = [(record, n) for record in RECORDS for n in BURSTS]
    medians = []
    with _bursts(sample, RECORDS[-1] * BURSTS[-1]) as burst:
        for i, (record, n) in enumerate(cells):
            until, seconds = time.monotonic() + SECONDS / len(cells), list[float]()
            while len(seconds) < 3 or time.monotonic() < until:
                cancel.check()
                seconds.append(burst(record, n))
            medians.append(median(seconds))
            progress((i + 1) / len(cells))
        direct, why = burst.file.direct, burst.file.why
    rows = tuple(tuple(medians[i : i + len(BURSTS)]) for i in range(0, len(medians), len(BURSTS)))
    return DriveSpeed(tuple(map(_rising, rows)), direct, why)


class _Bursts:
    """Reads of a file at random places into memory for `most` bytes at once."""

    def __init__(self, path: Path, most: int) -> None:
        self.path, self.file = path, DirectFile(str(path))
        self._arena, self._reader, self._rng = Arena(most), Reader(READ_THREADS), np.random.default_rng()

    def __call__(self, record: int, n: int) -> float:
        """Seconds until the last of n reads of `record` bytes, made at once, is there. Raises StorageError."""
        if self.file.nbytes < record:
            raise StorageError(say("{path} is too small to tell how fast its drive is. Choose another folder.", path=self.path))
        places = self._rng.integers(0, self.file.nbytes // record, n) * record
        began, left = time.perf_counter(), n
        self._reader.submit(self.file, places, self._arena.address + record * np.arange(n), record, np.arange(n))
        while left:
            for _, code, *_ in self._reader.reap(True):
                if code:
                    raise StorageError(
                        say("{path} cannot be read ({code}). Check the drive, or choose another folder.", path=self.path, code=code)
                    )
                left -= 1
        return time.perf_counter() - began

    def close(self) -> None:
        """Give everything back."""
        self._reader.close()
        self.file.close()
        self._arena.close()


def _bursts(path: Path, most: int) -> contextlib.closing[_Bursts]:
    return contextlib.closing(_Bursts(path, most))


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
        raise Malformed(say("has no figures of a drive"))
    return when, speed


def _keep(drives: dict[str, tuple[float, DriveSpeed]]) -> None:
    text = json.dumps({key: {"when": when, **asdict(speed)} for key, (when, speed) in drives.items()}, indent=1)
    with contextlib.suppress(OSError):  # it is measured again then
        write_whole(_file(), text.encode())


def as_weights(rates: list[float], most: int = 16) -> list[int]:
    """Small whole weights in proportion to rates; drives within a quarter of the fastest count as equal to it."""
    fastest = max(rates)
    return [most if rate > 0.75 * fastest else max(round(most * rate / fastest), 1) for rate in rates]
