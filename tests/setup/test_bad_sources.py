"""Sources made by an enemy or by accident, through a conversion and through a pull: a sentence each, nothing is left, little is fetched."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.container import strict
from engine.container.reader import Container
from engine.container.strict import Malformed, parse_object
from engine.errors import BadCheckpoint, UnsupportedModel
from engine.setup import hub as hub_module
from engine.setup import ranges
from engine.setup.hub import HubError, look
from engine.setup.pull import pull
from engine.setup.shards import INDEX
from engine.setup.wish import Wish
from engine.worker.failures import as_engine_error
from tests.hub.server import Hub, Repo
from tests.setup.shards import run, tree

Tiny = Callable[..., Path]
Files = dict[str, bytes]
SHARD = "model.safetensors"
DEEP = b'{"a": ' + b"[" * 200_000 + b"]" * 200_000 + b"}"


def header(files: Files) -> tuple[dict[str, dict[str, object]], bytes]:
    n = int.from_bytes(files[SHARD][:8], "little")
    return json.loads(files[SHARD][8 : 8 + n]), files[SHARD][8 + n :]


def put_header(files: Files, text: bytes, length: int | None = None) -> None:
    data = header(files)[1]
    files[SHARD] = (len(text) if length is None else length).to_bytes(8, "little") + text + data


def with_header(change: Callable[[dict[str, dict[str, object]], list[str]], object]) -> Callable[[Files], None]:
    def harm(files: Files) -> None:
        entries = header(files)[0]
        change(entries, [name for name in entries if name != "__metadata__"])
        put_header(files, json.dumps(entries).encode())

    return harm


def longer(length: int) -> Callable[[Files], None]:
    return lambda files: files.update({SHARD: length.to_bytes(8, "little") + files[SHARD][8:]})


def twice(files: Files) -> None:
    text = json.dumps(header(files)[0])
    name = next(iter(header(files)[0]))
    put_header(files, f'{text[:-1]}, "{name}": {{}}}}'.encode())


def config(**changes: object) -> Callable[[Files], None]:
    return lambda files: files.update({"config.json": json.dumps({**json.loads(files["config.json"]), **changes}).encode()})


def index(weight_map: object) -> Callable[[Files], None]:
    return lambda files: files.update({INDEX: json.dumps({"weight_map": weight_map}).encode()})


def many(key: str) -> bytes:
    """More values than are read, in little room."""
    return f'{{"{key}": ['.encode() + b"0," * strict.MOST_VALUES + b"0]}"


HARM: dict[str, tuple[Callable[[Files], object], str]] = {
    "header of 2^63 bytes": (longer(2**63 - 1), "no safetensors file"),
    "header of a terabyte": (longer(2**40), "no safetensors file"),
    "header of 2^64 - 1 bytes": (longer(2**64 - 1), "no safetensors file"),
    "header beyond the file": (lambda f: longer(len(f[SHARD]) - 7)(f), "no safetensors file"),
    "header of brackets": (lambda f: put_header(f, DEEP), "no valid JSON"),
    "header of commas": (lambda f: put_header(f, many("a")), "values"),
    "header that is a list": (lambda f: put_header(f, b"[1, 2]"), "no JSON object"),
    "name twice": (twice, "a name twice"),
    "overlapping tensors": (with_header(lambda h, n: h[n[0]].update(data_offsets=h[n[1]]["data_offsets"])), "overlap|do not fit"),
    "all tensors in one place": (
        with_header(lambda h, n: [h[x].update(data_offsets=h[n[0]]["data_offsets"]) for x in n]), "overlap|do not fit",
    ),
    "tensor beyond the file": (with_header(lambda h, n: h[n[0]].update(data_offsets=[2**47, 2**47 + 4], shape=[2])), "model.safetensors"),
    "negative offsets": (with_header(lambda h, n: h[n[0]].update(data_offsets=[-4, 0])), "model.safetensors has"),
    "sizes of 2^62": (with_header(lambda h, n: h[n[0]].update(shape=[2**62, 2**62])), "model.safetensors has"),
    "shape of many ones": (with_header(lambda h, n: h[n[0]].update(shape=[1] * 100_000)), "bad sizes"),
    "shape of booleans": (with_header(lambda h, n: h[n[0]].update(shape=[True])), "model.safetensors has"),
    "dtype of a kilobyte": (with_header(lambda h, n: h[n[0]].update(dtype="F" * 1024)), "stored as"),
    "config of brackets": (lambda f: f.update({"config.json": DEEP}), "config.json is no valid JSON"),
    "config of commas": (lambda f: f.update({"config.json": many("model_type")}), "config.json holds more than"),
    "config with a name twice": (lambda f: f.update({"config.json": f["config.json"][:-1] + b', "model_type": "olmoe"}'}), "a name twice"),
    "config with a number of a kilobyte": (lambda f: f.update({"config.json": b'{"a": ' + b"9" * 5000 + b"}"}), "no valid JSON"),
    "config of a billion layers": (config(num_hidden_layers=10**9), "num_hidden_layers"),
    "config of a billion experts": (config(num_local_experts=10**9), "num_local_experts"),
    "config with heads that no kernel has": (config(hidden_size=100_000), "25000 wide"),
    "config with infinite numbers": (config(rope_theta=float("inf")), "rope_theta"),
    "index of brackets": (lambda f: f.update({INDEX: DEEP}), f"{INDEX} is no valid JSON"),
    "index of commas": (lambda f: f.update({INDEX: many("weight_map")}), f"{INDEX} holds more than"),
    "index with a name twice": (lambda f: f.update({INDEX: b'{"weight_map": {"a": "x", "a": "y"}}'}), "a name twice"),
    "index that climbs": (index({"a": "../../etc/passwd.safetensors"}), "no safetensors file in this folder"),
    "index that is absolute": (index({"a": "/etc/passwd.safetensors"}), "no safetensors file in this folder"),
    "index of Windows paths": (index({"a": "..\\x.safetensors", "b": "C:x.safetensors"}), "no safetensors file in this folder"),
    "index of what is not there": (index({"a": "gone.safetensors"}), "gone.safetensors is missing"),
}


@pytest.fixture
def files(tiny_checkpoint: Tiny) -> Files:
    return {f.name: f.read_bytes() for f in tiny_checkpoint("mixtral").iterdir()}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    out = tmp_path / "place"
    out.mkdir()
    return out


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranges, "FIRST_WAIT_S", 0.01)


def fetch(hub: Hub, target: Path) -> None:
    pull(Wish("owner/tiny", target, "q8", "q8", endpoint=hub.url), None, lambda p: None, CancelToken())


@pytest.mark.parametrize("harm", HARM)
def test_that_a_bad_source_is_refused_with_a_sentence_and_leaves_nothing(harm: str, files: Files, place: Path, tmp_path: Path) -> None:
    change, words = HARM[harm]
    weights = len(header(files)[1])
    change(files)
    source = tmp_path / "source"
    source.mkdir()
    for name, data in files.items():
        (source / name).write_bytes(data)
    with pytest.raises((BadCheckpoint, UnsupportedModel), match=words) as converted:
        run(source, place / "a.ouzel", "q8", "q8")
    with Hub({"owner/tiny": Repo(files, lfs_from=1000)}) as hub:
        with pytest.raises((BadCheckpoint, UnsupportedModel), match=words) as pulled:
            fetch(hub, place / "a.ouzel")
        assert hub.sent.get(SHARD, 0) <= 2 * ranges.CHUNK + len(files[SHARD]) - weights
    for error in (converted.value, pulled.value):
        assert as_engine_error(error) is error and len(str(error)) < 10_000
    assert list(place.iterdir()) == []


def test_that_small_files_of_an_enemy_do_not_spoil_a_pull(files: Files, place: Path) -> None:
    odd = {"LICENSE-" + "a" * 300: b"x", "notice..": b"y", "run_me.py": b"import os", "README.md": b"\xff" * 99}
    with Hub({"owner/tiny": Repo({**files, **odd, "LICENSE": b"mine", "generation_config.json": DEEP}, lfs_from=1000)}) as hub:
        fetch(hub, place / "a.ouzel")
    got = Container.open(place / "a.ouzel")
    got.close()
    assert got.defaults == {} and not set(odd) & set(tree(place / "a.ouzel")) and (place / "a.ouzel" / "LICENSE").read_bytes() == b"mine"


@pytest.mark.parametrize("more", [{f"LICENSE-{i}": b"x" for i in range(50)}, {"LICENSE": bytes(5 * 2**20)}], ids=["many", "large"])
def test_that_licences_do_not_fill_memory(more: Files, files: Files, place: Path) -> None:
    with Hub({"owner/tiny": Repo({**files, **more}, lfs_from=1000)}) as hub:
        with pytest.raises(BadCheckpoint, match=r"50 licence files|LICENSE is too large"):
            fetch(hub, place / "a.ouzel")
        assert not any(name.startswith("LICENSE") for name in hub.sent)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda rows: rows.append(dict(rows[0])), "twice"),
        (lambda rows: rows[0].update(size=-1), "size that no file has"),
        (lambda rows: rows[0].update(size=2**60), "size that no file has"),
        (lambda rows: rows[0].update(size="12"), "size that no file has"),
        (lambda rows: rows[0].update(rfilename="\u202egnp.exe"), "no file name"),
        (lambda rows: rows[0].update(rfilename="a/" * 600 + "b"), "no file name"),
        (lambda rows: rows[0].update(rfilename="~/.ssh/../x"), "no file name"),
        (lambda rows: rows.extend({"rfilename": f"{i}", "size": 1, "blobId": "0"} for i in range(200)), "no model's repository"),
    ],
)
def test_that_a_listing_that_makes_no_sense_is_refused(
    change: Callable[[list[dict[str, object]]], object], words: str, files: Files, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "MOST_FILES", 100)
    with Hub({"owner/tiny": Repo(files)}) as hub:
        rows: list[dict[str, object]] = [{"rfilename": n, **m} for n, m in hub.repos["owner/tiny"].meta.items()]
        change(rows)
        hub.siblings = rows
        with pytest.raises(BadCheckpoint, match=words):
            look("owner/tiny", at=hub.url)
        with pytest.raises(BadCheckpoint, match=words):
            fetch(hub, place / "a.ouzel")
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("status", ["endless", "brackets", "no repository"])
def test_that_an_answer_that_unpacks_without_end_is_told(status: str, files: Files, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "LISTING_LIMIT", 2**20)
    with Hub({"owner/tiny": Repo(files)}) as hub:
        body = {"endless": b'{"a": "' + b" " * 2**26, "brackets": DEEP, "no repository": b'{"siblings": [{}], "id": 3}'}[status]
        hub.bomb = gzip.compress(body)
        words = "does not end" if status == "endless" else "does not answer as a hub does"
        with pytest.raises((BadCheckpoint, HubError), match=words):
            fetch(hub, place / "a.ouzel")
    assert list(place.iterdir()) == []


def test_that_values_are_counted_before_they_take_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strict, "MOST_VALUES", 10)
    assert parse_object(b'{"a": [1, 2, 3], "b": {"c": 1}}')
    for bomb in (b'{"a": [1,1,1,1,1,1,1,1,1,1,1]}', b'{"a":' + b"{" * 12, b"[" * 12):
        with pytest.raises(Malformed, match="more than 10 values"):
            parse_object(bomb)
