"""Where a conversion takes its tensors from: a checkpoint folder, or the starter's ingredients."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

FLOATS = {"F32": 4, "F16": 2, "BF16": 2}


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """A stored tensor: dtype as safetensors spells it ("BF16"), shape."""

    dtype: str
    shape: tuple[int, ...]


class Tensors(Protocol):
    """Named tensors that can be read, from several threads at once."""

    tensors: Mapping[str, TensorInfo]

    def rows(self, name: str, start: int, count: int, step: int = 1, index: int | None = None) -> npt.NDArray[np.float32]:
        """Rows start, start + step, ... (count of them) along the first axis of `name`, or of entry `index` of a stacked tensor, as f32.

        Raises BadCheckpoint, StorageError."""

    def raw(self, name: str, index: int | None = None) -> npt.NDArray[np.uint8]:
        """The bytes of a U8 tensor, or of entry `index` of it, in its shape."""


class TensorSource(Tensors, Protocol):
    """A checkpoint: named tensors and small files.

    name: of the model; repo and commit: where it was published, where known. key: equal keys mean equal content.
    files: what is copied as published (tokenizer, template, licence), by name.
    """

    name: str
    repo: str | None
    commit: str | None
    key: str
    config: Mapping[str, Any]

    def files(self) -> Mapping[str, bytes]:
        """The small files of the model."""
