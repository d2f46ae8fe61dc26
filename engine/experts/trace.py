"""Routing traces: which experts each MoE layer used at each step; JSON Lines, one step a line.

    {"tok": 0, "layers": [[ids of the first MoE layer, ascending], [ids of the second], ...]}

A decode step of one token has top_k ids a layer, a prefill chunk the union of its rows. "tok" numbers the steps. This is the
format of published traces of other engines, so that policies can be compared on them.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.errors import BadRequest, StorageError

MAX_EXPERTS = 1 << 16  # a larger id is damage, and would only cost memory
Step = tuple[tuple[int, ...], ...]


class RouteRecorder:
    """Collects whole steps over n_layers MoE layers; as the streamer's `recorder`, those of a running model.

    A step that was given up before the last layer is left out.
    """

    def __init__(self, n_layers: int) -> None:
        self.steps: list[Step] = []
        self._n_layers = n_layers
        self._layers: list[tuple[int, ...]] = []

    def note(self, ordinal: int, experts: npt.NDArray[np.int32]) -> None:
        """MoE layer `ordinal` uses the distinct `experts` [m]."""
        if ordinal == 0:
            self._layers = []
        if ordinal != len(self._layers):
            return
        self._layers.append(tuple(sorted(experts.tolist())))
        if len(self._layers) == self._n_layers:
            self.steps.append(tuple(self._layers))
            self._layers = []


def write(path: Path, steps: Sequence[Step]) -> None:
    """Write a trace; the file appears whole or not at all. Raises StorageError."""
    part = path.with_name(path.name + ".part")
    try:
        with part.open("w", encoding="utf-8") as f:
            for n, layers in enumerate(steps):
                f.write(json.dumps({"tok": n, "layers": layers}) + "\n")
            f.flush()
            os.fsync(f.fileno())
        part.replace(path)
    except OSError as e:
        part.unlink(missing_ok=True)
        raise StorageError(f"The trace {path} cannot be written ({e.strerror}). Choose a writable folder with free space.") from e


def read(path: Path) -> list[Step]:
    """Steps of a trace, all with the same number of layers. Raises BadRequest for what is no trace, StorageError."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as e:
        raise StorageError(f"The trace {path} cannot be read ({e.strerror}). Check the path.") from e
    except UnicodeDecodeError:
        raise BadRequest(f"{path} is no routing trace: it is not text. Give a file with one JSON object a line.") from None
    steps = [_step(path, n, line) for n, line in enumerate(lines, 1) if line.strip()]
    if not steps:
        raise BadRequest(f"{path} is no routing trace: it has no steps. Record one with a longer answer.")
    if len({len(s) for s in steps}) > 1:
        raise BadRequest(f"{path} is no routing trace: its steps differ in their number of layers. Record it again.")
    return steps


def _step(path: Path, n: int, line: str) -> Step:
    try:
        step = tuple(tuple(ids) for ids in json.loads(line)["layers"])
        good = all(all(type(e) is int and 0 <= e < MAX_EXPERTS for e in ids) and len(set(ids)) == len(ids) > 0 for ids in step)
    except (ValueError, TypeError, KeyError, RecursionError):
        step, good = (), False
    if not step or not good:
        example = '{"tok": 0, "layers": [[3, 5], [0, 7]]}'
        raise BadRequest(f"Line {n} of {path} is no step of a routing trace, such as {example}. Record it again.")
    return step
