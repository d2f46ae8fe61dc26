"""Tensors of a published checkpoint in float64, as a TensorSpec or ExpertSpec names them; whole shards in memory, no checks."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.arch.spec import ArchSpec, Source
from tests.reference.mxfp4 import decode

F64 = npt.NDArray[np.float64]


def _bf16(raw: bytes) -> npt.NDArray[np.float32]:
    return (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32)


@dataclass
class Checkpoint:
    """All tensors of a folder under their published names, bf16 widened."""

    tensors: dict[str, npt.NDArray[np.generic]]

    @staticmethod
    def open(folder: Path) -> "Checkpoint":
        """Read every shard."""
        out: dict[str, npt.NDArray[np.generic]] = {}
        for shard in sorted(folder.glob("*.safetensors")):
            data = shard.read_bytes()
            start = 8 + int.from_bytes(data[:8], "little")
            for name, entry in json.loads(data[8:start]).items():
                if name == "__metadata__":
                    continue
                a, b = entry["data_offsets"]
                raw = data[start + a : start + b]
                flat = _bf16(raw) if entry["dtype"] == "BF16" else np.frombuffer(raw, {"F32": "<f4", "U8": "u1"}[entry["dtype"]])
                out[name] = flat.reshape(entry["shape"])
        return Checkpoint(out)

    def stored(self, name: str) -> tuple[str, ...]:
        """The tensor's own name, or those of the MXFP4 codes and scales that stand for it."""
        if name in self.tensors:
            return (name,)
        pairs = ((name + "_blocks", name + "_scales"), (name + "_packed", name + "_scale"))
        return next(p for p in pairs if p[0] in self.tensors)

    def read(self, source: Source, shape: tuple[int, ...], one_plus: bool = False) -> F64:
        """The tensor of this shape that `source` describes."""
        parts = [self.tensors[name] for name in self.stored(source.name)]
        if source.index is not None:
            parts = [t[source.index] for t in parts]
        t = parts[0] if len(parts) == 1 else decode(parts[0].reshape(len(parts[0]), -1), parts[1])
        if t.size == np.prod(shape) and not source.transpose and source.step == 1:
            t = t.reshape(shape)
        else:
            t = t.reshape([n for n in t.shape if n != 1])
        blocks = t.reshape(source.groups, len(t) // source.groups, *t.shape[1:])
        wanted = shape[1] if source.transpose else shape[0] // source.groups
        blocks = blocks[:, source.start :: source.step][:, :wanted]
        if source.transpose:
            blocks = blocks.swapaxes(1, 2)
        return np.asarray(blocks, np.float64).reshape(shape) + one_plus


class Trunk:
    """The tensors of an ArchSpec by canonical name."""

    def __init__(self, checkpoint: Checkpoint, spec: ArchSpec, prefix: str = "") -> None:
        self._checkpoint, self._prefix = checkpoint, prefix
        self._specs = {t.name: t for t in spec.tensors}

    def at(self, prefix: str) -> "Trunk":
        """The same with names under `prefix`."""
        out = Trunk.__new__(Trunk)
        out._checkpoint, out._specs, out._prefix = self._checkpoint, self._specs, self._prefix + prefix
        return out

    def __contains__(self, name: str) -> bool:
        return self._prefix + name in self._specs

    def __getitem__(self, name: str) -> F64:
        t = self._specs[self._prefix + name]
        return self._checkpoint.read(t.source, t.shape, t.one_plus)
