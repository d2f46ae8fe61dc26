"""Having a plan's memory before it is used: piece by piece, so that opening shows how far it is and stops when asked."""

from collections.abc import Callable

from engine.cancel import CancelToken
from engine.errors import OverBudget
from engine.words import say
from kernels_pyx.aio import Arena


class Filling:
    """Several arenas, one after another, as fractions of total_bytes."""

    def __init__(self, total_bytes: int, progress: Callable[[float], None], cancel: CancelToken) -> None:
        self._total, self._progress, self._cancel = max(total_bytes, 1), progress, cancel
        self._before = 0

    def next(self, nbytes: int) -> Callable[[float], None]:
        """The progress of the next nbytes; it raises Cancelled."""
        before = self._before
        self._before += nbytes

        def step(fraction: float) -> None:
            self._cancel.check()
            self._progress(min((before + fraction * nbytes) / self._total, 1.0))

        return step

    def arena(self, nbytes: int) -> Arena:
        """An arena of which all pages are there. Raises OverBudget where the system has none left, Cancelled."""
        try:
            return Arena(nbytes, progress=self.next(nbytes))
        except MemoryError:
            raise OverBudget(
                say(
                    "The system has no {size} MB of memory left for the model. Close other programs or choose a lower memory limit.",
                    size=nbytes // 1_000_000,
                ),
                nbytes,
                0,
            ) from None
