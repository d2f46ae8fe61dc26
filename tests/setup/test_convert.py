"""Conversion: the same bytes always, all problems at once, nothing half-written."""

import itertools
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine.cancel import CancelToken
from engine.container.reader import Container
from engine.container.verify import verify
from engine.errors import BadCheckpoint, BadRequest, Cancelled, StorageError, UnsupportedModel
from engine.setup.convert import convert
from kernels_pyx.linear import pack, packed_bytes
from tests.setup.shards import Arrays, changed, run, tree

Tiny = Callable[..., Path]
E0 = "model.layers.0.mlp.experts.0."


@pytest.fixture
def checkpoint(tiny_checkpoint: Tiny) -> Path:
    return tiny_checkpoint("qwen2_moe", 0, "f32")


def test_that_two_conversions_give_the_same_bytes(checkpoint: Path, tmp_path: Path) -> None:
    assert tree(run(checkpoint, tmp_path / "a.ouzel")) == tree(run(checkpoint, tmp_path / "b.ouzel"))


def test_that_nothing_but_the_container_is_left(checkpoint: Path, tmp_path: Path) -> None:
    run(checkpoint, tmp_path / "a.ouzel")
    assert [p.name for p in tmp_path.iterdir()] == ["a.ouzel"]


def test_that_progress_ends_at_the_total(checkpoint: Path, tmp_path: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    convert(checkpoint, tmp_path / "a.ouzel", "q4", "q4", lambda *event: seen.append(event), CancelToken())
    assert [phase for phase, _ in itertools.groupby(seen, lambda e: e[0])] == ["trunk", "experts"]
    assert [e[1] for e in seen] == sorted(e[1] for e in seen) and seen[-1][1] == seen[-1][2]


def test_that_strips_of_rows_are_packed_like_the_whole(checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = tree(run(checkpoint, tmp_path / "a.ouzel"))
    monkeypatch.setattr("engine.setup.layout.STRIP_BYTES", 1)
    assert tree(run(checkpoint, tmp_path / "b.ouzel")) == whole


@pytest.mark.parametrize("fmt", ["f32", "bf16", "q8", "q4"])
def test_that_a_packed_matrix_is_cut_between_panels(fmt: str) -> None:
    w = np.random.default_rng(0).standard_normal((75, 40)).astype(np.float32)
    parts = [pack(fmt, w[a : a + 32]) for a in (0, 32, 64)]
    assert np.array_equal(np.concatenate(parts), pack(fmt, w))
    assert sum(packed_bytes(fmt, n, 40) for n in (32, 32, 11)) == packed_bytes(fmt, 75, 40)


def test_that_f16_is_read_exactly(checkpoint: Path, tmp_path: Path) -> None:
    def halve(arrays: Arrays) -> None:
        for name in arrays:
            arrays[name] = arrays[name].astype(np.float16)

    def back(arrays: Arrays) -> None:
        halve(arrays)
        for name in arrays:
            arrays[name] = arrays[name].astype(np.float32)

    (tmp_path / "16").mkdir()
    (tmp_path / "32").mkdir()
    one = tree(run(changed(checkpoint, tmp_path / "16", halve), tmp_path / "a.ouzel", "f32", "f32"))
    two = tree(run(changed(checkpoint, tmp_path / "32", back), tmp_path / "b.ouzel", "f32", "f32"))
    assert one == two


def test_that_many_shards_give_the_same_values_as_one(checkpoint: Path, tmp_path: Path) -> None:
    import json

    from safetensors.numpy import load_file, save_file

    arrays = load_file(checkpoint / "model.safetensors")
    split = tmp_path / checkpoint.name
    split.mkdir()
    for f in checkpoint.iterdir():
        if f.suffix != ".safetensors":
            (split / f.name).write_bytes(f.read_bytes())
    names = sorted(arrays)
    parts = {f"model-0000{i + 1}-of-00003.safetensors": names[i::3] for i in range(3)}
    for file, part in parts.items():
        save_file({n: arrays[n] for n in part}, split / file)
    index = {"metadata": {}, "weight_map": {n: file for file, part in parts.items() for n in part}}
    (split / "model.safetensors.index.json").write_text(json.dumps(index))
    assert tree(run(split, tmp_path / "a.ouzel")) == tree(run(checkpoint, tmp_path / "b.ouzel"))


def refused(checkpoint: Path, tmp_path: Path, change: Callable[[Arrays], object]) -> BadCheckpoint:
    source = changed(checkpoint, tmp_path, change)
    with pytest.raises(BadCheckpoint) as e:
        run(source, tmp_path / "a.ouzel")
    assert not (tmp_path / "a.ouzel").exists()
    return e.value


def test_that_all_problems_are_told_at_once_and_nothing_is_written(checkpoint: Path, tmp_path: Path) -> None:
    def spoil(arrays: Arrays) -> None:
        del arrays["model.norm.weight"]
        del arrays[E0 + "up_proj.weight"]
        arrays["model.embed_tokens.weight"] = np.zeros((3, 64), np.float32)
        arrays["lm_head.weight"] = np.zeros((384, 64), np.int32)
        arrays[E0 + "gate_proj.weight"] = np.zeros((32, 64), np.float64)

    error = refused(checkpoint, tmp_path, spoil)
    for words in (
        "it lacks model.norm.weight",
        f"it lacks {E0}up_proj.weight",
        "model.embed_tokens.weight has the shape [3, 64], where [384, 64] is expected",
        "lm_head.weight is stored as I32",
        f"{E0}gate_proj.weight is stored as F64",
    ):
        assert words in error.details
    assert all(line in str(error) for line in error.details.splitlines())
    assert not list(tmp_path.glob("a.ouzel*"))


def test_that_a_tensor_without_a_place_is_refused(checkpoint: Path, tmp_path: Path) -> None:
    error = refused(checkpoint, tmp_path, lambda a: a.update({"model.layers.0.mlp.extra.weight": np.zeros(3, np.float32)}))
    assert "model.layers.0.mlp.extra.weight" in str(error)


def test_that_buffers_without_meaning_are_passed_over(checkpoint: Path, tmp_path: Path) -> None:
    source = changed(
        checkpoint, tmp_path, lambda a: a.update({"model.layers.0.self_attn.rotary_emb.inv_freq": np.zeros(8, np.float32)})
    )
    assert tree(run(source, tmp_path / "a.ouzel"))["trunk.safetensors"] == tree(run(checkpoint, tmp_path / "b.ouzel"))["trunk.safetensors"]


@pytest.mark.parametrize("name", ["model.norm.weight", "model.embed_tokens.weight", E0 + "down_proj.weight"])
@pytest.mark.parametrize("value", [np.nan, -np.inf])
def test_that_a_weight_that_is_no_number_is_named(name: str, value: float, checkpoint: Path, tmp_path: Path) -> None:
    def spoil(arrays: Arrays) -> None:
        arrays[name].reshape(-1)[70 % arrays[name].size] = value

    error = refused(checkpoint, tmp_path, spoil)
    assert name in str(error) and str(value) in str(error)


def test_that_all_weights_that_are_no_numbers_are_told_and_no_draft_is_left(checkpoint: Path, tmp_path: Path) -> None:
    names = ["model.norm.weight", "model.layers.1.self_attn.q_proj.weight", E0 + "up_proj.weight"]
    names.append("model.layers.2.mlp.experts.7.down_proj.weight")

    def spoil(arrays: Arrays) -> None:
        for name in names:
            arrays[name].reshape(-1)[5] = np.nan

    error = refused(checkpoint, tmp_path, spoil)
    assert all(name in error.details and name in str(error) for name in names)
    assert not list(tmp_path.glob("a.ouzel*"))


@pytest.mark.parametrize("heads", [{"num_attention_heads": 8}, {"num_key_value_heads": 1}, {"num_experts": 9}, {"num_hidden_layers": 5}])
def test_that_a_config_that_does_not_fit_the_tensors_is_refused(heads: dict[str, int], checkpoint: Path, tmp_path: Path) -> None:
    source = changed(checkpoint, tmp_path, lambda arrays: None)
    config = json.loads((source / "config.json").read_text())
    assert all(config[key] != value for key, value in heads.items())
    (source / "config.json").write_text(json.dumps(config | heads))
    with pytest.raises((BadCheckpoint, UnsupportedModel), match=r"cannot be converted|layer|head"):
        run(source, tmp_path / "a.ouzel")
    assert not list(tmp_path.glob("a.ouzel*"))


def test_that_a_weight_beyond_a_format_s_range_asks_for_a_wider_one(checkpoint: Path, tmp_path: Path) -> None:
    def spoil(arrays: Arrays) -> None:
        arrays[E0 + "gate_proj.weight"][0, 0] = 1e6  # type: ignore[call-overload]

    assert "Choose a format with a wider range" in str(refused(checkpoint, tmp_path, spoil))
    run(tmp_path / "changed", tmp_path / "b.ouzel", "bf16")


def test_that_unknown_formats_are_named(checkpoint: Path, tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="'q5' is no format for experts; choose q4, q8"):
        run(checkpoint, tmp_path / "a.ouzel", "q5")
    with pytest.raises(BadRequest, match="'mxfp4' is no format for the trunk"):
        run(checkpoint, tmp_path / "a.ouzel", "q4", "mxfp4")
    assert not list(tmp_path.iterdir())


def test_that_an_existing_target_is_not_touched(checkpoint: Path, tmp_path: Path) -> None:
    target = run(checkpoint, tmp_path / "a.ouzel")
    before = tree(target)
    with pytest.raises(StorageError, match=r"a\.ouzel exists already"):
        run(checkpoint, target, "f32", "f32")
    assert tree(target) == before and [p.name for p in tmp_path.iterdir()] == ["a.ouzel"]


def test_that_paths_may_have_spaces_and_any_letters(checkpoint: Path, tmp_path: Path) -> None:
    target = run(checkpoint, tmp_path / "Модели ü 模型" / "a b.ouzel")
    assert Container.open(target).name == "a b" and verify(target, lambda *event: None, CancelToken()) == []


def in_the_middle(cancel: CancelToken) -> Callable[[str, int, int], None]:
    """Progress that stops when half of the container is written."""
    return lambda phase, done, total: cancel.cancel() if done > total // 2 else None


def test_that_a_stopped_conversion_goes_on_where_it_was(
    checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = tree(run(checkpoint, tmp_path / "whole.ouzel"))
    monkeypatch.setattr("engine.container.pieces.SYNC_BYTES", 1)
    cancel, target = CancelToken(), tmp_path / "a.ouzel"
    with pytest.raises(Cancelled):
        convert(checkpoint, target, "q4", "q4", in_the_middle(cancel), cancel)
    assert not target.exists()
    packed: list[str] = []
    from engine.setup import packing

    def counted(name: str, fmt: str, w: packing.F32) -> packing.U8:
        packed.append(name)
        return pack(fmt, w)

    monkeypatch.setattr(packing, "_pack", counted)
    run(checkpoint, target)
    assert tree(target) == whole
    assert packed and not any("embed" in name for name in packed) and E0 + "up_proj.weight" not in packed


def test_that_a_draft_of_another_conversion_is_not_taken_up(checkpoint: Path, tmp_path: Path) -> None:
    whole = tree(run(checkpoint, tmp_path / "whole.ouzel"))
    cancel, target = CancelToken(), tmp_path / "a.ouzel"
    with pytest.raises(Cancelled):
        convert(checkpoint, target, "f32", "f32", in_the_middle(cancel), cancel)
    assert tree(run(checkpoint, target)) == whole


def test_that_a_conversion_stops_between_two_records(checkpoint: Path, tmp_path: Path) -> None:
    cancel, after = CancelToken(), list[int]()

    def stop(phase: str, done: int, total: int) -> None:
        if phase == "experts":
            cancel.cancel()
            after.append(done)

    with pytest.raises(Cancelled):
        convert(checkpoint, tmp_path / "a.ouzel", "q4", "q4", stop, cancel)
    assert len(after) == 1


def test_that_a_large_expert_is_left_between_two_strips(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from contextlib import closing

    from engine.arch import read_arch
    from engine.container.format import RecordLayout
    from engine.setup import packing
    from engine.setup.checkpoint import CheckpointFolder

    monkeypatch.setattr("engine.setup.layout.STRIP_BYTES", 1)
    cancel, packed = CancelToken(), list[str]()

    def stopping(name: str, fmt: str, w: packing.F32) -> packing.U8:
        packed.append(name)
        cancel.cancel()
        return pack(fmt, w)

    monkeypatch.setattr(packing, "_pack", stopping)
    with closing(CheckpointFolder(checkpoint)) as source, pytest.raises(Cancelled):
        spec = read_arch(source.config).experts[0]
        layout = RecordLayout.of(spec.d_in, spec.d_hidden, spec.d_out, dict.fromkeys(("gate", "up", "down"), "q8"))
        packing.packed_part(source, spec, layout, 0, "gate", cancel)
    assert packed == [E0 + "gate_proj.weight"]
