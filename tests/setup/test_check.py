"""All that is wrong with a checkpoint comes as one error, before a byte is written."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from engine.cancel import CancelToken
from engine.errors import BadCheckpoint, Cancelled, StorageError, UnsupportedConfig, UnsupportedModel
from engine.setup import finite
from engine.setup.coded import E4M3
from engine.setup.convert import convert
from engine.setup.safetensors_file import SafetensorsFile
from tests.setup.shards import Arrays, changed, run

Tiny = Callable[..., Path]
ROOT = Path(__file__).parents[2]
E0 = "model.layers.0.mlp.experts.0."


@pytest.fixture
def checkpoint(tiny_checkpoint: Tiny, tmp_path: Path) -> Path:
    return changed(tiny_checkpoint("qwen3_moe", 0, "f32"), tmp_path, lambda arrays: None).rename(tmp_path / "model")


def configure(folder: Path, **values: object) -> None:
    """Change the config of a checkpoint; None takes a key out."""
    config = {k: v for k, v in json.loads((folder / "config.json").read_text()).items() if values.get(k, v) is not None}
    (folder / "config.json").write_text(json.dumps(config | {k: v for k, v in values.items() if v is not None}))


def in_two(folder: Path, change: Callable[[Arrays], object]) -> None:
    """The tensors, changed, in two shards: the attention of layer 3 alone in the second."""
    arrays: Arrays = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    change(arrays)
    second = {n: arrays.pop(n) for n in list(arrays) if n.startswith("model.layers.3.self_attn.")}
    save_file(arrays, folder / "a.safetensors")
    save_file(second, folder / "b.safetensors")
    index = dict.fromkeys(arrays, "a.safetensors") | dict.fromkeys(second, "b.safetensors")
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": index}))


def refused(source: Path, experts: str = "q4") -> BadCheckpoint:
    """The error; nothing appeared beside the source."""
    before = sorted(p.name for p in source.parent.iterdir())
    with pytest.raises(BadCheckpoint) as e:
        run(source, source.parent / "new" / "a.ouzel", experts)
    assert sorted(p.name for p in source.parent.iterdir()) == before
    return e.value


def test_that_everything_wrong_is_one_error(checkpoint: Path) -> None:
    def spoil(arrays: Arrays) -> None:
        del arrays[E0 + "up_proj.weight"]
        arrays["lm_head.weight"] = np.zeros(arrays["lm_head.weight"].shape, np.int32)
        arrays["model.norm.weight"][-1] = np.nan  # type: ignore[index]

    in_two(checkpoint, spoil)
    size = (checkpoint / "b.safetensors").stat().st_size
    with (checkpoint / "b.safetensors").open("r+b") as file:
        file.truncate(size - 10)
    config = json.loads((checkpoint / "config.json").read_text())
    heads, kv, width = config["num_attention_heads"], config["num_key_value_heads"], config["head_dim"]
    configure(checkpoint, num_attention_heads=2 * heads)
    error = refused(checkpoint)
    d, n = config["hidden_size"], config["num_hidden_layers"]
    assert error.details.splitlines() == [
        f"config.json says num_attention_heads = {2 * heads}, but the tensors fit num_attention_heads = {heads}: "
        f"model.layers.0.self_attn.o_proj.weight has the shape [{d}, {heads * width}] instead of [{d}, {2 * heads * width}], "
        f"and {2 * n - 1} more",
        f"b.safetensors is truncated: it has {size - 10} bytes instead of {size}",
        f"it lacks {E0}up_proj.weight",
        "lm_head.weight is stored as I32, where F32, F16, BF16 can be converted",
        f"model.norm.weight holds nan at [{d - 1}], which is no number",
    ]
    first, *lines, last = str(error).splitlines()
    assert first == "model cannot be converted. 5 problems were found:"
    assert lines == [f"- {line}" for line in error.details.splitlines()]
    assert last.startswith("Nothing was written. Fetch the model again; ")
    assert kv != heads  # else the config would have two explanations


@pytest.mark.parametrize(
    ("family", "keys", "value"),
    [
        ("qwen3_moe", ("num_key_value_heads",), 4),
        ("qwen3_moe", ("num_experts",), 7),
        ("qwen3_moe", ("num_experts",), 11),
        ("qwen3_moe", ("num_hidden_layers",), 3),
        ("qwen3_moe", ("num_hidden_layers",), 6),
        ("qwen3_moe", ("moe_intermediate_size",), 64),
        ("qwen3_moe", ("vocab_size",), 500),
        ("qwen2_moe", ("num_attention_heads",), 2),
        ("mixtral", ("num_attention_heads",), 8),
        ("deepseek_v3", ("kv_lora_rank",), 48),
        ("deepseek_v3", ("qk_nope_head_dim",), 32),
        ("kimi_linear", ("linear_attn_config", "num_heads"), 8),
        ("gpt_oss", ("num_local_experts",), 6),
        ("gemma4", ("text_config", "global_head_dim"), 64),
    ],
)
def test_that_a_wrong_number_of_the_config_is_found(
    family: str, keys: tuple[str, ...], value: int, tiny_checkpoint: Tiny, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(tiny_checkpoint(family), tmp_path / "model"))
    config = json.loads((folder / "config.json").read_text())
    if family == "gemma4" and "text_config" not in config:
        keys = keys[1:]
    inner = config
    for key in keys[:-1]:
        inner = inner[key]
    said, inner[keys[-1]] = inner[keys[-1]], value
    assert said != value
    (folder / "config.json").write_text(json.dumps(config))
    (line, *more) = [p for p in refused(folder).details.splitlines() if "which cannot be" not in p]
    assert f"{'.'.join(keys)} = {said}" in line and not more, (line, more)


def test_that_many_problems_of_a_kind_are_one_line_and_the_list_ends(checkpoint: Path) -> None:
    def spoil(arrays: Arrays) -> None:
        for name in [n for n in arrays if n.endswith("experts.3.down_proj.weight")]:
            del arrays[name]
        for name in arrays:
            arrays[name].reshape(-1)[0] = np.inf

    in_two(checkpoint, spoil)
    error = refused(checkpoint)
    lines = error.details.splitlines()
    assert lines[0].startswith("it lacks model.layers.0.mlp.experts.3.down_proj.weight and ")
    assert len(lines) > 100
    told = str(error).splitlines()
    assert told[1:31] == [f"- {line}" for line in lines[:30]] and told[31] == f"- and {len(lines) - 30} more" and len(told) == 33


def test_that_problems_of_the_config_come_with_those_of_the_files(checkpoint: Path) -> None:
    configure(checkpoint, hidden_size=None, twist=1, hidden_act="relu")
    with pytest.raises(UnsupportedConfig) as e:
        run(checkpoint, checkpoint.parent / "a.ouzel")
    config = [
        "config.json has keys that this family's reader does not know: twist",
        "config.json lacks the key 'hidden_size'",
        "config.json says hidden_act = 'relu', but only 'silu' is supported for this family",
    ]
    assert list(e.value.problems) == config and all(line in str(e.value) for line in config)
    with (checkpoint / "model.safetensors").open("r+b") as file:
        file.truncate(60_000)
    (checkpoint / "tokenizer.json").unlink()
    lines = refused(checkpoint).details.splitlines()
    assert lines[:4] == [*config, "it has no tokenizer.json, nor another tokenizer that is read"]
    assert lines[4].startswith("model.safetensors is truncated") and len(lines) == 5


def test_that_an_unreadable_config_does_not_hide_the_files(checkpoint: Path) -> None:
    changed(checkpoint, checkpoint.parent, lambda a: a["model.norm.weight"].fill(np.nan)).rename(checkpoint.parent / "other")
    other = checkpoint.parent / "other"
    (other / "config.json").write_text("{")
    first, second = refused(other).details.splitlines()
    assert first.startswith("config.json is no valid JSON")
    assert second.startswith("model.norm.weight holds nan at [0], which is no number, and")


@pytest.mark.parametrize("spoil", [{"model_type": "phi3"}, {"num_experts": None}])
def test_that_an_unsupported_model_is_told_before_its_weights_are_opened(spoil: dict[str, object], checkpoint: Path) -> None:
    configure(checkpoint, **spoil)
    (checkpoint / "model.safetensors").unlink()
    with pytest.raises(UnsupportedModel, match=r"Supported types: .*gpt_oss.*kimi_k3"):
        run(checkpoint, checkpoint.parent / "a.ouzel")


def test_that_an_existing_target_is_told_before_the_numbers_are_read(checkpoint: Path) -> None:
    target = run(checkpoint, checkpoint.parent / "a.ouzel")
    seen: list[str] = []
    with pytest.raises(StorageError, match="exists already"):
        convert(checkpoint, target, "q4", "q4", lambda phase, done, total: seen.append(phase), CancelToken())
    assert not seen


def test_that_a_sound_checkpoint_is_read_once(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read, seen = SafetensorsFile.read_into, dict[str, list[tuple[int, int]]]()

    def noted(self: SafetensorsFile, name: str, start: int, out: np.ndarray, keep: bool = False) -> None:
        seen.setdefault(name, []).append((start, start + len(out)))
        read(self, name, start, out, keep)

    monkeypatch.setattr(SafetensorsFile, "read_into", noted)
    run(checkpoint, checkpoint.parent / "a.ouzel")
    for name, array in load_file(checkpoint / "model.safetensors").items():
        spans = sorted(seen[name])
        assert [a for a, _ in spans] == [0, *(b for _, b in spans[:-1])] and spans[-1][1] == array.nbytes, name


@pytest.mark.parametrize("where", ["model.norm.weight", E0 + "gate_proj.weight", "lm_head.weight", "model.embed_tokens.weight"])
def test_that_numbers_found_bad_while_packing_are_told_with_all_others(where: str, checkpoint: Path) -> None:
    def spoil(arrays: Arrays) -> None:
        arrays[where].reshape(-1)[7] = np.nan
        arrays["model.layers.3.mlp.experts.1.down_proj.weight"].reshape(-1)[-1] = np.inf

    in_two(checkpoint, spoil)
    lines = refused(checkpoint).details.splitlines()
    assert len(lines) == 2 and any(line.startswith(f"{where} holds nan at [") for line in lines)
    assert any(line.startswith("model.layers.3.mlp.experts.1.down_proj.weight holds inf at [") for line in lines)


def test_that_stop_ends_the_check_and_leaves_nothing(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finite, "BATCH", 4096)
    (checkpoint / "tokenizer.json").unlink()  # so that all its numbers are looked at, to tell everything
    cancel, seen = CancelToken(), list[int]()

    def stop(phase: str, done: int, total: int) -> None:
        assert phase == "check"
        seen.append(done)
        cancel.cancel()

    with pytest.raises(Cancelled):
        convert(checkpoint, checkpoint.parent / "a.ouzel", "q4", "q4", stop, cancel)
    assert len(seen) == 1 and [p.name for p in checkpoint.parent.iterdir()] == ["model"]


def one_tensor(path: Path, dtype: str, data: np.ndarray) -> SafetensorsFile:
    header = json.dumps({"a": {"dtype": dtype, "shape": [data.size], "data_offsets": [0, data.nbytes]}}).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header + data.tobytes())
    return SafetensorsFile(path)


def test_that_each_code_of_each_format_is_judged_by_its_bits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    every, byte = np.arange(2**16, dtype="<u2"), np.arange(256, dtype=np.uint8)
    codes = {
        "BF16": (every, (every.astype(np.uint32) << 16).view(np.float32)),
        "F16": (every, every.view(np.float16)),
        "F32": ((every.astype("<u4") << 16) + 1, ((every.astype("<u4") << 16) + 1).view(np.float32)),
        "F8_E4M3": (byte, E4M3),
        "E8M0": (byte, np.where(byte == 255, np.nan, np.ldexp(1.0, byte.astype(int) - 127))),
    }
    monkeypatch.setattr(finite, "PIECE", 96)
    monkeypatch.setattr(finite, "BATCH", 1000 // 4 * 4)
    for dtype, (bits, value) in codes.items():
        assert isinstance(value, np.ndarray)
        stored = "U8" if dtype == "E8M0" else dtype
        with closing(one_tensor(tmp_path / "x.safetensors", stored, bits)) as file:
            numbers = [finite.Numbers(file, "a", dtype, 0, bits.nbytes)]
            told: list[int] = []
            found = finite.unsound(numbers, 2, True, told.append, CancelToken())["a"]
        bad = np.flatnonzero(~np.isfinite(value))
        assert (found.count, found.at, found.value) == (len(bad), bad[0], str(float(value[bad[0]]))), dtype
        assert sum(told) == bits.nbytes


FLOAT_CODES = {"F32": (4, 0x7F800000, 0x7FC00001), "BF16": (2, 0x7F80, 0xFFC0)}


def header(file: Path) -> tuple[int, dict[str, dict[str, object]]]:
    """(first byte of the data, entries)."""
    data = file.read_bytes()
    end = 8 + int.from_bytes(data[:8], "little")
    entries = json.loads(data[8:end])
    entries.pop("__metadata__", None)
    return end, entries


def overwrite(file: Path, at: int, data: bytes) -> None:
    with file.open("r+b") as f:
        f.seek(at)
        f.write(data)


def truncate(file: Path, data: st.DataObject) -> bool:
    with file.open("r+b") as f:
        f.truncate(data.draw(st.integers(0, file.stat().st_size - 1)))
    return True


def flip(file: Path, data: st.DataObject) -> bool:
    end, _ = header(file)
    for _ in range(data.draw(st.integers(1, 3))):
        overwrite(file, data.draw(st.integers(0, end - 1)), bytes([data.draw(st.integers(0, 255))]))
    return False  # a byte may be overwritten with itself, or in a place that means nothing


def swap(file: Path, data: st.DataObject) -> bool:
    """Two names exchange their places."""
    raw, (end, entries) = file.read_bytes(), header(file)
    one, two = (data.draw(st.sampled_from(sorted(entries))) for _ in range(2))
    if entries[one]["shape"] == entries[two]["shape"] and entries[one]["dtype"] == entries[two]["dtype"]:
        return False
    entries[one], entries[two] = entries[two], entries[one]
    text = json.dumps(entries).encode()
    file.write_bytes(len(text).to_bytes(8, "little") + text + raw[end:])
    return True


def no_number(file: Path, data: st.DataObject) -> bool:
    end, entries = header(file)
    floats = [n for n, e in entries.items() if e["dtype"] in FLOAT_CODES or n.endswith("_scales")]
    last = max(floats, key=lambda n: entries[n]["data_offsets"])  # type: ignore[return-value]
    e = entries[data.draw(st.sampled_from([*sorted(floats), last]))]
    size, *codes = FLOAT_CODES.get(str(e["dtype"]), (1, 0xFF))
    start, stop = e["data_offsets"]  # type: ignore[misc]
    n = (stop - start) // size  # type: ignore[has-type]
    index = data.draw(st.sampled_from([0, n - 1]) | st.integers(0, n - 1))
    overwrite(file, end + start + index * size, data.draw(st.sampled_from(codes)).to_bytes(size, "little"))  # type: ignore[has-type]
    return True


@pytest.mark.parametrize("family", ["qwen2_moe", "deepseek_v3", "gpt_oss"])
@pytest.mark.parametrize("damage", [truncate, flip, swap, no_number])
def test_that_damage_is_one_error_and_nothing_is_written(
    family: str, damage: Callable[[Path, st.DataObject], bool], tiny_checkpoint: Tiny, tmp_path_factory: pytest.TempPathFactory
) -> None:
    @settings(max_examples=25, deadline=None)
    @given(data=st.data())
    def damaged(data: st.DataObject) -> None:
        place = tmp_path_factory.mktemp("damaged")
        source = Path(shutil.copytree(tiny_checkpoint(family), place / "model"))
        file = data.draw(st.sampled_from(sorted(source.glob("*.safetensors"))))
        surely = damage(file, data)
        try:
            run(source, place / "a.ouzel")
        except BadCheckpoint as e:
            assert e.details
            assert damage is not truncate or file.name in str(e)
            assert [p.name for p in place.iterdir()] == ["model"]
        else:
            assert not surely
        shutil.rmtree(place)

    damaged()


def test_that_numbers_that_no_one_reads_are_not_judged(tiny_checkpoint: Tiny, tmp_path: Path) -> None:

    def spoil(arrays: Arrays) -> None:
        padded = [a.reshape(-1) for name, a in arrays.items() if name.endswith("A_log")]
        for a in padded:
            a[-1] = np.nan  # type: ignore[call-overload]
        arrays["vision_tower.weight"] = np.full(3, np.nan, np.float32)
        assert padded

    source = changed(tiny_checkpoint("kimi_k3", 0, "f32"), tmp_path, spoil)
    run(source, tmp_path / "a.ouzel")


KILLED = """
import os, sys
from pathlib import Path
from engine.cancel import CancelToken
from engine.container.draft import Draft
from engine.setup.check import Check
from engine.setup.coded import E4M3
from engine.setup.convert import convert
from engine.setup.safetensors_file import SafetensorsFile
judge = Check.judge
def killed(self):
    judge(self)
    os._exit(9)
Check.judge = killed
convert(Path(sys.argv[1]), Path(sys.argv[2]), "q4", "q4", lambda *event: None, CancelToken())
"""


def test_that_a_kill_between_check_and_write_leaves_nothing(checkpoint: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, checkpoint, checkpoint.parent / "new" / "a.ouzel"], cwd=ROOT, check=False)
    assert done.returncode == 9
    assert [p.name for p in checkpoint.parent.iterdir()] == ["model"]
