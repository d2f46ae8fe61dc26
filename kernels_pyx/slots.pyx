"""Addresses of the items of several groups that are visited in turn, and which item is probably needed last."""

import numpy as np

cimport cython
from libc.math cimport INFINITY, exp2, log2
from libc.stdint cimport int32_t, int64_t, uint8_t

cdef enum:
    SCALES = 3  # that the forecast reads
    KEPT = 4  # and one more that only `habits` reads

cdef float NEVER = -1e30  # log2 of a count without a use


cdef int padded(int n) noexcept:
    cdef int p = 1
    while p < n:
        p *= 2
    return p


@cython.final
cdef class SlotTable:
    cdef readonly int n_groups
    cdef readonly int width
    cdef readonly int64_t step
    cdef int last_group
    cdef int leaves_group  # leaves a group, a power of two
    cdef int leaves
    cdef double rates[KEPT]  # 1 / half-life
    cdef double gains[KEPT]  # 1 - 2 ** -rate: a count times this is a frequency
    cdef double weights[SCALES]
    cdef double floors[SCALES]
    cdef double bias
    cdef int64_t[::1] addresses  # 0: not ready
    cdef int64_t[::1] used  # step of the last use
    cdef float[:, ::1] counts  # log2 of the decayed counts at `used`
    cdef uint8_t[::1] held
    cdef int64_t[::1] visited  # step of the group's last visit
    cdef double[::1] tree  # largest forecast below each node; leaf of a free or held item: -inf

    def __init__(self, int n_groups, int width, half_lives, weights, floors, double bias, double habit):
        if n_groups < 0 or width < 0 or len(half_lives) != SCALES or len(weights) != SCALES or len(floors) != SCALES:
            raise ValueError(f"A table of {n_groups} groups of {width} needs {SCALES} half-lives, weights and floors.")
        cdef int i, n = max(n_groups * width, 1)
        self.n_groups, self.width, self.bias = n_groups, width, bias
        for i in range(KEPT):
            self.rates[i] = 1.0 / (habit if i == SCALES else half_lives[i])
            self.gains[i] = 1.0 - exp2(-self.rates[i])
        for i in range(SCALES):
            self.weights[i], self.floors[i] = weights[i], floors[i]
        self.leaves_group = padded(max(width, 1))
        self.leaves = padded(max(n_groups, 1)) * self.leaves_group
        self.addresses = np.zeros(n, np.int64)
        self.used = np.zeros(n, np.int64)
        self.counts = np.full((n, KEPT), NEVER, np.float32)
        self.held = np.zeros(n, np.uint8)
        self.visited = np.zeros(max(n_groups, 1), np.int64)
        self.tree = np.full(2 * self.leaves, -INFINITY)
        self.step, self.last_group = 0, n_groups

    @staticmethod
    def nbytes_for(int n_groups, int width):
        if n_groups < 1 or width < 1:
            return 0
        return n_groups * (width * (8 + 8 + 4 * KEPT + 1) + 8) + 16 * padded(n_groups) * padded(width)

    def visit(self, int group, const int32_t[::1] items, int rows=1, const int32_t[::1] uses=None):
        cdef Py_ssize_t m = items.shape[0], i
        cdef int ready = 0, e, first = group * self.width
        if not 0 <= group < self.n_groups or rows < 1 or (uses is not None and uses.shape[0] != m):
            raise ValueError(f"Group {group} of {self.n_groups} cannot be visited by {rows} rows.")
        for i in range(m):
            if not 0 <= items[i] < self.width:
                raise ValueError(f"Item {items[i]} is not under {self.width}.")
        out = np.empty(m, np.int64)
        cdef int64_t[::1] found = out
        if group <= self.last_group:
            self.step += rows
        self.last_group = group
        self.visited[group] = self.step
        for i in range(m):
            self._use(first + items[i], rows, 1.0 if uses is None else <double>uses[i] / rows)
            found[i] = self.addresses[first + items[i]]
            ready += found[i] != 0
        self._refresh(group)
        return out, ready

    cdef void _use(self, int key, int rows, double share) noexcept:
        """Count `share` of the last `rows` steps as uses."""
        cdef int i
        cdef double age = <double>(self.step - self.used[key]), more
        for i in range(KEPT):
            more = 1.0 if rows == 1 else (1.0 - exp2(-rows * self.rates[i])) / self.gains[i]
            self.counts[key, i] = <float>log2(exp2(self.counts[key, i] - age * self.rates[i]) + share * more)
        self.used[key] = self.step

    cdef double _forecast(self, int key, bint after_use) noexcept:
        """When the item is probably used again, in group visits since the beginning."""
        cdef int i, group = key // self.width
        cdef int64_t now = self.step if after_use else self.visited[group]
        cdef double age = <double>(now - self.used[key]), count, z = self.bias
        for i in range(SCALES):
            count = self.counts[key, i] - age * self.rates[i]
            if after_use:
                count = log2(exp2(count) + 1.0)
            z += self.weights[i] * max(count + log2(self.gains[i]), self.floors[i])
        # Odds 2 ** z of a use at a visit: 1 / p - 1 = 2 ** -z more rounds beyond the next visit.
        return self.n_groups * (now + 1 + exp2(-z)) + group

    cdef void _refresh(self, int group) noexcept:
        """Forecasts of a group's items after its visit; those of other groups hold until theirs."""
        cdef int e, first = group * self.width, at = self.leaves + group * self.leaves_group, n = self.leaves_group
        for e in range(self.width):
            if self.addresses[first + e] and not self.held[first + e]:
                self.tree[at + e] = self._forecast(first + e, False)
        while at > 1:
            at //= 2
            n = max(n // 2, 1)
            for e in range(at, at + n):
                self.tree[e] = max(self.tree[2 * e], self.tree[2 * e + 1])

    cdef void _set(self, int key, double forecast) noexcept:
        cdef int at = self.leaves + (key // self.width) * self.leaves_group + key % self.width
        self.tree[at] = forecast
        while at > 1:
            at //= 2
            self.tree[at] = max(self.tree[2 * at], self.tree[2 * at + 1])

    cdef int _last(self) noexcept:
        """The free item that is needed last; among equals that of the later group."""
        cdef int at = 1
        while at < self.leaves:
            at = 2 * at + 1 if self.tree[2 * at + 1] >= self.tree[2 * at] else 2 * at
        at -= self.leaves
        return (at // self.leaves_group) * self.width + at % self.leaves_group

    cdef int _key(self, key) except -1:
        cdef int k = key
        if not 0 <= k < self.n_groups * self.width:
            raise ValueError(f"Key {key} is not under {self.n_groups * self.width}.")
        return k

    def address(self, key):
        return self.addresses[self._key(key)]

    def forecast(self, key, bint after_use=False):
        return self._forecast(self._key(key), after_use)

    def admit(self, key, int64_t address):
        cdef int k = self._key(key)
        if address <= 0 or self.addresses[k]:
            raise ValueError(f"Key {key} cannot be admitted at {address}: it lies at {self.addresses[k]}.")
        self.addresses[k] = address
        self._set(k, self._forecast(k, False))

    def forget(self, key):
        cdef int k = self._key(key)
        cdef int64_t address = self.addresses[k]
        self.addresses[k] = 0
        self.held[k] = 0
        self._set(k, -INFINITY)
        return address

    def hold(self, keys):
        cdef int k
        for key in keys:
            k = self._key(key)
            if self.addresses[k] and not self.held[k]:
                self.held[k] = 1
                self._set(k, -INFINITY)

    def release(self, keys):
        cdef int k
        for key in keys:
            k = self._key(key)
            if self.held[k]:
                self.held[k] = 0
                self._set(k, self._forecast(k, False))

    def evict(self, int n, list newcomers, int spare, bint after_use=False):
        cdef int k, taken = 0, better = len(newcomers) - n
        cdef list out = [], bars = []
        if n > spare:
            bars = sorted([self._forecast(self._key(key), after_use) for key in newcomers])
        while taken < n and self.tree[1] > -INFINITY:
            if taken >= spare and not self.tree[1] > <double>bars[better + taken]:
                break
            k = self._last()
            out.append(self.addresses[k])
            self.addresses[k] = 0
            self._set(k, -INFINITY)
            taken += 1
        return out

    def habits(self):
        out = np.empty(self.n_groups * self.width)
        cdef double[::1] counts = out
        cdef int key
        for key in range(self.n_groups * self.width):
            counts[key] = exp2(self.counts[key, SCALES] - (self.step - self.used[key]) * self.rates[SCALES])
        return out

    def take_up(self, const double[::1] counts):
        cdef int key, i
        cdef double share
        if counts.shape[0] != self.n_groups * self.width or self.step:
            raise ValueError(f"{counts.shape[0]} counts cannot be taken up at step {self.step} of {self.n_groups * self.width} keys.")
        for key in range(counts.shape[0]):
            share = counts[key] * self.gains[SCALES]
            if share > 0.0:
                for i in range(KEPT):
                    self.counts[key, i] = <float>log2(share / self.gains[i])
