"""Latent attention in DeepSeek's spelling: what the config says, and the tensors.

Source: DeepSeek-V2 (arXiv 2405.04434) section 2.1. Trap: the latent norms are built without an epsilon, so it is 1e-6 whatever
rms_norm_eps says.
"""

from engine.arch import names
from engine.arch.read import ConfigReader
from engine.arch.rope import read_rope, yarn_softmax_scale
from engine.arch.spec import Mla, TensorSpec

NORM_EPS = 1e-6


def read_mla(r: ConfigReader, *, rotated: bool = True, gate: bool = False) -> Mla:
    """The latent attention of a config; rotated: the shared key dims turn, in interleaved pairs. Raises UnsupportedModel."""
    heads = r.positive("num_attention_heads")
    r.only("num_key_value_heads", heads)
    r.only("attention_bias", False)
    r.only("rope_interleave", True)
    r.ignore("head_dim", "qk_head_dim")
    d_nope, d_rope = r.positive("qk_nope_head_dim"), r.positive("qk_rope_head_dim")
    return Mla(
        n_heads=heads,
        d_nope=d_nope,
        d_rope=d_rope,
        d_value=r.positive("v_head_dim"),
        d_latent=r.positive("kv_lora_rank"),
        d_q_latent=r.positive_or("q_lora_rank", None),
        norm_eps=NORM_EPS,
        rope=read_rope(r, d_rope, 10000.0, interleaved=True) if rotated else None,
        scale=(d_nope + d_rope) ** -0.5 * (yarn_softmax_scale(r) if rotated else 1.0),
        gate=gate,
    )


def tensors(i: int, p: str, d_model: int, m: Mla) -> list[TensorSpec]:
    """Latent attention tensors of layer i under p, in DeepSeek's spelling; kv_b is cut in its key half (transposed) and value half."""
    a, q = f"layers.{i}.attn.", m.n_heads * (m.d_nope + m.d_rope)
    out = [
        names.trunk(a + "kv_a", p + "kv_a_proj_with_mqa.weight", (m.d_cache, d_model), "attn"),
        names.trunk(a + "kv_norm", p + "kv_a_layernorm.weight", (m.d_latent,), "vector"),
        names.trunk(a + "k_up", p + "kv_b_proj.weight", (m.n_heads * m.d_latent, m.d_nope), "attn", groups=m.n_heads, transpose=True),
        names.trunk(a + "v_up", p + "kv_b_proj.weight", (m.n_heads * m.d_value, m.d_latent), "attn", start=m.d_nope, groups=m.n_heads),
        names.trunk(a + "o", p + "o_proj.weight", (d_model, m.n_heads * m.d_value), "attn"),
    ]
    if m.gate:
        out.append(names.trunk(a + "gate", p + "g_proj.weight", (m.n_heads * m.d_value, d_model), "attn"))
    if m.d_q_latent is None:
        return [*out, names.trunk(a + "q", p + "q_proj.weight", (q, d_model), "attn")]
    return [
        *out,
        names.trunk(a + "q_a", p + "q_a_proj.weight", (m.d_q_latent, d_model), "attn"),
        names.trunk(a + "q_norm", p + "q_a_layernorm.weight", (m.d_q_latent,), "vector"),
        names.trunk(a + "q", p + "q_b_proj.weight", (q, m.d_q_latent), "attn"),
    ]
