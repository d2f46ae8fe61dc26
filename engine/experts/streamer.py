"""The expert streamer: experts of a layer as they become available, from the cache and from disk, in bounded memory."""

from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from engine.cancel import CancelToken
from engine.container.making import TakenBack
from engine.container.reader import Container, ExpertFile
from engine.errors import OverBudget
from engine.experts.cache import ExpertCache
from engine.experts.counters import Counters
from engine.experts.guesses import Guesses
from engine.experts.lookahead import Lookahead
from engine.experts.missing import WAIT_MS, Batch, Missing
from engine.experts.sizes import slot_bytes, streamer_bytes, width_of
from engine.experts.store import READ_THREADS, ExpertStore
from engine.experts.warm import WarmStart
from engine.words import say
from kernels_pyx.aio import Arena


class Recorder(Protocol):
    """Sees which experts each layer asks for."""

    def note(self, ordinal: int, experts: npt.NDArray[np.int32], rows: int, uses: npt.NDArray[np.int32] | None) -> None:
        """MoE layer `ordinal` needs the distinct `experts` [m] now, by uses [m] (None: all) of `rows` tokens."""


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
        self._width, slot = width_of(container), slot_bytes(container)
        pending = max(min(n_slots, len(files) * self._width), 1)
        self._store = ExpertStore(
            files, self._width, direct, read_threads, pending, getattr(container, "volumes", ()),
            getattr(container, "making", None),
        )
        try:
            self._arena = Arena(max(n_slots * slot, 1), progress=progress)
        except MemoryError:
            self._store.close()
            raise OverBudget(
                say(
                    "The system has no {size} MB of memory left for the expert cache. Close other programs or choose "
                    "a lower memory limit.",
                    size=n_slots * slot // 1_000_000,
                ),
                streamer_bytes(container, n_slots),
                0,
            ) from None
        except BaseException:
            self._store.close()
            raise
        tables = streamer_bytes(container, n_slots) - n_slots * slot
        self.nbytes = (self._arena.nbytes if n_slots else 0) + tables
        self._cache = self._store.slots = ExpertCache(len(files), self._width, self._arena.address, n_slots, slot)
        self.lookahead = Lookahead(lookahead)
        self._guesses = Guesses(self._cache, self._store, self._width, n_slots)
        self._every = np.arange(self._width, dtype=np.int32)
        self._missing = Missing(self._cache, self._store, self._guesses, self._width, n_slots)
        self._warm = WarmStart(self._cache, self._store, self._width, n_slots, [f.n_experts for f in files])
        self._open = False
        self._making = getattr(container, "making", None) is not None

    @property
    def direct(self) -> bool:
        """Whether records are read past the page cache."""
        return self._store.direct

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

    def usage(self) -> npt.NDArray[np.float64]:
        """How much each expert was used [n_layers * width], decayed; for `take_up` at a later opening."""
        return self._cache.usage()

    def take_up(self, usage: npt.NDArray[np.float64]) -> None:
        """Begin with the usage of earlier sessions: victims are chosen by it, and `preload` has something to read.

        Before the first stream only; raises ValueError else.
        """
        self._warm.take_up(usage)

    def preload(self) -> bool:
        """Read a few more of the experts with the most usage into empty slots; whether there are more. Takes about WAIT_MS.

        For the time when nothing else is to be done, between streams. A problem of a read ends it, for whoever needs the expert to meet.
        """
        if self._open or self._store.closed:
            return False
        self._warm.read()
        if any(wrong for _, _, wrong in self._missing.settle(WAIT_MS)):
            self._warm.end()
        return self._warm.wanted or self._store.pending > 0

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
        self._store.refuse_closed()
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
                self._missing.settle(0)
            addresses, ready = self._cache.access(ordinal, experts, rows, uses)
            if self._guesses.open:
                self._guesses.begin(ordinal, (ordinal * self._width + experts).tolist())
            if ready == len(experts):
                if self._guesses.wanted:
                    self._read_ahead(ordinal, experts)
                # Nothing else is read or evicted before this batch is done, so it needs no holding.
                yield self._every[:ready], addresses
            else:
                yield from self._missing.stream(ordinal, experts, addresses, cancel, self.lookahead.active)
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
            self._missing.settle(WAIT_MS)
        self._store.finished(files)
        self._making = False

    def _read_ahead(self, ordinal: int, experts: npt.NDArray[np.int32]) -> None:
        keys = (ordinal * self._width + experts).tolist()
        self._cache.hold(keys)
        self._guesses.read()
        self._cache.release(keys)

    def close(self) -> None:
        """End after the reads in flight and give the memory back; idempotent."""
        self._store.close()
        self._arena.close()
