"""A GGUF file's tensors under the names of its model's family; what is laid out in another way is in `engine.setup.gguf_layouts`.

Source: the tensor map of the gguf package and the conversion scripts of github.com/ggml-org/llama.cpp.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from engine.setup.source import TensorInfo
from engine.setup.views import I64, RowView, View

OUTER = {
    "token_embd.weight": "model.embed_tokens.weight", "output_norm.weight": "model.norm.weight", "output.weight": "lm_head.weight",
}  # fmt: skip
PLAIN_EXPERTS = ("mlp.experts.{expert}.{part}.weight", {"gate": "gate_proj", "up": "up_proj", "down": "down_proj"})
SPARSE_EXPERTS = ("block_sparse_moe.experts.{expert}.{part}.weight", {"gate": "w1", "up": "w3", "down": "w2"})
_IN_LAYER = re.compile(r"blk\.(0|[1-9]\d{0,3})\.(.+)\Z")
_STACKED = re.compile(r"ffn_(gate|up|down|gate_up)_exps\.weight\Z")
_SINGLE = re.compile(r"ffn_(gate|up|down)\.(0|[1-9]\d*)\.weight\Z")  # files of Mixtral's first months
_ENDING = re.compile(r"((?:nextn\.)?[a-z0-9_]+)(\.[a-z]+)?\Z")
NEXTN = {  # around the layers for multi-token prediction, in DeepSeek's spelling
    "nextn.eh_proj": "eh_proj", "nextn.enorm": "enorm", "nextn.hnorm": "hnorm", "nextn.shared_head_norm": "shared_head.norm",
    "nextn.embed_tokens": "embed_tokens", "nextn.shared_head_head": "shared_head.head",
}  # fmt: skip

MTP = "mtp."
QWEN_NEXTN = {  # the same in Qwen's spelling, outside of the layer
    "nextn.eh_proj": "mtp.fc", "nextn.enorm": "mtp.pre_fc_norm_embedding", "nextn.hnorm": "mtp.pre_fc_norm_hidden",
    "nextn.shared_head_norm": "mtp.norm", "nextn.embed_tokens": "mtp.embed_tokens", "nextn.shared_head_head": "mtp.head",
}  # fmt: skip


@dataclass(frozen=True)
class Names:
    """How a family spells what an architecture has. parts: GGUF's part of a layer, with or without its ending, to the family's.

    experts: template and words of single experts, None where the family has them stacked. minus_one: ends of names of norms that were
    stored as 1 + w. finish: sees to what is laid out in another way, last.
    """

    parts: Mapping[str, str]
    experts: tuple[str, Mapping[str, str]] | None = PLAIN_EXPERTS
    minus_one: tuple[str, ...] = ()
    finish: tuple[Callable[["Maker"], None], ...] = field(default=())


class Maker:
    """Makes the views of one file. views: by the family's name, or by the stored one where the family has no place for it."""

    def __init__(self, tensors: Mapping[str, TensorInfo], config: Mapping[str, Any], names: Names) -> None:
        self.tensors, self.config, self.names = tensors, config, names
        self.n_layers = int(config["num_hidden_layers"])
        self.n_further = int(config.get("num_nextn_predict_layers", 0)) if NEXTN.items() <= names.parts.items() else 0
        self.views: dict[str, View] = {}

    def make(self) -> dict[str, View]:
        """All of them."""
        for name in self.tensors:
            if m := _IN_LAYER.match(name):
                self._in_layer(name, int(m[1]), m[2])
            else:
                self.views[OUTER.get(name, name)] = self.plain(name)
        for finish in self.names.finish:
            finish(self)
        if self.names.minus_one:
            for name, view in self.views.items():
                if name.endswith(self.names.minus_one) and isinstance(view, RowView):
                    self.views[name] = replace(view, then=lambda w: w - np.float32(1))
        return self.views

    @property
    def layers(self) -> range:
        """Those of the model, and those for multi-token prediction that have a place in the family."""
        return range(self.n_layers + self.n_further)

    def plain(self, name: str, cols: int | None = None) -> RowView:
        """A stored tensor as it is; cols: numbers of a row, one where it has one axis."""
        info = self.tensors[name]
        cols = cols or (info.shape[-1] if len(info.shape) > 1 else 1)
        return RowView(info.dtype, info.shape, cols, ((name, math.prod(info.shape) // cols),))

    def take(self, layer: int, part: str) -> str | None:
        """The stored name of a part of a layer that `finish` sees to, None where it is not there."""
        name = f"blk.{layer}.{part}"
        return name if self.views.pop(name, None) is not None else None

    def _in_layer(self, name: str, layer: int, part: str) -> None:
        p = f"model.layers.{layer}."
        own = layer >= self.n_layers and QWEN_NEXTN.items() <= self.names.parts.items()
        if own:
            p = f"{MTP}layers.{layer - self.n_layers}."
        if layer >= self.n_layers + self.n_further and not own:  # a layer more than the family has
            self.views[p + part] = self.plain(name)
        elif self.names.experts is not None and (stacked := _STACKED.match(part)) and len(self.tensors[name].shape) == 3:
            self._experts(name, p, stacked[1])
        elif self.names.experts is not None and (single := _SINGLE.match(part)):
            self.views[p + self._expert(int(single[2]), single[1])] = self.plain(name)
        else:
            split = _ENDING.match(part)
            word = self.names.parts.get(part)
            if word is None and split is not None and split[1] in self.names.parts:
                word = self.names.parts[split[1]] + (split[2] or "")
            self.views[name if word is None else word if word.startswith(MTP) else p + word] = self.plain(name)

    def _expert(self, expert: int, part: str) -> str:
        assert self.names.experts is not None
        template, words = self.names.experts
        return template.replace("{expert}", str(expert)).replace("{part}", words[part])

    def _experts(self, name: str, prefix: str, part: str) -> None:
        """Stacked experts, one by one."""
        info = self.tensors[name]
        n, rows, cols = info.shape
        cuts = {"gate": (0, rows // 2), "up": (rows // 2, rows)} if part == "gate_up" else {part: (0, rows)}
        for word, (start, end) in cuts.items():
            for e in range(n):
                view = RowView(info.dtype, (end - start, cols), cols, ((name, n * rows),), _from(e * rows + start))
                self.views[prefix + self._expert(e, word)] = view


def _from(first: int) -> Callable[[I64], I64]:
    return lambda wanted: first + wanted
