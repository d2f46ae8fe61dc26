"""A model imported from GGUF is the one made from its safetensors: every family, old and new spellings, in one file and in parts."""

import json
from pathlib import Path

import numpy as np
import pytest
from gguf import GGMLQuantizationType, GGUFWriter

from engine.cancel import CancelToken
from engine.config import EngineConfig
from engine.container.reader import Container
from engine.errors import BadCheckpoint, EngineError, UnsupportedModel
from engine.model.trace import trace
from engine.setup.convert import convert
from engine.setup.measure import full_precision, source_of
from engine.setup.opening import gguf_in, open_checkpoint
from tests.conftest import Tiny, TinyFurther
from tests.setup.gguf_written import ARCH, Arrays, Change, write
from tests.setup.shards import run

# exp and log of a decay are not each other's inverse in f32, nor 1 + (w - 1) always w: their families agree as far as with their oracles.
INEXACT = {"qwen3_next", "qwen3_5_moe", "qwen3_5", "gemma3", "kimi_linear"}
TEXT = {"gemma3": "gemma3_text"}
IDS = list(range(5, 29))


def formats(family: str) -> str:
    return "mxfp4+f32" if family == "gpt_oss" else "f32"


def same(made: Path, family: str, tiny: Tiny, dtype: str = "f32") -> None:
    """The imported container says what the one from safetensors says."""
    both = tiny(TEXT.get(family, family), formats(family), 0, dtype), made
    traces = [trace(EngineConfig(path, exact=True, context=64, threads=2), IDS, greedy=4) for path in both]
    want, got = (t["logits"] for t in traces)
    assert np.array_equal(traces[0]["greedy_ids"], traces[1]["greedy_ids"])
    if family in INEXACT:
        assert np.linalg.norm(got - want) / np.linalg.norm(want) <= 2e-5  # type: ignore[operator]
    else:
        assert np.array_equal(got, want)


def imported(file: Path, folder: Path, family: str) -> Path:
    experts, _, trunk = formats(family).partition("+")
    return run(file, folder / "imported.ouzel", experts, trunk or experts)


@pytest.mark.parametrize("family", ARCH)
def test_that_an_import_equals_the_conversion(family: str, tiny: Tiny, tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    file = write(tiny_checkpoint(TEXT.get(family, family), 0, "f32"), tmp_path / "model.gguf")
    same(imported(file, tmp_path, family), family, tiny)


def test_that_bf16_and_f16_stay_what_they_are(tiny: Tiny, tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    file = write(tiny_checkpoint("qwen3_moe", 0, "bf16"), tmp_path / "model.gguf", lambda name, a: GGMLQuantizationType.BF16)
    same(imported(file, tmp_path, "qwen3_moe"), "qwen3_moe", tiny, "bf16")


@pytest.mark.parametrize("family", ["qwen3_moe", "gpt_oss"])
def test_that_parts_are_one_model(family: str, tiny: Tiny, tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    write(tiny_checkpoint(family, 0, "f32"), tmp_path / "model.gguf", per_part=13)
    parts = sorted(tmp_path.glob("*.gguf"))
    assert len(parts) > 2
    same(imported(parts[1], tmp_path, family), family, tiny)
    assert gguf_in(tmp_path) is None or gguf_in(tmp_path) == parts[0]
    assert Container.open(tmp_path / "imported.ouzel").manifest.source["name"] == "model"
    parts[-1].unlink()
    with pytest.raises(BadCheckpoint, match="is missing"):
        run(parts[0], tmp_path / "other.ouzel")


def _old_latent(w: GGUFWriter, t: Arrays) -> None:
    for name in [n for n in t if n.endswith("k_b_proj.weight")]:
        k, v = t.pop(name), t.pop(name.replace("k_b", "v_b"))
        t[name.replace("k_b", "kv_b")] = np.concatenate([k.swapaxes(1, 2), v], 1).reshape(-1, k.shape[1])
    arch = w.arch
    w.kv_data[0].pop(f"{arch}.attention.key_length_mla")
    w.kv_data[0].pop(f"{arch}.attention.value_length_mla")
    w.kv_data[0][f"{arch}.attention.key_length"].value = 24
    w.kv_data[0][f"{arch}.attention.value_length"].value = 16


def _single_experts(w: GGUFWriter, t: Arrays) -> None:
    for word, part in (("w1", "gate"), ("w2", "down"), ("w3", "up")):
        for name in [n for n in t if n.endswith(f"experts.{word}.weight")]:
            layer = name.split(".")[2]
            t.update({f"blk.{layer}.ffn_{part}.{e}.weight": a for e, a in enumerate(t.pop(name))})


def _fused_gate_up(w: GGUFWriter, t: Arrays) -> None:
    for name in [n for n in t if n.endswith("experts.gate_proj.weight")]:
        fused = np.concatenate([t.pop(name), t.pop(name.replace("gate_proj", "up_proj"))], 1)
        t[f"blk.{name.split('.')[2]}.ffn_gate_up_exps.weight"] = fused


def _apart_gate_up(w: GGUFWriter, t: Arrays) -> None:
    for name in [n for n in t if n.endswith("experts.gate_up_proj.weight")]:
        gate, up = np.split(t.pop(name), 2, axis=1)
        layer = name.split(".")[2]
        t.update({f"blk.{layer}.ffn_gate_exps.weight": gate, f"blk.{layer}.ffn_up_exps.weight": up})


def _further_layer(w: GGUFWriter, t: Arrays) -> None:
    """A layer for multi-token prediction after the last one, as released files have it."""
    w.kv_data[0][f"{w.arch}.block_count"].value += 1
    w.add_nextn_predict_layers(1)
    t.update({f"blk.4.nextn.{name}.weight": np.ones((64, 64), np.float32) for name in ("eh_proj", "shared_head_head")})
    t.update({"blk.4.attn_norm.weight": np.ones(64, np.float32), "blk.4.ffn_gate_exps.weight": np.ones((2, 32, 64), np.float32)})


def _listed_recurrences(w: GGUFWriter, t: Arrays) -> None:
    """Which layers are delta nets, as newer files say beside the interval."""
    w.add_array(f"{w.arch}.attention.recurrent_layers", [True, True, True, False])
    w.kv_data[0][f"{w.arch}.full_attention_interval"].value = 3


SPELLINGS = {
    "delta nets listed": ("qwen3_next", _listed_recurrences),
    "delta nets listed, dense": ("qwen3_5", _listed_recurrences),
    "a layer more": ("glm4_moe", _further_layer),
    "a layer more, latent": ("deepseek_v3", _further_layer),
    "kv_b in one": ("deepseek_v3", _old_latent),
    "experts one by one": ("mixtral", _single_experts),
    "gate and up fused": ("olmoe", _fused_gate_up),
    "gate and up apart": ("gemma4", _apart_gate_up),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_that_older_and_newer_spellings_are_read(spelling: str, tiny: Tiny, tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    family, change = SPELLINGS[spelling]
    file = write(tiny_checkpoint(family, 0, "f32"), tmp_path / "model.gguf", change=change)
    same(imported(file, tmp_path, family), family, tiny)


def _stored(container: Container, name: str) -> bytes:
    trunk = container.manifest.trunk
    t, data = trunk.tensors[name], (container.path / trunk.file).read_bytes()
    return data[trunk.data_start + t.offset :][: t.nbytes]


@pytest.mark.parametrize("family", ["glm4_moe", "deepseek_v3", "qwen3_next", "qwen3_5_moe", "qwen3_5"])
def test_that_a_layer_for_further_tokens_is_kept_or_dropped(family: str, tiny_further: TinyFurther, tmp_path: Path) -> None:
    """It is the last block, and its own tensors are called nextn; what is kept is what safetensors give."""
    checkpoint, converted = tiny_further(family)
    file = write(checkpoint, tmp_path / "model.gguf")
    kept, dropped = tmp_path / "kept.ouzel", tmp_path / "dropped.ouzel"
    for target, mtp in ((kept, "keep"), (dropped, "drop")):
        convert(file, target, "f32", "f32", lambda phase, done, total: None, CancelToken(), mtp)
    theirs, ours, without = (Container.open(path) for path in (converted, kept, dropped))
    assert theirs.arch == ours.arch and ours.arch.mtp is not None and without.arch.mtp is None
    layer = ours.arch.mtp.index
    assert without.arch.experts == tuple(e for e in ours.arch.experts if e.layer != layer)
    for e in theirs.manifest.experts:
        assert (converted / e.file).read_bytes() == (kept / e.file).read_bytes(), e.file
    assert {t.name for t in ours.arch.mtp.tensors} < ours.manifest.trunk.tensors.keys()
    for name in theirs.manifest.trunk.tensors:
        if name.endswith(("router", "row_gate", "beta", "decay")):  # bf16 here, f32 there
            continue
        a, b = (_stored(c, name) for c in (theirs, ours))
        if (family in INEXACT and "norm" in name) or name.endswith("decay_log"):
            assert np.allclose(np.frombuffer(a, np.float32), np.frombuffer(b, np.float32), rtol=1e-6, atol=1e-6), name
        else:
            assert a == b, name
    for container in (theirs, ours, without):
        container.close()


def _set(key: str, value: object) -> Change:
    """Give a key of the architecture this value, of whatever type; None: take it away."""

    def change(w: GGUFWriter, t: Arrays) -> None:
        w.kv_data[0].pop(f"{w.arch}.{key}", None)
        if value is not None:
            (w.add_string if isinstance(value, str) else w.add_uint32)(f"{w.arch}.{key}", value)

    return change


REFUSED: dict[str, tuple[str, Change, str]] = {
    "a key that is missing": ("qwen3_moe", _set("embedding_length", None), "lack qwen3moe.embedding_length"),
    "a key that nobody knows": ("qwen3_moe", _set("attention.surprise", 1), "does not know: qwen3moe.attention.surprise"),
    "a key of another type": ("olmoe", _set("expert_used_count", "4"), "'4' at olmoe.expert_used_count"),
    "a value that is not supported": ("gemma4", _set("attention.shared_kv_layers", 2), "shared_kv_layers = 2"),
    "a tensor that is missing": ("qwen3_moe", lambda w, t: t.pop("model.layers.1.self_attn.q_proj.weight"), "lacks model.layers.1.self_"),  # type: ignore[dict-item]
    "a tensor without a place": ("mixtral", lambda w, t: t.update({"rope_freqs.weight": np.ones(8)}), "no place for rope_freqs.weight"),
    "shared keys and values": ("gemma4_unified", _set("attention.shared_kv_layers", 2), "shared_kv_layers = 2"),
    "positions scaled in another way": (
        "llama", lambda w, t: t.update({"rope_freqs.weight": np.linspace(1, 9, 16, dtype=np.float32)}), "not Llama 3.1's"
    ),
    "another width": ("qwen3_moe", _set("expert_feed_forward_length", 48), "moe_intermediate_size"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_that_what_is_missing_or_unsupported_is_named(case: str, tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    family, change, words = REFUSED[case]
    file = write(tiny_checkpoint(family, 0, "f32"), tmp_path / "model.gguf", change=change)
    with pytest.raises(EngineError, match=words):
        run(file, tmp_path / "x.ouzel")
    assert not (tmp_path / "x.ouzel").exists() and not (tmp_path / "x.ouzel.partial").exists()


def test_that_models_of_other_architectures_are_refused(tmp_path: Path) -> None:
    for arch, words in (("gpt2", "'gpt2', which is not read"), ("olmoe", "a dense olmoe model")):
        w = GGUFWriter(tmp_path / f"{arch}.gguf", arch)
        w.add_tensor("token_embd.weight", np.zeros((2, 32), np.float32))
        w.write_header_to_file()
        w.write_kv_data_to_file()
        w.write_tensors_to_file()
        w.close()
        with pytest.raises(UnsupportedModel, match=words):
            run(tmp_path / f"{arch}.gguf", tmp_path / "x.ouzel")


def test_that_a_folder_with_one_model_in_gguf_is_that_model(tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    file = write(tiny_checkpoint("olmoe", 0, "f32"), tmp_path / "Modèle 1.gguf")
    assert gguf_in(tmp_path) == file
    opened = open_checkpoint(tmp_path)
    assert opened.name == "Modèle 1" and opened.config["model_type"] == "olmoe"
    opened.close()
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "olmoe"}))
    assert gguf_in(tmp_path) is None


def test_that_numbers_that_are_none_are_told_before_anything_is_written(tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    def spoil(w: GGUFWriter, t: Arrays) -> None:
        t["model.norm.weight"][3] = np.nan

    file = write(tiny_checkpoint("olmoe", 0, "f32"), tmp_path / "model.gguf", change=spoil)
    with pytest.raises(BadCheckpoint, match=r"output_norm.weight holds nan at \[3\]"):
        run(file, tmp_path / "x.ouzel")


def test_that_the_sampling_and_the_ends_come_along(tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    def more(w: GGUFWriter, t: Arrays) -> None:
        w.add_float32("general.sampling.temp", 0.6)
        w.add_int32("general.sampling.top_k", 20)
        w.add_uint32("tokenizer.ggml.eot_token_id", 260)

    file = write(tiny_checkpoint("qwen3_moe", 0, "f32"), tmp_path / "model.gguf", change=more)
    made = Container.open(run(file, tmp_path / "x.ouzel"))
    assert made.manifest.defaults == {"temperature": 0.6, "top_k": 20}
    assert json.loads((made.path / "generation_config.json").read_text())["eos_token_id"] == [257, 260]
    made.close()


def test_that_a_model_can_be_measured_against_its_gguf_file(tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    file = write(tiny_checkpoint("olmoe", 0, "f32"), tmp_path / "model.gguf")
    container = Container.open(run(file, tmp_path / "x.ouzel", "q8", "q8"))
    source_of(file, container)
    with full_precision(file, lambda phase, done, total: None, CancelToken(), tmp_path / "cache") as exact:
        opened = Container.open(exact)
        assert set(opened.manifest.formats.values()) == {"f32"}
        opened.close()
    container.close()
