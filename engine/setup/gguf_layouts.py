"""What llama.cpp's conversion laid out in another way, back in the layout of each family.

Rotary pairs of "llama" become halves again, the two parts of MLA's kv_b one matrix, gate and up of stacked experts one tensor, the
inputs of a delta net what they were. Source: the conversion scripts of github.com/ggml-org/llama.cpp.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from engine.setup.gguf_names import NEXTN, PLAIN_EXPERTS, QWEN_NEXTN, SPARSE_EXPERTS, Maker, Names
from engine.setup.repack import NotHeld
from engine.setup.source import widest
from engine.setup.views import F32, I64, U8, RowView, Store


@dataclass(frozen=True)
class KvB:
    """kv_b of latent attention: for each head d_nope rows that are columns of k_b, then d_value rows of v_b."""

    dtype: str
    shape: tuple[int, ...]
    cols: int
    k_b: str
    v_b: str
    d_nope: int
    d_value: int

    def read(self, store: Store, wanted: I64) -> F32:
        """As View."""
        out = np.empty((len(wanted), self.cols), np.float32)
        heads, rows = np.divmod(wanted, self.d_nope + self.d_value)
        for head in np.unique(heads).tolist():
            keys, values = (np.flatnonzero((heads == head) & (early == (rows < self.d_nope))) for early in (True, False))
            if len(keys):
                out[keys] = store.decoded(self.k_b, head * self.cols, self.cols, self.d_nope).T[rows[keys]]
            if len(values):
                out[values] = store.decoded(self.v_b, head * self.d_value, self.d_value, self.cols)[rows[values] - self.d_nope]
        return out

    def read_blocks(self, store: Store, fmt: str, wanted: I64) -> U8:
        """As View: the blocks of one half lie across its rows."""
        raise NotHeld

    def parts(self) -> tuple[str, ...]:
        """As View."""
        return self.k_b, self.v_b


def halves(m: Maker) -> None:
    """Rows of q and k in rotary pairs (2i, 2i + 1), as the family has them: (i, i + d / 2)."""
    d_head = m.config["head_dim"]
    for i in range(m.n_layers):
        for k in "qk":
            for ending in ("weight", "bias"):
                name = f"model.layers.{i}.self_attn.{k}_proj.{ending}"
                view = m.views.get(name)
                if isinstance(view, RowView) and d_head % 2 == 0 and view.shape[0] % d_head == 0:
                    order = np.arange(view.shape[0]).reshape(-1, d_head // 2, 2).swapaxes(1, 2).reshape(-1)
                    m.views[name] = replace(view, rows=_table(order))


def drop_factors(m: Maker) -> None:
    """The rope's factors are in the config."""
    if m.config.get("rope_scaling"):
        m.views.pop("rope_freqs.weight", None)


def _table(order: I64) -> Callable[[I64], I64]:
    return lambda wanted: order[wanted]


def latent(m: Maker) -> None:
    """k_b [heads, d_latent, d_nope] and v_b [heads, d_value, d_latent]; files of the first months have kv_b itself."""
    for i in m.layers:
        k, v = (m.tensors.get(f"blk.{i}.attn_{half}_b.weight") for half in "kv")
        if k is None or v is None or len(k.shape) != 3 or len(v.shape) != 3 or (k.shape[0], k.shape[1]) != (v.shape[0], v.shape[2]):
            continue  # told as tensors without a place
        d_nope, d_value = k.shape[2], v.shape[1]
        k_b, v_b = m.take(i, "attn_k_b.weight"), m.take(i, "attn_v_b.weight")
        assert k_b is not None and v_b is not None
        shape = (k.shape[0] * (d_nope + d_value), k.shape[1])
        name = f"model.layers.{i}.self_attn.kv_b_proj.weight"
        m.views[name] = KvB(widest(k.dtype, v.dtype), shape, k.shape[1], k_b, v_b, d_nope, d_value)


def _fused(m: Maker, layer: int, name: str, ending: str, interleaved: bool) -> None:
    """gate and up of all experts as one tensor: row by row, or gate's rows first."""
    gate, up = (m.tensors.get(f"blk.{layer}.ffn_{k}_exps.{ending}") for k in ("gate", "up"))
    if gate is None or up is None or gate.shape != up.shape or len(gate.shape) != (3 if ending == "weight" else 2):
        return
    n, rows = gate.shape[:2]
    cols = gate.shape[2] if ending == "weight" else 1

    def where(wanted: I64) -> I64:
        expert, row = np.divmod(wanted, 2 * rows)
        half, row = (row % 2, row // 2) if interleaved else np.divmod(row, rows)
        return np.asarray(half * (n * rows) + expert * rows + row)

    stored = [(m.take(layer, f"ffn_{k}_exps.{ending}") or "", n * rows) for k in ("gate", "up")]
    shape = (n, 2 * rows, cols) if ending == "weight" else (n, 2 * rows)
    m.views[f"model.layers.{layer}.{name}"] = RowView(widest(gate.dtype, up.dtype), shape, cols, tuple(stored), where)


def _whole(m: Maker, layer: int, part: str, name: str, cols: int | None = None) -> None:
    if (stored := m.take(layer, part)) is not None:
        m.views[f"model.layers.{layer}.{name}"] = m.plain(stored, cols)


def gpt_oss_experts(m: Maker) -> None:
    """Rows of gate and up in turn, biases beside them."""
    for i in range(m.n_layers):
        for ending, word in (("weight", ""), ("bias", "_bias")):
            _fused(m, i, f"mlp.experts.gate_up_proj{word}", ending, interleaved=True)
            _whole(m, i, f"ffn_down_exps.{ending}", f"mlp.experts.down_proj{word}", None if ending == "weight" else 1)


def gemma4_experts(m: Maker) -> None:
    """Rows of gate, then those of up; the rope's factors are in the config."""
    m.views.pop("rope_freqs.weight", None)
    for i in range(m.n_layers):
        _whole(m, i, "ffn_gate_up_exps.weight", "experts.gate_up_proj")
        _fused(m, i, "experts.gate_up_proj", "weight", interleaved=False)
        _whole(m, i, "ffn_down_exps.weight", "experts.down_proj")


def decays(m: Maker) -> None:
    """a = -exp(A_log), stored as a."""
    for name, view in list(m.views.items()):
        if name.endswith(".A_log") and isinstance(view, RowView):
            m.views[name] = replace(view, then=_log)


def _log(a: F32) -> F32:
    with np.errstate(all="ignore"):  # what is no number is told by whoever packs it
        return np.log(-a)


def grouped_inputs(m: Maker) -> None:
    """Qwen3-Next's projections apart, as the family has them: for each key head [q, k, v of its value heads, z of them]."""
    c = m.config
    heads, d_key, d_value = c["linear_num_key_heads"], c["linear_key_head_dim"], c["linear_value_head_dim"]
    share = c["linear_num_value_heads"] // max(heads, 1) * d_value
    keys, values = heads * d_key, heads * share
    for i in range(m.n_layers):
        qkv, z = (m.tensors.get(f"blk.{i}.attn_{k}.weight") for k in ("qkv", "gate"))
        if qkv is None or z is None or qkv.shape[:1] != (2 * keys + values,) or z.shape != (values, qkv.shape[-1]):
            continue

        def where(wanted: I64) -> I64:
            head, row = np.divmod(wanted, 2 * d_key + 2 * share)
            starts = np.array([0, d_key, 2 * d_key, 2 * d_key + share])
            part = np.searchsorted(starts, row, side="right") - 1
            stored, size = np.array([0, keys, 2 * keys, 2 * keys + values]), np.array([d_key, d_key, share, share])
            return np.asarray(stored[part] + head * size[part] + row - starts[part])

        stored = ((m.take(i, "attn_qkv.weight") or "", qkv.shape[0]), (m.take(i, "attn_gate.weight") or "", values))
        shape = (2 * keys + 2 * values, qkv.shape[1])
        name = f"model.layers.{i}.linear_attn.in_proj_qkvz.weight"
        m.views[name] = RowView(widest(qkv.dtype, z.dtype), shape, shape[1], stored, where)


def value_heads(m: Maker) -> None:
    """Qwen3.5's value heads, stored with those of different key heads side by side, by key head again."""
    c = m.config
    key_heads, n, d = c["linear_num_key_heads"], c["linear_num_value_heads"], c["linear_value_head_dim"]
    keys = 2 * key_heads * c["linear_key_head_dim"]
    heads = np.arange(n).reshape(-1, key_heads).T.reshape(-1) if key_heads and n % key_heads == 0 else np.arange(n)
    rows = (heads[:, None] * d + np.arange(d)).reshape(-1)
    after_keys = np.concatenate([np.arange(keys), keys + rows])
    orders = {
        "in_proj_qkv.weight": after_keys, "conv1d.weight": after_keys, "in_proj_z.weight": rows,
        "in_proj_a.weight": heads, "in_proj_b.weight": heads, "A_log": heads, "dt_bias": heads,
    }  # fmt: skip
    for i in range(m.n_layers):
        p = f"model.layers.{i}.linear_attn."
        for name, order in orders.items():
            view = m.views.get(p + name)
            if isinstance(view, RowView) and view.shape[0] == len(order):
                m.views[p + name] = replace(view, rows=_table(order))
        out = m.views.get(p + "out_proj.weight")
        if isinstance(out, RowView) and out.cols == len(rows):
            m.views[p + "out_proj.weight"] = replace(out, columns=rows)


_ATTENTION = {
    "attn_norm": "input_layernorm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj", "attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm",
}  # fmt: skip
_NORM, _POST_NORM = {"ffn_norm": "post_attention_layernorm"}, {"post_attention_norm": "post_attention_layernorm"}
_DENSE = {f"ffn_{k}": f"mlp.{k}_proj" for k in ("gate", "up", "down")}
_USUAL = _ATTENTION | _NORM | _DENSE | {"ffn_gate_inp": "mlp.gate"}
_LATENT = {
    "attn_q_a": "self_attn.q_a_proj", "attn_q_a_norm": "self_attn.q_a_layernorm", "attn_q_b": "self_attn.q_b_proj",
    "attn_kv_a_mqa": "self_attn.kv_a_proj_with_mqa", "attn_kv_a_norm": "self_attn.kv_a_layernorm", "attn_kv_b": "self_attn.kv_b_proj",
}  # fmt: skip
_BIAS = {"exp_probs_b.bias": "mlp.gate.e_score_correction_bias"}


def _shared(words: str) -> dict[str, str]:
    return {f"ffn_{k}_shexp": f"{words}.{k}_proj" for k in ("gate", "up", "down")}


_SHARED_GATE = _shared("mlp.shared_expert") | {"ffn_gate_inp_shexp": "mlp.shared_expert_gate"}
_POST_FFN_NORM = {"post_ffw_norm": "post_feedforward_layernorm"}
_SANDWICH = _POST_NORM | _POST_FFN_NORM | {"ffn_norm": "pre_feedforward_layernorm"}
_GEMMA4 = _SANDWICH | {
    "pre_ffw_norm_2": "pre_feedforward_layernorm_2",
    "post_ffw_norm_1": "post_feedforward_layernorm_1", "post_ffw_norm_2": "post_feedforward_layernorm_2",
    "ffn_gate_inp.weight": "router.proj.weight", "ffn_gate_inp.scale": "router.scale", "ffn_down_exps.scale": "router.per_expert_scale",
    "layer_output_scale.weight": "layer_scalar",
}  # fmt: skip
_DELTA = {
    "ssm_a": "linear_attn.A_log", "ssm_dt.bias": "linear_attn.dt_bias", "ssm_conv1d": "linear_attn.conv1d", "ssm_norm": "linear_attn.norm",
    "ssm_out": "linear_attn.out_proj",
}  # fmt: skip
_QWEN35_INPUTS = {
    "attn_qkv": "linear_attn.in_proj_qkv", "attn_gate": "linear_attn.in_proj_z", "ssm_beta": "linear_attn.in_proj_b",
    "ssm_alpha": "linear_attn.in_proj_a",
}  # fmt: skip
_ONE_PLUS = (
    "layernorm.weight", "self_attn.q_norm.weight", "self_attn.k_norm.weight", "model.norm.weight", "mtp.norm.weight",
    "mtp.pre_fc_norm_embedding.weight", "mtp.pre_fc_norm_hidden.weight",
)  # fmt: skip
_KDA = {
    "ssm_f_a": "self_attn.f_a_proj", "ssm_f_b": "self_attn.f_b_proj", "ssm_g_a": "self_attn.g_a_proj", "ssm_g_b": "self_attn.g_b_proj",
    "ssm_beta": "self_attn.b_proj", "ssm_norm": "self_attn.o_norm", "ssm_a": "self_attn.A_log", "ssm_dt.bias": "self_attn.dt_bias",
    **{f"ssm_conv1d_{k}": f"self_attn.{k}_conv1d" for k in "qkv"},
}  # fmt: skip
_SPARSE_GATE = {"ffn_gate_inp": "block_sparse_moe.gate"}

NAMES = {
    "qwen3moe": Names(_USUAL),
    "qwen2moe": Names(_USUAL | _SHARED_GATE),
    "olmoe": Names(_USUAL),
    "llama": Names(_USUAL | _SPARSE_GATE, SPARSE_EXPERTS, finish=(halves, drop_factors)),
    "qwen2": Names(_USUAL),
    "qwen3": Names(_USUAL),
    "granite": Names(_USUAL, finish=(halves,)),
    "gemma3": Names(_ATTENTION | _DENSE | _SANDWICH, minus_one=_ONE_PLUS),
    "olmo2": Names(_ATTENTION | _DENSE | _POST_NORM | _POST_FFN_NORM),
    "qwen35": Names(_USUAL | _POST_NORM | _DELTA | _QWEN35_INPUTS | QWEN_NEXTN, None, _ONE_PLUS, (value_heads, decays)),
    "gpt-oss": Names(
        _ATTENTION | _POST_NORM | {"ffn_gate_inp": "mlp.router", "attn_sinks.weight": "self_attn.sinks", "attn_sinks": "self_attn.sinks"},
        None, finish=(gpt_oss_experts,),
    ),
    "glm4moe": Names(_USUAL | _POST_NORM | _shared("mlp.shared_experts") | _BIAS | NEXTN),
    "deepseek2": Names(_USUAL | _LATENT | _shared("mlp.shared_experts") | _BIAS | NEXTN, finish=(latent,)),
    "gemma4": Names(_ATTENTION | _DENSE | _GEMMA4, None, finish=(gemma4_experts,)),
    "qwen3next": Names(
        _USUAL | _POST_NORM | _SHARED_GATE | _DELTA | QWEN_NEXTN
        | {"ssm_ba": "linear_attn.in_proj_ba", "ssm_in": "linear_attn.in_proj_qkvz"},
        PLAIN_EXPERTS, _ONE_PLUS, (grouped_inputs, decays),
    ),
    "qwen35moe": Names(
        _USUAL | _POST_NORM | _SHARED_GATE | _DELTA | _QWEN35_INPUTS | QWEN_NEXTN, PLAIN_EXPERTS, _ONE_PLUS, (value_heads, decays)
    ),
    "minimax-m2": Names(_USUAL | _SPARSE_GATE | {"exp_probs_b.bias": "block_sparse_moe.e_score_correction_bias"}, SPARSE_EXPERTS),
    "kimi-linear": Names(
        _USUAL | _LATENT | _KDA | _SPARSE_GATE | _shared("block_sparse_moe.shared_experts")
        | {"exp_probs_b.bias": "block_sparse_moe.gate.e_score_correction_bias"},
        SPARSE_EXPERTS, finish=(latent, decays),
    ),
}  # fmt: skip

