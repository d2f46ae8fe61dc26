"""The drives of a store as it sees them: which answer, which stall or fail, when each is tried again, and what each has done."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic

from engine.container.placed import Volume
from engine.stats import VolumeCounters
from kernels_pyx.aio import Reader

STALL_S, STALL_TIMES = 0.25, 4
"""A part in flight for longer than both, the seconds and the multiple of what its drive needs for all parts in flight, is stuck."""
UNKNOWN_S = 1.0  # as long for a drive whose rate is not known
AGAIN_S, AGAIN_MOST_S = 1.0, 60.0  # after a failure; doubled by each further one
HEALED = 64  # parts after which earlier failures are forgotten


@dataclass(slots=True)
class _Drive:
    state: str
    errors: int = 0
    backoff: float = AGAIN_S
    again_at: float = 0.0
    failed_at_reads: int = 0


class Drives:
    """State by volume; a volume is a lane of `reader`. Only drives whose records lie elsewhere too are ever left aside."""

    def __init__(self, volumes: Sequence[Volume], reader: Reader, now: Callable[[], float] = monotonic) -> None:
        self._volumes, self._reader, self._now = volumes, reader, now
        self._drives = [_Drive("missing" if v.problem else "ok") for v in volumes]

    def failed(self, lane: int, dead: bool) -> None:
        """A read of `lane` failed, or (dead false) brought a damaged record, which says nothing about others."""
        self._drives[lane].errors += 1
        if dead:
            self._set_aside(lane, "dead")

    def stalled(self) -> list[int]:
        """Lanes with stuck parts; those that were well until now are set aside. To be called while reads are awaited."""
        out = []
        for lane, drive in enumerate(self._drives):
            seen = self._reader.lane(lane)
            if seen.oldest_seconds > self.patience(lane):
                out.append(lane)
                if drive.state == "ok":
                    self._set_aside(lane, "slow")
            elif drive.state in ("slow", "dead") and self._now() >= drive.again_at:
                drive.state, drive.failed_at_reads = "ok", seen.reads
                self._reader.enable(lane, True)
            elif drive.state == "ok" and seen.reads - drive.failed_at_reads > HEALED:
                drive.backoff = AGAIN_S
        return out

    def patience(self, lane: int) -> float:
        """Seconds after which a part in flight is stuck."""
        seen = self._reader.lane(lane)
        return max(STALL_S, STALL_TIMES * seen.flight_bytes / seen.rate) if seen.rate else UNKNOWN_S

    def _set_aside(self, lane: int, state: str) -> None:
        drive = self._drives[lane]
        drive.state, drive.again_at = state, self._now() + drive.backoff
        drive.backoff = min(2 * drive.backoff, AGAIN_MOST_S)
        self._reader.enable(lane, False)

    def well(self, lane: int) -> bool:
        """Whether the drive answers as far as is known."""
        return self._drives[lane].state == "ok"

    def counters(self) -> tuple[VolumeCounters, ...]:
        """What each volume did since opening."""
        out = []
        for lane, (volume, drive) in enumerate(zip(self._volumes, self._drives, strict=True)):
            seen = self._reader.lane(lane)
            out.append(
                VolumeCounters(
                    str(volume.path), drive.state, seen.bytes_read, seen.reads, seen.busy_seconds, drive.errors, seen.rate, volume.problem
                )
            )
        return tuple(out)
