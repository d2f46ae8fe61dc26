"""The config.json of a GGUF file's model: its family's keys, made of the file's metadata.

Source: the conversion scripts and model loaders of github.com/ggml-org/llama.cpp. What a GGUF does not say is what llama.cpp takes
for granted (whether weights of experts are normed, which layers have windows), or what all released models of the family have.
"""

from collections.abc import Callable

from engine.setup import gguf_keys as keys
from engine.setup.gguf_keys import SIGMOID, SOFTMAX, Config, Tensors
from engine.setup.gguf_metadata import Metadata
from engine.words import say


def config_of(m: Metadata, tensors: Tensors) -> Config:
    """config.json of an architecture of ARCHITECTURES; problems go to `m`."""
    config = ARCHITECTURES[str(m.arch)](m, tensors)
    m.done()
    return config


def _qwen_moe(m: Metadata, t: Tensors, model_type: str, renormalized: bool) -> Config:
    c = keys.common(m, t, model_type)
    keys.heads(m, c)
    keys.experts(m, c, "num_experts")
    dense = sorted(set(range(min(c["num_hidden_layers"], 1024))) - keys.layers_with(t, "ffn_gate_inp.weight"))
    return c | {
        "moe_intermediate_size": keys.width(m),
        "intermediate_size": m.whole("feed_forward_length", 1),
        "norm_topk_prob": m.flag("expert_weights_norm", renormalized),
        "mlp_only_layers": dense,
    }


def _qwen3moe(m: Metadata, t: Tensors) -> Config:
    c = _qwen_moe(m, t, "qwen3_moe", True)
    keys.whole_rope(m, c)
    keys.plain_router(m)
    m.only("expert_weights_scale", 0.0, 1.0)
    return c | {"attention_bias": bool(keys.layers_with(t, "attn_q.bias"))}


def _qwen2moe(m: Metadata, t: Tensors) -> Config:
    c = _qwen_moe(m, t, "qwen2_moe", False)
    keys.whole_rope(m, c)
    shared = next((t[name].shape[0] for name in t if name.endswith(".ffn_gate_shexp.weight")), 1)
    m.ignore("expert_shared_count")
    return c | {
        "qkv_bias": bool(keys.layers_with(t, "attn_q.bias")),
        "shared_expert_intermediate_size": m.whole("expert_shared_feed_forward_length", shared),
    }


def _olmoe(m: Metadata, t: Tensors) -> Config:
    c = keys.common(m, t, "olmoe")
    keys.heads(m, c)
    keys.whole_rope(m, c)
    keys.experts(m, c, "num_experts")
    keys.plain_router(m)
    m.only("attention.clamp_kqv", 0.0)
    m.only("expert_weights_norm", False)
    width = m.whole("feed_forward_length", 1)
    return c | {"intermediate_size": m.whole("expert_feed_forward_length", width), "norm_topk_prob": False}


def _dense(m: Metadata, t: Tensors, model_type: str) -> Config:
    """A model without experts in the usual spelling."""
    c = keys.common(m, t, model_type)
    keys.heads(m, c)
    keys.whole_rope(m, c)
    return c | keys.dense(m, c)


def _qwen2(m: Metadata, t: Tensors) -> Config:
    return _dense(m, t, "qwen2")


def _qwen3(m: Metadata, t: Tensors) -> Config:
    return _dense(m, t, "qwen3") | {"attention_bias": bool(keys.layers_with(t, "attn_q.bias"))}


def _granite(m: Metadata, t: Tensors) -> Config:
    return _dense(m, t, "granite") | {
        "attention_multiplier": m.real("attention.scale", 1.0),
        "embedding_multiplier": m.real("embedding_scale", 1.0),
        "residual_multiplier": m.real("residual_scale", 1.0),
        "logits_scaling": m.real("logit_scale", 1.0),
    }


def _gemma3(m: Metadata, t: Tensors) -> Config:
    """The scale of attention, for which GGUF has no key, is the heads' width in all releases but the 27B, whose 62 layers tell it."""
    c = _dense(m, t, "gemma3_text")
    largest = c["num_hidden_layers"] == 62
    del c["hidden_act"]
    n = min(c["num_hidden_layers"], 1024)
    windows = m.windows("attention.sliding_window_pattern", n, 6)
    return c | {
        "hidden_activation": "gelu_pytorch_tanh",
        "query_pre_attn_scalar": c["hidden_size"] // max(c["num_attention_heads"], 1) if largest else c["head_dim"],
        "sliding_window": m.whole("attention.sliding_window"),
        "layer_types": ["sliding_attention" if w else "full_attention" for w in windows],
        "rope_local_base_freq": m.real("rope.freq_base_swa", 10000.0),
        "final_logit_softcapping": m.real("final_logit_softcapping", 0.0) or None,
    }


def _olmo2(m: Metadata, t: Tensors) -> Config:
    return _dense(m, t, "olmo2")


def _dense_llama(m: Metadata, t: Tensors) -> Config:
    window = m.whole("attention.sliding_window", 0)
    c = _dense(m, t, "mistral" if window else "llama")
    c["rope_scaling"] = c["rope_scaling"] or keys.llama3(m, c)
    return c | ({"sliding_window": window} if window else {"attention_bias": bool(keys.layers_with(t, "attn_q.bias"))})


def _llama(m: Metadata, t: Tensors) -> Config:
    if not m.whole("expert_count", 0):
        return _dense_llama(m, t)
    c = keys.common(m, t, "mixtral")
    keys.heads(m, c)
    keys.whole_rope(m, c)
    keys.experts(m, c, "num_local_experts")
    keys.plain_router(m)
    m.only("expert_weights_norm", True)
    window = m.whole("attention.sliding_window", 0)
    width = m.whole("feed_forward_length", 1)
    return c | {"intermediate_size": m.whole("expert_feed_forward_length", width), "sliding_window": window or None}


def _gpt_oss(m: Metadata, t: Tensors) -> Config:
    c = keys.common(m, t, "gpt_oss")
    keys.heads(m, c)
    keys.whole_rope(m, c)
    keys.experts(m, c, "num_local_experts")
    m.ignore("feed_forward_length", "expert_gating_func", "attention.sliding_window_pattern")
    if c["rope_scaling"]:
        c["rope_scaling"]["truncate"] = False  # as published; GGUF has no key for it
    return c | {
        "attention_bias": True,
        "intermediate_size": m.whole("expert_feed_forward_length"),
        "sliding_window": m.whole("attention.sliding_window"),
        "layer_types": ["full_attention" if i % 2 else "sliding_attention" for i in range(min(c["num_hidden_layers"], 1024))],
        "quantization_config": {"quant_method": "mxfp4"},
    }


def _glm4moe(m: Metadata, t: Tensors) -> Config:
    c = keys.common(m, t, "glm4_moe")
    keys.heads(m, c)
    c["partial_rotary_factor"] = m.whole("rope.dimension_count", c["head_dim"] // 2) / max(c["head_dim"], 1)
    m.ignore("rope.dimension_sections")
    return keys.deepseek_moe(m, c, SIGMOID) | {
        "norm_topk_prob": m.flag("expert_weights_norm", True),
        "attention_bias": bool(keys.layers_with(t, "attn_q.bias")),
        "use_qk_norm": bool(keys.layers_with(t, "attn_q_norm.weight")),
    }


def _deepseek2(m: Metadata, t: Tensors) -> Config:
    sigmoid = m.whole("expert_gating_func", SOFTMAX) == SIGMOID or bool(keys.layers_with(t, "exp_probs_b.bias"))
    c = keys.common(m, t, "deepseek_v3" if sigmoid else "deepseek_v2")
    rope = m.whole("rope.dimension_count")
    split = m.has("attention.key_length_mla")
    m.ignore("attention.key_length", "attention.value_length", "attention.head_count_kv")
    key = m.whole("attention.key_length_mla" if split else "attention.key_length")
    c |= {
        "num_key_value_heads": c["num_attention_heads"],
        "qk_rope_head_dim": rope,
        "qk_nope_head_dim": max(key - rope, 1),
        "v_head_dim": m.whole("attention.value_length_mla" if split else "attention.value_length"),
        "kv_lora_rank": m.whole("attention.kv_lora_rank"),
        "q_lora_rank": m.whole("attention.q_lora_rank", 0) or None,
    }
    multiplier = m.real("rope.scaling.yarn_log_multiplier", 0.0)
    if c["rope_scaling"] and c["rope_scaling"]["type"] == "yarn":
        all_dim = float(f"{10 * multiplier:.6g}")  # a tenth of it is stored
        c["rope_scaling"] |= {"mscale": all_dim, "mscale_all_dim": all_dim}
        m.ignore("rope.scaling.attn_factor", "rope.scaling.yarn_attn_factor")
    m.only("attention.temperature_scale", 0.0)
    m.ignore("attention.temperature_length", "dense_feat_in")
    c = keys.deepseek_moe(m, c, SIGMOID if sigmoid else SOFTMAX)
    if not sigmoid and c["n_group"] > 1:
        c["topk_method"] = "group_limited_greedy"
    return c | {"norm_topk_prob": m.flag("expert_weights_norm", False)}


def _gemma4(m: Metadata, t: Tensors) -> Config:
    c = keys.common(m, t, "gemma4_text", rope=False)
    del c["hidden_act"]
    n = min(c["num_hidden_layers"], 1024)
    windows = m.each("attention.sliding_window_pattern", n)
    heads = m.each("attention.head_count_kv", n)
    by_kind = {kind: {h for h, w in zip(heads, windows, strict=True) if bool(w) == kind} or {1} for kind in (True, False)}
    if any(len(v) > 1 for v in by_kind.values()):
        m.problems.append(
            say(
                "its metadata say {arch}.attention.head_count_kv = {heads}, but layers of one kind have one value",
                arch=m.arch,
                heads=f"{heads!r:.60}",
            )
        )
    full, sliding = m.whole("attention.key_length"), m.whole("attention.key_length_swa")
    m.only("attention.value_length", full)
    m.only("attention.value_length_swa", sliding)
    m.only("rope.dimension_count", full)
    m.only("rope.dimension_count_swa", sliding)
    m.only("attention.shared_kv_layers", 0)
    m.only("embedding_length_per_layer_input", 0)
    m.only("rope.scaling.type", "none")
    routed = m.whole("expert_count", 0) > 0
    if routed:
        keys.experts(m, c, "num_experts", "top_k_experts")
        c["moe_intermediate_size"] = m.whole("expert_feed_forward_length")
    else:
        keys.dense(m, c)
    theta = m.real("rope.freq_base", 1e6)
    factors = m.vector("rope_freqs.weight")  # what stands still has a factor of 1e30
    rotated = sum(f == 1 for f in factors) / len(factors) if factors else 0.25
    return c | {
        "hidden_activation": "gelu_pytorch_tanh",
        "enable_moe_block": routed,
        "attention_k_eq_v": True,
        "num_key_value_heads": max(by_kind[True]),
        "num_global_key_value_heads": max(by_kind[False]),
        "head_dim": sliding,
        "global_head_dim": full,
        "sliding_window": m.whole("attention.sliding_window"),
        "layer_types": ["sliding_attention" if w else "full_attention" for w in windows],
        "intermediate_size": m.same("feed_forward_length", n),
        "final_logit_softcapping": m.real("final_logit_softcapping", 30.0),
        "rope_parameters": {
            "full_attention": {"rope_type": "proportional", "rope_theta": theta, "partial_rotary_factor": rotated},
            "sliding_attention": {"rope_type": "default", "rope_theta": m.real("rope.freq_base_swa", 10000.0)},
        },
    }


def _delta(m: Metadata, config: Config) -> Config:
    """The gated delta nets of Qwen3-Next and Qwen3.5; layers for further tokens are counted as layers there."""
    heads, further = m.whole("ssm.time_step_rank"), m.whole("nextn_predict_layers", 0)
    n = config["num_hidden_layers"] = max(config["num_hidden_layers"] - further, 1)
    c = config | {
        "linear_conv_kernel_dim": m.whole("ssm.conv_kernel"),
        "linear_key_head_dim": m.whole("ssm.state_size"),
        "linear_num_key_heads": m.whole("ssm.group_count"),
        "linear_num_value_heads": heads,
        "linear_value_head_dim": m.whole("ssm.inner_size") // max(heads, 1),
        "full_attention_interval": m.whole("full_attention_interval", 4),
        "partial_rotary_factor": m.whole("rope.dimension_count", config["head_dim"] // 4) / max(config["head_dim"], 1),
    }
    if m.has("attention.recurrent_layers"):
        recurrent = m.each("attention.recurrent_layers", min(n, 1024))
        c["layer_types"] = ["linear_attention" if r else "full_attention" for r in recurrent]
    return c | ({"mtp_num_hidden_layers": further} if c["model_type"].startswith("qwen3_5") else {})


def _hybrid(m: Metadata, t: Tensors, model_type: str) -> Config:
    c = _delta(m, _qwen_moe(m, t, model_type, True))
    shared = next((t[name].shape[0] for name in t if name.endswith(".ffn_gate_shexp.weight")), 1)
    c["shared_expert_intermediate_size"] = m.whole("expert_shared_feed_forward_length", shared)
    m.only("expert_weights_scale", 0.0, 1.0)
    return c | {"mlp_only_layers": [i for i in c["mlp_only_layers"] if i < c["num_hidden_layers"]]}


def _qwen3next(m: Metadata, t: Tensors) -> Config:
    return _hybrid(m, t, "qwen3_next")


def _qwen35moe(m: Metadata, t: Tensors) -> Config:
    c = _hybrid(m, t, "qwen3_5_moe_text")
    m.ignore("rope.dimension_sections")  # one position for all of them in text
    del c["intermediate_size"]
    return c


def _qwen35(m: Metadata, t: Tensors) -> Config:
    c = keys.common(m, t, "qwen3_5_text")
    keys.heads(m, c)
    m.ignore("rope.dimension_sections")
    return _delta(m, c | keys.dense(m, c))


def _minimax(m: Metadata, t: Tensors) -> Config:
    c = keys.common(m, t, "minimax_m2")
    keys.heads(m, c)
    keys.experts(m, c, "num_local_experts")
    m.only("expert_gating_func", SIGMOID)
    m.only("expert_weights_norm", True)
    m.only("expert_weights_scale", 0.0, 1.0)
    m.ignore("feed_forward_length")
    return c | {
        "rotary_dim": m.whole("rope.dimension_count", c["head_dim"]),
        "intermediate_size": m.whole("expert_feed_forward_length"),
        "use_routing_bias": bool(keys.layers_with(t, "exp_probs_b.bias")),
        "use_qk_norm": bool(keys.layers_with(t, "attn_q_norm.weight")),
    }


def _kimi_linear(m: Metadata, t: Tensors) -> Config:
    c = keys.common(m, t, "kimi_linear", rope=False)
    keys.experts(m, c, "num_experts", "num_experts_per_token")
    n, rope = min(c["num_hidden_layers"], 1024), m.whole("rope.dimension_count")
    split = m.has("attention.key_length_mla")
    m.ignore("attention.key_length", "attention.value_length", "rope.freq_base", "rope.scaling.type", "nextn_predict_layers")
    m.only("expert_gating_func", SIGMOID)
    m.only("expert_weights_norm", True)
    full = [i + 1 for i, heads in enumerate(m.each("attention.head_count_kv", n)) if heads]
    return c | {
        "num_key_value_heads": c["num_attention_heads"],
        "qk_rope_head_dim": rope,
        "qk_nope_head_dim": max(m.whole("attention.key_length_mla" if split else "attention.key_length") - rope, 1),
        "v_head_dim": m.whole("attention.value_length_mla" if split else "attention.value_length"),
        "kv_lora_rank": m.whole("attention.kv_lora_rank"),
        "q_lora_rank": m.whole("attention.q_lora_rank", 0) or None,
        "mla_use_nope": True,
        "moe_intermediate_size": m.whole("expert_feed_forward_length"),
        "intermediate_size": m.whole("feed_forward_length"),
        "num_shared_experts": m.whole("expert_shared_count", 0),
        "first_k_dense_replace": m.whole("leading_dense_block_count", 0),
        "routed_scaling_factor": m.real("expert_weights_scale", 1.0) or 1.0,
        "num_expert_group": m.whole("expert_group_count", 1) or 1,
        "topk_group": m.whole("expert_group_used_count", 1) or 1,
        "moe_renormalize": True,
        "moe_router_activation_func": "sigmoid",
        "linear_attn_config": {
            "num_heads": c["num_attention_heads"],
            "head_dim": m.whole("kda.head_dim"),
            "short_conv_kernel_size": m.whole("ssm.conv_kernel"),
            "kda_layers": [i + 1 for i in range(n) if i + 1 not in full],
            "full_attn_layers": full,
        },
    }


ARCHITECTURES: dict[str, Callable[[Metadata, Tensors], Config]] = {
    "qwen3moe": _qwen3moe,
    "qwen2moe": _qwen2moe,
    "olmoe": _olmoe,
    "llama": _llama,
    "qwen2": _qwen2,
    "qwen3": _qwen3,
    "granite": _granite,
    "gemma3": _gemma3,
    "olmo2": _olmo2,
    "qwen35": _qwen35,
    "gpt-oss": _gpt_oss,
    "glm4moe": _glm4moe,
    "deepseek2": _deepseek2,
    "gemma4": _gemma4,
    "qwen3next": _qwen3next,
    "qwen35moe": _qwen35moe,
    "minimax-m2": _minimax,
    "kimi-linear": _kimi_linear,
}
DENSE = frozenset({"llama", "qwen2", "qwen3", "granite", "gemma3", "gemma4", "olmo2", "qwen35"})  # which may have no experts
