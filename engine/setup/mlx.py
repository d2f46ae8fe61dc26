"""Checkpoints that were quantized by MLX: its affine form decoded row by row, its names of stacked experts turned into the families'.

config.json: "quantization": {"group_size", "bits", "mode": "affine"} and, by module, others or false. NAME.weight U32 [..., cols * bits
/ 32], codes from the low bits up; NAME.scales and NAME.biases [..., cols / group_size]; w = scale * code + bias. Source: MLX's
documentation of `quantize`; mlx-lm's models: experts stacked as switch_mlp, Qwen3-Next's norms stored as 1 + w, kv_b of latent attention
apart as embed_q [heads, d_latent, d_nope] and unembed_out [heads, d_value, d_latent].
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.setup import repack
from engine.setup.source import FLOATS, TensorInfo, widest
from engine.words import say

F32 = npt.NDArray[np.float32]
U8 = npt.NDArray[np.uint8]
Bytes = Callable[[str, int, int], U8]  # name, first byte, bytes
GROUPS, BITS = (32, 64, 128), (4, 8)
KEYS = {"group_size", "bits", "mode", "quant_method", "linear_class", "quantization_mode"}
ONE_PLUS = ("input_layernorm.weight", "post_attention_layernorm.weight", "model.norm.weight", ".q_norm.weight", ".k_norm.weight")
_STACKED = re.compile(r"(.+\.)(mlp|block_sparse_moe)\.switch_mlp\.(gate|up|down)_proj\.weight\Z")
_WORDS = {"mlp": {"gate": "gate_proj", "up": "up_proj", "down": "down_proj"}, "block_sparse_moe": {"gate": "w1", "up": "w3", "down": "w2"}}


@dataclass(frozen=True, slots=True)
class Affine:
    """One matrix [rows, cols]: rows first.. of stored ones in `bits` bits with a scale and an offset for each `group` columns."""

    name: str
    floats: str
    bits: int
    group: int
    first: int
    shape: tuple[int, int]

    @property
    def dtype(self) -> str:
        """As engine.setup.source.CODED has it."""
        return f"AFFINE{self.bits}"

    @property
    def parts(self) -> tuple[str, ...]:
        """The stored tensors: codes, scales, offsets."""
        return f"{self.name}.weight", f"{self.name}.scales", f"{self.name}.biases"

    def spans(self, start: int, count: int) -> list[tuple[str, int, int]]:
        """(stored tensor, first byte, end) that rows start..start+count are made of."""
        codes, floats = self.shape[1] * self.bits // 8, self.shape[1] // self.group * FLOATS[self.floats]
        a, b = self.first + start, self.first + start + count
        return [(name, a * n, b * n) for name, n in zip(self.parts, (codes, floats, floats), strict=True)]

    def _read(self, read: Bytes, start: int, count: int) -> tuple[U8, F32, F32]:
        """Codes [count, groups, group], scales and offsets [count, groups]."""
        codes, scales, offsets = (read(name, a, b - a) for name, a, b in self.spans(start, count))
        if self.bits == 4:
            codes = np.stack([codes & 15, codes >> 4], -1)
        shape = count, self.shape[1] // self.group
        scale, offset = (_numbers(v, self.floats).reshape(shape) for v in (scales, offsets))
        return codes.reshape(*shape, self.group), scale, offset

    def rows(self, read: Bytes, start: int, count: int) -> F32:
        """Rows start..start+count, f32 [count, cols]."""
        codes, scales, offsets = self._read(read, start, count)
        return np.asarray(scales[..., None] * codes.astype(np.float32) + offsets[..., None]).reshape(count, -1)

    def blocks(self, read: Bytes, fmt: str, start: int, count: int) -> U8:
        """The same in blocks of `fmt`: a group is some blocks of 32 with the same scale and offset. Raises NotHeld."""
        if self.bits != 4 or fmt != "q4":  # 8 bits have an offset here, our 8-bit blocks none
            raise repack.NotHeld
        codes, scales, offsets = self._read(read, start, count)
        times = self.group // repack.BLOCK
        scales, offsets = (np.repeat(v, times, axis=1) for v in (scales, offsets))
        return repack.affine(codes.reshape(count, -1, repack.BLOCK), scales, offsets)


def _numbers(data: U8, dtype: str) -> F32:
    if dtype == "BF16":
        return (data.view("<u2").astype(np.uint32) << np.uint32(16)).view(np.float32)
    return data.view("<f2" if dtype == "F16" else "<f4").astype(np.float32)


@dataclass(frozen=True, slots=True)
class Plain:
    """One matrix [rows, cols] that was not quantized."""

    name: str
    dtype: str
    shape: tuple[int, int]

    @property
    def parts(self) -> tuple[str, ...]:
        """Itself."""
        return (self.name,)

    def spans(self, start: int, count: int) -> list[tuple[str, int, int]]:
        """As Affine."""
        n = FLOATS[self.dtype] * self.shape[1]
        return [(self.name, start * n, (start + count) * n)]

    def rows(self, read: Bytes, start: int, count: int) -> F32:
        """As Affine."""
        ((name, a, b),) = self.spans(start, count)
        return _numbers(read(name, a, b - a), self.dtype).reshape(count, -1)


@dataclass(frozen=True, slots=True)
class Latent:
    """kv_b of latent attention: for each head the columns of `keys` [heads * d_latent, d_nope], then rows of `values`."""

    keys: Affine | Plain
    values: Affine | Plain
    heads: int

    @property
    def dtype(self) -> str:
        """The one with more bits."""
        return widest(self.keys.dtype, self.values.dtype)

    @property
    def _per_head(self) -> int:
        return self.keys.shape[1] + self.values.shape[0] // self.heads

    @property
    def shape(self) -> tuple[int, int]:
        """[heads * (d_nope + d_value), d_latent]."""
        return self.heads * self._per_head, self.values.shape[1]

    @property
    def parts(self) -> tuple[str, ...]:
        """The stored tensors."""
        return self.keys.parts + self.values.parts

    def _heads(self, start: int, count: int) -> tuple[int, int]:
        """First head and number of heads of some rows."""
        first = start // self._per_head
        return first, (start + count - 1) // self._per_head + 1 - first

    def spans(self, start: int, count: int) -> list[tuple[str, int, int]]:
        """As Affine: whole heads."""
        first, n = self._heads(start, count)
        k, v = (m.shape[0] // self.heads for m in (self.keys, self.values))
        return self.keys.spans(first * k, n * k) + self.values.spans(first * v, n * v)

    def rows(self, read: Bytes, start: int, count: int) -> F32:
        """As Affine."""
        first, n = self._heads(start, count)
        k, v = (m.rows(read, first * (r := m.shape[0] // self.heads), n * r).reshape(n, r, -1) for m in (self.keys, self.values))
        every = np.concatenate([k.swapaxes(1, 2), v], 1).reshape(n * self._per_head, -1)
        return every[start - first * self._per_head :][:count]


@dataclass(frozen=True, slots=True)
class Entry:
    """One expert of a plain stacked tensor."""

    name: str
    index: int


@dataclass(frozen=True, slots=True)
class Mlx:
    """What a config.json says about its quantization by MLX. problems: phrases; shifted: norms are stored as 1 + w."""

    default: Mapping[str, Any]
    modules: Mapping[str, Any]
    problems: tuple[str, ...] = ()
    shifted: bool = False

    def is_shifted(self, name: str) -> bool:
        """Whether a tensor is stored as 1 + w."""
        return self.shifted and name.endswith(ONE_PLUS)

    def of(self, module: str) -> tuple[int, int] | None:
        """(bits, group) of a module; None where it is told to stay plain."""
        said = self.modules.get(module, self.default)
        return (int(said["bits"]), int(said["group_size"])) if isinstance(said, Mapping) else None

    def find(self, tensors: Mapping[str, TensorInfo]) -> tuple[dict[str, "Affine | Latent | Entry"], set[str]]:
        """(matrices by the family's name, stored tensors that they are made of); what does not fit together is left as it is."""
        out: dict[str, Affine | Latent | Entry] = {}
        hidden: set[str] = set()
        for name, info in tensors.items():
            if not name.endswith(".weight"):
                continue
            if name.endswith(".embed_q.weight") and (latent := self._latent(name.removesuffix("embed_q.weight"), tensors)) is not None:
                out[name.replace("embed_q", "kv_b_proj")] = latent
                hidden |= set(latent.parts)
                continue
            found = self._affine(name.removesuffix(".weight"), info, tensors)
            if found is None and not (_STACKED.match(name) and len(info.shape) == 3 and info.dtype in FLOATS):
                continue
            hidden |= {name} if found is None else set(found.parts)
            out |= dict(_apart(name, info, found))
        return out, hidden

    def _latent(self, attention: str, tensors: Mapping[str, TensorInfo]) -> Latent | None:
        infos = [tensors.get(f"{attention}{part}.weight") for part in ("embed_q", "unembed_out")]
        found: list[Affine | Plain] = []
        for part, info in zip(("embed_q", "unembed_out"), infos, strict=True):
            if info is None or len(info.shape) != 3:
                return None
            one = self._affine(attention + part, info, tensors)
            if one is None and info.dtype not in FLOATS:
                return None
            found.append(one or Plain(f"{attention}{part}.weight", info.dtype, (math.prod(info.shape[:2]), info.shape[2])))
        heads, d_latent = infos[0].shape[:2] if infos[0] is not None else (0, 0)
        if infos[1] is None or infos[1].shape[0] != heads or found[1].shape[1] != d_latent:
            return None
        return Latent(found[0], found[1], heads)

    def _affine(self, module: str, info: TensorInfo, tensors: Mapping[str, TensorInfo]) -> Affine | None:
        kind, scales = self.of(module), tensors.get(f"{module}.scales")
        if kind is None or scales is None or info.dtype != "U32" or len(info.shape) not in (2, 3):
            return None
        bits, group = kind
        cols = info.shape[-1] * 32 // bits
        fits = cols % group == 0 and tensors.get(f"{module}.biases") == scales
        if not fits or scales.dtype not in FLOATS or scales.shape != (*info.shape[:-1], cols // group):
            return None
        return Affine(module, scales.dtype, bits, group, 0, (math.prod(info.shape[:-1]), cols))


def _apart(name: str, info: TensorInfo, whole: Affine | None) -> Iterator[tuple[str, "Affine | Entry"]]:
    """A stored matrix by its own name, stacked experts one by one."""
    m = _STACKED.match(name)
    if m is None or len(info.shape) != 3:
        if whole is not None and len(info.shape) == 2:
            yield name, whole
        return
    n, rows = info.shape[:2]
    for e in range(n):
        one = f"{m[1]}{m[2]}.experts.{e}.{_WORDS[m[2]][m[3]]}.weight"
        yield one, Entry(name, e) if whole is None else replace(whole, first=e * rows, shape=(rows, whole.shape[1]))


def plain_config(config: Mapping[str, Any]) -> tuple[dict[str, Any], Mlx | None]:
    """config.json without what MLX added to it, and what that was; None where MLX did not write it."""
    said = config.get("quantization")
    if not isinstance(said, Mapping) or not {"group_size", "bits"} <= said.keys():
        return dict(config), None
    out = {k: v for k, v in config.items() if k != "quantization" and not (k == "quantization_config" and v == said)}
    default = {k: v for k, v in said.items() if k in KEYS}
    modules = {k: v for k, v in said.items() if k not in KEYS}
    problems = [
        _problem("", default),
        *(_problem(say(" for {name}", name=name), v) for name, v in modules.items() if isinstance(v, Mapping)),
    ]
    return out, Mlx(default, modules, tuple(dict.fromkeys(p for p in problems if p)), config.get("model_type") == "qwen3_next")


def _problem(where: str, said: Mapping[str, Any]) -> str:
    mode, bits, group = said.get("mode", "affine"), said.get("bits"), said.get("group_size")
    if mode == "affine" and bits in BITS and group in GROUPS and isinstance(bits, int) and isinstance(group, int):
        return ""
    return say(
        "config.json says that MLX quantized its weights{where} as {mode}, {bits} bits in groups of {group}, "
        "but affine with 4 or 8 bits in groups of 32, 64 or 128 is read",
        where=where,
        mode=f"{mode!r:.20}",
        bits=f"{bits!r:.10}",
        group=f"{group!r:.10}",
    )
