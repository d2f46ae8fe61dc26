"""The expert store: where each record lies, reads in flight, and whether what arrived is what was written. It never decides."""

import ctypes
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from time import monotonic

import numpy as np
import xxhash

from engine.container.making import Making
from engine.container.placed import Volume
from engine.container.reader import ExpertFile
from engine.errors import EngineError
from engine.experts.arrivals import FETCH_MS, Arrivals
from engine.experts.checked import Checked
from engine.experts.drives import Drives
from engine.experts.problems import ABSENT, DAMAGED, problem_of
from engine.experts.reads import Read, Slots
from engine.experts.sources import Source, open_sources
from engine.stats import VolumeCounters
from kernels_pyx.aio import DEMAND, DROPPED, PREFETCH, Reader

__all__ = ["DEMAND", "DROPPED", "PREFETCH", "ExpertStore", "Slots"]
_LOOK_S = 0.02  # stalls are looked for this often
READ_THREADS = 4  # for each volume
EXTRA = 64  # reads in flight beyond those of the slots: those that are stuck


class ExpertStore:
    """Open expert files, with reading threads for each volume. key = ordinal * width + expert.

    A record with copies on several volumes is read part by part where each part ends first. A read that fails or brings damage is
    done again from another copy; one that is stuck is done again into another slot. Of a container in the making, records that are not
    there are fetched before they are read, where demand asks for them; a guess ends as dropped. Raises StorageError where a file cannot
    be opened or is shorter than its records.
    """

    slots: Slots | None = None
    closed = False

    def __init__(
        self, files: Sequence[ExpertFile], width: int, direct: bool, threads: int, max_pending: int, volumes: Sequence[Volume] = (),
        making: Making | None = None,
    ) -> None:
        self._files, self._width = tuple(files), width
        self._volumes = tuple(volumes) or (Volume(files[0].path.parent if files else Path()),)
        self._checked = Checked(self._files, width, len(self._volumes))
        self._reads: dict[int, Read] = {}
        self._current: dict[int, Read] = {}  # the one that will answer for a key
        self._damaged: set[tuple[int, int]] = set()
        self._culprits: dict[int, Path] = {}
        self._numbers, self._looked = count(), 0.0
        self._arrivals = Arrivals(making, width) if making is not None else None
        with ExitStack() as undo:
            if self._arrivals is not None:
                undo.callback(self._arrivals.close)
            self._sources = open_sources(self._files, direct, undo)
            self._reader = Reader(threads, max_pending * len(self._volumes) + EXTRA, len(self._volumes))
            self._drives = Drives(self._volumes, self._reader)
            self._close = undo.pop_all()

    @property
    def direct(self) -> bool:
        """Whether all files are read past the page cache."""
        return all(s.file.direct for sources in self._sources for s in sources)

    @property
    def pending(self) -> int:
        """Reads submitted and not yet reaped."""
        return self._reader.pending + (self._arrivals.pending if self._arrivals is not None else 0)

    @property
    def waits(self) -> str:
        """What a fetch of a record that is not there yet waits for, as a phrase; empty where there is none."""
        return self._arrivals.making.waits if self._arrivals is not None else ""

    def there(self, key: int) -> bool:
        """Whether the record can be read without a fetch."""
        return self._arrivals is None or self._arrivals.there(key)

    def taken_back(self) -> tuple[list[int], bool]:
        """(keys whose record turned out to be wrong, whether any of them was read or the trunk is one of the wrong things)."""
        if self._arrivals is None:
            return [], False
        keys = [ordinal * self._width + expert for ordinal, expert in self._arrivals.making.taken_back()]
        used = self._arrivals.making.spoiled
        for key in keys:
            used |= self._checked.forget(key)
        return keys, used

    def finished(self, files: Sequence[ExpertFile]) -> None:
        """The container is whole, and its files, the same ones, have these names. No read may be pending."""
        if self._arrivals is not None:
            self._arrivals.close()
            self._arrivals = None
        self._files = tuple(files)
        for file, sources in zip(files, self._sources, strict=True):
            for source in sources:
                source.path = file.path

    @property
    def bytes_read(self) -> int:
        """Bytes that reads delivered."""
        return self._reader.bytes_read

    @property
    def busy_seconds(self) -> float:
        """Seconds with at least one read in flight."""
        return self._reader.busy_seconds

    def volumes(self) -> tuple[VolumeCounters, ...]:
        """What each volume did since opening."""
        return self._drives.counters()

    def limit(self, volume: int, bytes_per_second: float) -> None:
        """Hold a volume to a rate by letting its reading threads sleep, for measurements and tests; 0: no limit."""
        self._reader.limit(volume, bytes_per_second)

    def submit(self, ordinal: int, keys: list[int], addresses: list[int], priority: int = DEMAND) -> None:
        """Read the records of `keys`, all of layer `ordinal`, to `addresses`. A key has one read at a time."""
        if self._arrivals is not None and not all(self._arrivals.there(key) for key in keys):
            keys, addresses = self._arrivals.ask(keys, addresses, priority == DEMAND)
            if not keys:
                return
        reads = [Read(key, address, priority) for key, address in zip(keys, addresses, strict=True)]
        sources = self._sources[ordinal]
        if self._damaged and any((s.lane, key) in self._damaged for s in sources for key in keys):
            for read in reads:
                self._give(read)
        else:
            self._send(ordinal, sources, reads, priority)

    def _fetched(self, timeout_ms: int) -> tuple[list[tuple[int, int]], int]:
        """Begin to read what has come; (what ended without a read, as `reap` tells it, and how long to wait for reads)."""
        if self._arrivals is None or not self._arrivals.pending:
            return [], timeout_ms
        ready, failed, dropped = self._arrivals.take(0 if self._reader.pending else timeout_ms)
        for key, address in ready:
            self.submit(key // self._width, [key], [address])
        out = [(key, ABSENT) for key in failed] + [(key, DROPPED) for key in dropped]
        return out, 0 if out else min(timeout_ms, FETCH_MS) if self._arrivals.pending else timeout_ms

    def _send(self, ordinal: int, sources: list[Source], reads: list[Read], priority: int) -> None:
        """Begin `reads`, all of one layer, from whole copies together or from pieces each."""
        experts = np.array([read.key for read in reads], np.int64) - ordinal * self._width
        addresses = np.array([read.address for read in reads], np.int64)
        whole = sources[0].whole
        for group in [sources] if whole else [[s] for s in sources]:
            tags = [next(self._numbers) for _ in reads]
            first, files = group[0], [s.file for s in group]
            self._reader.submit(
                files, experts * first.nbytes, addresses + first.start, first.nbytes, np.array(tags, np.int64), priority
            )
            for tag, read in zip(tags, reads, strict=True):
                self._reads[tag] = read
                read.tags.add(tag)
        for read in reads:
            read.lanes, read.pieces = tuple(s.lane for s in sources), not whole
            self._current[read.key] = read

    def _give(self, read: Read) -> bool:
        """Begin `read` from the copies that are left for it; False where there is none."""
        left = self._left(read)
        sources = [s for s in left if (s.lane, read.key) not in self._damaged] or left
        if not sources:
            return False
        one_at_a_time = read.suspects and sources[0].whole
        self._send(read.key // self._width, sources[: 1 if one_at_a_time else None], [read], read.priority)
        return True

    def _left(self, read: Read) -> list[Source]:
        """Copies that have not failed this read; all pieces or none."""
        sources = self._sources[read.key // self._width]
        left = [s for s in sources if s.lane not in read.tried]
        return left if sources[0].whole or len(left) == len(sources) else []

    def promote(self, keys: Sequence[int]) -> None:
        """Make demand reads of those guesses among `keys` that still wait, or of which parts wait."""
        reads = [self._current[key] for key in keys if key in self._current]
        for read in reads:
            read.priority = DEMAND
        self._reader.promote(np.array([tag for read in reads for tag in read.tags], np.int64))

    def reap(self, timeout_ms: int) -> list[tuple[int, int]]:
        """Ended reads as (key, code), waiting up to timeout_ms for the first.

        code 0: the bytes are there, and the checksum was compared of what was not compared before; DROPPED; else for `problem`.
        """
        out, timeout_ms = self._fetched(timeout_ms)
        for tag, code, lane, parts in self._reader.reap(timeout_ms > 0, timeout_ms):
            read = self._reads.pop(tag)
            read.tags.remove(tag)
            if code and read.code in (0, DROPPED):
                read.code, read.lane = code, lane
            if read.tags:
                continue
            code, lane, read.code = read.code, read.lane, 0
            if read.given_up:
                assert self.slots is not None
                self.slots.returned(read.address)
                if code not in (0, DROPPED):
                    self._drives.failed(lane, dead=True)
                continue
            code = code or self._check(read, parts)
            if code in (0, DROPPED) or not self._again(read, code, lane):
                del self._current[read.key]
                out.append((read.key, code))
        if len(self._volumes) > 1 and (now := monotonic()) - self._looked > _LOOK_S:
            self._looked = now
            self._pass_stalled()
        return out

    def _check(self, read: Read, parts: tuple[int, ...]) -> int:
        """0, or DAMAGED where bytes that were never compared are not those that were written."""
        key = read.key
        if self._checked.has(key, read.lanes, parts):
            return 0
        ordinal, expert = divmod(key, self._width)
        record = memoryview((ctypes.c_char * self._files[ordinal].layout.stride).from_address(read.address)).cast("B")
        if self._arrivals is not None and key not in self._checked:
            if not self._arrivals.making.right(ordinal, expert, record):
                return DAMAGED if self._arrivals.there(key) else DROPPED  # taken back meanwhile: whoever needs it asks again
            self._checked.note(key)
            return 0
        if xxhash.xxh3_64_intdigest(record) != int(self._files[ordinal].checksums[expert]):
            return DAMAGED
        self._checked.note(key, read.lanes, parts)
        guilty = read.suspects - read.tried - set(read.lanes)
        self._damaged.update((lane, key) for lane in guilty)
        if len(guilty) == 1:
            self._drives.failed(next(iter(guilty)), dead=False)
        return 0

    def _again(self, read: Read, code: int, lane: int) -> bool:
        """Note who failed `read`, and begin it from another copy; False where none is left."""
        if code == DAMAGED and read.pieces:
            return False
        if code == DAMAGED and len(read.lanes) > 1:  # one of several is wrong: ask each alone
            read.suspects = frozenset(read.lanes)
            return self._give(read)
        culprit = read.lanes[0] if code == DAMAGED else lane
        read.tried.add(culprit)
        self._drives.failed(culprit, dead=code != DAMAGED)
        self._damaged.add((culprit, read.key))
        if self._give(read):
            return True
        self._culprits[read.key] = next(s.path for s in self._sources[read.key // self._width] if s.lane == culprit)
        self._damaged.discard((culprit, read.key))  # the next request tries it again
        return False

    def _pass_stalled(self) -> None:
        """Begin reads that are stuck again, into other slots, from drives that answer."""
        if self.slots is None:
            return
        for lane in self._drives.stalled():
            for tag in dict.fromkeys(self._reader.stuck(lane, self._drives.patience(lane))):
                read = self._reads.get(tag)
                if read is None or read.given_up or read.pieces or read.priority != DEMAND:
                    continue
                if not any(self._drives.well(s.lane) for s in self._left(read)):
                    continue
                if not (address := self.slots.spare(read.key)):
                    return
                read.given_up = True
                self._reader.drop_tags(np.array([tag], np.int64))
                self._give(Read(read.key, address, read.priority, read.tried | {lane}, read.suspects))

    def drop(self, priority: int = DEMAND) -> None:
        """Begin no further read of this priority; they end with DROPPED. Buffers of reads in flight stay in use until those end."""
        if self._arrivals is not None and priority == DEMAND:
            self._arrivals.drop()
        self._reader.drop(priority)

    def problem(self, key: int, code: int) -> EngineError:
        """What was wrong with a read that ended with `code`, neither 0 nor DROPPED."""
        if code == ABSENT:
            assert self._arrivals is not None
            return self._arrivals.problems.pop(key)
        ordinal, expert = divmod(key, self._width)
        return problem_of(code, expert, self._culprits.get(key, self._files[ordinal].path), self._arrivals is not None)

    def refuse_closed(self) -> None:
        """Raise RuntimeError once it is closed."""
        if self.closed:
            raise RuntimeError("The experts' files are closed.")

    def close(self) -> None:
        """End after the reads in flight, whose buffers must live until then; idempotent."""
        self.closed = True
        self._reader.close()
        self._close.close()
