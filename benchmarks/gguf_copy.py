"""Our container copied into a GGUF file with the same bits: what llama.cpp runs beside us.

Matrices go over as they are quantized (gguf_blocks), norms and routers as f32, which is what llama.cpp's own converter does. There is
no tokenizer: both sides get token ids. A qwen3_moe becomes `qwen3moe`. The starter (qwen2_moe with dense layers between) becomes `step35`,
since llama.cpp's qwen2moe knows no dense layers: the same mathematics with full attention in all layers and a softmax router, but no
biases (they are zero in the starter), no gate of the shared expert (sigmoid(0) = 1/2 there, put into its down projection) and a head that
is stored apart from the embedding.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from gguf import GGML_QUANT_SIZES, ExpertGatingFuncType, GGMLQuantizationType, GGUFWriter

from benchmarks.gguf_blocks import TYPES, blocks, check_layout, halved
from engine.arch.spec import Gqa, Moe
from engine.container.format import MANIFEST, PARTS, VECTOR
from engine.container.reader import Container, ExpertFile
from kernels_pyx.linear import packed_bytes, unpack

U8 = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Copy:
    """A tensor of the GGUF: its shape in rows and columns, its type, and what makes its bytes."""

    name: str
    shape: tuple[int, ...]
    kind: GGMLQuantizationType
    data: Callable[[], npt.NDArray[np.generic]]

    @property
    def nbytes(self) -> int:
        """What data will take."""
        n_block, size = GGML_QUANT_SIZES[self.kind]
        return math.prod(self.shape) // n_block * size


def gguf_copy(container: Path, target: Path) -> Path:
    """The GGUF file of a container, written where there is none, or an older one than the container."""
    if not target.exists() or target.stat().st_mtime < (container / MANIFEST).stat().st_mtime:
        check_layout()
        draft = target.with_suffix(".draft")
        source = Container.open(container)
        try:
            _Copier(source).write(draft)
        finally:
            source.close()
        draft.rename(target)
    return target


class _Copier:
    """Copies the tensors of one container."""

    def __init__(self, c: Container) -> None:
        self.c = c
        self.arch = {"qwen2_moe": "step35", "qwen3_moe": "qwen3moe"}[c.arch.model_type]
        t = c.manifest.trunk
        self.trunk = np.memmap(c.path / t.file, np.uint8, "r", t.data_start)

    def write(self, path: Path) -> None:
        writer = GGUFWriter(path, self.arch)
        self.keys(writer)
        copies = list(self.tensors())
        for t in copies:
            writer.add_tensor_info(t.name, t.shape, np.dtype(np.float32), t.nbytes, t.kind)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_ti_data_to_file()
        for t in copies:
            writer.write_tensor_data(np.ascontiguousarray(t.data()))
        writer.close()

    def keys(self, w: GGUFWriter) -> None:
        spec = self.c.arch
        mixer = spec.layers[0].mixer
        moe_at = [i for i, layer in enumerate(spec.layers) if isinstance(layer.ffn, Moe)]
        moe = spec.layers[moe_at[0]].ffn
        assert isinstance(mixer, Gqa) and isinstance(moe, Moe) and mixer.rope is not None and moe.router.renormalize
        w.add_vocab_size(spec.vocab_size)
        w.add_block_count(len(spec.layers))
        w.add_context_length(spec.max_context)
        w.add_embedding_length(spec.d_model)
        w.add_feed_forward_length(self.c.config["intermediate_size"])
        w.add_head_count(mixer.n_heads)
        w.add_head_count_kv(mixer.n_kv_heads)
        w.add_key_length(mixer.d_head)
        w.add_value_length(mixer.d_head)
        w.add_layer_norm_rms_eps(spec.final_norm_eps)
        w.add_rope_dimension_count(mixer.d_head * (2 if self.arch == "step35" else 1))  # step35 rotates half of what it is told
        w.add_rope_freq_base(self.c.config["rope_theta"])
        w.add_expert_count(moe.n_experts)
        w.add_expert_used_count(moe.top_k)
        w.add_expert_feed_forward_length(moe.d_expert)
        w.add_tokenizer_model("no_vocab")
        if moe.shared is not None:
            w.add_expert_shared_feed_forward_length(moe.shared.d_hidden)
        if self.arch == "step35":
            w.add_expert_gating_func(ExpertGatingFuncType.SOFTMAX)
            w.add_expert_weights_norm(True)
            # It wants a layer with a window: one has it, as long as the context, and the whole rotation that others get halved.
            w.add_sliding_window(spec.max_context)
            w.add_sliding_window_pattern([i == 0 for i in range(len(spec.layers))])
            w.add_rope_freq_base_swa(self.c.config["rope_theta"])
            w.add_rope_dimension_count_swa(mixer.d_head)

    def tensors(self) -> Iterator[Copy]:
        """In the order of the file."""
        spec = self.c.arch
        yield self.embedding()
        yield self.vector("norm", "output_norm.weight")
        yield self.matrix("embed" if spec.tied else "head", "output.weight")
        experts = {e.layer: e for e in self.c.experts}
        for i, layer in enumerate(spec.layers):
            ours, theirs, mixer = f"layers.{i}.", f"blk.{i}.", layer.mixer
            assert isinstance(mixer, Gqa)
            yield self.vector(ours + "attn_norm", theirs + "attn_norm.weight")
            for k in "qkvo":
                yield self.matrix(f"{ours}attn.{k}", f"{theirs}attn_{'output' if k == 'o' else k}.weight")
                self.must_be_zero(f"{ours}attn.{k}_bias")
            if mixer.qk_norm == "head":
                for k in "qk":
                    yield self.vector(f"{ours}attn.{k}_norm", f"{theirs}attn_{k}_norm.weight")
            yield self.vector(ours + "ffn_norm", theirs + "ffn_norm.weight")
            if i not in experts:
                for k in PARTS:
                    yield self.matrix(f"{ours}ffn.{k}", f"{theirs}ffn_{k}.weight")
                continue
            yield self.router(ours + "router", theirs + "ffn_gate_inp.weight")
            for k in PARTS:
                yield self.stacked(experts[i], k, f"{theirs}ffn_{k}_exps.weight")
            if self.c.has(ours + "shared.gate"):
                self.must_be_zero(ours + "shared.row_gate")
                for k in PARTS:
                    yield self.matrix(f"{ours}shared.{k}", f"{theirs}ffn_{k}_shexp.weight", half=k == "down")

    def packed(self, name: str) -> tuple[str, int, int, U8]:
        """Format, rows, columns and bytes of a matrix of the trunk."""
        t = self.c.tensors[name]
        return t.fmt, t.shape[0], t.shape[1], self.trunk[t.offset : t.offset + t.nbytes]

    def matrix(self, name: str, new: str, half: bool = False) -> Copy:
        """half: half its values."""
        fmt, rows, cols, data = self.packed(name)

        def made() -> U8:
            out = blocks(fmt, rows, cols, data)
            return halved(out) if half else out

        return Copy(new, (rows, cols), TYPES[fmt], made)

    def embedding(self) -> Copy:
        e = self.c.embed
        if e is None:
            return self.matrix("embed", "token_embd.weight")
        file = np.memmap(self.c.path / e.file, np.uint8, "r")
        return Copy("token_embd.weight", (e.rows, e.cols), TYPES[e.fmt], lambda: blocks(e.fmt, e.rows, e.cols, file))

    def vector(self, name: str, new: str) -> Copy:
        t = self.c.tensors[name]
        assert t.fmt == VECTOR
        values = np.array(self.trunk[t.offset : t.offset + t.nbytes]).view("<f4").reshape(t.shape)
        return Copy(new, t.shape, GGMLQuantizationType.F32, lambda: values)

    def router(self, name: str, new: str) -> Copy:
        fmt, rows, cols, data = self.packed(name)
        return Copy(new, (rows, cols), GGMLQuantizationType.F32, lambda: unpack(fmt, rows, cols, aligned(data)))

    def stacked(self, e: ExpertFile, part: str, new: str) -> Copy:
        """One part of all experts of a layer."""
        fmt, at, rows, cols = e.layout.part(part)
        records = np.memmap(e.path, np.uint8, "r").reshape(e.n_experts, e.layout.stride)
        end = at + packed_bytes(fmt, rows, cols)
        return Copy(
            new, (e.n_experts, rows, cols), TYPES[fmt], lambda: np.stack([blocks(fmt, rows, cols, record[at:end]) for record in records])
        )

    def must_be_zero(self, name: str) -> None:
        if not self.c.has(name):
            return
        t = self.c.tensors[name]
        if self.trunk[t.offset : t.offset + t.nbytes].any():
            raise ValueError(f"{name} is not zero, and llama.cpp's architecture has no place for it.")


def aligned(data: U8) -> U8:
    """A copy at a multiple of 64 bytes."""
    raw = np.empty(data.nbytes + 64, np.uint8)
    out = raw[-raw.ctypes.data % 64 :][: data.nbytes]
    out[:] = data
    return out
