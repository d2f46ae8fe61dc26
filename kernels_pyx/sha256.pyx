"""SHA-256 that can be put down and taken up again in another process. hashlib cannot give its state away."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

cdef extern from "sha256.h":
    void sha256_start(uint32_t *state) nogil
    void sha256_blocks(uint32_t *state, const uint8_t *data, size_t blocks, int plain) nogil


cdef class Sha256:
    """A running hash. state: what `state` of an earlier one returned; raises ValueError for anything else. plain: without the processor's own instructions."""

    cdef uint32_t words[8]
    cdef uint64_t count
    cdef uint8_t tail[64]
    cdef bint plain

    def __init__(self, bytes state=None, bint plain=False):
        self.plain = plain
        sha256_start(self.words)
        self.count = 0
        if state is None:
            return
        count = int.from_bytes(state[32:40], "little")
        if len(state) < 40 or len(state) != 40 + count % 64:
            raise ValueError("this is no state of a SHA-256")
        for i in range(8):
            self.words[i] = int.from_bytes(state[4 * i:4 * i + 4], "little")
        self.count = count
        for i in range(len(state) - 40):
            self.tail[i] = state[40 + i]

    def update(self, const uint8_t[::1] data):
        """Take in bytes; other threads run meanwhile."""
        cdef size_t n = data.shape[0], done = 0, held = self.count % 64, m
        if n == 0:
            return
        with nogil:
            self.count += n
            if held:
                m = min(64 - held, n)
                memcpy(self.tail + held, &data[0], m)
                done = m
                if held + m == 64:
                    sha256_blocks(self.words, self.tail, 1, self.plain)
            if done < n or held == 0:
                m = (n - done) // 64
                sha256_blocks(self.words, &data[0] + done, m, self.plain)
                done += 64 * m
                memcpy(self.tail, &data[0] + done, n - done)

    @property
    def nbytes(self):
        """Bytes taken in."""
        return self.count

    def state(self):
        """All that `__init__` needs to go on: 40 to 103 bytes."""
        words = b"".join(int(self.words[i]).to_bytes(4, "little") for i in range(8))
        return words + int(self.count).to_bytes(8, "little") + bytes(self.tail[:self.count % 64])

    def hexdigest(self):
        """The hash of what was taken in, as hashlib gives it; the running hash stays as it is."""
        end = Sha256(self.state(), self.plain)
        end.update(b"\x80" + bytes(-(self.count + 9) % 64) + int(self.count * 8).to_bytes(8, "big"))
        return b"".join(int(end.words[i]).to_bytes(4, "big") for i in range(8)).hex()
