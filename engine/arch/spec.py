"""The vocabulary of model architectures: a model is frozen data, built from config.json by one file a family.

Names are the field's: d_* widths, n_* counts, *_eps the epsilon under a root. Shapes are [rows, cols], rows are outputs.
What a family of a later batch needs and no block implements yet is named here too, so that the vocabulary is settled once.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal


@dataclass(frozen=True, slots=True)
class Rope:
    """Rotary positions over the first d_rotated dims of a head.

    inv_freq: d_rotated / 2 frequencies, from `engine.arch.rope`. factor multiplies cos and sin (yarn's attention factor).
    interleaved: pairs (2i, 2i+1), else halves (i, i + d_rotated / 2).
    """

    inv_freq: tuple[float, ...]
    factor: float = 1.0
    interleaved: bool = False


@dataclass(frozen=True, slots=True)
class Gqa:
    """Grouped-query attention. Tensors: attn.{q,k,v,o} and, where asked for, attn.{q,k,v,o}_bias, attn.{q,k}_norm, attn.sinks.

    qk_norm: RMS norm of queries and keys, over each head or over the whole width, before the rotation.
    v_from_k: values are the raw key projection (no attn.v); value_norm: weightless RMS norm of values (Gemma 4).
    gate: the heads' output times sigmoid(attn.gate h) before attn.o (Qwen3-Next).
    """

    n_heads: int
    n_kv_heads: int
    d_head: int
    rope: Rope | None
    qk_norm: Literal["none", "head", "width"] = "none"
    qk_norm_eps: float = 1e-6
    qkv_bias: bool = False
    o_bias: bool = False
    window: int | None = None
    sinks: bool = False
    v_from_k: bool = False
    value_norm: bool = False
    gate: bool = False
    scale: float | None = None  # default d_head ** -0.5
    softcap: float | None = None


@dataclass(frozen=True, slots=True)
class Mla:
    """Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434), absorbed: the cache holds d_latent + d_rope numbers a token.

    Tensors: attn.q [n_heads * (d_nope + d_rope), d_q_latent or d_model], behind attn.q_a and attn.q_norm where d_q_latent is set;
    attn.kv_a [d_latent + d_rope, d_model], attn.kv_norm; attn.k_up [n_heads * d_latent, d_nope] takes a head's query to the
    latent, attn.v_up [n_heads * d_value, d_latent] takes what a head attended back to its values; attn.o; attn.gate where gate.
    rope turns the last d_rope dims of queries and of the shared key; None leaves them as they are (Kimi).
    """

    n_heads: int
    d_nope: int
    d_rope: int
    d_value: int
    d_latent: int
    d_q_latent: int | None
    norm_eps: float
    rope: Rope | None
    scale: float
    gate: bool = False

    @property
    def d_cache(self) -> int:
        """Numbers that one token keeps."""
        return self.d_latent + self.d_rope


@dataclass(frozen=True, slots=True)
class Decay:
    """The log decay g of a delta rule, from z + attn.decay_bias and a = exp(attn.decay_log) a head.

    g = -a softplus(z), or floor * sigmoid(a z) where floor is given (Kimi K3). per_channel: one z a key channel, else one a head.
    """

    per_channel: bool
    floor: float | None = None


@dataclass(frozen=True, slots=True)
class Delta:
    """A delta rule with short convolutions: Kimi delta attention (arXiv 2510.26692) and gated delta net (arXiv 2412.06464).

    Heads of keys serve n_value_heads / n_key_heads value heads each. Tensors: attn.{q,k,v} with attn.{q,k,v}_conv [conv, channels];
    attn.decay (behind attn.decay_a where decay_rank is set), attn.decay_bias, attn.decay_log [n_value_heads]; attn.beta;
    attn.gate (behind attn.gate_a where gate_rank is set); attn.o_norm [d_value]; attn.o. gate_act is applied to the output gate.
    """

    n_key_heads: int
    n_value_heads: int
    d_key: int
    d_value: int
    conv: int
    norm_eps: float
    decay: Decay
    gate_act: Literal["sigmoid", "silu"]
    decay_rank: int | None = None
    gate_rank: int | None = None

    @property
    def channels(self) -> int:
        """Channels of the short convolutions."""
        return 2 * self.n_key_heads * self.d_key + self.n_value_heads * self.d_value

    @property
    def d_decay(self) -> int:
        """Decays a token."""
        return self.n_value_heads * (self.d_key if self.decay.per_channel else 1)


Mixer = Gqa | Mla | Delta


@dataclass(frozen=True, slots=True)
class Activation:
    """act(gate, up) of a gated FFN: "silu", "gelu_tanh", "swiglu_clamp" (alpha, limit), "situ" (beta, linear_beta)."""

    kind: Literal["silu", "gelu_tanh", "swiglu_clamp", "situ"] = "silu"
    params: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Dense:
    """A gated FFN of width d_hidden. Tensors: ffn.{gate,up,down}; as a shared expert: shared.{gate,up,down}.

    row_gate: the output is scaled by sigmoid(shared.row_gate . h), one number a row (Qwen2-MoE).
    """

    d_hidden: int
    act: Activation = field(default_factory=Activation)
    row_gate: bool = False


@dataclass(frozen=True, slots=True)
class Router:
    """How experts are chosen and weighted. Tensor: router; optional router_bias, router_choice_bias, router_expert_scale.

    score "topk_softmax": choice by logit, softmax over the chosen. groups > 1: topk_groups groups are kept, a group's score is
    its best ("max") or the sum of its two best ("top2") choice scores. input_scale: the router reads a weightless RMS norm
    of the residual times router_input_scale * d_model ** -0.5 (Gemma 4). shown: what the published router hands out beside its
    choice, and so what a trace shows.
    """

    score: Literal["softmax", "sigmoid", "topk_softmax"]
    renormalize: bool
    renorm_eps: float = 0.0
    scale: float = 1.0
    logit_bias: bool = False
    choice_bias: bool = False
    groups: int = 1
    topk_groups: int = 1
    group_score: Literal["max", "top2"] = "max"
    input_scale: bool = False
    per_expert_scale: bool = False
    shown: Literal["logits", "probabilities"] = "logits"


@dataclass(frozen=True, slots=True)
class Moe:
    """Routed experts, each a gated FFN of width d_expert, and an optional shared expert that every token uses.

    d_latent: experts work between latent.down [d_latent, d_model] and latent.up (Kimi K3), with an RMS norm latent.norm of their
    sum where latent_norm; else on d_model. sandwich (Gemma 4): `shared` reads rms_norm(x, shared.norm); its output and the
    experts' are normed by shared.post_norm and experts_post_norm before they are added up.
    """

    n_experts: int
    top_k: int
    d_expert: int
    router: Router
    act: Activation = field(default_factory=Activation)
    bias: bool = False
    shared: Dense | None = None
    d_latent: int | None = None
    latent_norm: bool = False
    sandwich: bool = False


Ffn = Dense | Moe


@dataclass(frozen=True, slots=True)
class LayerSpec:
    """One layer: x += mixer(norm(x)); x += ffn(norm(x)).

    residual "sandwich": the block's output is normed before it is added (Gemma). "after": so it is, and its input is not (OLMo 2).
    "scaled": it is multiplied by `multiplier` before (Granite). "attention": each block reads a mixture of the streams kept so far
    (Kimi K3); `keep`: the stream is kept before this layer and starts anew. scalar: the stream is multiplied by layers.N.scalar at the
    end. Tensors: attn_norm, ffn_norm; sandwich also attn_post_norm, ffn_post_norm, which are all that after has; attention also
    attn_mix_norm, attn_mix, ffn_mix_norm, ffn_mix.
    """

    mixer: Mixer
    ffn: Ffn
    norm_eps: float
    residual: Literal["plain", "sandwich", "after", "scaled", "attention"] = "plain"
    keep: bool = False
    scalar: bool = False
    multiplier: float = 1.0


@dataclass(frozen=True, slots=True)
class Source:
    """Where a tensor's values lie in the checkpoint.

    index: entry of the first axis of a stacked tensor [n, rows, cols]. groups: the rows are so many equal blocks (heads); from each,
    rows start::step are taken, as many as the wanted shape needs, and stacked; transpose: each block is transposed.
    padded: rows that no one takes are padding. Axes of length 1 do not count. Where the checkpoint has the tensor as MXFP4 codes and
    scales, the name is that of the tensor that they stand for.
    """

    name: str
    index: int | None = None
    start: int = 0
    step: int = 1
    groups: int = 1
    transpose: bool = False
    padded: bool = False


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """One tensor of the trunk: its name in the container, where it comes from, what it may be packed as.

    role: "vector" (kept f32), "router" (bf16 or f32, never quantized), "embed", "head", "attn", "ffn", "ffn_down", "shared",
    "shared_down". one_plus: 1 is added at conversion (norms published as w - 1).
    """

    name: str
    source: Source
    shape: tuple[int, ...]
    role: str
    one_plus: bool = False


@dataclass(frozen=True, slots=True)
class ExpertSpec:
    """One layer's routed experts: shapes, and where the parts lie.

    parts: "gate", "up", "down" and, where experts have biases, "gate_bias", "up_bias", "down_bias". A name with {expert} is one
    tensor an expert; without it the tensor is stacked and the expert is its first index.
    """

    layer: int
    n_experts: int
    d_in: int
    d_hidden: int
    d_out: int
    parts: Mapping[str, Source]

    def source(self, expert: int, part: str) -> Source:
        """Where `part` of `expert` lies."""
        s = self.parts[part]
        if "{expert}" in s.name:
            return replace(s, name=s.name.replace("{expert}", str(expert)))
        return replace(s, index=expert)

    def shape(self, part: str) -> tuple[int, ...]:
        """Shape of one expert's `part`: [d_hidden, d_in] for gate and up, [d_out, d_hidden] for down, one axis for a bias."""
        rows, cols = (self.d_out, self.d_hidden) if part.startswith("down") else (self.d_hidden, self.d_in)
        return (rows,) if part.endswith("_bias") else (rows, cols)


@dataclass(frozen=True, slots=True)
class Mtp:
    """A layer behind the last that predicts one token further (DeepSeek-V3, arXiv 2412.19437, section 2.2), used to draft.

    x = mtp.project [rms_norm(embedding of the next token, mtp.embed_norm); rms_norm(h, mtp.hidden_norm)], h what the head reads of
    this token; then the layer `index`, whose tensors are layers.INDEX.*; then rms_norm with mtp.norm, and the model's own head.
    tensors, experts: its own; they are part of an ArchSpec's only where `with_mtp` made it.
    """

    index: int
    layer: LayerSpec
    norm_eps: float
    tensors: tuple[TensorSpec, ...]
    experts: tuple[ExpertSpec, ...]


@dataclass(frozen=True, slots=True)
class ArchSpec:
    """A whole model. tensors: the trunk, each once; experts: the routed layers in order, none of a dense model.

    tied: the head is the embedding. end_tokens: ids that end an answer, from the config alone. kv_dtype: what keys and values
    are kept as in fast arithmetic, "bf16" where they exceed the range of "f16". skipped: prefixes of checkpoint tensors that are
    no part of the text model. With attention residuals the tensors also have mix_norm and mix, before the last norm.
    logit_scale: what the head gives is multiplied by it (Granite).
    offered: the layer for further tokens that checkpoints of this config may bring along; mtp: it is part of this model.
    """

    model_type: str
    d_model: int
    vocab_size: int
    max_context: int
    layers: tuple[LayerSpec, ...]
    final_norm_eps: float
    tied: bool
    tensors: tuple[TensorSpec, ...]
    experts: tuple[ExpertSpec, ...]
    bos_token: int | None = None
    end_tokens: tuple[int, ...] = ()
    embed_scale: float = 1.0
    logit_softcap: float | None = None
    logit_scale: float = 1.0
    kv_dtype: Literal["f16", "bf16"] = "f16"
    skipped: tuple[str, ...] = ()
    offered: Mtp | None = None
    mtp: Mtp | None = None

    @property
    def all_layers(self) -> tuple[LayerSpec, ...]:
        """The layers, and the one for further tokens where it is part of the model."""
        return self.layers if self.mtp is None else (*self.layers, self.mtp.layer)

    @property
    def moe_layers(self) -> tuple[int, ...]:
        """Indices of the layers with routed experts, ascending."""
        return tuple(e.layer for e in self.experts)


def with_mtp(arch: ArchSpec) -> ArchSpec:
    """The same model with the layer for further tokens that it is offered."""
    m = arch.offered
    if m is None or arch.mtp is not None:
        return arch
    return replace(arch, tensors=arch.tensors + m.tensors, experts=arch.experts + m.experts, mtp=m)
