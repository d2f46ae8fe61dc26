"""The delta rule with short convolutions (Kimi delta attention, gated delta net): state, and one step of a layer."""

from libc.stdint cimport int32_t, int64_t

import numpy as np

from kernels_pyx.compute cimport Compute, Rows, given, tile_fn
from kernels_pyx.tiles cimport run_tiles

cdef extern from "recurrent.h":
    enum:
        DELTA_PAD
        DELTA_MAX
        DELTA_MAX_CONV
        DELTA_GROUP
    ctypedef struct delta_args:
        int32_t key_heads, share, d_key, d_value, d_value_padded, conv
        int32_t per_channel, bounded, silu_gate
        float floor, norm_eps, scale
        const float *conv_q
        const float *conv_k
        const float *conv_v
        const float *decay_bias
        const float *decay_log
        const float *norm
        const float *q
        const float *k
        const float *v
        const float *decay
        const float *beta
        const float *gate
        float *out
        float *ring
        int64_t ring_rows
        float *state
        int64_t *at
        int64_t position, n
        int32_t in_place

cdef extern from "kernels.h" nogil:
    ctypedef struct delta_kernels "struct kernels":
        tile_fn delta


cdef int64_t padded(int64_t n):
    return (n + DELTA_PAD - 1) // DELTA_PAD * DELTA_PAD


cdef class DeltaState:
    """What one layer keeps: a [d_key, d_value] matrix a value head, and a ring of the inputs of the last tokens.

    A step of at most `replay` rows can be taken back, row by row, until the next one: the matrices stay where they are and the
    next step replays what was kept. A longer step moves them to its end.
    """

    cdef readonly int64_t nbytes
    cdef readonly int replay
    cdef readonly object matrices
    cdef readonly object ring
    cdef readonly object held
    cdef tuple shape

    def __init__(self, int n_key_heads, int n_value_heads, int d_key, int d_value, int conv, int replay, bint per_channel, memory=None):
        cdef int64_t matrices = 4 * <int64_t>n_value_heads * d_key * padded(d_value), held
        self.nbytes = DeltaState.nbytes_for(n_key_heads, n_value_heads, d_key, d_value, conv, replay, per_channel)
        self.replay = replay
        self.shape = (n_key_heads, n_value_heads, d_key, d_value, conv, per_channel)
        memory = given(memory, self.nbytes)
        held = matrices + 8 * n_key_heads
        self.matrices = memory[:matrices].view(np.float32).reshape(n_value_heads, d_key, padded(d_value))
        self.held = memory[matrices:held].view(np.int64)
        self.ring = memory[held:].view(np.float32).reshape(conv - 1 + replay, -1)

    @staticmethod
    def nbytes_for(int n_key_heads, int n_value_heads, int d_key, int d_value, int conv, int replay, bint per_channel):
        """Bytes of one layer's state. Raises ValueError for an impossible shape."""
        if n_key_heads < 1 or n_value_heads < 1 or n_value_heads % n_key_heads:
            raise ValueError(f"{n_value_heads} value heads do not share {n_key_heads} key heads evenly")
        if not 1 <= d_key <= DELTA_MAX or not 1 <= d_value <= DELTA_MAX:
            raise ValueError(f"heads are 1 to {DELTA_MAX} wide, not {d_key} and {d_value}")
        if not 1 <= conv <= DELTA_MAX_CONV or not 1 <= replay <= DELTA_GROUP:
            raise ValueError(f"a convolution has 1 to {DELTA_MAX_CONV} taps and 1 to {DELTA_GROUP} rows are replayed, not {conv} and {replay}")
        ring = (conv - 1 + replay) * ring_width(n_key_heads, n_value_heads, d_key, d_value, per_channel)
        return 4 * (<int64_t>n_value_heads * d_key * padded(d_value) + ring) + 8 * n_key_heads

    @property
    def least(self):
        """The length that the state cannot go back behind, but to 0."""
        return int(self.held.max())

    def reset(self):
        """An empty sequence."""
        self.matrices.fill(0)
        self.held.fill(0)


cdef int64_t ring_width(int64_t key_heads, int64_t value_heads, int64_t d_key, int64_t d_value, bint per_channel):
    return 2 * key_heads * d_key + value_heads * (d_value + (d_key if per_channel else 1) + 1)


cdef class Delta:
    """One layer: q, k, v through short convolutions and silu, unit keys and queries, decay, delta rule, norm, gate.

    conv_q, conv_k, conv_v [conv, channels]; decay_bias [d_key * n_value_heads or n_value_heads] added to the decay input;
    decay_log [n_value_heads]; norm [d_value]. Log decay: -exp(decay_log) softplus(z), or floor * sigmoid(exp(decay_log) z).
    gate: "sigmoid" | "silu".
    """

    cdef delta_args args
    cdef tuple kept, shape
    cdef int key_heads, value_heads, decays

    def __init__(self, int n_key_heads, int n_value_heads, int d_key, int d_value, *, conv_q, conv_k, conv_v, decay_bias, decay_log,
                 bint per_channel, floor, norm, float norm_eps, str gate):
        cdef delta_args *a = &self.args
        cdef int conv = len(conv_q)
        DeltaState.nbytes_for(n_key_heads, n_value_heads, d_key, d_value, conv, 1, per_channel)
        if gate not in ("sigmoid", "silu"):
            raise ValueError(f'gate is "sigmoid" or "silu", not {gate!r}')
        self.key_heads, self.value_heads = n_key_heads, n_value_heads
        self.decays = n_value_heads * (d_key if per_channel else 1)
        self.shape = (n_key_heads, n_value_heads, d_key, d_value, conv, per_channel)
        a.key_heads, a.share, a.d_key, a.d_value = n_key_heads, n_value_heads // n_key_heads, d_key, d_value
        a.d_value_padded, a.conv, a.per_channel = <int32_t>padded(d_value), conv, per_channel
        a.bounded, a.silu_gate = floor is not None, gate == "silu"
        a.floor, a.norm_eps, a.scale = 0.0 if floor is None else floor, norm_eps, d_key ** -0.5
        keys, values = n_key_heads * d_key, n_value_heads * d_value
        self.kept = (
            taken("conv_q", conv_q, (conv, keys)), taken("conv_k", conv_k, (conv, keys)), taken("conv_v", conv_v, (conv, values)),
            taken("decay_bias", decay_bias, (self.decays,)), taken("decay_log", decay_log, (n_value_heads,)), taken("norm", norm, (d_value,)),
        )
        a.conv_q, a.conv_k, a.conv_v = address(self.kept[0]), address(self.kept[1]), address(self.kept[2])
        a.decay_bias, a.decay_log, a.norm = address(self.kept[3]), address(self.kept[4]), address(self.kept[5])

    def __call__(self, Compute c not None, Rows q not None, Rows k not None, Rows v not None, Rows decay not None, Rows beta not None,
                 Rows gate not None, int n, int64_t position, DeltaState state not None, Rows out not None, int first=0):
        """Rows first.. are tokens position..position+n-1, before any function; out [n, n_value_heads * d_value] may be gate.

        Raises IndexError where the state cannot stand at `position`, ValueError for other shapes, Interrupted: a short step then
        leaves the state as it was, a longer one may have spoiled it, which `least` > position tells.
        """
        cdef delta_args a = self.args
        cdef int64_t[::1] held = state.held
        cdef float[:, :, ::1] matrices = state.matrices
        cdef float[:, ::1] ring = state.ring
        cdef int h
        if n == 0:
            return
        if n < 0 or first < 0 or n > min(
            q.capacity, k.capacity, v.capacity, decay.capacity, beta.capacity, gate.capacity, out.capacity
        ) - first:
            raise ValueError(f"{n} rows pass the capacity of the buffers")
        if (q.width != a.key_heads * a.d_key or k.width != q.width or v.width != self.value_heads * a.d_value or gate.width != v.width
                or out.width != v.width or decay.width != self.decays or beta.width != self.value_heads):
            raise ValueError("the widths of the buffers are not those of the heads")
        if state.shape != self.shape:
            raise ValueError("the state has other heads")
        for h in range(self.key_heads):
            if not held[h] <= position <= held[h] + state.replay and not (held[h] == 0 and position == 0):
                raise IndexError(f"a state that holds {held[h]} tokens cannot stand at {position}")
        a.q, a.k, a.v = at(q, first), at(k, first), at(v, first)
        a.decay, a.beta, a.gate, a.out = at(decay, first), at(beta, first), at(gate, first), at(out, first)
        a.ring, a.ring_rows, a.state, a.at = &ring[0, 0], ring.shape[0], &matrices[0, 0, 0], &held[0]
        a.position, a.n, a.in_place = position, n, n > state.replay
        run_tiles(c, (<const delta_kernels *>c.k).delta, &a, self.key_heads)


cdef float *at(Rows rows, int first):
    return rows.data + <int64_t>first * rows.width


cdef const float *address(x) except NULL:
    return <const float *><size_t>x.ctypes.data


cdef object taken(str name, x, shape):
    y = np.ascontiguousarray(x, np.float32)
    if y.shape != shape:
        raise ValueError(f"{name} has shape {y.shape}, not {shape}")
    return y
