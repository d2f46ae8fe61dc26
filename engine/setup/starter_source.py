"""The starter model as a TensorSource: SmolLM2-135M-Instruct with the feed-forward networks of 14 layers replaced by experts.

fit.npz (resources/starter): layers, top_k, router f32 [14, 32, 576], expert_neurons [14, 32, 128] and shared_neurons [14, 768] (rows of
the dense gate and up that an expert takes), new down projections as int8 with an f16 scale per 32 columns. Values are those of the
bf16 checkpoint that this makes: rounded to bf16, then f32.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import xxhash

from engine.setup.gguf_base import F32, GgufBase, Index, LazyTensor
from engine.setup.source import TensorInfo
from engine.setup.wheel import GGUF_SHA256

NAME = "SmolLM2-135M-Instruct-MoE"
REPO = "HuggingFaceTB/SmolLM2-135M-Instruct"
SAMPLING = {"do_sample": True, "temperature": 0.2, "repetition_penalty": 1.15}  # without the penalty it loops


class StarterSource:
    """The tensors of the starter; `base` stays in use."""

    def __init__(self, base: GgufBase, fit: Path, files: Mapping[str, bytes]) -> None:
        with np.load(fit) as npz:
            self._fit: dict[str, npt.NDArray[Any]] = {k: npz[k] for k in npz.files}
        self.name = NAME
        self.repo: str | None = REPO
        self.commit: str | None = None
        self.key = f"{GGUF_SHA256} {xxhash.xxh3_128_hexdigest(fit.read_bytes())} {SAMPLING}"
        self._lazy = dict(base.tensors)
        self.config: Mapping[str, Any] = self._config(base)
        self._replace_ffns()
        self._add_biases()
        self.tensors: Mapping[str, TensorInfo] = {name: TensorInfo("BF16", t.shape) for name, t in self._lazy.items()}
        ids = {k: self.config[k] for k in ("bos_token_id", "eos_token_id", "pad_token_id")}
        generation = json.dumps({**ids, **SAMPLING}).encode()
        self._files = {**base.tokenizer_files(), "generation_config.json": generation, **files}

    def rows(self, name: str, start: int, count: int, step: int = 1, index: int | None = None) -> F32:
        """As TensorSource.rows; nothing is stacked here."""
        return bf16_rounded(self._lazy[name].rows(slice(start, start + (count - 1) * step + 1, step)))

    def raw(self, name: str, index: int | None = None) -> npt.NDArray[np.uint8]:
        """As TensorSource.raw; nothing is stored as bytes here."""
        raise KeyError(name)

    def files(self) -> Mapping[str, bytes]:
        """As TensorSource.files."""
        return self._files

    def _config(self, base: GgufBase) -> dict[str, Any]:
        hidden, n_layers, heads = (base.field(f"llama.{k}") for k in ("embedding_length", "block_count", "attention.head_count"))
        fitted = set(self._fit["layers"].tolist())
        return {
            "architectures": ["Qwen2MoeForCausalLM"],
            "model_type": "qwen2_moe",
            "hidden_size": hidden,
            "intermediate_size": base.field("llama.feed_forward_length"),
            "num_hidden_layers": n_layers,
            "num_attention_heads": heads,
            "num_key_value_heads": base.field("llama.attention.head_count_kv"),
            "head_dim": hidden // heads,
            "hidden_act": "silu",
            "max_position_embeddings": base.field("llama.context_length"),
            "rms_norm_eps": 1e-5,
            "rope_theta": float(base.field("llama.rope.freq_base")),
            "vocab_size": base.field("llama.vocab_size"),
            "tie_word_embeddings": True,
            "bos_token_id": base.field("tokenizer.ggml.bos_token_id"),
            "eos_token_id": base.field("tokenizer.ggml.eos_token_id"),
            "pad_token_id": base.field("tokenizer.ggml.padding_token_id"),
            "torch_dtype": "bfloat16",
            "num_experts": int(self._fit["router"].shape[1]),
            "num_experts_per_tok": int(self._fit["top_k"]),
            "moe_intermediate_size": int(self._fit["expert_neurons"].shape[2]),
            "shared_expert_intermediate_size": int(self._fit["shared_neurons"].shape[1]),
            "norm_topk_prob": True,
            "decoder_sparse_step": 1,
            "mlp_only_layers": [i for i in range(n_layers) if i not in fitted],
            "qkv_bias": True,
            "use_sliding_window": False,
            "router_aux_loss_coef": 0.001,
            "output_router_logits": False,
        }

    def _replace_ffns(self) -> None:
        fit, hidden = self._fit, self.config["hidden_size"]
        for i, layer in enumerate(fit["layers"].tolist()):
            p = f"model.layers.{layer}.mlp."
            gate, up, _ = (self._lazy.pop(f"{p}{part}_proj.weight") for part in ("gate", "up", "down"))
            self._lazy[p + "gate.weight"] = _array(fit["router"][i].astype(np.float32))
            self._lazy[p + "shared_expert_gate.weight"] = _array(np.zeros((1, hidden), np.float32))
            shared = _Down(fit["shared_down_q"][i], fit["shared_down_s"][i], 2)  # sigmoid(0) = 1/2
            self._expert(p + "shared_expert.", gate, up, shared, fit["shared_neurons"][i])
            for e, neurons in enumerate(fit["expert_neurons"][i]):
                down = _Down(fit["expert_down_q"][i, e], fit["expert_down_s"][i, e], 1)
                self._expert(f"{p}experts.{e}.", gate, up, down, neurons)

    def _expert(self, p: str, gate: LazyTensor, up: LazyTensor, down: "_Down", neurons: npt.NDArray[Any]) -> None:
        chosen = neurons.astype(np.int64)
        shape = (len(chosen), gate.shape[1])
        self._lazy[p + "gate_proj.weight"] = LazyTensor(shape, lambda index: gate.rows(chosen[index]))
        self._lazy[p + "up_proj.weight"] = LazyTensor(shape, lambda index: up.rows(chosen[index]))
        self._lazy[p + "down_proj.weight"] = LazyTensor(down.codes.shape, down.rows)

    def _add_biases(self) -> None:
        """qwen2_moe has biases on q, k and v; here they are zero."""
        c = self.config
        for layer in range(c["num_hidden_layers"]):
            for part, heads in (("q", "num_attention_heads"), ("k", "num_key_value_heads"), ("v", "num_key_value_heads")):
                zeros = np.zeros(c[heads] * c["head_dim"], np.float32)
                self._lazy[f"model.layers.{layer}.self_attn.{part}_proj.bias"] = _array(zeros)


class _Down:
    """A fitted down projection: int8 codes [rows, cols], f16 scales [rows, cols / 32], all times `factor`."""

    def __init__(self, codes: npt.NDArray[np.int8], scales: npt.NDArray[np.float16], factor: float) -> None:
        self.codes, self.scales, self.factor = codes, scales, np.float32(factor)

    def rows(self, index: Index) -> F32:
        codes, scales = self.codes[index].astype(np.float32), self.scales[index].astype(np.float32)
        return self.factor * (codes.reshape(len(codes), -1, 32) * scales[..., None]).reshape(codes.shape)


def _array(a: F32) -> LazyTensor:
    return LazyTensor(a.shape, lambda index: a[index])


def bf16_rounded(a: F32) -> F32:
    """The nearest bf16 numbers (ties to even) as f32; no NaN."""
    bits = np.ascontiguousarray(a).view(np.uint32)
    return ((bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) & np.uint32(0xFFFF0000)).view(np.float32)
