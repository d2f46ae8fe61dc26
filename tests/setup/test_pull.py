"""From a hub on this computer to a container: the same bytes as a local conversion, through cuts, kills, corruption and full drives."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.cancel import CancelToken
from engine.container.draft import discard
from engine.container.format import MANIFEST
from engine.container.pieces import PieceStore
from engine.container.verify import verify
from engine.errors import BadCheckpoint, BadRequest, Cancelled, StorageError, UnsupportedModel
from engine.setup import feed, ranges, stream
from engine.setup.hub import NeedsToken
from engine.setup.pull import Pull, pull
from engine.setup.ranges import SourceChanged
from engine.setup.transfer import Progress
from engine.setup.wish import CONNECTIONS, Wish
from tests.hub.server import Hub, Repo
from tests.setup.shards import run, tree

Tiny = Callable[..., Path]
ROOT = Path(__file__).parents[2]
FAMILIES = ("mixtral", "gpt_oss", "kimi_k3", "gemma4", "deepseek_v3", "qwen3_5_moe")


def served(folder: Path, **more: Any) -> Repo:
    return Repo({f.name: f.read_bytes() for f in folder.iterdir()}, **more)


def fetch(hub: Hub, target: Path, seen: list[Progress] | None = None, cancel: CancelToken | None = None, **more: Any) -> Path:
    wish = Wish("owner/tiny", target, **{"experts": "q8", "trunk": "q8", **more}, endpoint=hub.url)
    pull(wish, None, (seen if seen is not None else []).append, cancel or CancelToken())
    return target


def same(pulled: Path, local: Path) -> None:
    """Equal but for where the source was published."""
    a, b = dict(tree(pulled)), dict(tree(local))
    ours, theirs = json.loads(a.pop(MANIFEST)), json.loads(b.pop(MANIFEST))
    assert ours["source"]["repo"] == "owner/tiny" and len(ours["source"]["commit"]) == 40
    for key in ("source", "checksum"):
        del ours[key], theirs[key]
    assert a == b and ours == theirs


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranges, "FIRST_WAIT_S", 0.01)


@pytest.fixture
def hub(tiny_checkpoint: Tiny) -> Iterator[Hub]:
    with Hub({"owner/tiny": served(tiny_checkpoint("mixtral"), lfs_from=1000)}) as server:
        yield server


@pytest.fixture
def local(tiny_checkpoint: Tiny, tmp_path: Path) -> Path:
    return run(tiny_checkpoint("mixtral"), tmp_path / "local.ouzel", "q8", "q8")


def shard(hub: Hub) -> str:
    return next(n for n in hub.repos["owner/tiny"].files if n.endswith(".safetensors"))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("trunk_first", [False, True])
def test_that_a_pull_writes_what_a_local_conversion_writes(
    family: str, trunk_first: bool, tiny_checkpoint: Tiny, tmp_path: Path
) -> None:
    formats = ("mxfp4", "f32") if family in ("gpt_oss", "kimi_k3") else ("q8", "q4")
    want = run(tiny_checkpoint(family), tmp_path / "local.ouzel", *formats)
    with Hub({"owner/tiny": served(tiny_checkpoint(family), lfs_from=1000)}) as hub:
        got = fetch(hub, tmp_path / "got.ouzel", experts=formats[0], trunk=formats[1], trunk_first=trunk_first)
        same(got, want)
        once = sum(len(b) for n, b in hub.repos["owner/tiny"].files.items() if n.endswith(".safetensors"))
        if not trunk_first:  # the header is read before the file passes
            assert sum(n for f, n in hub.sent.items() if f.endswith(".safetensors")) <= once + 2 * CONNECTIONS * 2**18
    assert sorted(p.name for p in tmp_path.iterdir()) == ["got.ouzel", "local.ouzel"]


def test_that_progress_has_bytes_and_ends_done(hub: Hub, tmp_path: Path) -> None:
    seen: list[Progress] = []
    fetch(hub, tmp_path / "a.ouzel", seen)
    assert seen[-1].state == "done" and seen[-1].done == seen[-1].total > 0


def test_that_dropped_lines_and_busy_servers_are_survived(hub: Hub, local: Path, tmp_path: Path) -> None:
    hub.faults.cut_after[shard(hub)] = [1000, 50_000, 0, 7]
    hub.faults.statuses["/cdn/"] = [(503, {}), (429, {"Retry-After": "0"})]
    same(fetch(hub, tmp_path / "a.ouzel"), local)


def test_that_a_flipped_byte_is_found_and_the_file_taken_anew(hub: Hub, local: Path, tmp_path: Path) -> None:
    size = len(hub.repos["owner/tiny"].files[shard(hub)])
    hub.faults.corrupt_once[shard(hub)] = size - 1000
    same(fetch(hub, tmp_path / "a.ouzel"), local)
    assert hub.sent[shard(hub)] >= 2 * size


def test_that_a_file_that_stays_wrong_is_refused(hub: Hub, tmp_path: Path) -> None:
    hub.faults.corrupt[shard(hub)] = len(hub.repos["owner/tiny"].files[shard(hub)]) - 1000
    with pytest.raises(BadCheckpoint, match="differs from the checksum that the hub gives"):
        fetch(hub, tmp_path / "a.ouzel")
    assert not (tmp_path / "a.ouzel").exists()


def test_that_a_flipped_byte_ahead_of_the_stream_is_found(hub: Hub, local: Path, tmp_path: Path) -> None:
    name = shard(hub)
    hub.faults.corrupt_once[name] = len(hub.repos["owner/tiny"].files[name]) // 2
    same(fetch(hub, tmp_path / "a.ouzel", trunk_first=True), local)


def test_that_pieces_are_put_off_where_memory_is_short(
    hub: Hub, local: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "ROOM", 2000)
    monkeypatch.setattr(feed, "MOST", 2000)
    monkeypatch.setattr(ranges, "CHUNK", 512)
    same(fetch(hub, tmp_path / "a.ouzel"), local)


def test_that_a_cancelled_pull_goes_on_without_fetching_twice(
    hub: Hub, local: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "NOTE_BYTES", 1)
    monkeypatch.setattr(ranges, "CHUNK", 4096)
    cancel, target, size = CancelToken(), tmp_path / "a.ouzel", len(hub.repos["owner/tiny"].files[shard(hub)])
    finished = [0]
    real = PieceStore.note

    def note(store: PieceStore, key: str, value: str) -> None:
        real(store, key, value)
        if not cancel.cancelled and key == "file0" and ":" in value:
            finished.append(int(value.partition(":")[0]))
            if finished[-1] > size // 2:
                cancel.cancel()

    hub.faults.bytes_per_second = 300_000
    with monkeypatch.context() as patch:
        patch.setattr(PieceStore, "note", note)
        with pytest.raises(Cancelled):
            pull(Wish("owner/tiny", target, "q8", "q8", endpoint=hub.url), None, lambda p: None, cancel)
    assert not target.exists() and (tmp_path / "a.ouzel.partial").is_dir()
    hub.faults.bytes_per_second = 0
    hub.requests.clear()
    same(fetch(hub, target), local)
    asked = {int(r.removeprefix("bytes=").partition("-")[0]) for _, path, r, _ in hub.requests if r and path.endswith(shard(hub))}
    assert size // 2 < finished[-1] and asked == {0, finished[-1]}  # the header, and what was left


@pytest.mark.parametrize(("repo", "experts"), [("owner/other", "q8"), ("owner/tiny", "q4")])
def test_that_what_is_half_made_of_something_else_is_left_alone(
    hub: Hub, tmp_path: Path, tiny_checkpoint: Tiny, repo: str, experts: str
) -> None:
    hub.repos["owner/other"] = Repo({**hub.repos["owner/tiny"].files, "more.txt": b"1"}, lfs_from=1000)
    cancel, target = CancelToken(), tmp_path / "a.ouzel"
    with pytest.raises(Cancelled):
        pull(
            Wish("owner/tiny", target, "q8", "q8", endpoint=hub.url, trunk_first=True), None, lambda p: None, cancel,
            lambda begun: cancel.cancel(),
        )  # fmt: skip
    half = {f: f.read_bytes() for f in (tmp_path / "a.ouzel.partial").rglob("*") if f.is_file()}
    assert half
    with pytest.raises(BadRequest, match=r"half made from owner/tiny at .* with experts q8"):
        pull(Wish(repo, target, experts, "q8", endpoint=hub.url), None, lambda p: None, CancelToken())
    with pytest.raises(StorageError, match="half made"):
        run(tiny_checkpoint("mixtral"), target, experts, "q8")
    assert {f: f.read_bytes() for f in (tmp_path / "a.ouzel.partial").rglob("*") if f.is_file()} == half
    assert discard(target)
    pull(Wish(repo, target, experts, "q8", endpoint=hub.url), None, lambda p: None, CancelToken())
    assert verify(target, lambda *_: None, CancelToken()) == []


PULL = """
import sys
from pathlib import Path
from engine.cancel import CancelToken
from engine.container import pieces
from engine.setup import ranges, stream
from engine.setup.pull import pull
from engine.setup.wish import Wish
ranges.FIRST_WAIT_S, ranges.CHUNK, stream.NOTE_BYTES, pieces.SYNC_BYTES = 0.01, 8192, 1, 1
wish = Wish("owner/tiny", Path(sys.argv[1]), "q8", "q8", endpoint=sys.argv[2], trunk_first=sys.argv[3] == "1")
pull(wish, None, lambda p: None, CancelToken())
"""


@pytest.mark.long
@pytest.mark.timeout(240)
def test_that_twenty_kills_are_survived(hub: Hub, local: Path, tmp_path: Path) -> None:
    rng, target, killed = random.Random(5), tmp_path / "a.ouzel", 0
    hub.faults.bytes_per_second = 400_000
    for trial in range(200):
        if target.exists():
            break
        command = [sys.executable, "-c", PULL, str(target), hub.url, str(trial % 2)]
        child = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE)
        try:
            child.wait(0.7 + rng.random() * 0.25 if killed < 20 else 100)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
            killed += 1
        _, said = child.communicate()
        assert child.returncode in (0, -9), said.decode()
        if trial % 5 == 1:
            hub.faults.cut_after[shard(hub)] = [rng.randrange(20_000)]
    same(target, local)
    assert killed > 0


def test_that_a_full_drive_is_waited_for(hub: Hub, local: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import errno

    from engine.container.pieces import PieceFile

    monkeypatch.setattr(feed, "SPACE_S", 0.3)
    write, refused, seen = PieceFile.write, list[float](), list[Progress]()

    def full(self: PieceFile, index: int, data: Any) -> None:
        if len(refused) < 3 and self.path.name.startswith("L"):
            refused.append(time.monotonic())
            raise OSError(errno.ENOSPC, "No space left on device")
        write(self, index, data)

    monkeypatch.setattr(PieceFile, "write", full)
    same(fetch(hub, tmp_path / "a.ouzel", seen), local)
    assert len(refused) == 3 and any(p.state == "no space" and "still to be written" in p.text for p in seen)


def test_that_too_small_a_drive_is_refused_before_a_byte_of_the_weights_moves(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shutil
    from collections import namedtuple

    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10, 5, 5))
    with pytest.raises(StorageError, match=r"needs \d+ MB, but"):
        fetch(hub, tmp_path / "a.ouzel")
    assert list(tmp_path.iterdir()) == []


def test_that_the_second_of_two_pulls_is_told(hub: Hub, tmp_path: Path) -> None:
    hub.faults.bytes_per_second = 100_000
    target = tmp_path / "a.ouzel"
    command = [sys.executable, "-c", PULL, str(target), hub.url, "0"]
    with subprocess.Popen(command, cwd=ROOT) as first:
        try:
            end = time.monotonic() + 20
            while not (tmp_path / "a.ouzel.partial" / "pull.json").exists() and time.monotonic() < end:
                time.sleep(0.02)
            with pytest.raises(StorageError, match="is being written by another Ouzel"):
                fetch(hub, target)
        finally:
            first.kill()


def test_that_a_pull_goes_on_at_the_commit_that_it_began_with(hub: Hub, tmp_path: Path) -> None:
    cancel, target = CancelToken(), tmp_path / "a.ouzel"
    hub.faults.bytes_per_second = 200_000

    def stop(p: Progress) -> None:
        if p.done:
            cancel.cancel()

    with pytest.raises(Cancelled):
        pull(Wish("owner/tiny", target, "q8", "q8", endpoint=hub.url), None, stop, cancel)
    hub.repos["owner/tiny"] = Repo({**hub.repos["owner/tiny"].files, "README.md": b"new"}, lfs_from=1000)
    with pytest.raises(SourceChanged, match="has changed since its download began"):
        fetch(hub, target)


def test_that_unsupported_models_and_refusals_cost_nothing(tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    files = {f.name: f.read_bytes() for f in tiny_checkpoint("mixtral").iterdir()}
    dense = {**files, "config.json": b'{"model_type": "phi3"}'}
    with Hub({"owner/tiny": Repo(dense, lfs_from=1000), "owner/gated": Repo(files, token="hf_x")}) as hub:
        with pytest.raises(UnsupportedModel, match="phi3"):
            fetch(hub, tmp_path / "a.ouzel")
        assert not any(n.endswith(".safetensors") for n in hub.sent)
        with pytest.raises(NeedsToken):
            pull(Wish("owner/gated", tmp_path / "b.ouzel", endpoint=hub.url), None, lambda p: None, CancelToken())
        with pytest.raises(BadRequest, match="exists already"):
            fetch(hub, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_that_experts_can_be_asked_for_before_the_rest_is_there(hub: Hub, local: Path, tmp_path: Path) -> None:
    hub.faults.bytes_per_second = 150_000
    provided: list[bool] = []

    def opened(p: Pull) -> None:
        assert all(p.store.has(*piece) for piece in p.pieces.of_trunk())
        assert not p.has(1, 3)
        p.bring(1, [3], CancelToken())
        provided.append(p.has(1, 3))

    wish = Wish("owner/tiny", tmp_path / "a.ouzel", "q8", "q8", endpoint=hub.url, trunk_first=True)
    pull(wish, None, lambda p: None, CancelToken(), opened)
    same(tmp_path / "a.ouzel", local)
    assert provided == [True]
