"""What a reader sees is what the checkpoint holds."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import xxhash
from safetensors import safe_open
from safetensors.numpy import load_file

from engine.cancel import CancelToken
from engine.container.format import ALIGN, PAGE, PARTS, VECTOR
from engine.container.reader import Container
from engine.errors import BadContainer, Cancelled, UnsupportedModel
from kernels_pyx.aio import Arena
from kernels_pyx.linear import pack, packed_bytes, unpack
from tests.container.damage import copied, edit

Tiny = Callable[..., Path]
FAMILIES = ["qwen2_moe", "qwen3_moe", "olmoe", "mixtral"]


def loaded(container: Container) -> Arena:
    arena = Arena(container.trunk_bytes)
    container.load_trunk(memoryview(arena.array), lambda fraction: None, CancelToken())
    return arena


@pytest.mark.parametrize("family", FAMILIES)
def test_that_f32_containers_hold_the_checkpoint_bit_for_bit(family: str, tiny: Tiny, tiny_checkpoint: Tiny) -> None:
    stored = {}
    for shard in tiny_checkpoint(family, 0, "f32").glob("*.safetensors"):
        stored.update(load_file(shard))
    container = Container.open(tiny(family, "f32", 0, "f32"))
    trunk = loaded(container).array
    assert np.array_equal(embedding(container), stored.pop("model.embed_tokens.weight"))
    for t in container.arch.tensors:
        if t.name == "embed":
            continue
        entry = container.tensors[t.name]
        if t.role == "vector":
            got = container.vector(t.name, trunk)
        else:
            assert container.matrix(t.name, trunk).nbytes == entry.nbytes
            got = unpack(entry.fmt, *entry.shape, trunk[entry.offset : entry.offset + entry.nbytes])  # type: ignore[call-arg]
        assert np.array_equal(got, stored.pop(t.source.name)), t.name
    for spec, file in zip(container.arch.experts, container.experts, strict=True):
        records = np.fromfile(file.path, np.uint8).reshape(file.n_experts, file.layout.stride)
        for e, record in enumerate(records):
            assert xxhash.xxh3_64_intdigest(record.tobytes()) == file.checksums[e]
            for part in PARTS:
                fmt, at, rows, cols = file.layout.part(part)
                data = np.frombuffer(record.tobytes(), np.uint8)[at : at + packed_bytes(fmt, rows, cols)]
                assert np.array_equal(unpack(fmt, rows, cols, aligned(data)), stored.pop(spec.source(e, part).name))
    assert not stored


def embedding(container: Container) -> "np.ndarray":  # type: ignore[type-arg]
    assert container.embed is not None
    data = np.fromfile(container.path / container.embed.file, np.uint8)
    return unpack(container.embed.fmt, container.embed.rows, container.embed.cols, aligned(data))


def aligned(data: "np.ndarray") -> "np.ndarray":  # type: ignore[type-arg]
    arena = Arena(data.nbytes)
    arena.array[: data.nbytes] = data
    return arena.array[: data.nbytes]


@pytest.mark.parametrize("formats", ["bf16", "q8", "q4"])
def test_that_parts_are_packed_in_the_format_that_was_asked_for(formats: str, tiny: Tiny, tiny_checkpoint: Tiny) -> None:
    stored = load_file(next(tiny_checkpoint("qwen2_moe", 0, "f32").glob("*.safetensors")))
    container = Container.open(tiny("qwen2_moe", formats, 0, "f32"))
    trunk = loaded(container).array
    wider = {"embed", "head", "shared_down"}
    embed = container.embed
    assert embed is not None and embed.fmt == ("q8" if formats == "q4" else formats)
    assert np.array_equal(np.fromfile(container.path / embed.file, np.uint8), pack(embed.fmt, stored["model.embed_tokens.weight"]))
    for t in container.arch.tensors:
        if t.name == "embed":
            continue
        entry = container.tensors[t.name]
        want = VECTOR if t.role == "vector" else "f32" if t.role == "router" else "q8" if formats == "q4" and t.role in wider else formats
        assert entry.fmt == want, t.name
        if want != VECTOR:
            assert np.array_equal(trunk[entry.offset : entry.offset + entry.nbytes], pack(want, stored[t.source.name]))
    file, spec = container.experts[0], container.arch.experts[0]
    record = np.fromfile(file.path, np.uint8)[: file.layout.stride]
    for part in PARTS:
        fmt, at, rows, cols = file.layout.part(part)
        assert fmt == ("q8" if formats == "q4" and part == "down" else formats)
        assert np.array_equal(record[at : at + packed_bytes(fmt, rows, cols)], pack(fmt, stored[spec.source(0, part).name]))


def test_that_a_bf16_router_stays_bf16_in_every_format(tiny: Tiny) -> None:
    for formats in ("f32", "q4"):
        container = Container.open(tiny("qwen3_moe", formats))
        assert {container.tensors[t.name].fmt for t in container.arch.tensors if t.role == "router"} == {"bf16"}


@pytest.mark.parametrize("formats", ["f32", "q4"])
def test_that_the_trunk_opens_with_the_safetensors_library(formats: str, tiny: Tiny) -> None:
    container = Container.open(tiny("qwen2_moe", formats))
    trunk = loaded(container).array
    with safe_open(container.path / "trunk.safetensors", framework="numpy") as file:
        assert set(file.keys()) == set(container.tensors)
        for name, entry in container.tensors.items():
            got = file.get_tensor(name)
            assert got.dtype == (np.float32 if entry.fmt == VECTOR else np.uint8)
            assert got.tobytes() == trunk[entry.offset : entry.offset + entry.nbytes].tobytes()
            assert file.metadata()[name] == " ".join([entry.fmt, *map(str, entry.shape)])


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("formats", ["f32", "bf16", "q8", "q4"])
def test_that_matrices_parts_and_records_are_aligned(family: str, formats: str, tiny: Tiny) -> None:
    container = Container.open(tiny(family, formats))
    assert container.manifest.trunk.data_start % PAGE == 0
    assert all(t.offset % ALIGN == 0 for t in container.tensors.values() if t.fmt != VECTOR)
    for file in container.experts:
        assert file.layout.stride % PAGE == 0 and file.layout.nbytes <= file.layout.stride
        assert all(file.layout.part(p)[1] % ALIGN == 0 for p in PARTS)


def test_that_names_config_and_files_come_along(tiny: Tiny, tiny_checkpoint: Tiny) -> None:
    source, container = tiny_checkpoint("qwen2_moe"), Container.open(tiny("qwen2_moe", "q4"))
    assert container.name == "qwen2_moe-q4"
    for name in ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja", "generation_config.json"):
        assert (container.path / name).read_bytes() == (source / name).read_bytes()
    assert container.config["model_type"] == container.arch.model_type == "qwen2_moe"
    assert container.has("head") and not container.has("nothing")


def test_that_a_matrix_is_not_given_as_a_vector(tiny: Tiny) -> None:
    container = Container.open(tiny("qwen2_moe"))
    trunk = loaded(container).array
    with pytest.raises(ValueError, match="norm is a vector"):
        container.matrix("norm", trunk)
    with pytest.raises(ValueError, match="head is a matrix"):
        container.vector("head", trunk)


def test_that_loading_tells_its_progress_and_stops_when_cancelled(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.container.load.PIECE", 40_960)
    container, cancel, seen = Container.open(tiny("qwen2_moe")), CancelToken(), list[float]()
    arena = Arena(container.trunk_bytes)
    container.load_trunk(memoryview(arena.array), seen.append, cancel)
    assert len(seen) > 5 and seen == sorted(seen) and seen[-1] == 1.0

    def stop(fraction: float) -> None:
        assert fraction < 0.2  # no piece is read after the one that was cancelled in
        cancel.cancel()

    with pytest.raises(Cancelled):
        container.load_trunk(memoryview(arena.array), stop, cancel)


def test_that_what_is_no_container_is_explained(tmp_path: Path, tiny_checkpoint: Tiny) -> None:
    (tmp_path / "file.ouzel").write_bytes(b"x")
    (tmp_path / "empty").mkdir()
    for path, words in [
        (tmp_path / "gone.ouzel", "There is no model at"),
        (tmp_path / "file.ouzel", "is a file, but a model is a folder"),
        (tmp_path / "empty", "it has no manifest.json"),
        (tiny_checkpoint("qwen2_moe"), "is not converted yet. Run `ouzel convert`"),
    ]:
        with pytest.raises(BadContainer, match=words):
            Container.open(path)


@pytest.mark.parametrize("change", [{"model_type": "phi3"}, {"num_experts": 0}])
def test_that_a_model_that_is_not_supported_is_refused_with_the_list_of_what_is(
    change: dict[str, object], tiny: Tiny, tmp_path: Path
) -> None:
    container = copied(tiny("qwen2_moe", "q4"), tmp_path)
    edit(container, lambda manifest: manifest["config"].update(change))
    with pytest.raises(UnsupportedModel, match=r"Supported types: .*gpt_oss.*kimi_k3"):
        Container.open(container)
