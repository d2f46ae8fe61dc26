"""SHA-256 (FIPS 180-4) that can be put down and taken up again in another process."""

from typing_extensions import Buffer

class Sha256:
    """A running hash; see sha256.pyx."""

    def __init__(self, state: bytes | None = None, plain: bool = False) -> None:
        """state: what `state` of an earlier one returned; plain: without the processor's own instructions. Raises ValueError."""

    def update(self, data: Buffer) -> None:
        """Take in bytes."""

    @property
    def nbytes(self) -> int:
        """Bytes taken in."""

    def state(self) -> bytes:
        """All that `__init__` needs to go on: 40 to 103 bytes."""

    def hexdigest(self) -> str:
        """The hash of what was taken in, as hashlib gives it; the running hash stays as it is."""
