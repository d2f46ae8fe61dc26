"""The trunk in memory: one arena, locked where the system allows it, filled from the container, and views into it by canonical name."""

from collections.abc import Callable, Collection

import numpy as np
import numpy.typing as npt

from engine.cancel import CancelToken
from engine.container.reader import Container
from engine.container.spans import in_memory
from kernels_pyx.aio import Arena
from kernels_pyx.linear import Matrix


class Weights:
    """Matrices and vectors of the trunk but those `without`, bound once at load. Raises BadContainer where the checksum differs."""

    def __init__(
        self, container: Container, progress: Callable[[float], None], cancel: CancelToken, direct: bool = True,
        without: Collection[str] = (),
    ) -> None:
        self._container, self._spans = container, container.spans(without)
        self._arena = Arena(in_memory(self._spans), touch=False)  # each page comes with the read into it
        self._matrices: dict[str, Matrix] = {}
        try:
            container.load_trunk(self._arena.array.data, progress, cancel, direct, self._spans)
            self._arena.lock(lambda fraction: cancel.check())
        except BaseException:
            self._arena.close()
            raise

    @property
    def nbytes(self) -> int:
        """Bytes of the arena."""
        return self._arena.nbytes

    @property
    def locked(self) -> bool:
        """Whether the system keeps the trunk in RAM; `why_unlocked` has its words where it refused."""
        return self._arena.locked

    @property
    def why_unlocked(self) -> str:
        """The system's words where it refused to lock memory, else empty."""
        return self._arena.why

    def has(self, name: str) -> bool:
        """Whether the container has this trunk tensor."""
        return self._container.has(name)

    def matrix(self, name: str) -> Matrix:
        """The packed matrix [rows, cols] of this name."""
        if name not in self._matrices:
            self._matrices[name] = self._container.matrix(name, self._arena.array, self._spans)
        return self._matrices[name]

    def vector(self, name: str) -> npt.NDArray[np.float32]:
        """The f32 vector of this name."""
        return self._container.vector(name, self._arena.array, self._spans)

    def close(self) -> None:
        """Give the arena back; no view may be used afterwards."""
        self._matrices.clear()
        self._arena.close()
