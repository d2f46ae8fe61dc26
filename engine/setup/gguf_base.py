"""SmolLM2 from its GGUF file: weights under their Hugging Face names, decoded row by row when asked for; numbers; tokenizer.

Source of the format: the gguf package. GGUF keeps q and k with interleaved rotary pairs, Hugging Face as two halves.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from gguf import GGUFReader, ReaderTensor
from gguf.quants import dequantize

from engine.apart import once
from engine.setup.gguf_text import NAMES as TOKENS

F32 = npt.NDArray[np.float32]
Index = slice | npt.NDArray[np.int64]
NAMES = {
    "attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj", "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class LazyTensor:
    """A tensor whose rows are made when asked for: rows(index of the first axis) -> f32 [n, ...]."""

    shape: tuple[int, ...]
    rows: Callable[[Index], F32]


class GgufBase:
    """The base model in a GGUF file, which stays mapped while this lives."""

    def __init__(self, path: Path) -> None:
        self._reader = GGUFReader(path)
        self.tensors = dict(self._tensor(t) for t in self._reader.tensors)

    def field(self, key: str) -> Any:
        """A value of the file's metadata. Raises KeyError."""
        return self._reader.fields[key].contents()

    def _tensor(self, t: ReaderTensor) -> tuple[str, LazyTensor]:
        shape = tuple(int(n) for n in reversed(t.shape))

        def rows(index: Index) -> F32:
            return dequantize(np.ascontiguousarray(t.data[index]), t.tensor_type).astype(np.float32).reshape(-1, *shape[1:])

        if t.name == "token_embd.weight":
            return "model.embed_tokens.weight", LazyTensor(shape, rows)
        if t.name == "output_norm.weight":
            return "model.norm.weight", LazyTensor(shape, rows)
        _, layer, part, _ = t.name.split(".")
        name = f"model.layers.{layer}.{NAMES[part]}.weight"
        if part in ("attn_q", "attn_k"):
            heads = self.field("llama.attention.head_count" if part == "attn_q" else "llama.attention.head_count_kv")
            halves = np.arange(shape[0]).reshape(heads, -1, 2).swapaxes(1, 2).reshape(-1)
            return name, LazyTensor(shape, lambda index: rows(halves[index]))
        return name, LazyTensor(shape, rows)

    def tokenizer_files(self) -> dict[str, bytes]:
        """tokenizer.json, tokenizer_config.json and chat_template.jinja."""
        wanted = ("tokens", "token_type", "merges", *(f"{g}_token_id" for g in TOKENS.values()))
        fields = {name: self.field(f"tokenizer.ggml.{name}") for name in wanted}
        template, length = self.field("tokenizer.chat_template"), self.field("llama.context_length")
        files: dict[str, bytes] = once("engine.setup.starter_text:tokenizer_files", fields, template, length)
        return files
