"""How fast a drive reads: direct reads at random places of a file, as the engine's are."""

import os
from contextlib import suppress
from pathlib import Path
from time import perf_counter

import numpy as np

from engine.container.storage import writing
from kernels_pyx.aio import Arena, DirectFile, Reader

READ = 2**20
TRIAL = 64 * 2**20  # of a file that is written where there is none
SECONDS = 0.4


def of_file(path: Path, seconds: float = SECONDS) -> float:
    """Bytes per second that reads of READ bytes reach, eight at a time. Raises OSError, ValueError (a file that is too small)."""
    file, reader = DirectFile(str(path)), Reader()
    arena = Arena(8 * READ)
    try:
        n, rng = file.nbytes // READ, np.random.default_rng()
        if n < 1:
            raise ValueError(f"{path} is smaller than {READ} bytes")
        start, read = perf_counter(), 0
        while (passed := perf_counter() - start) < seconds:
            offsets = rng.integers(0, n, 8) * READ
            reader.submit(file, offsets, arena.address + np.arange(8) * READ, READ, np.arange(8))
            while reader.pending:
                for _, error, *_ in reader.reap(True):
                    if error:
                        raise OSError(error, os.strerror(error) if error > 0 else "the file ends early", str(path))
                    read += READ
        return read / passed
    finally:
        reader.close()
        file.close()


def of_folder(path: Path) -> float:
    """The same for the drive of a folder without large files: one is written there for it, and removed. Raises StorageError."""
    trial = path / ".ouzel-rate.new"
    with writing(path):
        try:
            with trial.open("wb", buffering=0) as file:
                block = np.random.default_rng(0).integers(0, 256, READ, np.uint8)
                for _ in range(TRIAL // READ):
                    file.write(block.data)
                os.fsync(file.fileno())
            return of_file(trial)
        finally:
            with suppress(OSError):
                trial.unlink()


def as_weights(rates: list[float], most: int = 16) -> list[int]:
    """Small whole weights in proportion to rates; drives within a quarter of the fastest count as equal to it."""
    fastest = max(rates)
    return [most if rate > 0.75 * fastest else max(round(most * rate / fastest), 1) for rate in rates]
