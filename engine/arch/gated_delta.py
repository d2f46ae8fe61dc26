"""What Qwen3-Next and Qwen3.5 share: gated delta net layers, gated attention, softmax router with a gated shared expert.

Source: transformers 5.23 `modeling_qwen3_next.py`, `modeling_qwen3_5_moe.py`; Gated Delta Networks (arXiv 2412.06464).
"""

from engine.arch import names
from engine.arch.read import ConfigReader
from engine.arch.spec import Decay, Delta, Dense, ExpertSpec, Gqa, LayerSpec, Moe, Mtp, Rope, Router, TensorSpec

MULTIMODAL_ROPE = ("mrope_interleaved", "mrope_section")  # of one position in text
PARTS = {"gate": "gate_proj", "up": "up_proj", "down": "down_proj"}


def read_delta(r: ConfigReader, eps: float) -> Delta:
    """The recurrent mixer: one decay a value head."""
    return Delta(
        n_key_heads=r.positive("linear_num_key_heads"),
        n_value_heads=r.positive("linear_num_value_heads"),
        d_key=r.positive("linear_key_head_dim"),
        d_value=r.positive("linear_value_head_dim"),
        conv=r.positive("linear_conv_kernel_dim"),
        norm_eps=eps,
        decay=Decay(per_channel=False),
        gate_act="silu",
    )


def read_attention(r: ConfigReader, eps: float, d_head: int, rope: Rope) -> Gqa:
    """The attention mixer: head norms, output gate."""
    r.only("attention_bias", False)
    r.only("use_sliding_window", False)
    r.ignore("sliding_window", "max_window_layers")
    return Gqa(
        r.positive("num_attention_heads"), r.positive("num_key_value_heads"), d_head, rope, qk_norm="head", qk_norm_eps=eps, gate=True
    )


def read_moe(r: ConfigReader, renormalize: bool) -> Moe:
    """The routed layers."""
    return Moe(
        n_experts=r.positive("num_experts"),
        top_k=r.positive("num_experts_per_tok"),
        d_expert=r.positive("moe_intermediate_size"),
        router=Router("softmax", renormalize=renormalize),
        shared=Dense(r.positive("shared_expert_intermediate_size"), row_gate=True),
    )


def kinds(r: ConfigReader, n_layers: int) -> tuple[str, ...]:
    """"linear" or "full" a layer: listed, or each full_attention_interval-th is full."""
    interval = r.positive_or("full_attention_interval", 4)
    listed = r.layer_types(n_layers, linear_attention="linear", full_attention="full")
    return listed or tuple("linear" if (i + 1) % interval else "full" for i in range(n_layers))


def layer_tensors(i: int, p: str, d: int, layer: LayerSpec) -> list[TensorSpec]:
    """Everything of layer i under the source prefix p but the delta net's input projections."""
    m, moe, t = layer.mixer, layer.ffn, f"layers.{i}."
    out = names.norms(i, p, d, one_plus=True)
    if isinstance(m, Gqa):
        out += names.gqa(i, p + "self_attn.", d, m, one_plus=True)
    elif isinstance(m, Delta):
        out += _recurrent(t + "attn.", p + "linear_attn.", d, m)
    if isinstance(moe, Dense):
        return out + names.dense(i, p + "mlp.", d, moe.d_hidden)
    assert moe.shared is not None
    out += names.dense(i, p + "mlp.shared_expert.", d, moe.shared.d_hidden, "shared")
    return [
        *out,
        names.trunk(t + "router", p + "mlp.gate.weight", (moe.n_experts, d), "router"),
        names.trunk(t + "shared.row_gate", p + "mlp.shared_expert_gate.weight", (1, d), "router"),
    ]


def _recurrent(a: str, p: str, d: int, m: Delta) -> list[TensorSpec]:
    keys, values = m.n_key_heads * m.d_key, m.n_value_heads * m.d_value
    conv, taps = {"q": (0, keys), "k": (keys, keys), "v": (2 * keys, values)}, p + "conv1d.weight"
    return [
        *(names.trunk(f"{a}{k}_conv", taps, (m.conv, n), "vector", start=at, transpose=True) for k, (at, n) in conv.items()),
        names.trunk(a + "decay_log", p + "A_log", (m.n_value_heads,), "vector"),
        names.trunk(a + "decay_bias", p + "dt_bias", (m.n_value_heads,), "vector"),
        names.trunk(a + "o_norm", p + "norm.weight", (m.d_value,), "vector"),
        names.trunk(a + "o", p + "out_proj.weight", (d, values), "attn"),
    ]


def _inputs_apart(a: str, p: str, d: int, m: Delta) -> list[TensorSpec]:
    """A delta net's input projections where they are stored apart (Qwen3.5)."""
    keys, values = m.n_key_heads * m.d_key, m.n_value_heads * m.d_value
    cuts = {"q": (0, keys), "k": (keys, keys), "v": (2 * keys, values)}
    return [
        *(names.trunk(a + k, p + "in_proj_qkv.weight", (n, d), "attn", start=at) for k, (at, n) in cuts.items()),
        names.trunk(a + "gate", p + "in_proj_z.weight", (values, d), "attn"),
        names.trunk(a + "beta", p + "in_proj_b.weight", (m.n_value_heads, d), "router"),
        names.trunk(a + "decay", p + "in_proj_a.weight", (m.n_value_heads, d), "router"),
    ]


def tensors_apart(prefix: str, d: int, layers: tuple[LayerSpec, ...]) -> list[TensorSpec]:
    """All layers of a model that stores these projections apart."""
    out: list[TensorSpec] = []
    for i, layer in enumerate(layers):
        p = f"{prefix}layers.{i}."
        out += layer_tensors(i, p, d, layer)
        if isinstance(layer.mixer, Delta):
            out += _inputs_apart(f"layers.{i}.attn.", p + "linear_attn.", d, layer.mixer)
    return out


def experts(prefix: str, d: int, layers: tuple[LayerSpec, ...]) -> tuple[ExpertSpec, ...]:
    """The routed experts of all layers under the source prefix (`model.`)."""
    return tuple(
        names.experts(i, f"{prefix}layers.{i}.mlp.experts.{{expert}}.{{part}}.weight", d, layer.ffn, PARTS)
        for i, layer in enumerate(layers) if isinstance(layer.ffn, Moe)
    )


def further(n_layers: int, d: int, layer: LayerSpec, eps: float) -> Mtp:
    """The first layer for multi-token prediction: mtp.{pre_fc_norm_embedding, pre_fc_norm_hidden, fc, norm} around mtp.layers.0."""
    around = {"embed_norm": "pre_fc_norm_embedding", "hidden_norm": "pre_fc_norm_hidden", "project": "fc", "norm": "norm"}
    tensors = names.mtp({k: f"mtp.{v}.weight" for k, v in around.items()}, d, one_plus=True)
    tensors += layer_tensors(n_layers, "mtp.layers.0.", d, layer)
    if isinstance(layer.ffn, Dense):
        return Mtp(n_layers, layer, eps, tuple(tensors), ())
    own = names.experts(n_layers, "mtp.layers.0.mlp.experts.{expert}.{part}.weight", d, layer.ffn, PARTS)
    return Mtp(n_layers, layer, eps, tuple(tensors), (own,))
