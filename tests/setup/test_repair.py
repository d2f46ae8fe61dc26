"""A damaged model made whole in place: equal bytes afterwards, nothing fetched that was not broken, and never worse after a kill."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.container.pieces import PieceFile
from engine.container.reader import Container
from engine.container.storage import InUse
from engine.container.verify import verify
from engine.errors import BadCheckpoint, BadContainer, BadRequest, StorageError
from engine.setup.hub import look
from engine.setup.ranges import Ranges
from engine.setup.remote import HubCheckpoint
from engine.setup.repair import Repaired, repair
from tests.cli.running import environment, ouzel
from tests.container.damage import flip
from tests.hub.server import Hub
from tests.setup.shards import run, tree
from tests.setup.test_moving import move
from tests.setup.test_pull import fetch, served

Tiny = Callable[..., Path]
FAMILY = "qwen3_moe"


@pytest.fixture
def hub(tiny_checkpoint: Tiny, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with Hub({"owner/tiny": served(tiny_checkpoint(FAMILY), lfs_from=1000)}) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        yield server


@pytest.fixture
def model(hub: Hub, tmp_path: Path) -> Path:
    out = fetch(hub, tmp_path / "a.ouzel", experts="q4", trunk="q4")
    hub.requests.clear()
    hub.sent.clear()
    return out


def mended(path: Path, local: Path | None = None) -> Repaired:
    return repair(path, local, lambda phase, done, total: None, CancelToken())


def problems(path: Path) -> list[str]:
    return [f"{p.file} {p.what}" for p in verify(path, lambda phase, done, total: None, CancelToken())]


def weights(hub: Hub) -> dict[str, list[tuple[int, int]]]:
    """Ranges of weights that were asked for behind the headers, by file."""
    out: dict[str, list[tuple[int, int]]] = {}
    for _, path, asked, _ in hub.requests:
        if asked and path.startswith("/cdn/") and path.endswith(".safetensors"):
            first, _, last = asked.removeprefix("bytes=").partition("-")
            if first != "0":
                out.setdefault(path.rpartition("/")[2], []).append((int(first), int(last) + 1))
    return out


def spans(hub: Hub, part: str) -> list[tuple[str, int, int]]:
    """Where the tensors with `part` in their names lie."""
    listing = look("owner/tiny", at=hub.url)
    opened = HubCheckpoint(listing, Ranges(listing, None, lambda text: None, CancelToken()), lambda config: None)
    out = [(f, t.offset, t.offset + t.nbytes) for f, s in opened.shards.files.items() for name, t in s.tensors.items() if part in name]
    opened.close()
    hub.requests.clear()
    return out


def stride(path: Path) -> int:
    container = Container.open(path)
    container.close()
    return container.experts[0].layout.stride


def test_that_a_whole_model_is_left_alone(model: Path, hub: Hub) -> None:
    before = tree(model)
    assert not mended(model).anything and tree(model) == before and not hub.requests


def test_that_a_broken_record_is_fetched_alone(model: Path, hub: Hub) -> None:
    before, file = tree(model), sorted((model / "experts").glob("L*.bin"))[1]
    layer = int(file.stem[1:])
    allowed = spans(hub, f"layers.{layer}.mlp.experts.2.")
    flip(file, 2 * stride(model) + 77)
    assert len(problems(model)) == 1
    done = mended(model)
    assert (done.records, done.from_copies, done.files) == (1, 0, [])
    asked = [(f, *r) for f, ranges in weights(hub).items() for r in ranges]
    assert sorted(asked) == sorted(allowed) != []
    assert tree(model) == before


NAMES = ("tokenizer.json", "trunk.safetensors", "experts/checksums.bin", "experts/L00.bin", "embed.bin")
KINDS = [*((name, "flipped") for name in NAMES), *((name, "missing") for name in NAMES[:1] + NAMES[3:])]
KINDS += [("trunk.safetensors", "short"), ("experts/L00.bin", "short"), ("experts/L00.bin", "long"), ("embed.bin", "long")]


@pytest.mark.parametrize(("name", "how"), KINDS)
def test_that_any_file_is_made_whole(model: Path, name: str, how: str) -> None:
    before, file = tree(model), model / name
    data = file.read_bytes()
    if how == "flipped":
        flip(file, len(data) // 2)
    elif how == "missing":
        file.unlink()
    else:
        file.write_bytes(data[:-1000] if how == "short" else data + b"more")
    assert problems(model)
    assert mended(model).anything
    assert tree(model) == before and problems(model) == []


def test_that_a_local_checkpoint_serves_as_well(tiny_checkpoint: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tiny_checkpoint("gpt_oss")
    path = run(source, tmp_path / "b.ouzel", "mxfp4", "q8")
    before = tree(path)
    for file in (path / "experts").glob("L*.bin"):
        flip(file, 50)
    (path / "trunk.safetensors").unlink()
    with pytest.raises(BadRequest, match="--from FOLDER"):
        mended(path)
    assert mended(path, source).anything
    assert tree(path) == before
    with pytest.raises(BadCheckpoint):
        flip(path / "experts" / "L00.bin", 50)
        mended(path, tiny_checkpoint("gpt_oss", seed=1))


def test_that_checksums_and_records_broken_together_are_told(model: Path) -> None:
    flip(model / "experts" / "checksums.bin", 9)
    flip(model / "experts" / "L00.bin", 9)
    with pytest.raises(BadContainer, match="nobody can tell which"):
        mended(model)


def test_that_a_good_copy_on_another_drive_comes_first(model: Path, hub: Hub, tmp_path: Path) -> None:
    drive = tmp_path / "drive b"
    drive.mkdir()
    move(model, [drive])
    before, there = tree(model), tree(drive)
    flip(model / "experts" / "L00.bin", stride(model) + 5)
    (next(drive.glob("*.volume")) / "full" / "L01.bin").unlink()
    done = mended(model)
    assert done.records == done.from_copies > 1 and not hub.requests
    assert tree(model) == before and tree(drive) == there
    flip(model / "experts" / "L00.bin", 5)
    flip(next(drive.glob("*.volume")) / "full" / "L00.bin", 5)
    mended(model)
    assert tree(model) == before and tree(drive) == there and hub.requests


def test_that_spread_experts_are_mended_where_they_lie(model: Path, tmp_path: Path) -> None:
    drive = tmp_path / "drive b"
    drive.mkdir()
    move(model, [drive], [1, 1])
    before, there = tree(model), tree(drive)
    part = next(next(drive.glob("*.volume")).glob("part-*"))
    flip(part / "L00.bin", 5)
    (part / "L01.bin").unlink()
    assert mended(model).anything
    assert tree(model) == before and tree(drive) == there and problems(model) == []
    shutil.rmtree(drive)
    with pytest.raises(StorageError, match="Connect its drive"):
        mended(model)


def test_that_a_kill_never_makes_it_worse(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, size = tree(model), stride(model)
    for expert in (0, 3, 5):
        flip(model / "experts" / "L00.bin", expert * size + 9)
    data = (model / "experts" / "L01.bin").read_bytes()
    (model / "experts" / "L01.bin").write_bytes(data[:-1])
    flip(model / "trunk.safetensors", 9000)
    broken, real = problems(model), PieceFile._write_at
    for at in range(6):
        left = [at]

        def torn(self: PieceFile, view: memoryview, offset: int, left: list[int] = left) -> int:
            left[0] -= 1
            if left[0] < 0:
                real(self, view[: len(view) // 2], offset)
                raise KeyboardInterrupt
            return real(self, view, offset)

        with monkeypatch.context() as patch:
            patch.setattr(PieceFile, "_write_at", torn)
            with pytest.raises(KeyboardInterrupt):
                mended(model)
        now = problems(model)
        assert set(now) <= set(broken)
        broken = now
    mended(model)
    assert tree(model) == before


def test_that_an_open_model_is_not_touched(model: Path) -> None:
    container = Container.open(model)
    with pytest.raises(InUse):
        mended(model)
    container.close()


def test_that_the_command_says_what_it_did(model: Path, hub: Hub) -> None:
    env = environment(HF_ENDPOINT=hub.url)
    flip(model / "experts" / "L00.bin", 5)
    done = ouzel("repair", model, env=env)
    assert done.returncode == 0 and "whole again: 1 expert or row" in done.stdout, done.stderr
    assert "is whole" in ouzel("verify", model, env=env).stdout
