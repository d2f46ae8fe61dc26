"""The expert streamer: experts of a layer as they become available, from the cache and from disk, in bounded memory."""

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from engine.cancel import CancelToken
from engine.container.format import RecordLayout
from engine.container.making import TakenBack
from engine.container.reader import Container, ExpertFile
from engine.errors import EngineError, OverBudget
from engine.experts.cache import PASSING, ExpertCache
from engine.experts.guesses import Guesses
from engine.experts.lookahead import Lookahead
from engine.experts.store import DROPPED, READ_THREADS, ExpertStore
from engine.stats import VolumeCounters
from engine.words import say
from kernels_pyx.aio import Arena
from kernels_pyx.slots import SlotTable

Batch = tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]

WAIT_MS = 20  # a wait for reads looks at the cancel token this often
PRELOADS = 8  # reads of `preload` in flight: enough for a drive, and soon over when a stream begins
SLOT_BYTES = 416  # of a slot: address, pending read and its place in the reader's queue


@dataclass(frozen=True, slots=True)
class Counters:
    """Since opening. hits, misses: expert accesses; read_seconds: with at least one read in flight.

    Of the reads ahead of their layer (in bytes_read too): how many, and what became of them; seconds_saved and active as in Lookahead.
    """

    hits: int
    misses: int
    evictions: int
    bytes_read: int
    read_seconds: float
    ahead_reads: int
    ahead_used: int
    ahead_late: int
    ahead_wasted: int
    ahead_seconds_saved: float
    ahead_settled: bool
    volumes: tuple[VolumeCounters, ...] = ()


@dataclass(slots=True)
class _Reads:
    """Keys of one stream: reads that have not ended, and held experts that arrived and are not yielded yet."""

    waiting: set[int]
    arrived: list[int]


class Recorder(Protocol):
    """Sees which experts each layer asks for."""

    def note(self, ordinal: int, experts: npt.NDArray[np.int32], rows: int, uses: npt.NDArray[np.int32] | None) -> None:
        """MoE layer `ordinal` needs the distinct `experts` [m] now, by uses [m] (None: all) of `rows` tokens."""


class Records(Protocol):
    """One layer's experts as far as memory is concerned; an `ExpertFile` is one."""

    @property
    def n_experts(self) -> int:
        """Experts of the layer."""

    @property
    def layout(self) -> RecordLayout:
        """Of each of its records."""


class HasExperts(Protocol):
    """A container, or a model that is not written yet."""

    @property
    def experts(self) -> Sequence[Records]:
        """In the order of the MoE layers."""


class ExpertStreamer:
    """Streams the experts of an open container through n_slots slots of memory, allocated at once.

    One stream is open at a time, on one thread. Raises OverBudget where the system has no memory for the slots, StorageError where an
    expert file cannot be opened.
    """

    recorder: Recorder | None = None

    def __init__(
        self,
        container: Container,
        n_slots: int,
        direct: bool = True,
        read_threads: int = READ_THREADS,
        lookahead: str = "off",
        progress: Callable[[float], object] | None = None,
    ) -> None:
        """progress(fraction): of having the slots' memory; what it raises ends the opening."""
        files = container.experts
        if files and n_slots < 1:
            raise ValueError(f"A model with experts needs at least one slot, not {n_slots}.")
        self._n_slots, self._width = n_slots, _width(container)
        slot_bytes = _slot_bytes(container)
        pending = max(min(n_slots, len(files) * self._width), 1)
        self._store = ExpertStore(
            files, self._width, direct, read_threads, pending, getattr(container, "volumes", ()),
            getattr(container, "making", None),
        )
        try:
            self._arena = Arena(max(n_slots * slot_bytes, 1), progress=progress)
        except MemoryError:
            self._store.close()
            raise OverBudget(
                say(
                    "The system has no {size} MB of memory left for the expert cache. Close other programs or choose "
                    "a lower memory limit.",
                    size=n_slots * slot_bytes // 1_000_000,
                ),
                self.nbytes_for(container, n_slots),
                0,
            ) from None
        except BaseException:
            self._store.close()
            raise
        tables = self.nbytes_for(container, n_slots) - n_slots * slot_bytes
        self.nbytes = (self._arena.nbytes if n_slots else 0) + tables
        self._cache = self._store.slots = ExpertCache(len(files), self._width, self._arena.address, n_slots, slot_bytes)
        self.lookahead = Lookahead(lookahead)
        self._guesses = Guesses(self._cache, self._store, self._width, n_slots)
        self._every = np.arange(self._width, dtype=np.int32)
        self._n_experts = [f.n_experts for f in files]
        self._usual: list[int] = []  # keys to preload, the most used ones last
        self._open = self._closed = False
        self._making = getattr(container, "making", None) is not None

    @staticmethod
    def nbytes_for(container: HasExperts, n_slots: int) -> int:
        """Bytes that a streamer with n_slots slots allocates."""
        n_layers, width, n_volumes = len(container.experts), _width(container), len(getattr(container, "volumes", ()))
        checked = n_layers * width * (1 + (8 * n_volumes if n_volumes > 1 else 0))
        return n_slots * (_slot_bytes(container) + SLOT_BYTES) + SlotTable.nbytes_for(n_layers, width) + checked

    @staticmethod
    def spare_slots(container: HasExperts) -> int:
        """Slots that drives which never answer can keep, where others have the same records: reading goes on with what is beyond."""
        copies = [getattr(e, "copies", ()) for e in container.experts]
        most = max((len(c) for c, e in zip(copies, container.experts, strict=True) if c and c[0].nbytes == e.layout.stride), default=1)
        return READ_THREADS * (most - 1)

    @property
    def direct(self) -> bool:
        """Whether records are read past the page cache; `why` has the system's words where it refused."""
        return self._store.direct

    @property
    def why(self) -> str:
        """The system's words where it refused direct reads, else empty."""
        return self._store.why

    @property
    def cache(self) -> ExpertCache:
        """What lies where, for looking at."""
        return self._cache

    @property
    def misses(self) -> int:
        """Expert accesses since opening that the cache did not have."""
        return self._cache.misses

    def counters(self) -> Counters:
        """What happened since opening."""
        c, g, ahead = self._cache, self._guesses, self.lookahead
        return Counters(
            hits=c.hits,
            misses=c.misses,
            evictions=c.evictions,
            bytes_read=self._store.bytes_read,
            read_seconds=self._store.busy_seconds,
            ahead_reads=g.reads,
            ahead_used=g.used,
            ahead_late=g.late,
            ahead_wasted=g.wasted,
            ahead_seconds_saved=ahead.seconds_saved,
            ahead_settled=ahead.settled,
            volumes=self._store.volumes(),
        )

    def limit(self, volume: int, bytes_per_second: float) -> None:
        """Hold a volume to a rate by letting its reading threads sleep, for measurements and tests; 0: no limit."""
        self._store.limit(volume, bytes_per_second)

    def foresee(self, ordinal: int, experts: Iterable[int]) -> None:
        """MoE layer `ordinal`, the one after the next stream's, likely uses the distinct `experts`, likeliest first.

        Those that are cached are kept until its stream; of the others the likeliest are read when the drive has nothing else to do.
        """
        self._guesses.name(ordinal, experts)

    def limit_reads(self, bytes_per_second: float) -> None:
        """Hold the first volume to a rate, for measurements and tests; 0: no limit."""
        self._store.limit(0, bytes_per_second)

    def usage(self) -> npt.NDArray[np.float64]:
        """How much each expert was used [n_layers * width], decayed; for `take_up` at a later opening."""
        return self._cache.usage()

    def take_up(self, usage: npt.NDArray[np.float64]) -> None:
        """Begin with the usage of earlier sessions: victims are chosen by it, and `preload` has something to read.

        Before the first stream only; raises ValueError else.
        """
        self._cache.take_up(usage)
        most = np.argsort(-usage, kind="stable")[: self._n_slots].tolist()
        self._usual = [k for k in reversed(most) if usage[k] > 0 and k % self._width < self._n_experts[k // self._width]]

    def preload(self) -> bool:
        """Read a few more of the experts with the most usage into empty slots; whether there are more. Takes about WAIT_MS.

        For the time when nothing else is to be done, between streams. A problem of a read ends it, for whoever needs the expert to meet.
        """
        if self._open or self._closed:
            return False
        while self._usual and self._store.pending < PRELOADS:
            if not self._cache.n_empty:
                self._usual.clear()
                break
            key = self._usual.pop()
            if not self._cache.address(key) and not self._cache.loading(key) and self._store.there(key):
                self._store.submit(key // self._width, [key], self._cache.reserve([key], 0))
        if any(wrong for _, _, wrong in self._settle(WAIT_MS)):
            self._usual.clear()
        return bool(self._usual) or self._store.pending > 0

    def stream(
        self,
        ordinal: int,
        experts: npt.NDArray[np.int32],
        cancel: CancelToken,
        rows: int = 1,
        uses: npt.NDArray[np.int32] | None = None,
    ) -> Generator[Batch, None, None]:
        """Batches (which, addresses): experts[which] lie at addresses, each once; cached ones first, the others as they arrive.

        experts [m]: distinct ids of MoE layer `ordinal`, chosen by uses [m] (None: all) of `rows` tokens. A batch's memory is valid
        until the next step of the iterator. Before the first batch as many reads are submitted as there are slots for
        (ExpertCache.in_order, .least), the others as slots come free. Whoever stops early closes the iterator. Raises Cancelled
        within 100 ms, StorageError, BadContainer (a record's checksum differs at its first read), TakenBack; RuntimeError while
        another stream is open.
        """
        self._refuse_closed()
        if self._open:
            raise RuntimeError("Another stream is open; end or close it first.")
        self._open = True
        try:
            cancel.check()
            if self._making:
                self.forget_wrong()
            if self.recorder is not None:
                self.recorder.note(ordinal, experts, rows, uses)
            if self._store.pending:
                self._settle(0)
            addresses, ready = self._cache.access(ordinal, experts, rows, uses)
            if self._guesses.open:
                self._guesses.begin(ordinal, (ordinal * self._width + experts).tolist())
            if ready == len(experts):
                if self._guesses.wanted:
                    self._read_ahead(ordinal, experts)
                # Nothing else is read or evicted before this batch is done, so it needs no holding.
                yield self._every[:ready], addresses
            else:
                yield from self._fetch(ordinal, experts, addresses, cancel)
        finally:
            self._open = False

    def forget_wrong(self) -> None:
        """Empty the slots of experts of a container in the making that turned out wrong. Raises TakenBack where one was used."""
        keys, used = self._store.taken_back()
        for key in keys:
            self._cache.forget(key)
        if used:
            raise TakenBack(say(
                "A part of this model that came ahead of its download was damaged on its way, and answers until now may be wrong. "
                "It is fetched again: ask again. If this comes back, open the model again."
            ))

    @property
    def waits(self) -> str:
        """What an expert that is not on the drive yet waits for, as a phrase; empty where none is waited for."""
        return self._store.waits

    def finished(self, files: Sequence[ExpertFile]) -> None:
        """The container that was in the making is whole: its files, the same ones, have these names. Between streams."""
        while self._store.pending:
            self._settle(WAIT_MS)
        self._store.finished(files)
        self._making = False

    def _fetch(
        self, ordinal: int, experts: npt.NDArray[np.int32], addresses: npt.NDArray[np.int64], cancel: CancelToken
    ) -> Generator[Batch, None, None]:
        cache, store, guesses = self._cache, self._store, self._guesses
        keys = [ordinal * self._width + e for e in experts.tolist()]
        index = {key: i for i, key in enumerate(keys)}
        cached = [key for key, address in zip(keys, addresses.tolist(), strict=True) if address]
        missing = cache.in_order(set(keys).difference(cached))
        reads = _Reads({key for key in missing if cache.loading(key)}, [])
        wanted = [key for key in missing if key not in reads.waiting]
        cache.hold(cached)
        least = cache.least(len(wanted), self.lookahead.active)
        try:
            while cached or wanted or reads.waiting or reads.arrived:
                cancel.check()
                self._refuse_closed()
                if wanted and (slots := cache.reserve(wanted, least - len(reads.waiting) - len(reads.arrived))):
                    store.submit(ordinal, wanted[: len(slots)], slots)
                    reads.waiting.update(wanted[: len(slots)])
                    del wanted[: len(slots)]
                if guesses.wanted and not wanted:
                    guesses.read()
                if reads.waiting and not cached:
                    wanted += self._arrive(reads, 0 if reads.arrived else WAIT_MS)
                elif wanted and not cached and not reads.arrived:
                    guesses.forget()
                    self._settle(WAIT_MS)  # every slot belongs to guesses or to reads that an earlier stream gave up; they come free
                ready = cached or reads.arrived
                # While reads are still to be submitted, half of the slots is computed and the other half is read into.
                batch = ready[: max(min(self._n_slots, PASSING) // 2, 1) if wanted else None]
                if batch:
                    del ready[: len(batch)]
                    yield np.array([index[k] for k in batch], np.int32), np.array([cache.address(k) for k in batch], np.int64)
                    cache.release(batch)
        finally:
            cache.release(keys)
            if reads.waiting and not self._closed:
                store.drop()

    def _read_ahead(self, ordinal: int, experts: npt.NDArray[np.int32]) -> None:
        keys = (ordinal * self._width + experts).tolist()
        self._cache.hold(keys)
        self._guesses.read()
        self._cache.release(keys)

    def _arrive(self, reads: _Reads, timeout_ms: int) -> list[int]:
        """Move what has arrived from waiting to arrived, held; raise the first problem of an awaited read. Returns the dropped ones."""
        problem: EngineError | None = None
        dropped = []
        for key, code, wrong in self._settle(timeout_ms):
            if key not in reads.waiting:
                continue
            reads.waiting.remove(key)
            if wrong is not None:
                problem = problem or wrong
            elif code == DROPPED:
                dropped.append(key)
            else:
                self._cache.hold((key,))
                reads.arrived.append(key)
        if problem is not None:
            raise problem
        return dropped

    def _settle(self, timeout_ms: int) -> list[tuple[int, int, EngineError | None]]:
        """Take note of all ended reads, those of abandoned streams included: (key, code, problem)."""
        out = []
        for key, code in self._store.reap(timeout_ms):
            if code == 0:
                self._cache.loaded(key)
            else:
                self._cache.failed(key)
            if self._guesses.ended(key, code == 0) and code:
                code = DROPPED  # whoever needs it reads it again, and is told if that fails
            out.append((key, code, None if code in (0, DROPPED) else self._store.problem(key, code)))
        return out

    def _refuse_closed(self) -> None:
        if self._closed:
            raise RuntimeError("The streamer is closed.")

    def close(self) -> None:
        """End after the reads in flight and give the memory back; idempotent."""
        if not self._closed:
            self._closed = True
            self._store.close()
            self._arena.close()


def _width(container: HasExperts) -> int:
    return max((f.n_experts for f in container.experts), default=0)


def _slot_bytes(container: HasExperts) -> int:
    return max((f.layout.stride for f in container.experts), default=0)
