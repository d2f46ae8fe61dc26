"""A manifest that was damaged, cut, edited or made by an enemy is refused with a sentence."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.container.format import check_name
from engine.container.manifest import _checksum, encode, parse, to_bytes
from engine.container.reader import Container
from engine.container.strict import Malformed
from engine.errors import BadContainer, EngineError
from tests.container.damage import copied, edit

Tiny = Callable[..., Path]


@pytest.fixture(scope="module")
def manifest(tiny: Tiny) -> bytes:
    return (tiny("qwen2_moe", "q4") / "manifest.json").read_bytes()


def test_that_a_manifest_is_read_as_it_was_written(manifest: bytes) -> None:
    assert to_bytes(parse(manifest)) == manifest


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_that_any_changed_byte_is_noticed(data: st.DataObject, manifest: bytes) -> None:
    at = data.draw(st.integers(0, len(manifest) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda b: b != manifest[at]))
    damaged = manifest[:at] + bytes([byte]) + manifest[at + 1 :]
    try:
        same = parse(damaged)
    except (Malformed, BadContainer):
        return
    assert to_bytes(same) == manifest  # white space


@settings(max_examples=50, deadline=None)
@given(end=st.floats(0, 0.999))
def test_that_a_cut_manifest_is_refused(end: float, manifest: bytes) -> None:
    with pytest.raises(Malformed):
        parse(manifest[: int(end * (len(manifest) - 2))])


def put(*path: str | int, value: object) -> Callable[[dict[str, Any]], None]:
    def change(manifest: dict[str, Any]) -> None:
        inner: Any = manifest
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = value

    return change


def test_that_what_comes_from_the_future_asks_for_an_update(tiny: Tiny, tmp_path: Path) -> None:
    for i, (change, words) in enumerate(
        [
            (put("version", value=2), "format version 2, and this Ouzel reads version 1. Update Ouzel"),
            (put("features", value=["three-bit"]), "uses three-bit, which this Ouzel does not know. Update Ouzel"),
        ]
    ):
        container = copied(tiny("qwen2_moe", "q4"), tmp_path / str(i))
        edit(container, change)
        with pytest.raises(BadContainer, match=words):
            Container.open(container)


WRONG = [
    put("format", value="zip"),
    put("version", value="1"),
    put("version", value=True),
    put("features", value="mxfp4"),
    put("features", value=[1]),
    put("config", value=[]),
    put("defaults", value={"temperature": "hot"}),
    put("defaults", value={"temperature": float("nan")}),
    put("formats", value={"attn": 4}),
    put("source", value={"name": "x"}),
    put("surprise", value=1),
    put("trunk", "nbytes", value=-1),
    put("trunk", "nbytes", value=10**30),
    put("trunk", "nbytes", value=1.5),
    put("trunk", "data_start", value=100),
    put("trunk", "data_start", value=0),
    put("trunk", "header_xxh3", value="0"),
    put("trunk", "file", value="../trunk.safetensors"),
    put("trunk", "tensors", value={}),
    put("trunk", "tensors", "head", 0, value="q5"),
    put("trunk", "tensors", "head", 0, value=["q4"]),
    put("trunk", "tensors", "head", 1, value=[384]),
    put("trunk", "tensors", "head", 1, value=[-384, -64]),
    put("trunk", "tensors", "head", 1, value=[2**40, 2**40]),
    put("trunk", "tensors", "head", 2, value=64),
    put("trunk", "tensors", "head", 3, value=1),
    put("trunk", "tensors", "head", value="x"),
    put("volumes", value=[]),
    put("volumes", value=["/tmp"]),
    put("volumes", value=[".."]),
    put("experts", value={}),
    put("experts", 0, value=3),
    put("experts", 0, "volume", value=1),
    put("experts", 0, "volume", value=-1),
    put("experts", 0, "file", value="/etc/passwd"),
    put("experts", 0, "file", value="experts/L01.bin"),
    put("experts", 0, "layer", value=1),
    put("experts", 0, "n_experts", value=0),
    put("experts", 0, "n_experts", value=5),
    put("experts", 0, "d_in", value=128),
    put("experts", 0, "d_in", value=2**40),
    put("experts", 0, "gate", value=["q4", 64]),
    put("experts", 0, "gate", value=["q4"]),
    put("experts", 0, "gate", value=[]),
    put("experts", 0, "gate", value=[["q4"], 0]),
    put("experts", 0, "biases", value=[0, 64, 128]),
    put("experts", 0, "stride", value=4096 * 100),
    put("experts", 0, "stride", value=1),
    put("experts", 0, "nbytes", value=2**60),
    put("embed", value=None),
    put("embed", "file", value="../embed.bin"),
    put("embed", "file", value="trunk.safetensors"),
    put("embed", "format", value="q5"),
    put("embed", "shape", value=[384]),
    put("embed", "shape", value=[384, 2**40]),
    put("embed", "shape", value=[368, 64]),
    put("embed", "nbytes", value=64),
    put("features", value=[]),
    put("checksums", "nbytes", value=8),
    put("checksums", "file", value="tokenizer.json"),
    put("files", value={"../x": {"nbytes": 1, "xxh3": "0" * 32}}),
    put("files", value={"con.txt": {"nbytes": 1, "xxh3": "0" * 32}}),
    put("files", value={"a": {"nbytes": -1, "xxh3": "0" * 32}}),
    put("files", value={"manifest.json": []}),
]


@pytest.mark.parametrize("change", WRONG, ids=range(len(WRONG)))
def test_that_a_wrong_value_is_refused_even_with_a_right_checksum(change: Callable[[dict[str, Any]], None], manifest: bytes) -> None:
    value = json.loads(manifest)
    change(value)
    value["checksum"] = _checksum(value)
    with pytest.raises(Malformed):
        parse(encode(value))


def test_that_a_missing_key_is_named(manifest: bytes) -> None:
    full = json.loads(manifest)
    for key in full:
        value = {k: v for k, v in full.items() if k != key}
        if key != "checksum":
            value["checksum"] = _checksum(value)
        with pytest.raises(Malformed, match=f"has no '{key}"):
            parse(encode(value))


def test_that_tensors_must_fit_the_architecture(tiny: Tiny, tmp_path: Path) -> None:
    container = copied(tiny("qwen2_moe", "q4"), tmp_path)
    edit(container, put("config", "num_experts", value=8))
    with pytest.raises(BadContainer, match="do not fit its own config"):
        Container.open(container)


def test_that_an_unknown_family_is_told_as_such(tiny: Tiny, tmp_path: Path) -> None:
    container = copied(tiny("qwen2_moe", "q4"), tmp_path)
    edit(container, put("config", "model_type", value="bert"))
    with pytest.raises(EngineError, match="a model of type 'bert'"):
        Container.open(container)


def test_that_an_endless_manifest_is_not_read(tiny: Tiny, tmp_path: Path) -> None:
    container = copied(tiny("qwen2_moe", "q4"), tmp_path)
    with (container / "manifest.json").open("r+b") as file:
        file.truncate(2**30)  # sparse
    with pytest.raises(BadContainer, match="longer than"):
        Container.open(container)


TEXTS = [b"", b"[]", b"null", b"\xff\xfe", b'{"a": 1, "a": 2}', b"[" * 100_000, b'{"version": ' + b"9" * 10_000 + b"}"]


@pytest.mark.parametrize("text", TEXTS)
def test_that_what_is_no_json_object_is_refused(text: bytes) -> None:
    with pytest.raises(Malformed):
        parse(text)


NAMES = ["", ".", "..", "a/../b", "/a", "a//b", "a/", "C:/x", "a\\b", "a\0", "nul", "COM1.txt", "a.", " a", "a ", "ä", "x/" * 130 + "x"]
NAMES += [".hidden", "-x"]


@pytest.mark.parametrize("name", NAMES)
def test_that_names_stay_inside_the_folder_on_every_system(name: str) -> None:
    with pytest.raises(ValueError, match="no file name inside a container"):
        check_name(name)


@pytest.mark.parametrize("name", ["experts/L00.bin", "tokenizer.json", "LICENSE", "a+b_c-d.x", "console.txt"])
def test_that_plain_names_pass(name: str) -> None:
    assert check_name(name) == name


SIMPLE = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
VALUES = st.recursive(SIMPLE, lambda x: st.lists(x, max_size=4), max_leaves=8)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(value=VALUES, data=st.data())
def test_that_any_value_at_any_place_is_a_sentence_or_the_same(value: object, data: st.DataObject, manifest: bytes) -> None:
    changed = json.loads(manifest)
    inner: Any = changed
    while isinstance(inner, dict | list) and inner:
        keys = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
        key = data.draw(st.sampled_from(keys))
        if not isinstance(inner[key], dict | list) or data.draw(st.booleans()):
            inner[key] = value
            break
        inner = inner[key]
    changed["checksum"] = _checksum(changed)
    try:
        parse(encode(changed))
    except (Malformed, BadContainer) as e:
        assert str(e)
