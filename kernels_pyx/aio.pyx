"""Direct reads in flight: a small pool of C threads that pread into memory; demand reads pass prefetches."""

import os
import sys

cimport cython
from cpython.buffer cimport PyBuffer_FillInfo
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t, intptr_t

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
    aio_reader *aio_new(int threads, int max_pending) nogil
    int aio_submit(aio_reader *r, aio_file *f, int n, const int64_t *offsets, const int64_t *addresses, int64_t nbytes,
                   const int64_t *tags, int priority) nogil
    int aio_reap(aio_reader *r, int64_t wait_ms, int max, int64_t *tags, int32_t *errors) nogil
    int aio_drop(aio_reader *r, int priority) nogil
    int aio_pending(aio_reader *r) nogil
    void aio_counters(aio_reader *r, int64_t *bytes, int64_t *busy_ns) nogil
    void aio_stop(aio_reader *r) nogil
    void aio_free(aio_reader *r) nogil
    void *aio_map(int64_t nbytes, int *locked) nogil
    void aio_unmap(void *p, int64_t nbytes) nogil

DEMAND = AIO_DEMAND
PREFETCH = AIO_PREFETCH

cdef enum:
    BATCH = 64
    SLICE_MS = 100  # a wait looks for Ctrl-C this often


cdef object system_error(int code, path):
    if sys.platform == "win32":
        import ctypes
        return OSError(0, ctypes.FormatError(code), path, code)
    return OSError(code, os.strerror(code), path)


cdef class DirectFile:
    """A file opened for unbuffered reads (O_DIRECT, F_NOCACHE, FILE_FLAG_NO_BUFFERING), probed with one read.

    direct: False where the file system refused and plain reads are used; `why` then holds the system's words.
    Raises OSError when the file cannot be opened at all.
    """

    cdef aio_file *file
    cdef readonly str path
    cdef readonly int64_t nbytes
    cdef readonly bint direct
    cdef readonly str why

    def __init__(self, path, bint direct=True):
        cdef int error = 0, refused = 0
        cdef bytes name = os.fsencode(path)
        cdef const char *p = name
        if self.file != NULL:
            raise RuntimeError("the file is already open")
        if b"\0" in name:
            raise ValueError("a path holds no null byte")
        self.path = os.fspath(path)
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
    """Page-aligned memory, touched and (where allowed) locked at creation; .array u8 view, .address int, .locked bool.

    The pages are given back when close() was called and no other view of them lives. Raises MemoryError.
    """

    cdef readonly object array
    cdef readonly int64_t address
    cdef readonly int64_t nbytes
    cdef readonly bint locked

    def __init__(self, int64_t nbytes, bint lock=False):
        cdef _Pages pages = _Pages()
        cdef int locked = lock
        cdef void *p
        if nbytes <= 0:
            raise ValueError(f"an arena has at least one byte, not {nbytes}")
        with nogil:
            p = aio_map(nbytes, &locked)
        if p == NULL:
            raise MemoryError(f"the system gave no {nbytes} bytes")
        pages.p = p
        pages.nbytes = nbytes
        self.array = np.frombuffer(pages, np.uint8)
        self.address = <int64_t><intptr_t>p
        self.nbytes = nbytes
        self.locked = locked

    def close(self):
        """Give up this view; idempotent. The array is empty afterwards."""
        if self.array is not None:
            self.array = np.empty(0, np.uint8)
            self.address = 0


cdef class Reader:
    """Submit and reap reads. A buffer belongs to the reader from submit until its completion is reaped."""

    cdef aio_reader *reader
    cdef int max_pending

    def __init__(self, int threads=4, int max_pending=4096):
        if self.reader != NULL:
            raise RuntimeError("the reader is already open")
        if not 1 <= threads <= 256:
            raise ValueError(f"threads is 1 to 256, not {threads}")
        if max_pending < 1:
            raise ValueError(f"max_pending is at least 1, not {max_pending}")
        self.max_pending = max_pending
        self.reader = aio_new(threads, max_pending)
        if self.reader == NULL:
            raise MemoryError("the system gave no memory or no thread for reads")

    def submit(self, DirectFile file not None, const int64_t[::1] offsets, const int64_t[::1] addresses, int64_t nbytes,
               const int64_t[::1] tags, int priority=0):
        """Queue one read of nbytes bytes for each offset; all or none. Raises ValueError for what is not aligned or too many."""
        cdef Py_ssize_t n = offsets.shape[0], i
        cdef int failed
        if n == 0:
            return
        if addresses.shape[0] != n or tags.shape[0] != n:
            raise ValueError("offsets, addresses and tags have one length")
        if priority != AIO_DEMAND and priority != AIO_PREFETCH:
            raise ValueError(f"priority is DEMAND or PREFETCH, not {priority}")
        if file.file == NULL:
            raise ValueError(f"{file.path} is closed")
        if nbytes <= 0 or nbytes % AIO_BLOCK:
            raise ValueError(f"nbytes is a positive multiple of {AIO_BLOCK}, not {nbytes}")
        for i in range(n):
            if offsets[i] < 0 or offsets[i] % AIO_BLOCK or addresses[i] <= 0 or addresses[i] % AIO_BLOCK:
                raise ValueError(f"read {i}: offset {offsets[i]} and address {addresses[i]} are multiples of {AIO_BLOCK}")
        if n > self.max_pending:
            raise ValueError(f"{n} reads are more than max_pending = {self.max_pending}")
        with nogil:
            failed = aio_submit(self.reader, file.file, <int>n, &offsets[0], &addresses[0], nbytes, &tags[0], priority)
        if failed:
            raise ValueError(f"the reader is closed, or {n} more reads pass max_pending = {self.max_pending}")

    def reap(self, bint wait, int64_t timeout_ms=-1):
        """Completions so far as (tag, error): 0, an errno, or -1 for a short read; -2 for a read dropped by drop().

        wait: until there is one, at most timeout_ms (-1: without end); returns at once where nothing is pending.
        """
        cdef int64_t tags[BATCH]
        cdef int32_t errors[BATCH]
        cdef int64_t slice_ms
        cdef int n, i
        cdef list out = []
        while True:
            slice_ms = 0 if not wait or out else (SLICE_MS if timeout_ms < 0 else min(<int64_t>SLICE_MS, timeout_ms))
            if slice_ms:
                with nogil:
                    n = aio_reap(self.reader, slice_ms, BATCH, tags, errors)
            else:
                n = aio_reap(self.reader, 0, BATCH, tags, errors)
            for i in range(n):
                out.append((tags[i], errors[i]))
            if n == BATCH:
                continue
            if out or not slice_ms or aio_pending(self.reader) == 0:
                return out
            PyErr_CheckSignals()
            if timeout_ms >= 0:
                timeout_ms -= slice_ms

    def drop(self, int priority):
        """Take the waiting reads of this priority out of the queue; they complete with -2. Returns how many."""
        if priority != AIO_DEMAND and priority != AIO_PREFETCH:
            raise ValueError(f"priority is DEMAND or PREFETCH, not {priority}")
        return aio_drop(self.reader, priority)

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

    def close(self):
        """Drop what waits and end after the reads in flight; their completions can still be reaped. Idempotent."""
        with nogil:
            aio_stop(self.reader)

    def __dealloc__(self):
        if self.reader != NULL:
            with nogil:
                aio_free(self.reader)
