"""What the families with DeepSeek-V3's router share: sigmoid scores, a bias for the choice only, groups, one fused shared expert.

Source: DeepSeek-V3 (arXiv 2412.19437) section 2.1.2; transformers 5.23 `modeling_deepseek_v3.py`.
"""

from collections.abc import Callable

from engine.arch import names
from engine.arch.read import ConfigReader, Guess
from engine.arch.spec import Dense, ExpertSpec, LayerSpec, Mixer, Moe, Mtp, Router, TensorSpec

PARTS = {"gate": "gate_proj", "up": "up_proj", "down": "down_proj"}
RENORM_EPS = 1e-20


def read_moe(r: ConfigReader) -> Moe:
    """The routed layers of a config in DeepSeek-V3's spelling. Raises UnsupportedModel."""
    r.only("scoring_func", "sigmoid")
    r.only("topk_method", "noaux_tc")
    r.only("moe_layer_freq", 1)
    width, n_shared = r.positive("moe_intermediate_size"), r.count("n_shared_experts")
    return Moe(
        n_experts=r.positive("n_routed_experts"),
        top_k=r.positive("num_experts_per_tok"),
        d_expert=width,
        router=Router(
            "sigmoid",
            renormalize=r.may("norm_topk_prob", bool, True),
            renorm_eps=RENORM_EPS,
            scale=r.may("routed_scaling_factor", float, 1.0),
            choice_bias=True,
            groups=r.positive_or("n_group", 1),
            topk_groups=r.positive_or("topk_group", 1),
            group_score="top2",
        ),
        shared=Dense(n_shared * width) if n_shared else None,
    )


def read_layers(r: ConfigReader, mixer: Mixer, moe: Moe, eps: float) -> tuple[LayerSpec, ...]:
    """All layers: the first few dense, the others routed."""
    dense, first, n = Dense(r.positive("intermediate_size")), r.count("first_k_dense_replace"), r.positive("num_hidden_layers")
    says_kinds(r, n, first)
    return tuple(LayerSpec(mixer, dense if i < first else moe, eps) for i in range(n))


def says_kinds(r: ConfigReader, n_layers: int, first: int) -> None:
    """What transformers 5 writes beside the count of dense layers must agree with it."""
    r.only("mlp_layer_types", n_layers if isinstance(n_layers, Guess) else ["dense" if i < first else "sparse" for i in range(n_layers)])


def further_layers(r: ConfigReader, prefix: str, n_layers: int) -> tuple[str, ...]:
    """Prefixes of the layers for multi-token prediction, which lie behind those of the model and are no part of it."""
    return tuple(f"{prefix}layers.{n_layers + i}." for i in range(r.count("num_nextn_predict_layers")))


def further(
    r: ConfigReader, prefix: str, d_model: int, mixer: Mixer, moe: Moe, n_layers: int, eps: float,
    attention: Callable[[int, str], list[TensorSpec]],
) -> Mtp | None:
    """The first layer for multi-token prediction, where there is one, in DeepSeek's spelling: model.layers.N.{enorm, hnorm, eh_proj,
    shared_head.norm} around a routed layer. Its own copies of embedding and head are those of the model (section 2.2 of the report).

    attention(i, source prefix): the tensors of its mixer.
    """
    if not r.count("num_nextn_predict_layers"):
        return None
    i, p = n_layers, f"{prefix}layers.{n_layers}."
    layer = LayerSpec(mixer, moe, eps)
    around = {"embed_norm": "enorm", "hidden_norm": "hnorm", "project": "eh_proj", "norm": "shared_head.norm"}
    tensors = names.mtp({k: f"{p}{v}.weight" for k, v in around.items()}, d_model)
    tensors += names.norms(i, p, d_model) + attention(i, p + "self_attn.") + ffn(i, p + "mlp.", d_model, layer)
    own = names.experts(i, f"{p}mlp.experts.{{expert}}.{{part}}.weight", d_model, moe, PARTS)
    return Mtp(i, layer, eps, tuple(tensors), (own,))


def ffn(i: int, p: str, d_model: int, layer: LayerSpec) -> list[TensorSpec]:
    """The dense FFN, or router and shared expert, of layer i under the source prefix p (`model.layers.3.mlp.`)."""
    moe = layer.ffn
    if isinstance(moe, Dense):
        return names.dense(i, p, d_model, moe.d_hidden)
    out = [names.trunk(f"layers.{i}.router", p + "gate.weight", (moe.n_experts, d_model), "router")]
    if moe.router.choice_bias:
        out.append(names.trunk(f"layers.{i}.router_choice_bias", p + "gate.e_score_correction_bias", (moe.n_experts,), "vector"))
    return out + (names.dense(i, p + "shared_experts.", d_model, moe.shared.d_hidden, "shared") if moe.shared else [])


def experts(prefix: str, d_model: int, layers: tuple[LayerSpec, ...]) -> tuple[ExpertSpec, ...]:
    """The routed experts of all layers under the source prefix (`model.`)."""
    return tuple(
        names.experts(i, f"{prefix}layers.{i}.mlp.experts.{{expert}}.{{part}}.weight", d_model, layer.ffn, PARTS)
        for i, layer in enumerate(layers) if isinstance(layer.ffn, Moe)
    )
