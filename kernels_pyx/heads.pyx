"""Products that go head by head over packed weights."""

from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from kernels_pyx.compute import Interrupted

from kernels_pyx.compute cimport Compute, Rows
from kernels_pyx.linear cimport BLOCK, FMT_Q8, Matrix, PANEL, input_job, product, run_input, run_products


cdef class HeadLinear:
    """y[:, h] = W[h] x[:, h] for each head h: weight [n_heads * d_out, d_in], d_out a multiple of 16."""

    cdef Matrix weight
    cdef product *products
    cdef int heads, d_in, d_out

    def __init__(self, Matrix weight not None, int n_heads):
        cdef int h, panels
        if n_heads < 1 or weight.rows % n_heads or weight.rows // n_heads % PANEL:
            raise ValueError(f"{weight.rows} rows do not make {n_heads} heads of a multiple of {PANEL} rows")
        self.weight, self.heads, self.d_in, self.d_out = weight, n_heads, weight.cols, weight.rows // n_heads
        self.products = <product *>calloc(n_heads, sizeof(product))
        if self.products == NULL:
            raise MemoryError
        panels = self.d_out // PANEL
        for h in range(n_heads):
            self.products[h].w = weight.m
            self.products[h].w.rows = self.d_out
            self.products[h].w.panels = panels
            self.products[h].w.data = weight.m.data + weight.m.panel_bytes * panels * h

    def __dealloc__(self):
        free(self.products)

    def __call__(self, Compute c not None, Rows x not None, int n, Rows out not None):
        """x [n, n_heads * stride]: the first d_in of each head's stride numbers count; out [n, n_heads * d_out].

        Raises ValueError for other shapes, Interrupted.
        """
        cdef int stopped = 0, h, stride = x.width // self.heads
        cdef bint quantize = self.weight.m.fmt >= FMT_Q8 and not c.exact
        cdef int64_t q_stride = (self.d_in + BLOCK - 1) // BLOCK * (BLOCK + 8)
        cdef input_job j
        c.check()
        if x.width % self.heads or stride < self.d_in or not 0 <= n <= x.capacity:
            raise ValueError(f"{n} rows of {x.width} do not give {self.heads} heads {self.d_in} numbers each")
        if out.width != self.heads * self.d_out or out.capacity < n or out is x:
            raise ValueError(f"the output must be another buffer of {n} rows of {self.heads * self.d_out}")
        if quantize and n * self.heads * q_stride > <int64_t>c.max_rows * ((c.max_cols + BLOCK - 1) // BLOCK * (BLOCK + 8)):
            raise ValueError(f"{n} rows of {self.heads} heads exceed the scratch of this Compute: {c.max_rows} rows of {c.max_cols}")
        if n == 0:
            return
        with nogil:
            if quantize:
                memset(&j, 0, sizeof(j))
                j.x, j.x_stride, j.n, j.cols = x.data, stride, n * self.heads, self.d_in
                j.q, j.q_stride = c.q, q_stride
                stopped = run_input(c, &j)
            for h in range(self.heads):
                self.products[h].rows.x.x = x.data + <int64_t>h * stride
                self.products[h].rows.x.x_stride = x.width
                self.products[h].rows.x.q = c.q + h * q_stride
                self.products[h].rows.x.q_stride = q_stride * self.heads
                self.products[h].rows.n = n
                self.products[h].out = out.data + <int64_t>h * self.d_out
                self.products[h].out_stride = out.width
            stopped = stopped or run_products(c, self.products, self.heads)
        if stopped:
            raise Interrupted
