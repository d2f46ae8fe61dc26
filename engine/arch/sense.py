"""What no model of any family can be: numbers of a config that contradict each other."""

from engine.arch.spec import ArchSpec, Delta, Gqa, Mixer, Moe
from engine.words import say


def contradictions(arch: ArchSpec) -> list[str]:
    """A phrase for each, empty for a model that can be computed."""
    found: dict[str, None] = {}
    for layer in arch.layers:
        found |= dict.fromkeys(_of_mixer(layer.mixer))
        if isinstance(layer.ffn, Moe):
            found |= dict.fromkeys(_of_moe(layer.ffn))
    if any(not 0 <= eps < 1 for eps in (arch.final_norm_eps, *(layer.norm_eps for layer in arch.layers))):
        found[
            say(
                "config.json says rms_norm_eps = {final_norm_eps}, but it must be at least 0 and less than 1",
                final_norm_eps=arch.final_norm_eps,
            )
        ] = None
    return list(found)


def _of_mixer(m: Mixer) -> list[str]:
    if isinstance(m, Gqa) and m.n_heads % m.n_kv_heads:
        return [
            say(
                "config.json says that {n_heads} attention heads share {n_kv_heads} heads of keys and values, which does not work out",
                n_heads=m.n_heads,
                n_kv_heads=m.n_kv_heads,
            )
        ]
    if isinstance(m, Delta) and m.n_value_heads % m.n_key_heads:
        return [
            say(
                "config.json says that {n_value_heads} value heads share {n_key_heads} key heads, which does not work out",
                n_value_heads=m.n_value_heads,
                n_key_heads=m.n_key_heads,
            )
        ]
    if isinstance(m, Gqa) and m.rope is not None and 2 * len(m.rope.inv_freq) > m.d_head:
        return [
            say("config.json says that {turned} dims of a head turn, but it has {d_head}", turned=2 * len(m.rope.inv_freq), d_head=m.d_head)
        ]
    return []


def _of_moe(moe: Moe) -> list[str]:
    r, out = moe.router, list[str]()
    if moe.top_k > moe.n_experts:
        out.append(
            say("config.json says that a token uses {top_k} experts, but a layer has {n_experts}", top_k=moe.top_k, n_experts=moe.n_experts)
        )
    if moe.n_experts % r.groups or r.topk_groups > r.groups:
        out.append(
            say(
                "config.json says that {topk_groups} of {groups} groups of {n_experts} experts are used, which cannot be",
                topk_groups=r.topk_groups,
                groups=r.groups,
                n_experts=moe.n_experts,
            )
        )
    elif r.groups > 1 and moe.top_k > r.topk_groups * (moe.n_experts // r.groups):
        out.append(
            say(
                "config.json says that a token uses {top_k} experts of {topk_groups} groups, which have fewer",
                top_k=moe.top_k,
                topk_groups=r.topk_groups,
            )
        )
    return out
