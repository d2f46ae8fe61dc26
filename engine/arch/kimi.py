"""The text model of Kimi-Linear and Kimi K3: one config with more or fewer of its options on.

Source: the released `modeling_kimi_linear.py`; Kimi Linear (arXiv 2510.26692). Three Kimi delta attentions to one latent
attention, DeepSeek-V3's sigmoid router. Traps: layer lists count from 1; nothing is ever rotated, whatever rope_theta says;
`g_proj` is the output gate of both mixers; A_log may be padded to the head width; gate_lower_bound chooses the decay's formula.
"""

from engine.arch import latent, names, sigmoid_moe
from engine.arch.read import ConfigReader, Guess
from engine.arch.spec import Activation, ArchSpec, Decay, Delta, Dense, LayerSpec, Mla, Moe, Router, TensorSpec

PARTS = {"gate": "w1", "up": "w3", "down": "w2"}


def text_spec(r: ConfigReader, family: str, prefix: str) -> ArchSpec:
    """The text model of `r` whose tensors lie under prefix. Raises UnsupportedModel."""
    d, n_layers, eps = r.positive("hidden_size"), r.positive("num_hidden_layers"), r.need("rms_norm_eps", float)
    act = _activation(r)
    moe, dense, first = _moe(r, act), Dense(r.positive("intermediate_size"), act), r.count("first_k_dense_replace")
    delta, recurrent = _delta(r, n_layers, eps)
    _says_again(r, n_layers, first, delta, recurrent)
    r.only("mla_use_nope", True)
    mla = latent.read_mla(r, rotated=False, gate=r.may("mla_use_output_gate", bool, False))
    block = r.positive_or("attn_res_block_size", None)
    layers = tuple(
        LayerSpec(
            delta if i in recurrent else mla, dense if i < first else moe, eps,
            residual="attention" if block else "plain", keep=block is not None and i % block == 0,
        )
        for i in range(n_layers)
    )
    vocab, tied, model = r.positive("vocab_size"), r.may("tie_word_embeddings", bool, False), prefix + "model."
    tensors = names.outer(d, vocab, tied, model, prefix + "lm_head.weight")
    if block:
        tensors += _mix("mix", model + "output_attn_res", d)
    for i, layer in enumerate(layers):
        tensors += _layer(i, f"{model}layers.{i}.", d, layer)
    template = model + "layers.{layer}.block_sparse_moe.experts.{expert}.{part}.weight"
    experts = [
        names.experts(i, template.replace("{layer}", str(i)), d, moe, PARTS) for i, layer in enumerate(layers) if layer.ffn is moe
    ]
    max_context = r.positive_or("max_position_embeddings", None) or r.positive("model_max_length")
    bos, ends = r.ids("bos_token_id"), r.ids("eos_token_id")
    r.ignore("num_nextn_predict_layers", "rope_theta", "rope_scaling", "rope_parameters")
    r.done()
    return ArchSpec(
        family, d, vocab, max_context, layers, eps, tied, tuple(tensors), tuple(experts),
        bos_token=bos[0] if bos else None, end_tokens=ends,
    )


def _activation(r: ConfigReader) -> Activation:
    r.only("hidden_act", "silu", "situ")
    if r.need("hidden_act", str) != "silu":
        if r.is_bad("hidden_act"):
            r.ignore("activation_situ_beta", "activation_situ_linear_beta")
            return Activation()
        return Activation("situ", (r.need("activation_situ_beta", float), r.need("activation_situ_linear_beta", float)))
    return Activation()


def _moe(r: ConfigReader, act: Activation) -> Moe:
    r.only("moe_router_activation_func", "sigmoid")
    r.only("topk_method", "noaux_tc")
    r.only("moe_layer_freq", 1)
    r.ignore("use_grouped_topk")
    width, n_shared = r.positive("moe_intermediate_size"), r.count("num_shared_experts")
    return Moe(
        n_experts=r.positive("num_experts"),
        top_k=r.positive("num_experts_per_token"),
        d_expert=width,
        router=Router(
            "sigmoid",
            renormalize=r.may("moe_renormalize", bool, True),
            renorm_eps=sigmoid_moe.RENORM_EPS,
            scale=r.may("routed_scaling_factor", float, 1.0),
            choice_bias=True,
            groups=r.positive_or("num_expert_group", 1),
            topk_groups=r.positive_or("topk_group", 1),
            group_score="top2",
        ),
        act=act,
        shared=Dense(n_shared * width, act) if n_shared else None,
        d_latent=r.positive_or("routed_expert_hidden_size", None),
        latent_norm=r.may("latent_moe_use_norm", bool, False),
    )


def _delta(r: ConfigReader, n_layers: int, eps: float) -> tuple[Delta, frozenset[int]]:
    """The recurrent mixer and its layers."""
    c = r.need_sub("linear_attn_config")
    heads, d = c.positive("num_heads"), c.positive("head_dim")
    mixer = Delta(
        n_key_heads=heads,
        n_value_heads=heads,
        d_key=d,
        d_value=d,
        conv=c.positive("short_conv_kernel_size"),
        norm_eps=eps,
        decay=Decay(per_channel=True, floor=c.may("gate_lower_bound", float, None)),
        gate_act="sigmoid",
        decay_rank=d,
        gate_rank=None if c.may("use_full_rank_gate", bool, False) else d,
    )
    recurrent = c.layer_set("kda_layers", n_layers, one_based=True)
    full = c.layer_set("full_attn_layers", n_layers, one_based=True)
    if not isinstance(n_layers, Guess) and full != frozenset(range(n_layers)) - recurrent:
        c.only("full_attn_layers", [i + 1 for i in range(n_layers) if i not in recurrent])
    c.done()
    return mixer, recurrent


def _says_again(r: ConfigReader, n_layers: int, first: int, delta: Delta, recurrent: frozenset[int]) -> None:
    """What transformers 5 writes beside the published keys must agree with them."""
    sigmoid_moe.says_kinds(r, n_layers, first)
    kinds = ["linear_attention" if i in recurrent else "full_attention" for i in range(n_layers)]
    r.only("layer_types", n_layers if isinstance(n_layers, Guess) else kinds)
    for key, value in (("linear_num_heads", delta.n_key_heads), ("linear_head_dim", delta.d_key), ("linear_conv_kernel_dim", delta.conv)):
        r.only(key, value)


def _layer(i: int, p: str, d: int, layer: LayerSpec) -> list[TensorSpec]:
    m, t, a = layer.mixer, f"layers.{i}.", p + "self_attn."
    out = names.norms(i, p, d)
    if layer.residual == "attention":
        out += _mix(t + "attn_mix", p + "self_attention_res", d) + _mix(t + "ffn_mix", p + "mlp_res", d)
    if isinstance(m, Mla):
        out += latent.tensors(i, a, d, m)
    elif isinstance(m, Delta):
        out += _kda(t + "attn.", a, d, m)
    if isinstance(layer.ffn, Dense):
        return out + names.dense(i, p + "mlp.", d, layer.ffn.d_hidden)
    b = p + "block_sparse_moe."
    out += sigmoid_moe.ffn(i, b, d, layer)
    if (n := layer.ffn.d_latent) is not None:
        out.append(names.trunk(t + "latent.down", b + "routed_expert_down_proj.weight", (n, d), "ffn"))
        out.append(names.trunk(t + "latent.up", b + "routed_expert_up_proj.weight", (d, n), "ffn_down"))
        if layer.ffn.latent_norm:
            out.append(names.trunk(t + "latent.norm", b + "routed_expert_norm.weight", (n,), "vector"))
    return out


def _mix(name: str, source: str, d: int) -> list[TensorSpec]:
    words = {f"{name}_norm": f"{source}_norm.weight", name: f"{source}_proj.weight"}
    return [names.trunk(ours, theirs, (d,), "vector") for ours, theirs in words.items()]


def _kda(t: str, p: str, d: int, m: Delta) -> list[TensorSpec]:
    keys, rank = m.n_key_heads * m.d_key, m.decay_rank
    assert rank is not None
    shapes = {"q": (keys, d), "k": (keys, d), "v": (keys, d), "o": (d, keys), "decay_a": (rank, d), "decay": (keys, rank)}
    words = {"decay_a": "f_a", "decay": "f_b", "gate_a": "g_a", "gate": "g" if m.gate_rank is None else "g_b"}
    shapes["gate"] = (keys, m.gate_rank or d)
    if m.gate_rank is not None:
        shapes["gate_a"] = (m.gate_rank, d)
    return [
        *(names.trunk(t + k, f"{p}{words.get(k, k)}_proj.weight", shape, "attn") for k, shape in shapes.items()),
        names.trunk(t + "beta", p + "b_proj.weight", (m.n_value_heads, d), "router"),
        *(names.trunk(f"{t}{k}_conv", f"{p}{k}_conv1d.weight", (m.conv, keys), "vector", transpose=True) for k in "qkv"),
        names.trunk(t + "decay_log", p + "A_log", (m.n_value_heads,), "vector", padded=True),
        names.trunk(t + "decay_bias", p + "dt_bias", (keys,), "vector"),
        names.trunk(t + "o_norm", p + "o_norm.weight", (m.d_value,), "vector"),
    ]
