"""Configs are read strictly, and each family's tensor list is exactly what its checkpoint holds."""

import json

import pytest

from engine.arch import families, read_arch
from engine.arch.spec import Gqa
from engine.errors import UnsupportedModel
from tests.oracle.checkpoint import DATA

FAMILIES = families()


def config(family: str) -> dict[str, object]:
    value: dict[str, object] = json.loads((DATA / family / "config.json").read_text())
    return value


def published(family: str) -> dict[str, tuple[int, ...]]:
    """Names and shapes of the published checkpoint's tensors."""
    return {k: tuple(v) for part in json.loads((DATA / family / "tensors.json").read_text()) for k, v in part.items()}


def test_that_every_family_has_an_oracle() -> None:
    assert set(FAMILIES) <= {p.name for p in DATA.iterdir()}


@pytest.mark.parametrize("family", FAMILIES)
def test_that_the_tensor_list_is_the_checkpoint(family: str) -> None:
    spec = read_arch(config(family))
    have = published(family)
    trunk = {t.source.name for t in spec.tensors}
    routed = {e.source(i, part).name for e in spec.experts for i in range(e.n_experts) for part in e.parts}
    assert trunk | routed == set(have)
    for t in spec.tensors:
        assert have[t.source.name] == t.shape, t.name
    assert len({t.name for t in spec.tensors}) == len(spec.tensors)


@pytest.mark.parametrize("family", FAMILIES)
def test_that_an_unknown_key_is_named(family: str) -> None:
    with pytest.raises(UnsupportedModel, match="attention_twist"):
        read_arch(config(family) | {"attention_twist": 3})


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("key", ["hidden_size", "num_hidden_layers", "num_attention_heads", "num_experts_per_tok", "vocab_size"])
def test_that_a_missing_key_is_named(family: str, key: str) -> None:
    c = config(family)
    del c[key]
    with pytest.raises(UnsupportedModel, match=key):
        read_arch(c)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(("key", "value"), [("hidden_act", "relu"), ("hidden_size", "64"), ("vocab_size", -1), ("rms_norm_eps", None)])
def test_that_an_unsupported_value_is_named(family: str, key: str, value: object) -> None:
    c = config(family) | {key: value}
    if value is None and family in ("olmoe", "mixtral"):
        assert read_arch(c).final_norm_eps == 1e-5  # these families have a default
        return
    with pytest.raises(UnsupportedModel, match=key):
        read_arch(c)


@pytest.mark.parametrize("family", FAMILIES)
def test_that_both_rope_spellings_read_alike(family: str) -> None:
    old = config(family)
    new = {k: v for k, v in old.items() if k not in ("rope_theta", "rope_scaling", "torch_dtype")}
    new |= {"rope_parameters": {"rope_type": "default", "rope_theta": old["rope_theta"]}, "dtype": "bfloat16"}
    assert read_arch(old) == read_arch(new)


def test_that_linear_scaling_divides_the_frequencies() -> None:
    base = config("qwen3_moe")
    scaled = base | {"rope_scaling": {"type": "linear", "factor": 4.0}}

    def freq(c: dict[str, object]) -> tuple[float, ...]:
        mixer = read_arch(c).layers[0].mixer
        assert isinstance(mixer, Gqa) and mixer.rope is not None
        return mixer.rope.inv_freq

    assert freq(scaled) == tuple(f / 4 for f in freq(base))


@pytest.mark.parametrize("value", ["dense_model", None, 3])
def test_that_an_unsupported_type_lists_what_is_supported(value: object) -> None:
    with pytest.raises(UnsupportedModel, match=r"qwen3_moe"):
        read_arch({"model_type": value})


def test_that_sparse_step_and_dense_layers_are_followed() -> None:
    spec = read_arch(config("qwen3_moe") | {"decoder_sparse_step": 2, "mlp_only_layers": [3]})
    assert spec.moe_layers == (1,)
    assert any(t.name == "layers.0.ffn.gate" for t in spec.tensors)
