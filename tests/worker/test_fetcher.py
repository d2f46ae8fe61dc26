"""The fetcher with the real engine and a hub on this computer: pulls that pause, go on after kills, and are discarded."""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import paths
from engine.container.format import MANIFEST
from engine.container.pieces import PieceFile
from engine.errors import BadRequest, Cancelled
from engine.events import Failed, Looked, Pulled, Pulling, PullStopped, Startable
from engine.offers import KeptPull
from engine.requests import LookUp, PullModel
from engine.setup import feed, make, ranges, token
from engine.setup.installed import look_at
from engine.setup.ranges import SourceChanged
from engine.worker.fetcher import Fetcher
from engine.worker.kept import KeptPulls
from tests.hub.server import Hub, Repo
from tests.setup.gguf_written import write as write_gguf
from tests.setup.shards import run, tree
from tests.worker.fetching import Driver, served

Tiny = Callable[..., Path]
ROOT = Path(__file__).parents[2]


@pytest.fixture
def hub(tiny_checkpoint: Tiny, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.setattr(ranges, "FIRST_WAIT_S", 0.01)
    monkeypatch.setattr(ranges, "CHUNK", 4096)
    monkeypatch.setattr("engine.setup.stream.NOTE_BYTES", 1)
    with Hub({"owner/tiny": served(tiny_checkpoint("mixtral"))}) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        yield server


def shard(hub: Hub) -> str:
    return next(n for n in hub.repos["owner/tiny"].files if n.endswith(".safetensors"))


def flowing(event: object) -> bool:
    return isinstance(event, Pulling) and event.state == "downloading" and event.done > 0


def same_weights(a: Path, b: Path) -> None:
    one, two = dict(tree(a)), dict(tree(b))
    one.pop(MANIFEST), two.pop(MANIFEST)
    assert one == two


def test_that_a_pull_brings_what_a_local_conversion_makes(hub: Hub, tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    with Driver() as d:
        assert d.closed(d.pull(tmp_path / "a.ouzel")) == Pulled(1, tmp_path / "a.ouzel")
        assert [e.state for e in d.seen if isinstance(e, Pulling)][0] in ("queued", "looking")  # noqa: RUF015
        assert d.fetcher.unfinished() == ()
        local = d.closed(d.pull(tmp_path / "b.ouzel", source=str(tiny_checkpoint("mixtral"))))
        assert isinstance(local, Pulled)
    same_weights(tmp_path / "a.ouzel", tmp_path / "b.ouzel")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.ouzel", "b.ouzel"]


def test_that_a_container_made_elsewhere_is_checked_and_copied(tiny: Tiny, tmp_path: Path) -> None:
    source, target = tiny("mixtral", "q8"), tmp_path / "a.ouzel"
    with Driver() as d:
        looked = d.do(LookUp(next(d.ids), str(source), tmp_path))
        assert isinstance(looked, Looked) and (looked.kind, looked.family) == ("container", "mixtral")
        assert [(p.experts, p.as_published) for p in looked.precisions] == [("q8", True)]
        assert isinstance(d.closed(d.pull(target, source=str(source))), Pulled)
        assert tree(target) == tree(source)
        damaged = shutil.copytree(target, tmp_path / "b.ouzel")
        with (damaged / "experts" / "L00.bin").open("r+b") as file:
            file.write(b"damage")
        refused = d.closed(d.pull(tmp_path / "c.ouzel", source=str(damaged)))
        assert isinstance(refused, Failed) and "is damaged: experts/L00.bin" in str(refused.error)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.ouzel", "b.ouzel"]


def test_that_a_gguf_file_comes_through_the_same_door(tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    file = write_gguf(tiny_checkpoint("olmoe"), tmp_path / "small model.gguf")
    with Driver() as d:
        looked = d.do(LookUp(next(d.ids), str(file), tmp_path))
        assert isinstance(looked, Looked) and (looked.kind, looked.family, looked.source_bytes) == ("gguf", "olmoe", file.stat().st_size)
        assert isinstance(d.closed(d.pull(tmp_path / "a.ouzel", source=str(file))), Pulled)
        assert {e.state for e in d.seen if isinstance(e, Pulling)} >= {"done"}
    assert look_at(tmp_path / "a.ouzel").problem == ""


def test_that_start_now_says_when_the_model_can_be_opened(hub: Hub, tmp_path: Path) -> None:
    with Driver() as d:
        id = d.pull(tmp_path / "a.ouzel", start_now=True)
        assert d.closed(id) == Pulled(id, tmp_path / "a.ouzel")
        assert [e for e in d.seen if isinstance(e, Startable)] == [Startable(id, tmp_path / "a.ouzel")]


def test_that_a_pause_survives_a_restart_and_nothing_is_fetched_twice(hub: Hub, tmp_path: Path) -> None:
    target, size = tmp_path / "a.ouzel", len(hub.repos["owner/tiny"].files[shard(hub)])
    hub.faults.bytes_per_second = 200_000
    with Driver() as d:
        id = d.pull(target)
        d.until(lambda e: flowing(e) and e.done > size // 2)  # type: ignore[attr-defined]
        assert d.stop(target) == PullStopped(2, target, False)
        assert PullStopped(id, target, False) in d.seen
        assert d.stop(target) == PullStopped(3, target, False)  # it is paused already
    hub.faults.bytes_per_second = 0
    hub.requests.clear()
    with Driver() as d:
        (kept,) = d.fetcher.unfinished()
        assert kept.paused and (kept.source, kept.target, kept.experts, kept.trunk) == ("owner/tiny", target, "q8", "q8")
        assert d.fetcher.take_up(lambda: next(d.ids)) == ()
        assert isinstance(d.closed(d.pull(target)), Pulled)
        assert d.fetcher.unfinished() == ()
    asked = sorted(int(r.removeprefix("bytes=").partition("-")[0]) for _, path, r, _ in hub.requests if r and path.endswith(shard(hub)))
    assert asked[0] == 0 < asked[-1] and len(set(asked)) == 2  # the header, and what was left


def test_that_a_pull_goes_on_at_the_hub_where_it_began(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.ouzel"
    hub.faults.bytes_per_second = 200_000
    with Driver() as d:
        d.pull(target)
        d.until(flowing)
        d.stop(target)
    hub.faults.bytes_per_second = 0
    with Hub({"owner/tiny": hub.repos["owner/tiny"]}) as other:
        monkeypatch.setenv("HF_ENDPOINT", other.url)
        hub.faults.statuses["/api/models/"] = [(404, {})]
        with Driver() as d:
            refused = d.closed(d.pull(target))
        assert isinstance(refused, Failed) and f"began at {hub.url}" in str(refused.error) and other.url in str(refused.error)
        hub.faults.statuses.clear()
        with Driver() as d:
            assert isinstance(d.closed(d.pull(target)), Pulled)
            assert other.requests == []
            assert isinstance(d.closed(d.pull(tmp_path / "b.ouzel")), Pulled)  # a new one goes where it is set now
        assert other.requests != []


CHILD = """
import itertools, sys, time
from pathlib import Path
from engine.container import pieces
from engine.offers import KeptPull
from engine.requests import LookUp, PullModel
from engine.setup import ranges, stream
from engine.worker.fetcher import Fetcher
from engine.worker.kept import KeptPulls
ranges.FIRST_WAIT_S, ranges.CHUNK, stream.NOTE_BYTES, pieces.SYNC_BYTES = 0.01, 8192, 1, 1
with Fetcher() as fetcher:
    if len(sys.argv) > 1:
        fetcher.post(PullModel(1, "owner/tiny", Path(sys.argv[1]), "q8", "q8"))
    else:
        assert len(fetcher.take_up(itertools.count(1).__next__)) == 1
    while True:
        for event in fetcher.events():
            print(event, flush=True)
        time.sleep(0.01)
"""


def killed_while_flowing(*arguments: object) -> None:
    with subprocess.Popen([sys.executable, "-c", CHILD, *map(str, arguments)], cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for line in child.stdout:
            if "state='downloading'" in line and "done=0," not in line:
                break
        child.send_signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)


def test_that_a_killed_pull_goes_on_by_itself(hub: Hub, tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    target = tmp_path / "a.ouzel"
    hub.faults.bytes_per_second = 100_000
    killed_while_flowing(target)
    killed_while_flowing()
    assert not target.exists()
    hub.faults.bytes_per_second = 0
    with Driver() as d:
        (request,) = d.fetcher.take_up(lambda: next(d.ids))
        assert request == PullModel(1, "owner/tiny", target, "q8", "q8")
        assert d.closed(1) == Pulled(1, target)
    same_weights(target, run(tiny_checkpoint("mixtral"), tmp_path / "b.ouzel", "q8", "q8"))


def test_that_stop_keeps_what_is_under_way_and_does_not_pause_it(hub: Hub, tmp_path: Path) -> None:
    hub.faults.bytes_per_second = 50_000
    with Driver() as d:
        d.pull(tmp_path / "a.ouzel")
        d.pull(tmp_path / "b.ouzel")
        d.until(flowing)
        d.fetcher.stop()
        assert d.fetcher.join(40)
        ended = [d.closed(1), d.closed(2)]
        assert all(isinstance(e, Failed) and isinstance(e.error, Cancelled) for e in ended)
        late = d.closed(d.pull(tmp_path / "c.ouzel"))
        assert isinstance(late, Failed) and isinstance(late.error, Cancelled)
        assert [(k.target.name, k.paused, k.problem) for k in d.fetcher.unfinished()] == [("a.ouzel", False, ""), ("b.ouzel", False, "")]


def test_that_a_discarded_pull_leaves_nothing(hub: Hub, tmp_path: Path) -> None:
    hub.faults.bytes_per_second = 50_000
    a, b = tmp_path / "a.ouzel", tmp_path / "b.ouzel"
    with Driver() as d:
        d.pull(a)
        d.pull(b)
        d.until(flowing)
        assert d.stop(b, discard=True) == PullStopped(3, b, True)  # queued
        assert d.closed(2) == PullStopped(2, b, True)
        assert d.stop(a, discard=True) == PullStopped(4, a, True)  # under way
        assert PullStopped(1, a, True) in d.seen
        assert list(tmp_path.iterdir()) == [] and d.fetcher.unfinished() == ()
        d.pull(a)
        d.until(lambda e: flowing(e) and e.id == 5)  # type: ignore[attr-defined]
        d.stop(a)
        assert d.stop(a, discard=True) == PullStopped(7, a, True)  # paused
        assert list(tmp_path.iterdir()) == [] and d.fetcher.unfinished() == ()
        unknown = d.stop(a, discard=True)
        assert isinstance(unknown, Failed) and "no unfinished download" in str(unknown.error)


def test_that_a_pull_is_not_begun_twice_and_a_cancelled_one_is_paused(hub: Hub, tmp_path: Path) -> None:
    hub.faults.bytes_per_second = 50_000
    with Driver() as d:
        d.pull(tmp_path / "a.ouzel")
        again = d.closed(d.pull(tmp_path / "a.ouzel"))
        assert isinstance(again, Failed) and isinstance(again.error, BadRequest) and "is being pulled already" in str(again.error)
        d.until(flowing)
        d.fetcher.cancel(1)
        assert d.closed(1) == PullStopped(1, tmp_path / "a.ouzel", False)
        assert [k.paused for k in d.fetcher.unfinished()] == [True]


def test_that_the_second_of_two_fetchers_is_told_who_holds_the_target(hub: Hub, tmp_path: Path) -> None:
    hub.faults.bytes_per_second = 50_000
    target = tmp_path / "a.ouzel"
    with subprocess.Popen([sys.executable, "-c", CHILD, str(target)], cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout is not None
            for line in child.stdout:
                if "state='downloading'" in line and "done=0," not in line:
                    break
            with Driver() as d:
                assert d.fetcher.take_up(lambda: next(d.ids)) == ()  # it is at work already
                refused = d.closed(d.pull(target))
                assert isinstance(refused, Failed) and "is being written by another Ouzel" in str(refused.error)
                assert f"process {child.pid}" in str(refused.error) or os.name != "posix"
                assert [k.problem for k in d.fetcher.unfinished()] == [""]
        finally:
            child.kill()


def refuse_writes(monkeypatch: pytest.MonkeyPatch, times: int) -> list[int]:
    """Let the drive be full so often; the pieces that were refused."""
    write, refused = PieceFile.write, list[int]()

    def full(self: PieceFile, index: int, data: Any) -> None:
        if len(refused) < times and self.path.name.startswith("L"):
            refused.append(index)
            raise OSError(errno.ENOSPC, "No space left on device")
        write(self, index, data)

    monkeypatch.setattr(PieceFile, "write", full)
    return refused


def test_that_a_full_drive_and_a_stall_show(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "SPACE_S", 0.5)
    monkeypatch.setattr(ranges, "STALL_S", 0.1)
    refuse_writes(monkeypatch, 3)
    hub.faults.stall_after[shard(hub)] = [(0, 0.0), (20_000, 3.0)]
    with Driver() as d:
        assert isinstance(d.closed(d.pull(tmp_path / "a.ouzel")), Pulled)
        states = {e.state: e.text for e in d.seen if isinstance(e, Pulling)}
    assert "still to be written" in states["no space"] and "no data for" in states["stalled"]


def test_that_a_local_conversion_waits_for_a_full_drive(
    tiny_checkpoint: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(make, "SPACE_S", 0.3)
    monkeypatch.setattr(make, "TRY_S", 0.1)
    refused = refuse_writes(monkeypatch, 2)
    source = tiny_checkpoint("mixtral")
    with Driver() as d:
        assert isinstance(d.closed(d.pull(tmp_path / "a.ouzel", source=str(source))), Pulled)
        states = {e.state: e.text for e in d.seen if isinstance(e, Pulling)}
    assert len(refused) == 2 and "still to be written" in states["no space"]
    same_weights(tmp_path / "a.ouzel", run(source, tmp_path / "b.ouzel", "q8", "q8"))


def test_that_what_failed_is_kept_with_its_reason_where_trying_again_may_help(hub: Hub, tmp_path: Path) -> None:
    files = hub.repos["owner/tiny"].files
    hub.repos["owner/gated"] = Repo(files, token="hf_secret", lfs_from=1000)
    hub.repos["owner/dense"] = Repo({**files, "config.json": b'{"model_type": "phi3"}'}, lfs_from=1000)
    a, b = tmp_path / "a.ouzel", tmp_path / "b.ouzel"
    with Driver() as d:
        gated, dense = d.closed(d.pull(a, source="owner/gated")), d.closed(d.pull(b, source="owner/dense"))
        assert isinstance(gated, Failed) and isinstance(dense, Failed)
        assert [(k.target, k.problem, k.paused) for k in d.fetcher.unfinished()] == [(a, str(gated.error), False)]
        assert d.fetcher.take_up(lambda: next(d.ids)) == ()
        token.store("hf_secret", "session")
        assert isinstance(d.closed(d.pull(a, source="owner/gated")), Pulled)
        token.forget()
    assert "hf_secret" not in (paths.home() / "pulls.json").read_text()


def test_that_a_changed_repository_is_told(hub: Hub, tmp_path: Path) -> None:
    hub.faults.bytes_per_second = 100_000
    with Driver() as d:
        d.pull(tmp_path / "a.ouzel")
        d.until(flowing)
        d.stop(tmp_path / "a.ouzel")
        hub.repos["owner/tiny"] = Repo({**hub.repos["owner/tiny"].files, "README.md": b"new"}, lfs_from=1000)
        changed = d.closed(d.pull(tmp_path / "a.ouzel"))
        assert isinstance(changed, Failed) and isinstance(changed.error, SourceChanged)
        assert "has changed since" in d.fetcher.unfinished()[0].problem
        assert isinstance(d.stop(tmp_path / "a.ouzel", discard=True), PullStopped)


def test_that_a_damaged_list_of_pulls_is_taken_for_none(tmp_path: Path) -> None:
    fetcher, file = Fetcher(), paths.home() / "pulls.json"
    good = {"source": "owner/tiny", "target": str(tmp_path / "a.ouzel"), "experts": "q4", "trunk": "q4", "revision": None,
            "start_now": False, "paused": True, "problem": ""}  # fmt: skip
    for text in ("", "[]", "{", '{"version": 9, "pulls": []}', '{"version": 1, "pulls": {}}', "[" * 100_000):
        file.write_text(text)
        assert fetcher.unfinished() == ()
    odd = [{**good, "target": "a.ouzel"}, {**good, "paused": 1}, {**good, "more": 1}, {**good, "revision": 3}, {**good, "target": "/\0"}, 3]
    file.write_text(json.dumps({"version": 1, "pulls": [*odd, good]}))
    assert [k.target for k in fetcher.unfinished()] == [tmp_path / "a.ouzel"]


def test_that_a_pull_that_ended_just_before_a_kill_is_not_taken_up(hub: Hub, tmp_path: Path) -> None:
    target = tmp_path / "a.ouzel"
    with Driver() as d:
        assert isinstance(d.closed(d.pull(target)), Pulled)
        KeptPulls(paths.home()).put(KeptPull("owner/tiny", target))
        assert d.fetcher.take_up(lambda: next(d.ids)) == () and KeptPulls(paths.home()).all() == ()


def test_that_a_start_takes_no_time_and_a_fetcher_that_was_never_started_ends() -> None:
    fetcher = Fetcher()
    fetcher.stop()
    assert fetcher.join(1)
    began = time.monotonic()
    with Fetcher():
        pass
    assert time.monotonic() - began < 20
