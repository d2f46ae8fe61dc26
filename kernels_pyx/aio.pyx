"""Direct reads in flight: C threads of each drive that pread into memory; demand reads pass prefetches."""

import os
import sys
from collections import namedtuple

cimport cython
from cpython.buffer cimport PyBuffer_FillInfo
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int64_t, intptr_t, uint64_t

import numpy as np

cdef extern from "aio.h":
    ctypedef struct aio_file:
        pass
    ctypedef struct aio_reader:
        pass
    enum:
        AIO_BLOCK
        AIO_DEMAND
        AIO_PREFETCH
    aio_file *aio_open(const char *path, int direct, int *error, int *direct_error) nogil
    void aio_release(aio_file *f) nogil
    int64_t aio_file_bytes(const aio_file *f) nogil
    int aio_file_direct(const aio_file *f) nogil
    enum:
        AIO_LANES
        AIO_COPIES
    ctypedef struct aio_lane_stats:
        int64_t bytes, reads, busy_ns, oldest_ns, flight_bytes
        double rate
        int enabled
    aio_reader *aio_new(int lanes, int threads, int64_t part_bytes, int max_pending) nogil
    int aio_submit(aio_reader *r, int n_copies, aio_file **files, const int *lanes, int n, const int64_t *offsets,
                   const int64_t *addresses, int64_t nbytes, const int64_t *tags, int priority) nogil
    ctypedef struct aio_done:
        int64_t tag
        int error, lane, n_copies
        uint64_t parts[AIO_COPIES]
    int aio_reap(aio_reader *r, int64_t wait_ms, int max, aio_done *out) nogil
    int aio_drop(aio_reader *r, int priority) nogil
    int aio_drop_tags(aio_reader *r, int n, const int64_t *tags) nogil
    int aio_promote(aio_reader *r, int n, const int64_t *tags) nogil
    int aio_pending(aio_reader *r) nogil
    void aio_counters(aio_reader *r, int64_t *bytes, int64_t *busy_ns) nogil
    void aio_lane_state(aio_reader *r, int lane, aio_lane_stats *out) nogil
    int aio_stuck(aio_reader *r, int lane, int64_t age_ns, int max, int64_t *tags) nogil
    void aio_enable(aio_reader *r, int lane, int enabled) nogil
    void aio_limit(aio_reader *r, int lane, double bytes_per_second) nogil
    void aio_stop(aio_reader *r) nogil
    void aio_free(aio_reader *r) nogil
    void *aio_map(int64_t nbytes) nogil
    void aio_touch(void *p, int64_t nbytes) nogil
    int aio_pin(void *p, int64_t nbytes) nogil
    void aio_unmap(void *p, int64_t nbytes) nogil

DEMAND = AIO_DEMAND
PREFETCH = AIO_PREFETCH
LANES = AIO_LANES
COPIES = AIO_COPIES
SHORT = -1
DROPPED = -2

cdef enum:
    BATCH = 64
    SLICE_MS = 100  # a wait looks for Ctrl-C this often
    PART_BYTES = 1 << 20
    TOUCHED = 4 << 20  # bytes of an arena that are touched or locked at once, some milliseconds

LaneState = namedtuple("LaneState", "bytes_read reads busy_seconds oldest_seconds flight_bytes rate enabled")
cdef int64_t ARENA_MOST = <int64_t>1 << 56  # beyond any machine; keeps sums of sizes within 64 bits


cdef object system_error(int code, path):
    if sys.platform == "win32":
        import ctypes
        return OSError(0, ctypes.FormatError(code), path, code)
    return OSError(code, os.strerror(code), path)


cdef class DirectFile:
    """A file opened for unbuffered reads (O_DIRECT, F_NOCACHE, FILE_FLAG_NO_BUFFERING), probed with one read.

    direct: False where the file system refused and plain reads are used; `why` then holds the system's words. lane: the drive that
    it lies on, as the reader counts them. Raises OSError when the file cannot be opened at all.
    """

    cdef aio_file *file
    cdef readonly int lane
    cdef readonly str path
    cdef readonly int64_t nbytes
    cdef readonly bint direct
    cdef readonly str why

    def __init__(self, path, bint direct=True, int lane=0):
        cdef int error = 0, refused = 0
        cdef bytes name = os.fsencode(path)
        cdef const char *p = name
        if self.file != NULL:
            raise RuntimeError("the file is already open")
        if b"\0" in name:
            raise ValueError("a path holds no null byte")
        self.path = os.fspath(path)
        self.lane = lane
        with nogil:
            self.file = aio_open(p, direct, &error, &refused)
        if self.file == NULL:
            raise system_error(error, self.path)
        self.nbytes = aio_file_bytes(self.file)
        self.direct = aio_file_direct(self.file)
        self.why = str(system_error(refused, self.path).strerror) if refused else ""

    def close(self):
        """Close the file once the reads that use it have ended; idempotent."""
        if self.file != NULL:
            aio_release(self.file)
            self.file = NULL

    def __dealloc__(self):
        if self.file != NULL:
            aio_release(self.file)


@cython.final
cdef class _Pages:
    """Mapped pages, given back when the last view of them is gone."""

    cdef void *p
    cdef int64_t nbytes

    def __getbuffer__(self, Py_buffer *view, int flags):
        PyBuffer_FillInfo(view, self, self.p, self.nbytes, 0, flags)

    def __dealloc__(self):
        if self.p != NULL:
            aio_unmap(self.p, self.nbytes)


cdef class Arena:
    """Page-aligned memory; .array u8 [nbytes], .address int, .nbytes of its whole pages, .taken bytes given out by take().

    touch: have all pages now, else each when it is first used. progress(fraction) is called before each of the pieces in which that
    is done; what it raises ends the making. lock: keep the pages in RAM where the system allows it; .locked tells, .why has its words.
    The pages are given back when close() was called and no other view of them lives. Raises MemoryError.
    """

    cdef readonly object array
    cdef readonly int64_t address
    cdef readonly int64_t nbytes
    cdef readonly int64_t taken
    cdef readonly bint locked
    cdef readonly str why

    def __init__(self, int64_t nbytes, bint lock=False, progress=None, bint touch=True):
        cdef _Pages pages = _Pages()
        cdef void *p
        if nbytes <= 0:
            raise ValueError(f"an arena has at least one byte, not {nbytes}")
        self.nbytes = (min(nbytes, ARENA_MOST) + AIO_BLOCK - 1) // AIO_BLOCK * AIO_BLOCK
        with nogil:
            p = aio_map(self.nbytes)
        if p == NULL:
            raise MemoryError(f"the system gave no {nbytes} bytes")
        pages.p = p
        pages.nbytes = self.nbytes
        self.array = np.frombuffer(pages, np.uint8)[:nbytes]
        self.address = <int64_t><intptr_t>p
        self.why = ""
        if touch:
            self.touch(progress)
        if lock:
            self.lock(progress)

    def touch(self, progress=None):
        """Have all pages; keeps what they hold. progress as in the constructor."""
        cdef int64_t at = 0, n
        cdef char *p = <char *><intptr_t>self.address
        while at < self.nbytes and p != NULL:
            if progress is not None:
                progress(<double>at / self.nbytes)
            n = min(<int64_t>TOUCHED, self.nbytes - at)
            with nogil:
                aio_touch(p + at, n)
            at += n

    def lock(self, progress=None):
        """Keep the pages in RAM, and have those that are missing. Where the system refuses, .locked stays False and .why tells."""
        cdef int64_t at = 0, n
        cdef int error = 0
        cdef char *p = <char *><intptr_t>self.address
        while at < self.nbytes and p != NULL and not error:
            if progress is not None:
                progress(<double>at / self.nbytes)
            n = min(<int64_t>TOUCHED, self.nbytes - at)
            with nogil:
                error = aio_pin(p + at, n)
            at += n
        self.locked = p != NULL and not error
        self.why = str(system_error(error, "").strerror) if error else ""

    def take(self, int64_t nbytes):
        """The next nbytes as a u8 view at a multiple of 64. Raises MemoryError where less is left."""
        cdef int64_t start = (self.taken + 63) // 64 * 64
        if nbytes < 0 or nbytes > self.array.shape[0] - start:
            raise MemoryError(f"{nbytes} bytes of an arena of {self.array.shape[0]}, of which {self.taken} are taken")
        self.taken = start + nbytes
        return self.array[start:self.taken]

    def close(self):
        """Give up this view; idempotent. The array is empty afterwards."""
        if self.array is not None:
            self.array = np.empty(0, np.uint8)
            self.address = 0


cdef class Reader:
    """Submit and reap reads. A buffer belongs to the reader from submit until its completion is reaped."""

    cdef aio_reader *reader
    cdef readonly int lanes
    cdef int max_pending

    def __init__(self, int threads=4, int max_pending=4096, int lanes=1, int64_t part_bytes=PART_BYTES):
        if self.reader != NULL:
            raise RuntimeError("the reader is already open")
        if not 1 <= threads <= 256:
            raise ValueError(f"threads is 1 to 256, not {threads}")
        if max_pending < 1:
            raise ValueError(f"max_pending is at least 1, not {max_pending}")
        if not 1 <= lanes <= AIO_LANES:
            raise ValueError(f"lanes is 1 to {AIO_LANES}, not {lanes}")
        if part_bytes <= 0 or part_bytes % AIO_BLOCK:
            raise ValueError(f"part_bytes is a positive multiple of {AIO_BLOCK}, not {part_bytes}")
        self.max_pending = max_pending
        self.lanes = lanes
        self.reader = aio_new(lanes, threads, part_bytes, max_pending)
        if self.reader == NULL:
            raise MemoryError("the system gave no memory or no thread for reads")

    def submit(self, files, const int64_t[::1] offsets, const int64_t[::1] addresses, int64_t nbytes, const int64_t[::1] tags,
               int priority=0):
        """Queue one read of nbytes bytes for each offset; all or none. Raises ValueError for what is not aligned or too many.

        files: a DirectFile, or several on different lanes that hold the same bytes, of which each part is read where it ends first.
        """
        cdef Py_ssize_t n = offsets.shape[0], i
        cdef int failed, n_copies = 0, lane
        cdef aio_file *opened[AIO_COPIES]
        cdef int on[AIO_COPIES]
        cdef DirectFile file
        if n == 0:
            return
        if addresses.shape[0] != n or tags.shape[0] != n:
            raise ValueError("offsets, addresses and tags have one length")
        if priority != AIO_DEMAND and priority != AIO_PREFETCH:
            raise ValueError(f"priority is DEMAND or PREFETCH, not {priority}")
        for file in (files,) if isinstance(files, DirectFile) else files:
            if n_copies == AIO_COPIES:
                raise ValueError(f"a read has at most {AIO_COPIES} copies")
            if file.file == NULL:
                raise ValueError(f"{file.path} is closed")
            for i in range(n_copies):
                if on[i] == file.lane:
                    raise ValueError(f"two copies lie on lane {file.lane}")
            if not 0 <= file.lane < self.lanes:
                raise ValueError(f"{file.path} lies on lane {file.lane}, and this reader has {self.lanes}")
            opened[n_copies] = file.file
            on[n_copies] = file.lane
            n_copies += 1
        if n_copies == 0:
            raise ValueError("a read needs a file")
        if nbytes <= 0 or nbytes % AIO_BLOCK:
            raise ValueError(f"nbytes is a positive multiple of {AIO_BLOCK}, not {nbytes}")
        for i in range(n):
            if offsets[i] < 0 or offsets[i] % AIO_BLOCK or addresses[i] <= 0 or addresses[i] % AIO_BLOCK:
                raise ValueError(f"read {i}: offset {offsets[i]} and address {addresses[i]} are multiples of {AIO_BLOCK}")
        if n > self.max_pending:
            raise ValueError(f"{n} reads are more than max_pending = {self.max_pending}")
        with nogil:
            failed = aio_submit(self.reader, n_copies, opened, on, <int>n, &offsets[0], &addresses[0], nbytes, &tags[0], priority)
        if failed:
            raise ValueError(f"the reader is closed, or {n} more reads pass max_pending = {self.max_pending}")

    def reap(self, bint wait, int64_t timeout_ms=-1):
        """Completions so far as (tag, error, lane, parts): 0, an errno with its lane, SHORT with its lane, or DROPPED.

        parts: for each copy of the read a bit for each part that it was asked for, () for a read without copies.

        wait: until there is one, at most timeout_ms (-1: without end); returns at once where nothing is pending.
        """
        cdef aio_done done[BATCH]
        cdef int64_t slice_ms
        cdef int n, i, c
        cdef list out = []
        while True:
            slice_ms = 0 if not wait or out else (SLICE_MS if timeout_ms < 0 else min(<int64_t>SLICE_MS, timeout_ms))
            if slice_ms:
                with nogil:
                    n = aio_reap(self.reader, slice_ms, BATCH, done)
            else:
                n = aio_reap(self.reader, 0, BATCH, done)
            for i in range(n):
                parts = tuple([done[i].parts[c] for c in range(done[i].n_copies)]) if done[i].n_copies > 1 else ()
                out.append((done[i].tag, done[i].error, done[i].lane, parts))
            if n == BATCH:
                continue
            if out or not slice_ms or aio_pending(self.reader) == 0:
                return out
            PyErr_CheckSignals()
            if timeout_ms >= 0:
                timeout_ms -= slice_ms

    def drop(self, int priority):
        """Begin no further part of the waiting reads of this priority; they complete with DROPPED. Returns how many."""
        if priority != AIO_DEMAND and priority != AIO_PREFETCH:
            raise ValueError(f"priority is DEMAND or PREFETCH, not {priority}")
        return aio_drop(self.reader, priority)

    def drop_tags(self, const int64_t[::1] tags):
        """The same for the waiting reads of these tags, whatever their priority."""
        return aio_drop_tags(self.reader, <int>tags.shape[0], &tags[0]) if tags.shape[0] else 0

    def promote(self, const int64_t[::1] tags):
        """Make demand reads of the waiting prefetches among these tags. Returns how many there were."""
        return aio_promote(self.reader, <int>tags.shape[0], &tags[0]) if tags.shape[0] else 0

    @property
    def pending(self):
        """Reads submitted and not yet reaped."""
        return aio_pending(self.reader)

    @property
    def bytes_read(self):
        """Bytes that reads have delivered since creation."""
        cdef int64_t nbytes, ns
        aio_counters(self.reader, &nbytes, &ns)
        return nbytes

    @property
    def busy_seconds(self):
        """Seconds with at least one read in flight since creation."""
        cdef int64_t nbytes, ns
        aio_counters(self.reader, &nbytes, &ns)
        return ns * 1e-9

    def lane(self, int lane):
        """What one drive did and does, as a LaneState."""
        cdef aio_lane_stats s
        self._check_lane(lane)
        aio_lane_state(self.reader, lane, &s)
        return LaneState(s.bytes, s.reads, s.busy_ns * 1e-9, s.oldest_ns * 1e-9, s.flight_bytes, s.rate, bool(s.enabled))

    def stuck(self, int lane, double seconds):
        """Tags of the reads with a part in flight on this lane for longer than that; one may occur twice."""
        cdef int64_t tags[256]
        cdef int n, i
        self._check_lane(lane)
        n = aio_stuck(self.reader, lane, <int64_t>(seconds * 1e9), 256, tags)
        return [tags[i] for i in range(n)]

    def enable(self, int lane, bint enabled):
        """Whether this lane takes reads that another lane can do as well."""
        self._check_lane(lane)
        aio_enable(self.reader, lane, enabled)

    def limit(self, int lane, double bytes_per_second):
        """Hold a lane to a rate, for measurements and tests: its reading threads sleep. 0 is no limit."""
        self._check_lane(lane)
        if not 0 <= bytes_per_second < 1e15:
            raise ValueError(f"bytes_per_second is a rate, not {bytes_per_second}")
        aio_limit(self.reader, lane, bytes_per_second)

    def _check_lane(self, int lane):
        if not 0 <= lane < self.lanes:
            raise ValueError(f"lane is 0 to {self.lanes - 1}, not {lane}")

    def close(self):
        """Drop what waits and end after the reads in flight; their completions can still be reaped. Idempotent."""
        with nogil:
            aio_stop(self.reader)

    def __dealloc__(self):
        if self.reader != NULL:
            with nogil:
                aio_free(self.reader)
