"""A sequence's state on disk: written whole or not at all, checksummed, and bound to what it was computed with.

A file is one line of JSON, the pieces of engine.model.saved one after another, and 8 bytes of xxh3 over all before them.
"""

import contextlib
import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import xxhash

from engine.errors import Cancelled
from engine.model import saved
from engine.model.model import Model
from engine.model.state import State
from engine.words import say

FORMAT = 1
_HEAD_LIMIT = 64 * 2**20


def identity(model: Model) -> dict[str, Any]:
    """Everything on which the numbers of a state depend: weights, arithmetic, instruction set, and how keys and values are kept."""
    return {
        "format": FORMAT,
        "container": model.container.manifest.checksum,
        "exact": model.plan.exact,
        "kv": model.plan.kv_dtype,
        "isa": model.compute.isa,
        **({"mtp": True} if model.spec.mtp is not None else {}),
    }


@dataclass(frozen=True, slots=True)
class Head:
    """What a file says about itself. ids: tokens of the state; extra: the writer's own, as JSON."""

    identity: Mapping[str, Any]
    ids: Sequence[int]
    length: int
    reach: int
    rings: Sequence[int]
    extra: Any
    offset: int = 0  # of the pieces in the file


def write(path: Path, model: Model, state: State, ids: Sequence[int], extra: Any, stop: Callable[[], bool]) -> int:
    """Save the state of `ids`; bytes written. Raises OSError, and Cancelled once stop(); the file is then as it was."""
    head = {
        "identity": identity(model), "ids": list(ids), "length": state.length, "reach": state.reach,
        "rings": list(state.rings), "extra": extra,
    }  # fmt: skip
    handle, name = tempfile.mkstemp(prefix=path.name, suffix=".new", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            sum_ = xxhash.xxh3_64()

            def out(data: bytes) -> None:
                sum_.update(data)
                file.write(data)

            out(json.dumps(head).encode() + b"\n")
            for array in saved.pieces(state, state.length, state.reach):
                if stop():
                    raise Cancelled(say("Stopped."))
                out(np.ascontiguousarray(array).tobytes())
            file.write(sum_.digest())
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
    return path.stat().st_size


def read_head(path: Path) -> Head | None:
    """The first line of a file; None where it is none of ours."""
    try:
        with path.open("rb") as file:
            line = file.readline(_HEAD_LIMIT)
        v = json.loads(line)
        ids, rings = [int(i) for i in v["ids"]], [int(n) for n in v["rings"]]
        head = Head(dict(v["identity"]), ids, int(v["length"]), int(v["reach"]), rings, v["extra"], len(line))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return head if 0 < head.length <= len(head.ids) and head.length <= head.reach else None


def restore(path: Path, head: Head, model: Model, state: State) -> bool:
    """Bring the state back. False where the file is of another model, engine or setting, or damaged; the state is then empty."""
    state.truncate(0)
    fits = head.length <= state.context and list(head.rings) == list(state.rings)
    if dict(head.identity) != identity(model) or not fits:
        return False
    whole = False
    try:
        with path.open("rb") as file:
            whole = _fill(file, head, state)
    except OSError:
        whole = False
    if not whole:
        state.clear()
        return False
    state.stand_at(head.length, head.reach)
    return True


def _fill(file: BinaryIO, head: Head, state: State) -> bool:
    sum_ = xxhash.xxh3_64()
    sum_.update(file.read(head.offset))
    for array in saved.pieces(state, head.length, head.reach):
        data = file.read(array.nbytes)
        if len(data) != array.nbytes:
            return False
        sum_.update(data)
        array[...] = np.frombuffer(data, array.dtype).reshape(array.shape)
    return file.read(9) == sum_.digest()
