"""Where a conversion takes its tensors from: a checkpoint folder, or the starter's ingredients."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

FLOATS = {"F32": 4, "F16": 2, "BF16": 2}
# Forms of quantized weights that are decoded, by the bits of a weight without its share of the scales: ggml's names, and ours for others.
CODED = {
    "MXFP4": 4, "NVFP4": 4, "Q4_0": 4, "Q4_1": 4, "Q5_0": 5, "Q5_1": 5, "Q8_0": 8, "Q2_K": 2, "Q3_K": 3, "Q4_K": 4, "Q5_K": 5, "Q6_K": 6,
    "IQ1_S": 1, "IQ1_M": 1, "IQ2_XXS": 2, "IQ2_XS": 2, "IQ2_S": 2, "IQ3_XXS": 3, "IQ3_S": 3, "IQ4_NL": 4, "IQ4_XS": 4,
    "TQ1_0": 2, "TQ2_0": 2, "INT4": 4, "AFFINE4": 4, "AFFINE8": 8,
}  # fmt: skip


def widest(*dtypes: str) -> str:
    """The one with the most bits a weight."""
    return max(dtypes, key=lambda d: CODED.get(d, 8 * FLOATS.get(d, 8)))


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
