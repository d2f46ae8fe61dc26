"""The header of trunk.safetensors: laid out by the writer, compared by the reader."""

import json
from collections.abc import Mapping

from engine.container.format import PAGE, VECTOR, TensorEntry, rounded


def header(tensors: Mapping[str, TensorEntry]) -> bytes:
    """Length, JSON and padding before the data; a multiple of PAGE. Source: the safetensors format, github.com/huggingface/safetensors."""
    value: dict[str, object] = {
        "__metadata__": {"format": "ouzel", **{name: " ".join([t.fmt, *map(str, t.shape)]) for name, t in tensors.items()}}
    }
    for name, t in tensors.items():
        dtype, shape = ("F32", list(t.shape)) if t.fmt == VECTOR else ("U8", [t.nbytes])
        value[name] = {"dtype": dtype, "shape": shape, "data_offsets": [t.offset, t.offset + t.nbytes]}
    text = json.dumps(value, separators=(",", ":")).encode()
    size = rounded(8 + len(text), PAGE) - 8
    return size.to_bytes(8, "little") + text.ljust(size)
