# Part of linear.pyx: packing, unpacking, Matrix.

cdef int shape(mat *m, str fmt, int64_t rows, int64_t cols, const uint8_t *data) except -1:
    if fmt not in FORMATS:
        raise ValueError(f"unknown weight format {fmt!r}; known are {', '.join(FORMATS)}")
    if not (1 <= rows < 2**31 - 16 and 1 <= cols < 2**31 - 32):
        raise ValueError(f"a matrix needs positive sizes, not [{rows}, {cols}]")
    mat_init(m, <int>FORMATS.index(fmt), <int32_t>rows, <int32_t>cols, data)
    return 0


def packed_bytes(str fmt, rows, cols):
    cdef mat m
    shape(&m, fmt, rows, cols, NULL)
    return mat_bytes(&m)


cdef object plain(object w, object dtype, str what):
    """A contiguous, aligned 2-D view or copy of w."""
    if not isinstance(w, np.ndarray) or w.dtype != dtype or w.ndim != 2:
        raise ValueError(f"{what} must be a two-dimensional {np.dtype(dtype).name} array")
    return np.require(w, requirements=("C", "A"))


def pack(str fmt, w, isa=None):
    cdef bint bf16 = isinstance(w, np.ndarray) and w.dtype == np.uint16
    w = plain(w, np.uint16 if bf16 else np.float32, "weights")
    cdef mat m
    shape(&m, fmt, w.shape[0], w.shape[1], NULL)
    cdef const uint8_t[::1] v = w.reshape(-1).view(np.uint8)
    out = aligned(mat_bytes(&m))
    cdef uint8_t[::1] o = out
    cdef const kernels *k = kernels_of(isa)
    cdef int64_t bad
    with nogil:
        bad = pack_matrix(k, &m, &v[0], bf16, &o[0])
    if bad >= 0:
        row, col = divmod(bad, m.cols)
        found = w[row, col] if not bf16 else (w[row, col].astype(np.uint32) << np.uint32(16)).view(np.float32)
        raise ValueError(f"{fmt} cannot hold the weight {found} at row {row}, column {col}")
    return out


def pack_mxfp4(blocks, scales):
    cdef const uint8_t[:, ::1] b = plain(blocks, np.uint8, "blocks")
    cdef const uint8_t[:, ::1] s = plain(scales, np.uint8, "scales")
    if b.shape[0] != s.shape[0] or b.shape[1] != 16 * s.shape[1]:
        raise ValueError(f"blocks {blocks.shape} need scales ({blocks.shape[0]}, {blocks.shape[1] / 16:g}), not {scales.shape}")
    cdef mat m
    shape(&m, "mxfp4", b.shape[0], 2 * b.shape[1], NULL)
    out = aligned(mat_bytes(&m))
    cdef uint8_t[::1] o = out
    cdef int64_t bad
    with nogil:
        bad = pack_published_mxfp4(&m, &b[0, 0], &s[0, 0], &o[0])
    if bad >= 0:
        row, block = divmod(bad, m.blocks)
        raise ValueError(f"the mxfp4 scale of row {row}, block {block} is 255, which is not a number")
    return out


def unpack_mxfp4(rows, cols, data):
    cdef Matrix w = Matrix("mxfp4", rows, cols, data)
    if cols % 32:
        raise ValueError(f"published mxfp4 has whole blocks of 32 columns, not {cols} columns")
    blocks = np.empty((rows, cols // 2), dtype=np.uint8)
    scales = np.empty((rows, cols // 32), dtype=np.uint8)
    cdef uint8_t[:, ::1] b = blocks, s = scales
    with nogil:
        unpack_published_mxfp4(&w.m, &b[0, 0], &s[0, 0])
    return blocks, scales


def unpack(str fmt, rows, cols, data):
    cdef Matrix w = Matrix(fmt, rows, cols, data)
    out = np.empty((rows, cols), dtype=np.float32)
    cdef float[:, ::1] o = out
    with nogil:
        unpack_matrix(&w.m, &o[0, 0])
    return out


cdef class Matrix:
    def __init__(self, str fmt, rows, cols, data):
        shape(&self.m, fmt, rows, cols, NULL)
        self.fmt = fmt
        self.rows = rows
        self.cols = cols
        self.nbytes = mat_bytes(&self.m)
        if not isinstance(data, np.ndarray) or data.dtype != np.uint8 or data.ndim != 1:
            raise ValueError("packed weights must be a one-dimensional uint8 array")
        cdef const uint8_t[::1] view = data
        if view.shape[0] != self.nbytes:
            raise ValueError(f"a packed {fmt} matrix [{rows}, {cols}] has {self.nbytes} bytes, not {view.shape[0]}")
        if <uintptr_t>&view[0] % 64:
            raise ValueError("packed weights must begin at a multiple of 64 bytes")
        self.m.data = &view[0]
        self._data = data

    def lookup(self, ids, Rows out not None, float scale=1.0):
        cdef const int32_t[:] v = ids
        cdef Py_ssize_t i, n = v.shape[0]
        if out.width != self.cols or n > out.capacity:
            raise ValueError(f"{n} rows of {self.cols} columns do not fit Rows({out.capacity}, {out.width})")
        for i in range(n):
            if v[i] < 0 or v[i] >= self.rows:
                raise IndexError(f"row {v[i]} is not in a matrix of {self.rows} rows")
        with nogil:
            for i in range(n):
                decode_row(&self.m, v[i], scale, out.data + i * out.width)
