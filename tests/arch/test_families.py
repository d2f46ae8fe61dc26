"""Configs are read strictly, and each family's tensor list is exactly what its checkpoint holds."""

import json
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.arch import families, read_arch
from engine.arch.spec import Gqa, Mla, Source
from engine.errors import UnsupportedConfig, UnsupportedModel
from tests.oracle.checkpoint import DATA
from tests.reference.source import Checkpoint

FAMILIES = families()
DENSE = ["gemma3_text", "gemma4_unified", "granite", "llama", "mistral", "olmo2", "qwen2", "qwen3", "qwen3_5"]
KEYS = {
    **{(family, "num_experts_per_tok"): "intermediate_size" for family in DENSE},
    ("gemma3_text", "hidden_act"): "hidden_activation",
    ("gemma4_unified", "hidden_act"): "hidden_activation",
    ("gemma4", "num_experts_per_tok"): "top_k_experts",
    ("gemma4", "hidden_act"): "hidden_activation",
    ("kimi_linear", "num_experts_per_tok"): "num_experts_per_token",
    ("kimi_k3", "num_experts_per_tok"): "num_experts_per_token",
}
DEFAULT_EPS = dict.fromkeys(("olmoe", "olmo2", "mixtral"), 1e-5)
DEFAULT_EPS |= dict.fromkeys(("deepseek_v2", "deepseek_v3", "llama", "mistral", "granite"), 1e-6)


def config(family: str) -> dict[str, object]:
    value: dict[str, object] = json.loads((DATA / family / "config.json").read_text())
    return value


def changed(family: str, **values: object) -> dict[str, object]:
    """The family's config with values of its text part changed; None: the key is taken out."""
    c = config(family)
    text = c.get("text_config", c)
    assert isinstance(text, dict)
    if "quantization_config" in values:
        c.pop("quantization_config", None)
    for key, value in values.items():
        text.pop(key, None)
        if value is not None:
            text[key] = value
    return c


def published(family: str) -> dict[str, tuple[int, ...]]:
    """Names and shapes of the published checkpoint's tensors."""
    return {k: tuple(v) for part in json.loads((DATA / family / "tensors.json").read_text()) for k, v in part.items()}


def test_that_every_family_has_an_oracle() -> None:
    assert set(FAMILIES) <= {p.name for p in DATA.iterdir()}


@pytest.mark.parametrize("family", FAMILIES)
def test_that_each_published_number_is_used_once(family: str) -> None:
    spec, have = read_arch(config(family)), published(family)
    left = {name: np.zeros(np.prod(shape, dtype=int), int) for name, shape in have.items()}
    numbered = Checkpoint({name: np.arange(n.size).reshape(have[name]) for name, n in left.items()})

    def use(source: Source, shape: tuple[int, ...]) -> None:
        stored = numbered.stored(source.name)
        widths = [shape] if len(stored) == 1 else [(shape[0], shape[1] // 2), (shape[0], shape[1] // 32)]
        for name, wanted in zip(stored, widths, strict=True):
            rows = have[name] if len(stored) == 1 else (*have[name][: 1 if source.index is None else 2], -1)
            plain = Checkpoint({name: numbered.tensors[name].reshape(rows)})
            np.add.at(left[name], plain.read(replace(source, name=name), wanted).astype(int).ravel(), 1)

    padded = {t.source.name for t in spec.tensors if t.source.padded}
    for t in spec.tensors:
        use(t.source, t.shape)
    for e in spec.experts:
        for expert in range(e.n_experts):
            for part in e.parts:
                use(e.source(expert, part), e.shape(part))
    assert len({t.name for t in spec.tensors}) == len(spec.tensors)
    for name, uses in left.items():
        assert np.array_equal(uses, np.arange(uses.size) < 4 if name in padded else np.ones(uses.size)), name


@pytest.mark.parametrize("family", FAMILIES)
def test_that_an_unknown_key_is_named(family: str) -> None:
    with pytest.raises(UnsupportedModel, match="attention_twist"):
        read_arch(config(family) | {"attention_twist": 3})
    with pytest.raises(UnsupportedModel, match="attention_twist"):
        read_arch(changed(family, attention_twist=3))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("key", ["hidden_size", "num_hidden_layers", "num_attention_heads", "num_experts_per_tok", "vocab_size"])
def test_that_a_missing_key_is_named(family: str, key: str) -> None:
    key = KEYS.get((family, key), key)
    with pytest.raises(UnsupportedModel, match=f"lacks the key '{key}'"):
        read_arch(changed(family, **{key: None}))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(("key", "value"), [("hidden_act", "relu"), ("hidden_size", "64"), ("vocab_size", -1), ("rms_norm_eps", None)])
def test_that_an_unsupported_value_is_named(family: str, key: str, value: object) -> None:
    key, default = KEYS.get((family, key), key), DEFAULT_EPS.get(family)
    if value is None and default is not None:
        assert read_arch(changed(family, **{key: None})).final_norm_eps == default
        return
    with pytest.raises(UnsupportedModel, match=key):
        read_arch(changed(family, **{key: value}))


@pytest.mark.parametrize("family", FAMILIES)
def test_that_all_problems_of_a_config_are_told_at_once(family: str) -> None:
    act = KEYS.get((family, "hidden_act"), "hidden_act")
    spoiled = changed(family, hidden_size=None, vocab_size="many", attention_twist=1, num_attention_heads=-1, **{act: "relu"})
    with pytest.raises(UnsupportedConfig) as e:
        read_arch(spoiled)
    where = "config.json: text_config" if "text_config" in spoiled else "config.json"
    expected = (
        f"{where} lacks the key 'hidden_size'",
        f"{where} says vocab_size = 'many', but int is expected",
        f"{where} says num_attention_heads = -1, but it must lie between 1 and 16777216",
        f"{where} has keys that this family's reader does not know: attention_twist",
    )
    assert set(expected) < set(e.value.problems) and all(line in str(e.value) for line in expected)
    (other,) = set(e.value.problems) - set(expected)
    assert other.startswith(f"{where} says {act} = 'relu', but only ")


@pytest.mark.parametrize("family", FAMILIES)
def test_that_one_broken_key_is_one_problem(family: str) -> None:
    """What follows from a number that could not be read is not held against the config."""
    text = config(family).get("text_config", config(family))
    assert isinstance(text, dict)
    for key in text.keys() - {"model_type"}:
        for value in (None, [0.5], -3):
            try:
                read_arch(changed(family, **{key: value}))
            except UnsupportedConfig as e:
                assert len(e.problems) == 1, (key, value)
            except UnsupportedModel as e:
                assert "dense" in str(e) and "expert" in key


CONTRADICTIONS = [
    ("qwen3_moe", {"num_key_value_heads": 3}, "attention heads share 3 heads"),
    ("qwen3_moe", {"num_experts_per_tok": 4000}, "a token uses 4000 experts"),
    ("qwen3_next", {"linear_num_key_heads": 3}, "share 3 key heads"),
    ("deepseek_v3", {"n_group": 3}, "of 3 groups"),
    ("qwen3_moe", {"rms_norm_eps": -1.0}, "rms_norm_eps = -1.0"),
    ("minimax_m2", {"rotary_dim": 1024}, "1024 dims of a head turn"),
]


@pytest.mark.parametrize(("family", "values", "words"), CONTRADICTIONS)
def test_that_numbers_that_contradict_each_other_are_told(family: str, values: dict[str, object], words: str) -> None:
    with pytest.raises(UnsupportedConfig, match=words):
        read_arch(changed(family, **values))


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_that_any_config_is_read_or_refused(family: str, data: st.DataObject) -> None:
    spoiled = config(family)
    text = spoiled.get("text_config", spoiled)
    assert isinstance(text, dict)
    nested = [v for v in text.values() if isinstance(v, dict)]
    numbers = st.integers(-(2**70), 2**70) | st.integers(-4, 9) | st.floats()
    odd: st.SearchStrategy[Any] = st.none() | st.booleans() | numbers | st.sampled_from(["", "yarn", "linear"])
    inner = st.sampled_from(["factor", "type", "rope_type", "format", "config_groups"])
    odd = odd | st.lists(odd, max_size=3) | st.dictionaries(inner, odd)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.sampled_from([text, *nested]))
        key = data.draw(st.sampled_from(sorted({*place, "rope_scaling", "quantization_config", "head_dim", "mlp_only_layers"})))
        place[key] = data.draw(odd)
    with suppress(UnsupportedModel):
        read_arch(spoiled)


@pytest.mark.parametrize("family", [f for f in FAMILIES if f not in ("gpt_oss", "kimi_k3")])
def test_that_a_quantized_checkpoint_is_refused(family: str) -> None:
    with pytest.raises(UnsupportedModel, match=r"awq|quantization_config"):
        read_arch(changed(family, quantization_config={"quant_method": "awq", "bits": 4}))


@pytest.mark.parametrize(("family", "known"), [("deepseek_v3", True), ("minimax_m2", True), ("glm4_moe_lite", False)])
def test_that_block_fp8_is_read_where_releases_have_it(family: str, known: bool) -> None:
    fp8 = {"quant_method": "fp8", "fmt": "e4m3", "activation_scheme": "dynamic", "weight_block_size": [128, 128]}
    if known:
        assert read_arch(changed(family, quantization_config=fp8)) == read_arch(config(family))
    for other in (fp8 | {"weight_block_size": [64, 128]}, fp8 | ({} if not known else {"fmt": "e5m2"})):
        with pytest.raises(UnsupportedModel, match="fp8"):
            read_arch(changed(family, quantization_config=other))


@pytest.mark.parametrize(
    ("family", "change", "named"),
    [
        ("deepseek_v3", {"scoring_func": "softmax"}, "scoring_func"),
        ("deepseek_v3", {"num_key_value_heads": 2}, "num_key_value_heads"),
        ("deepseek_v2", {"norm_topk_prob": True}, "norm_topk_prob"),
        ("gemma4", {"hidden_size_per_layer_input": 256}, "hidden_size_per_layer_input"),
        ("gemma4", {"layer_types": ["full_attention"]}, "layer_types"),
        ("gemma4", {"enable_moe_block": False}, "num_experts"),
        ("gemma4", {"per_layer_config": {"0": {"head_dim": 32}}}, "per_layer_config"),
        ("gemma4", {"per_layer_config": {"1": {"head_dim": 32}, "03": {"head_dim": 64}}}, "per_layer_config"),
        ("gemma4", {"per_layer_config": {"1": 5, "03": 5}}, "per_layer_config"),
        ("gpt_oss", {"quantization_config": None}, "MXFP4"),
        ("kimi_linear", {"mla_use_nope": False}, "mla_use_nope"),
        ("kimi_k3", {"linear_attn_config": {"num_heads": 4, "head_dim": 16}}, "short_conv_kernel_size"),
        ("minimax_m2", {"attn_type_list": [0, 1, 1, 1]}, "attn_type_list"),
        ("qwen3_5_moe", {"attn_output_gate": False}, "attn_output_gate"),
    ],
)
def test_that_an_option_of_a_family_is_refused_by_name(family: str, change: dict[str, object], named: str) -> None:
    with pytest.raises(UnsupportedModel, match=named):
        read_arch(changed(family, **change))


def test_that_further_spellings_of_a_type_are_read() -> None:
    base = config("deepseek_v3")
    assert read_arch(base | {"model_type": "kimi_k2"}) == read_arch(base)
    text = {k: v for k, v in base.items() if k != "architectures"}
    wrapped = {"model_type": "kimi_k25", "text_config": text, "vision_config": {"depth": 27}, "media_placeholder_token_id": 5}
    spec = read_arch(wrapped)
    assert {t.source.name.split(".")[0] for t in spec.tensors} == {"language_model"}
    assert spec.layers == read_arch(base).layers
    inner = config("gemma4")["text_config"]
    assert isinstance(inner, dict)
    assert read_arch(inner).layers == read_arch(config("gemma4")).layers
    assert read_arch(config("qwen3_5_moe") | {"model_type": "qwen3_5_moe"}) == read_arch(config("qwen3_5_moe"))


def test_that_gemma_4_s_full_layers_read_alike_in_both_spellings() -> None:
    """As published, and as transformers 5 writes the config again."""
    old = config("gemma4")
    full = {"head_dim": 32, "num_key_value_heads": 1}
    new = changed("gemma4", per_layer_config={"01": full, "03": full}, global_head_dim=None, num_global_key_value_heads=None)
    assert read_arch(new) == read_arch(old)


def test_that_gemma_3_from_4b_on_is_read_with_what_its_config_leaves_out() -> None:
    """As published: what is transformers' default is not said, and positions are scaled in the full layers."""
    published = {
        "architectures": ["Gemma3ForConditionalGeneration"], "boi_token_index": 255999, "eoi_token_index": 256000,
        "eos_token_id": [1, 106], "image_token_index": 262144, "initializer_range": 0.02, "mm_tokens_per_image": 256,
        "model_type": "gemma3", "torch_dtype": "bfloat16", "transformers_version": "4.50.0.dev0", "vision_config": {"hidden_size": 1152},
        "text_config": {
            "hidden_size": 2560, "intermediate_size": 10240, "model_type": "gemma3_text", "num_hidden_layers": 34,
            "rope_scaling": {"factor": 8.0, "rope_type": "linear"}, "sliding_window": 1024,
        },
    }  # fmt: skip
    whole = published["text_config"] | {  # type: ignore[operator]
        "vocab_size": 262208, "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256, "rms_norm_eps": 1e-6,
        "max_position_embeddings": 131072, "eos_token_id": [1, 106], "hidden_activation": "gelu_pytorch_tanh", "rope_theta": 1000000,
        "rope_local_base_freq": 10000, "query_pre_attn_scalar": 256, "sliding_window_pattern": 6,
    }
    a, b = read_arch(published), read_arch(whole)
    assert replace(a, tensors=b.tensors) == b and sum(layer.mixer.window is None for layer in a.layers) == 5
    assert {t.source.name for t in a.tensors} == {f"language_model.{t.source.name}" for t in b.tensors}
    assert sum(np.prod(t.shape, dtype=int) for t in a.tensors) == pytest.approx(3.88e9, rel=0.002)


def test_that_a_dense_gemma_4_is_read_under_either_type() -> None:
    """31B is published as gemma4, with what it does not have switched off."""
    small = config("gemma4_unified")
    off = {"enable_moe_block": False, "num_experts": None, "top_k_experts": None, "moe_intermediate_size": None}
    inner = small["text_config"]
    assert isinstance(inner, dict)
    text = inner | off | {"model_type": "gemma4_text", "hidden_size_per_layer_input": 0, "vocab_size_per_layer_input": 384}
    for c in (small | {"model_type": "gemma4", "text_config": text}, small | {"model_type": "gemma4_unified"}):
        assert replace(read_arch(c), model_type="gemma4_unified") == read_arch(small)
    assert not read_arch(small).experts


@pytest.mark.parametrize("family", ["deepseek_v3", "glm4_moe", "glm4_moe_lite"])
def test_that_layers_for_multi_token_prediction_are_no_part_of_the_model(family: str) -> None:
    assert not any("layers" in p for p in read_arch(config(family)).skipped)
    spec = read_arch(changed(family, num_nextn_predict_layers=2))
    assert {"model.layers.4.", "model.layers.5."} <= set(spec.skipped)
    assert spec.layers == read_arch(config(family)).layers


def test_that_a_wrapper_s_end_tokens_hold() -> None:
    assert read_arch(config("gemma4")).end_tokens == (257, 260)
    assert read_arch(config("kimi_k3")).end_tokens == (370,)


@pytest.mark.parametrize("family", [f for f in FAMILIES if "rope_theta" in config(f) and f not in ("kimi_linear", "gemma3_text")])
def test_that_both_rope_spellings_read_alike(family: str) -> None:
    old = config(family)
    new = {k: v for k, v in old.items() if k not in ("rope_theta", "rope_scaling", "torch_dtype")}
    scaling = old.get("rope_scaling") or {"rope_type": "default"}
    assert isinstance(scaling, dict)
    new |= {"rope_parameters": {**scaling, "rope_theta": old["rope_theta"]}, "dtype": "bfloat16"}
    assert read_arch(old) == read_arch(new)


def test_that_gemma_3_s_ropes_read_alike_in_both_spellings() -> None:
    old = config("gemma3_text")
    kinds = {"sliding_attention": ("rope_local_base_freq", "default"), "full_attention": ("rope_theta", "linear")}
    parameters = {k: {"rope_type": kind, "rope_theta": old[key]} for k, (key, kind) in kinds.items()}
    new = {k: v for k, v in old.items() if k not in ("rope_theta", "rope_local_base_freq", "rope_scaling")}
    parameters["full_attention"]["factor"] = 8.0
    assert read_arch(new | {"rope_parameters": parameters}) == read_arch(old | {"rope_scaling": {"type": "linear", "factor": 8.0}})


def test_that_yarn_enters_the_scale_of_latent_attention_squared() -> None:
    plain, scaled = (read_arch(c).layers[0].mixer for c in (changed("deepseek_v3", rope_scaling=None), config("deepseek_v3")))
    assert isinstance(plain, Mla) and isinstance(scaled, Mla)
    assert scaled.scale == pytest.approx(plain.scale * (0.1 * np.log(40) + 1) ** 2)
    assert scaled.rope is not None and scaled.rope.factor == 1.0  # mscale over mscale_all_dim


def test_that_proportional_rope_lets_most_pairs_stand_still() -> None:
    mixer = read_arch(config("gemma4")).layers[1].mixer
    assert isinstance(mixer, Gqa) and mixer.rope is not None
    assert mixer.rope.inv_freq == pytest.approx([1e6 ** (-2 * i / 32) if i < 4 else 0 for i in range(16)])


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
