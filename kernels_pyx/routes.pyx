"""Chosen experts of some rows, and the same rows grouped by expert."""

import numpy as np

from libc.stdint cimport int32_t


cdef int32_t *int_data(object array):
    cdef int32_t[::1] view = array
    return &view[0]


cdef class Routes:
    def __init__(self, int capacity, int top_k):
        if capacity < 1 or top_k < 1:
            raise ValueError(f"Routes needs a positive capacity and top_k, not {capacity} and {top_k}")
        self.capacity = capacity
        self.top_k = top_k
        self.ids = np.zeros((capacity, top_k), dtype=np.int32)
        self.weights = np.zeros((capacity, top_k), dtype=np.float32)
        self.nbytes = self.ids.nbytes + self.weights.nbytes
        self.ids_data = int_data(self.ids.reshape(-1))
        cdef float[:, ::1] weights = self.weights
        self.weights_data = &weights[0, 0]


cdef class Groups:
    def __init__(self, int capacity, int top_k, int n_experts):
        if capacity < 1 or top_k < 1 or n_experts < 1:
            raise ValueError(f"Groups needs positive numbers, not {capacity}, {top_k} and {n_experts}")
        self.capacity = capacity
        self.top_k = top_k
        self.total = n_experts
        self.experts = np.zeros(n_experts, dtype=np.int32)
        self.starts = np.zeros(n_experts + 1, dtype=np.int32)
        self.rows = np.zeros(capacity * top_k, dtype=np.int32)
        self.pairs = np.zeros(capacity * top_k, dtype=np.int32)
        self.experts_data = int_data(self.experts)
        self.starts_data = int_data(self.starts)
        self.rows_data = int_data(self.rows)
        self.pairs_data = int_data(self.pairs)
        counts = np.zeros(n_experts, dtype=np.int32)
        self._counts = counts
        self.nbytes = sum(a.nbytes for a in (self.experts, self.starts, self.rows, self.pairs, counts))

    def fill(self, Routes routes not None, int n):
        if routes.top_k != self.top_k or n < 0 or n > self.capacity or n > routes.capacity:
            raise ValueError(
                f"{n} rows of top_k {routes.top_k} (capacity {routes.capacity}) do not fit groups of {self.capacity} rows of top_k {self.top_k}"
            )
        cdef int32_t *counts = &self._counts[0]
        cdef int32_t bad
        with nogil:
            bad = self._sort(routes.ids_data, n, counts)
        if bad >= 0:
            self.n_experts = self.n_pairs = 0
            raise ValueError(f"expert id {routes.ids_data[bad]} of row {bad // self.top_k} is not under {self.total}")

    cdef int32_t _sort(self, const int32_t *ids, int n, int32_t *counts) noexcept nogil:
        """Counting sort; counts become the next free place of each expert. Returns the first pair with a wrong id, or -1."""
        cdef int32_t p, e, at = 0, m = 0, pairs = n * self.top_k
        for e in range(self.total):
            counts[e] = 0
        for p in range(pairs):
            if ids[p] < 0 or ids[p] >= self.total:
                return p
            counts[ids[p]] += 1
        for e in range(self.total):
            if counts[e]:
                self.experts_data[m] = e
                self.starts_data[m] = at
                m += 1
                at += counts[e]
                counts[e] = at - counts[e]
        self.starts_data[m] = at
        for p in range(pairs):
            e = ids[p]
            self.rows_data[counts[e]] = p // self.top_k
            self.pairs_data[counts[e]] = p
            counts[e] += 1
        self.n_experts = m
        self.n_pairs = pairs
        return -1
