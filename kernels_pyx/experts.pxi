# Part of linear.pyx: gated FFNs whose weights lie in records.

cdef class Experts:
    def __init__(self, int d_in, int d_hidden, int d_out, gate, up, down, str act, *, act_params=(), biases=None):
        shape(&self.gate, gate[0], d_hidden, d_in, NULL)
        shape(&self.up, up[0], d_hidden, d_in, NULL)
        shape(&self.down, down[0], d_out, d_hidden, NULL)
        self.gate_at, self.up_at, self.down_at = gate[1], up[1], down[1]
        self.gate_bias_at, self.up_bias_at, self.down_bias_at = (-1, -1, -1) if biases is None else biases
        act_of(act, act_params, &self.act, &self.p0, &self.p1)
        self.prepared = -1

    def __dealloc__(self):
        free(self.parts)
        free(self.products)

    cdef bint _quantizes(self, Compute c) noexcept:
        return not c.exact and (quantized(&self.gate) or quantized(&self.up))

    cdef int _reserve(self, int count) except -1:
        if count <= self.capacity:
            return 0
        cdef gated *parts = <gated *>realloc(self.parts, count * sizeof(gated))
        if parts != NULL:
            self.parts = parts
        cdef product *products = <product *>realloc(self.products, count * sizeof(product))
        if products != NULL:
            self.products = products
        if parts == NULL or products == NULL:
            raise MemoryError
        self.capacity = count
        return 0

    def prepare(self, Compute c not None, Rows x not None, int n):
        cdef acts a
        cdef int stopped = 0
        check_scratch(c, n, self.gate.cols)
        check_rows(x, 0, n, self.gate.cols)
        self.prepared = n
        if n and self._quantizes(c):
            with nogil:
                stopped = make_input(c, x, 0, n, self.gate.cols, NULL, 0.0, NULL, True, False, c.q_experts, &a)
            if stopped:
                self.prepared = -1
                raise Interrupted

    def run(self, Compute c not None, Rows x not None, Groups groups not None, const int32_t[:] which, const int64_t[:] addresses,
            Rows hidden not None, Rows out not None):
        cdef int i, e, stopped, count = <int>which.shape[0]
        cdef bint in_place = quantized(&self.down) and not c.exact
        c.check()
        if addresses.shape[0] != count:
            raise ValueError(f"{count} experts need as many addresses, not {addresses.shape[0]}")
        cdef int n = groups.n_pairs // groups.top_k
        if n > self.prepared:
            raise ValueError(f"groups of {n} rows need a prepare of as many rows")
        check_rows(x, 0, n, self.gate.cols)
        check_hidden(hidden, groups.n_pairs, self.gate.rows, in_place)
        check_out(out, groups.n_pairs, self.down.rows, "the output")
        for i in range(count):
            if which[i] < 0 or which[i] >= groups.n_experts:
                raise IndexError(f"group {which[i]} is not among {groups.n_experts} groups")
        if count == 0:
            return
        self._reserve(count)
        with nogil:
            for i in range(count):
                self._fill(i, c, x, groups, which[i], <const uint8_t *>addresses[i], hidden, out, in_place)
            stopped = run_gated(c, self.parts, count, self.act, self.p0, self.p1)
            stopped = stopped or run_products(c, self.products, count)
        if stopped:
            raise Interrupted

    cdef void _fill(self, int i, Compute c, Rows x, Groups groups, int group, const uint8_t *record, Rows hidden, Rows out,
                    bint in_place) noexcept nogil:
        cdef gated *g = &self.parts[i]
        cdef product *d = &self.products[i]
        cdef int32_t start = groups.starts_data[group]
        memset(g, 0, sizeof(gated))
        memset(d, 0, sizeof(product))
        g.gate = self.gate
        g.up = self.up
        d.w = self.down
        g.gate.data = record + self.gate_at
        g.up.data = record + self.up_at
        d.w.data = record + self.down_at
        if self.gate_bias_at >= 0:
            g.gate_bias = <const float *>(record + self.gate_bias_at)
            g.up_bias = <const float *>(record + self.up_bias_at)
            d.bias = <const float *>(record + self.down_bias_at)
        g.rows.x.x = x.data
        g.rows.x.x_stride = x.width
        g.rows.x.q = c.q_experts
        g.rows.x.q_stride = q_stride(self.gate.cols)
        g.rows.in_rows = groups.rows_data + start
        g.rows.out_rows = groups.pairs_data + start
        g.rows.n = groups.starts_data[group + 1] - start
        g.hidden = hidden.data
        g.hidden_stride = hidden.width
        g.quantize = in_place
        d.rows.x.x = hidden.data
        d.rows.x.x_stride = hidden.width
        d.rows.x.q = <int8_t *>hidden.data
        d.rows.x.q_stride = 4 * <int64_t>hidden.width
        d.rows.in_rows = groups.pairs_data + start
        d.rows.out_rows = groups.pairs_data + start
        d.rows.n = g.rows.n
        d.out = out.data
        d.out_stride = out.width
