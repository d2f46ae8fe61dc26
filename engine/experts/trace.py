"""Routing traces: which experts each MoE layer used at each step; JSON Lines, one step a line.

    {"tok": 0, "layers": [[ids of the first MoE layer, ascending], [ids of the second], ...]}

A decode step of one token has top_k ids a layer. "tok" numbers the steps. This is the format of published traces of other engines, so
that policies can be compared on them. Files that a running engine writes hold decoded tokens only, as those traces do: a prompt is
read chunk by chunk, and its tokens one by one would not be what the cache saw.
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
Uses = tuple[int, tuple[tuple[int, ...], ...]]


class RouteRecorder:
    """Collects whole steps over n_layers MoE layers; as the streamer's `recorder`, those of a running model, the union of a step's rows.

    uses: of each step the number of its rows, and by how many of them each expert was chosen. A step that was given up before the
    last layer is left out.
    """

    def __init__(self, n_layers: int) -> None:
        self.steps: list[Step] = []
        self.uses: list[Uses] = []
        self._n_layers = n_layers
        self._layers: list[tuple[int, ...]] = []
        self._counts: list[tuple[int, ...]] = []

    def note(self, ordinal: int, experts: npt.NDArray[np.int32], rows: int = 1, uses: npt.NDArray[np.int32] | None = None) -> None:
        """MoE layer `ordinal` uses the distinct `experts` [m], each in uses [m] (None: all) of the step's rows."""
        if ordinal == 0:
            self._layers, self._counts = [], []
        if ordinal != len(self._layers):
            return
        order = np.argsort(experts)
        self._layers.append(tuple(experts[order].tolist()))
        self._counts.append((rows,) * len(experts) if uses is None else tuple(uses[order].tolist()))
        if len(self._layers) == self._n_layers:
            self.steps.append(tuple(self._layers))
            self.uses.append((rows, tuple(self._counts)))
            self._layers, self._counts = [], []


class RouteFile:
    """Appends the experts of each decoded token to a trace: a line a row as soon as its step is done, rows of rejected drafts included.

    What was written stays whatever happens then; a line that a crash left unfinished is cut off at the next opening. Raises BadRequest
    where the file is no trace, or one of a model with another number of MoE layers, StorageError.
    """

    def __init__(self, path: Path, n_layers: int) -> None:
        self._path, self._n_layers = path, n_layers
        self._rows: list[list[list[int]]] = []  # [layer][row]
        try:
            there = path.stat().st_size if path.exists() else 0
        except OSError as e:
            raise self._failed(e) from e
        steps = read(path) if there else []
        if steps and len(steps[0]) != n_layers:
            raise BadRequest(
                f"{path} is a trace of a model with {len(steps[0])} MoE layers, but this one has {n_layers}. Record to another file."
            )
        self._n = len(steps)
        try:
            self._file = path.open("ab", buffering=0)
            if there:
                self._mend()
        except OSError as e:
            raise self._failed(e) from e

    def _mend(self) -> None:
        """Let the file end with a whole line."""
        data = self._path.read_bytes()
        if data.endswith(b"\n"):
            return
        last = data[data.rfind(b"\n") + 1 :]
        if _torn(last.decode("utf-8", "replace")):
            self._file.truncate(len(data) - len(last))
        else:
            self._file.write(b"\n")

    def note(self, ordinal: int, ids: npt.NDArray[np.int32]) -> None:
        """MoE layer `ordinal` uses the experts ids [rows, top_k]."""
        if ordinal == 0:
            self._rows = []
        if ordinal == len(self._rows):
            self._rows.append(np.sort(ids, 1).tolist())

    def step_done(self, decoding: bool) -> None:
        """The step over all layers is done; it is written where it decoded. Raises StorageError."""
        rows, self._rows = self._rows, []
        if not decoding or len(rows) != self._n_layers:
            return
        lines = [json.dumps({"tok": self._n + i, "layers": layers}) + "\n" for i, layers in enumerate(zip(*rows, strict=True))]
        try:
            self._file.write("".join(lines).encode())
        except OSError as e:
            raise self._failed(e) from e
        self._n += len(lines)

    def close(self) -> None:
        """Idempotent."""
        self._file.close()

    def _failed(self, e: OSError) -> StorageError:
        return StorageError(f"The trace {self._path} cannot be written ({e.strerror}). Choose a writable folder with free space.", repr(e))


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
        text = path.read_text(encoding="utf-8")
    except OSError as e:
        raise StorageError(f"The trace {path} cannot be read ({e.strerror}). Check the path.") from e
    except UnicodeDecodeError:
        raise BadRequest(f"{path} is no routing trace: it is not text. Give a file with one JSON object a line.") from None
    lines = text.split("\n")
    if len(lines) > 1 and _torn(lines[-1]):
        lines.pop()
    steps = [_step(path, n, line) for n, line in enumerate(lines, 1) if line.strip()]
    if not steps:
        raise BadRequest(f"{path} is no routing trace: it has no steps. Record one with a longer answer.")
    if len({len(s) for s in steps}) > 1:
        raise BadRequest(f"{path} is no routing trace: its steps differ in their number of layers. Record it again.")
    return steps


def _torn(line: str) -> bool:
    """Whether a last line was not written to its end when its writer was stopped."""
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return True
    return False


def _parsed(line: str) -> Step | None:
    try:
        step = tuple(tuple(ids) for ids in json.loads(line)["layers"])
        good = all(all(type(e) is int and 0 <= e < MAX_EXPERTS for e in ids) and len(set(ids)) == len(ids) > 0 for ids in step)
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return step if step and good else None


def _step(path: Path, n: int, line: str) -> Step:
    step = _parsed(line)
    if step is None:
        example = '{"tok": 0, "layers": [[3, 5], [0, 7]]}'
        raise BadRequest(f"Line {n} of {path} is no step of a routing trace, such as {example}. Record it again.")
    return step
