"""Chat before the end: a model that is opened while it comes says what the whole one says, and survives what happens to its download."""

import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine import paths
from engine.cancel import CancelToken
from engine.config import EngineConfig, Sampling
from engine.container.draft import discard
from engine.container.reader import Container
from engine.container.storage import InUse
from engine.errors import BadRequest, EngineError
from engine.events import Counted, Counters, Failed, Finished, Loaded, Text
from engine.experts.usage import UsageFile
from engine.model.plan import plan
from engine.requests import CountTokens, Generate, LoadModel, Message, UnloadModel
from engine.setup import pull as pulling
from engine.setup import ranges
from engine.setup.live import open_container
from engine.setup.pull import Pull, pull
from engine.setup.wish import Wish
from engine.text.asked import AskedVocabulary
from tests.hub.server import Hub
from tests.setup.shards import run
from tests.setup.test_pull import same, served
from tests.worker.driving import Driver

Tiny = Callable[..., Path]
QUESTION = (Message("user", "abc abc abc abc abc abc. What comes next?"),)
SAMPLING = Sampling(temperature=1.0, seed=7, max_tokens=12)
HELD = 100_000  # bytes: whole files are longer, ranges of experts and the trunk shorter


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranges, "FIRST_WAIT_S", 0.01)
    monkeypatch.setattr(ranges, "STALL_S", 0.2)
    monkeypatch.setattr(pulling, "GAP_BYTES", 0)
    monkeypatch.setattr(pulling, "RUN_BYTES", 50_000)


class Pulling:
    """A pull on a thread of its own, whose whole files are held back until `release`."""

    def __init__(self, hub: Hub, target: Path, experts: str, trunk: str) -> None:
        self.target, self.hub, self.cancel = target, hub, CancelToken()
        self.released, self.startable = threading.Event(), threading.Event()
        self.problem: list[BaseException] = []
        self.work: Pull | None = None
        for name in hub.repos["owner/tiny"].files:
            hub.faults.hold[name] = HELD, self.released
        wish = Wish("owner/tiny", target, experts, trunk, endpoint=hub.url, trunk_first=True)

        def opened(work: Pull) -> None:
            self.work = work
            self.startable.set()

        def body() -> None:
            try:
                pull(wish, None, lambda p: None, self.cancel, opened)
            except BaseException as e:
                self.problem.append(e)
                self.startable.set()

        self.thread = threading.Thread(target=body, name="pull")
        self.thread.start()
        assert self.startable.wait(60)

    def __enter__(self) -> "Pulling":
        assert not self.problem
        return self

    def __exit__(self, *args: object) -> None:
        self.cancel.cancel()
        self.released.set()
        self.thread.join()

    def end(self) -> None:
        """Let everything come."""
        self.released.set()
        self.thread.join(60)
        assert not self.problem and self.target.exists()


@pytest.fixture
def hub(tiny_checkpoint: Tiny) -> Iterator[Hub]:
    with Hub({"owner/tiny": served(tiny_checkpoint("mixtral"), lfs_from=1000)}) as server:
        yield server


def config(path: Path, **more: Any) -> EngineConfig:
    """Just enough memory for a layer's experts, so that records are read again and again."""
    c = EngineConfig(path, **{"context": 128, "threads": 2, "chunk": 16, "draft": "ngram", **more})
    container = open_container(path)
    try:
        return replace(c, budget_bytes=plan(container, replace(c, budget_bytes=1 << 30)).floor_bytes)
    finally:
        container.close()


def ask(driver: Driver, id: int, question: tuple[Message, ...] = QUESTION) -> str:
    events = driver.do(Generate(id, question, SAMPLING))
    assert isinstance(events[-1], Finished), events[-1]
    return "".join(e.piece for e in events if isinstance(e, Text))


def load(driver: Driver, c: EngineConfig) -> None:
    end = driver.do(LoadModel(1, c))[-1]
    assert isinstance(end, Loaded), end


def said(path: Path, **more: Any) -> str:
    with Driver() as driver:
        load(driver, config(path, **more))
        return ask(driver, 2)


def weights(hub: Hub) -> int:
    return sum(len(b) for n, b in hub.repos["owner/tiny"].files.items() if n.endswith(".safetensors"))


@pytest.mark.parametrize(
    ("family", "experts", "trunk"),
    [("mixtral", "q4", "q4"), ("deepseek_v3", "q8", "q4"), ("gpt_oss", "mxfp4", "q8"), ("qwen3_5_moe", "q4", "q4")],
)
def test_that_it_says_what_the_whole_model_says(family: str, experts: str, trunk: str, tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    local = run(tiny_checkpoint(family), tmp_path / "local.ouzel", experts, trunk)
    want = said(local)
    assert want and want == said(local, chunk=5, draft="off")
    target = tmp_path / "new" / "a.ouzel"
    with Hub({"owner/tiny": served(tiny_checkpoint(family), lfs_from=1000)}) as hub, Pulling(hub, target, experts, trunk) as going:
        assert going.work is not None
        before = hub.bytes_sent
        assert not any(going.work.has(i, e) for i, file in enumerate(going.work.pieces.layout.entries) for e in range(file.n_experts))
        with Driver() as driver:
            load(driver, config(target))
            assert ask(driver, 2) == want
            assert not target.exists() and 0 < hub.bytes_sent - before < weights(hub)  # what the router asked for, and no file
            came = hub.bytes_sent
            driver.do(UnloadModel(3))
            load(driver, config(target, chunk=5, draft="off"))
            assert ask(driver, 4) == want and hub.bytes_sent == came  # kept
            going.end()
            assert ask(driver, 5) == want
            opened = driver.worker._opened
            assert opened is not None and opened.container.making is None and opened.container.path == target
            shutil.rmtree(paths.cache_dir() / "usage")
            driver.do(UnloadModel(6))
            assert UsageFile(Container.open(target)).load() is not None
    same(target, local)
    assert said(target) == want


def test_that_guesses_fetch_nothing(hub: Hub, tmp_path: Path) -> None:
    asked: list[int] = []
    with Pulling(hub, tmp_path / "a.ouzel", "q8", "q8") as going, Driver() as driver:
        assert going.work is not None
        real = going.work.bring

        def bring(ordinal: int, experts: Sequence[int], cancel: CancelToken) -> None:
            asked.extend(experts)
            real(ordinal, experts, cancel)

        going.work.bring = bring  # type: ignore[method-assign]
        load(driver, config(going.target, lookahead="on", draft="off"))
        ask(driver, 2)
        opened = driver.worker._opened
        assert opened is not None
        c = opened.model.streamer.counters()
        there = [going.work.has(i, e) for i, file in enumerate(opened.container.experts) for e in range(file.n_experts)]
        assert len(asked) == sum(there) and c.misses >= len(asked)


def test_that_stop_ends_a_wait_for_the_network_and_the_next_answer_is_right(hub: Hub, tmp_path: Path) -> None:
    want = said(run_of(hub, tmp_path))
    with Pulling(hub, tmp_path / "a.ouzel", "q8", "q8") as going, Driver() as driver:
        load(driver, config(going.target))
        stuck = threading.Event()
        for name in hub.repos["owner/tiny"].files:
            hub.faults.hold[name] = 0, stuck
        driver.worker.post(Generate(2, QUESTION, SAMPLING))
        driver.events(lambda e: isinstance(e, Counters) and "network" in e.waits)
        driver.worker.cancel(2)
        start = time.monotonic()
        end = driver.until_closed(2)[-1]
        assert time.monotonic() - start < 5
        assert isinstance(end, Finished) and end.stats.reason == "cancelled"
        for name in hub.repos["owner/tiny"].files:
            hub.faults.hold[name] = HELD, going.released
        stuck.set()
        assert ask(driver, 3) == want


def run_of(hub: Hub, folder: Path) -> Path:
    """The container of what the hub has, converted from its files."""
    source = folder / "source"
    source.mkdir()
    for name, data in hub.repos["owner/tiny"].files.items():
        (source / name).write_bytes(data)
    return run(source, folder / "local.ouzel", "q8", "q8")


def test_that_an_answer_waits_for_a_hub_that_is_gone(hub: Hub, tmp_path: Path) -> None:
    want = said(run_of(hub, tmp_path))
    with Pulling(hub, tmp_path / "a.ouzel", "q8", "q8") as going, Driver() as driver:
        load(driver, config(going.target))
        hub.faults.statuses["/resolve/"] = [(503, {})] * 100_000
        driver.worker.post(Generate(2, QUESTION, SAMPLING))
        seen = driver.events(lambda e: isinstance(e, Counters) and "trying again" in e.waits)
        assert not any(isinstance(e, Failed | Finished) for e in seen)
        hub.faults.statuses.clear()
        events = driver.until_closed(2)
        assert isinstance(events[-1], Finished)
        assert "".join(e.piece for e in [*seen, *events] if isinstance(e, Text)) == want


def test_that_a_hub_that_refuses_ends_the_answer_with_a_sentence(hub: Hub, tmp_path: Path) -> None:
    want = said(run_of(hub, tmp_path))
    with Pulling(hub, tmp_path / "a.ouzel", "q8", "q8") as going, Driver() as driver:
        load(driver, config(going.target))
        hub.faults.statuses["/resolve/"] = [(401, {})] * 100_000
        end = driver.do(Generate(2, QUESTION, SAMPLING))[-1]
        assert isinstance(end, Failed) and "Check the access token" in str(end.error)
        hub.faults.statuses.clear()
        assert ask(driver, 3) == want


def test_that_a_paused_download_says_so_and_goes_on_under_the_open_model(hub: Hub, tmp_path: Path) -> None:
    want, target = said(run_of(hub, tmp_path)), tmp_path / "a.ouzel"
    with Driver() as driver:
        with Pulling(hub, target, "q8", "q8"):
            load(driver, config(target))
        end = driver.do(Generate(2, QUESTION, SAMPLING))[-1]
        assert isinstance(end, Failed) and "is paused" in str(end.error)
        with pytest.raises(InUse, match="is open as a model"):
            discard(target)
        hub.requests.clear()
        with Pulling(hub, target, "q8", "q8") as going:
            # The trunk is there: it can be opened after the headers were read, before a byte of the weights moves.
            asked = [r for _, _, r, _ in hub.requests if r]
            assert all(r.startswith("bytes=0-") for r in asked)
            assert ask(driver, 3) == want
            driver.do(UnloadModel(4))
            load(driver, config(target))
            assert ask(driver, 5) == want
            going.end()
            assert ask(driver, 6) == want
    with Pulling(hub, tmp_path / "b.ouzel", "q8", "q8"):
        pass
    assert discard(tmp_path / "b.ouzel")
    with pytest.raises(EngineError, match="There is no model"):
        open_container(tmp_path / "b.ouzel")


def flipping(patch: pytest.MonkeyPatch, work: Pull, name: str, byte: int, often: bool) -> list[int]:
    """Flip a byte of a weight in each expert of the first layer, in ranges that are read ahead; whose it is, as they are asked for."""
    flips = {work.segments.of_piece[work.pieces.of_expert(0, e)[0]][0].start + byte: e for e in range(8)}
    real, flipped = ranges.Ranges.read, list[int]()

    def read(self: Any, file: Any, first: int, end: int) -> bytes:
        data = bytearray(real(self, file, first, end))
        for at, expert in flips.items():
            if file.name == name and first <= at < end and (often or expert not in flipped):
                data[at - first] ^= 0x41
                flipped.append(expert)
        return bytes(data)

    patch.setattr(ranges.Ranges, "read", read)
    return flipped


def shard(hub: Hub) -> str:
    return next(n for n in hub.repos["owner/tiny"].files if n.endswith(".safetensors"))


def test_that_a_byte_that_flipped_on_its_way_is_told_when_it_is_found(hub: Hub, tmp_path: Path) -> None:
    local = run_of(hub, tmp_path)
    want, target = said(local), tmp_path / "a.ouzel"
    with Pulling(hub, target, "q8", "q8") as going, Driver() as driver:
        assert going.work is not None
        load(driver, config(target))
        with pytest.MonkeyPatch.context() as patch:
            flipped = flipping(patch, going.work, shard(hub), 2, often=True)
            ask(driver, 2)  # nobody can know yet
        assert flipped
        going.end()  # the file passes, and what came ahead is compared with it
        end = driver.do(Generate(3, QUESTION, SAMPLING))[-1]
        assert isinstance(end, Failed) and "damaged on its way" in str(end.error)
        assert ask(driver, 4) == want
    same(target, local)


def test_that_bytes_of_which_nothing_can_be_made_are_asked_for_again(hub: Hub, tmp_path: Path) -> None:
    local = run_of(hub, tmp_path)
    want, target = said(local), tmp_path / "a.ouzel"
    with Pulling(hub, target, "q8", "q8") as going, Driver() as driver:
        assert going.work is not None
        load(driver, config(target))
        with pytest.MonkeyPatch.context() as patch:
            flipped = flipping(patch, going.work, shard(hub), 3, often=False)  # the exponent: far out of the format's range
            assert ask(driver, 2) == want and flipped
        going.end()
        assert ask(driver, 3) == want
    same(target, local)


def test_that_a_whole_file_of_which_nothing_can_be_made_is_judged_by_its_hash(hub: Hub, tmp_path: Path) -> None:
    local, target = run_of(hub, tmp_path), tmp_path / "a.ouzel"
    with Pulling(hub, target, "q8", "q8") as going:
        assert going.work is not None
        at = going.work.segments.of_piece[going.work.pieces.of_expert(1, 2)[0]][0].start + 3
        data = hub.repos["owner/tiny"].files[shard(hub)]
        assert data[at] & 0x40 == 0
        hub.faults.corrupt_to_once[shard(hub)] = at, 0x41
        going.end()
        assert shard(hub) not in hub.faults.corrupt_to_once
    same(target, local)


def test_that_it_cannot_be_opened_before_its_trunk_is_there(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused: list[str] = []

    def opened(work: Pull) -> None:
        open_container(tmp_path / "a.ouzel").close()
        piece = next(iter(work.pieces.of_trunk()))
        mark, work.store.done[piece[0]][piece[1]] = work.store.done[piece[0]][piece[1]], 0
        with pytest.raises(BadRequest, match="has not come far enough") as e:
            open_container(tmp_path / "a.ouzel")
        work.store.done[piece[0]][piece[1]] = mark
        refused.append(str(e.value))

    wish = Wish("owner/tiny", tmp_path / "a.ouzel", "q8", "q8", endpoint=hub.url, trunk_first=True)
    pull(wish, None, lambda p: None, CancelToken(), opened)
    assert refused and (tmp_path / "a.ouzel").exists()


def test_that_a_tokenizer_that_ends_after_the_download_is_read_where_the_model_is_by_then(hub: Hub, tmp_path: Path) -> None:
    with Pulling(hub, tmp_path / "a.ouzel", "q8", "q8") as going, Driver() as driver:
        load(driver, config(going.target, apart=True))
        counted = driver.do(CountTokens(2, QUESTION))[-1]
        assert isinstance(counted, Counted)
        going.end()
        opened = driver.worker._opened
        assert opened is not None and isinstance(opened.text._vocabulary, AskedVocabulary) and opened.container.making is not None
        opened.text._vocabulary._process._process.kill()
        assert driver.do(CountTokens(3, QUESTION))[-1] == replace(counted, id=3)  # its folder has another name before it is taken over
        assert ask(driver, 4)
