"""What no model of any family can be: numbers of a config that contradict each other."""

from engine.arch.spec import ArchSpec, Delta, Gqa, Mixer, Moe


def contradictions(arch: ArchSpec) -> list[str]:
    """A phrase for each, empty for a model that can be computed."""
    found: dict[str, None] = {}
    for layer in arch.layers:
        found |= dict.fromkeys(_of_mixer(layer.mixer))
        if isinstance(layer.ffn, Moe):
            found |= dict.fromkeys(_of_moe(layer.ffn))
    if any(not 0 <= eps < 1 for eps in (arch.final_norm_eps, *(layer.norm_eps for layer in arch.layers))):
        found[f"config.json says rms_norm_eps = {arch.final_norm_eps}, but it must be at least 0 and less than 1"] = None
    return list(found)


def _of_mixer(m: Mixer) -> list[str]:
    if isinstance(m, Gqa) and m.n_heads % m.n_kv_heads:
        return [f"config.json says that {m.n_heads} attention heads share {m.n_kv_heads} heads of keys and values, which does not work out"]
    if isinstance(m, Delta) and m.n_value_heads % m.n_key_heads:
        return [f"config.json says that {m.n_value_heads} value heads share {m.n_key_heads} key heads, which does not work out"]
    if isinstance(m, Gqa) and m.rope is not None and 2 * len(m.rope.inv_freq) > m.d_head:
        return [f"config.json says that {2 * len(m.rope.inv_freq)} dims of a head turn, but it has {m.d_head}"]
    return []


def _of_moe(moe: Moe) -> list[str]:
    r, out = moe.router, []
    if moe.top_k > moe.n_experts:
        out.append(f"config.json says that a token uses {moe.top_k} experts, but a layer has {moe.n_experts}")
    if moe.n_experts % r.groups or r.topk_groups > r.groups:
        out.append(f"config.json says that {r.topk_groups} of {r.groups} groups of {moe.n_experts} experts are used, which cannot be")
    elif r.groups > 1 and moe.top_k > r.topk_groups * (moe.n_experts // r.groups):
        out.append(f"config.json says that a token uses {moe.top_k} experts of {r.topk_groups} groups, which have fewer")
    return out
