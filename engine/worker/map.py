"""Which experts are in memory and how much each is used: a look at the cache from another thread than the engine's."""

import numpy as np
import numpy.typing as npt

from engine.events import ExpertMap
from engine.experts.policy import HABIT
from engine.experts.streamer import ExpertStreamer
from engine.worker.opened import OpenModel


class Mapper:
    """Maps of one model; used by one thread at a time."""

    def __init__(self, opened: OpenModel) -> None:
        self.opened = opened
        self._before: tuple[int, npt.NDArray[np.float64]] | None = None

    def map(self, id: int) -> ExpertMap:
        """The map now. The model must not be closed meanwhile."""
        files, streamer = self.opened.container.experts, self.opened.model.streamer
        step, habit = streamer.cache.step, streamer.usage()
        steps, lately = self._since(step, habit)
        self._before = step, habit
        return ExpertMap(
            id=id,
            layers=tuple(f.layer for f in files),
            n_experts=tuple(f.n_experts for f in files),
            width=len(habit) // max(len(files), 1),
            n_slots=self.opened.model.plan.n_slots,
            cached=_ready(streamer),
            habit=habit.astype("<f4").tobytes(),
            lately=lately.astype("<f4").tobytes(),
            steps=steps,
        )

    def _since(self, step: int, habit: npt.NDArray[np.float64]) -> tuple[int, npt.NDArray[np.float64]]:
        """Tokens, and uses by each of them, since the map before: what the decay of the older counts does not explain."""
        if self._before is None:
            return 0, np.zeros(len(habit))
        before, counts = self._before
        return step - before, np.maximum(habit - counts * 2.0 ** ((before - step) / HABIT), 0.0)


def _ready(streamer: ExpertStreamer) -> bytes:
    return streamer.cache.ready().astype(np.uint8).tobytes()
