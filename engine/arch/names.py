"""Tensor lists that most families share: what differs is said by the family, the rest is said once here.

Canonical names: embed, head, norm; layers.N.{attn_norm, ffn_norm, attn.q, ffn.gate, router, shared.gate, ...}.
"""

from engine.arch.spec import Dense, ExpertSpec, Gqa, LayerSpec, Moe, Source, TensorSpec

MTP_PROJECT = "mtp.project"  # which every model with a layer for further tokens has


def trunk(
    name: str, source: str, shape: tuple[int, ...], role: str, one_plus: bool = False,
    start: int = 0, groups: int = 1, transpose: bool = False, padded: bool = False,
) -> TensorSpec:
    """A tensor of the checkpoint, whole or (start, groups, transpose, padded as in Source) a part of its rows."""
    return TensorSpec(name, Source(source, start=start, groups=groups, transpose=transpose, padded=padded), shape, role, one_plus)


def outer(
    d_model: int, vocab: int, tied: bool, prefix: str = "model.", head: str = "lm_head.weight", one_plus: bool = False
) -> list[TensorSpec]:
    """Embedding, final norm and, unless tied, the head."""
    out = [
        trunk("embed", f"{prefix}embed_tokens.weight", (vocab, d_model), "embed"),
        trunk("norm", f"{prefix}norm.weight", (d_model,), "vector", one_plus),
    ]
    return out if tied else [*out, trunk("head", head, (vocab, d_model), "head")]


def gqa(i: int, p: str, d_model: int, m: Gqa, one_plus: bool = False) -> list[TensorSpec]:
    """Attention tensors of layer i under the source prefix p (`model.layers.3.self_attn.`); one_plus: of the head norms."""
    q, kv = m.n_heads * m.d_head, m.n_kv_heads * m.d_head
    parts = {"q": (q, d_model), "k": (kv, d_model), "v": (kv, d_model), "o": (d_model, q)}
    if m.v_from_k:
        del parts["v"]
    a = f"layers.{i}.attn."
    groups = m.n_heads if m.gate else 1  # q_proj then holds [query, gate] of each head
    out = [trunk(a + k, f"{p}{k}_proj.weight", shape, "attn", groups=groups if k == "q" else 1) for k, shape in parts.items()]
    if m.gate:
        out.append(trunk(a + "gate", f"{p}q_proj.weight", (q, d_model), "attn", start=m.d_head, groups=groups))
    biased = [k for k in parts if (m.o_bias if k == "o" else m.qkv_bias)]
    out += [trunk(f"{a}{k}_bias", f"{p}{k}_proj.bias", parts[k][:1], "vector") for k in biased]
    if m.qk_norm != "none":
        widths = {"q": q, "k": kv} if m.qk_norm == "width" else {"q": m.d_head, "k": m.d_head}
        out += [trunk(f"{a}{k}_norm", f"{p}{k}_norm.weight", (w,), "vector", one_plus) for k, w in widths.items()]
    if m.sinks:
        out.append(trunk(a + "sinks", f"{p}sinks", (m.n_heads,), "vector"))
    return out


def norms(i: int, p: str, d_model: int, one_plus: bool = False) -> list[TensorSpec]:
    """The two norms of a pre-norm layer under the source prefix p (`model.layers.3.`)."""
    return [
        trunk(f"layers.{i}.attn_norm", f"{p}input_layernorm.weight", (d_model,), "vector", one_plus),
        trunk(f"layers.{i}.ffn_norm", f"{p}post_attention_layernorm.weight", (d_model,), "vector", one_plus),
    ]


def dense(i: int, p: str, d_model: int, d_hidden: int, name: str = "ffn") -> list[TensorSpec]:
    """A gated FFN under the source prefix p; name is "ffn" or "shared"."""
    shapes = {"gate": (d_hidden, d_model), "up": (d_hidden, d_model), "down": (d_model, d_hidden)}
    return [
        trunk(f"layers.{i}.{name}.{k}", f"{p}{k}_proj.weight", s, f"{name}_down" if k == "down" else name) for k, s in shapes.items()
    ]


def experts(i: int, template: str, d_model: int, moe: Moe, parts: dict[str, str]) -> ExpertSpec:
    """Experts stored one by one: template has {expert} and {part}; parts maps gate, up and down to the family's words."""
    sources = {part: Source(template.replace("{part}", word)) for part, word in parts.items()}
    width = moe.d_latent or d_model
    return ExpertSpec(i, moe.n_experts, width, moe.d_expert, width, sources)


def pre_norm_layer(i: int, d_model: int, layer: LayerSpec, prefix: str = "model.") -> list[TensorSpec]:
    """Norms, attention and, on dense layers, the FFN of a layer in the usual spelling."""
    p = f"{prefix}layers.{i}."
    assert isinstance(layer.mixer, Gqa)
    out = norms(i, p, d_model) + gqa(i, p + "self_attn.", d_model, layer.mixer)
    return out + dense(i, p + "mlp.", d_model, layer.ffn.d_hidden) if isinstance(layer.ffn, Dense) else out


def mtp(p: dict[str, str], d_model: int, one_plus: bool = False) -> list[TensorSpec]:
    """What is around the layer for further tokens; p: source names of embed_norm, hidden_norm, project, norm."""
    out = [trunk(f"mtp.{k}", p[k], (d_model,), "vector", one_plus) for k in ("embed_norm", "hidden_norm", "norm")]
    return [*out, trunk(MTP_PROJECT, p["project"], (d_model, 2 * d_model), "attn")]
