"""From a repository on a hub to a container, without ever storing the checkpoint: its files flow past and become pieces.

Everything that was written survives a kill, and what was finished is not fetched again. Each file is checked against the hub's hash; a
file that differs is taken anew with all that was made of it. With trunk_first the trunk is fetched ahead of the files, so that the model
can be opened before the rest is there; the files still pass as a whole, and what came ahead is compared with them.
"""

import json
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.arch import read_arch
from engine.cancel import CancelToken
from engine.container.draft import Draft
from engine.container.storage import writing
from engine.cores import performance_cores
from engine.errors import BadRequest
from engine.setup.check import Check
from engine.setup.convert import draft_key, need_space, supported
from engine.setup.feed import Feed, has_raw, note_raw, raw_differs
from engine.setup.hub import HubError, Listing, look
from engine.setup.layout import lay_out
from engine.setup.pieces import Pieces
from engine.setup.ranges import Ranges, SourceChanged
from engine.setup.remote import HubCheckpoint
from engine.setup.roles import expert_formats, trunk_formats
from engine.setup.seal import finish, seal
from engine.setup.segments import Piece, Segment, Segments
from engine.setup.stored import Tracer
from engine.setup.stream import FileStream
from engine.setup.transfer import Report, Transfer

CONNECTIONS = 4
PASSES = 3
RUN_BYTES, GAP_BYTES = 16 * 2**20, 2**18  # ranges that lie close together are asked for as one


@dataclass(frozen=True, slots=True)
class Wish:
    """What to fetch. revision: a branch, tag or commit, None for the main branch; endpoint: None for the usual one."""

    repo: str
    target: Path
    experts: str = "q4"
    trunk: str = "q4"
    revision: str | None = None
    endpoint: str | None = None
    trunk_first: bool = False
    connections: int = CONNECTIONS


def pull(
    wish: Wish, token: str | None, report: Report, cancel: CancelToken, opened: Callable[["Pull"], None] = lambda pull: None
) -> None:
    """Fetch and convert; what an earlier call left is taken up, at the commit that it began with.

    opened(pull) is called once experts may be asked for by `Pull.provide`: when the trunk is there, with trunk_first. Raises
    BadCheckpoint, UnsupportedModel, NeedsToken, HubError, SourceChanged, StorageError, BadRequest, Cancelled.
    """
    target = wish.target.expanduser().absolute()
    trunk_formats(wish.trunk), expert_formats(wish.experts)
    transfer = Transfer(report, cancel)
    transfer.state = "looking"
    with writing(target):
        if target.exists():
            raise BadRequest(f"{target} exists already. Choose another name, or remove it first; it was not changed.")
    listing = _listing(wish, target, token, cancel)
    ranges = Ranges(listing, token, lambda text: transfer.said(0, text), transfer.cancel)
    with transfer.watched(), closing(HubCheckpoint(listing, ranges, supported)) as source:
        check = Check(source, wish.experts == "mxfp4", cancel)
        check.judge()
        layout = lay_out(source, read_arch(source.config), wish.experts, wish.trunk)
        need_space(target, layout.nbytes, _kept(target))
        with Draft(target, draft_key(source, wish.experts, wish.trunk)) as draft:
            draft.note("pull.json", json.dumps(_written(wish, listing)).encode())
            pieces = Pieces(layout)
            with closing(draft.pieces(pieces.files)) as store:
                work = Pull(wish, listing, token, source, pieces, draft, transfer)
                with closing(work.feed):
                    work.run(opened)
                    transfer.state = "verifying"
                    sealed = seal(pieces, store, cancel)
            finish(source, layout, draft, sealed)
    transfer.state = "done"
    transfer.tell()


def pending(target: Path) -> Mapping[str, Any] | None:
    """What is being pulled into `target`, where something is: the keys of Wish and the commit."""
    try:
        value = json.loads((_work(target) / "pull.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) and {"repo", "commit", "endpoint"} <= value.keys() else None


def _work(target: Path) -> Path:
    return target.with_name(target.name + ".partial")


def _kept(target: Path) -> int:
    """Bytes on the drive that an earlier run left."""
    try:
        return sum(getattr(f.stat(), "st_blocks", 0) * 512 for f in _work(target).rglob("*") if f.is_file())
    except OSError:
        return 0


def _written(wish: Wish, listing: Listing) -> dict[str, Any]:
    return {
        "repo": listing.repo, "commit": listing.commit, "endpoint": listing.endpoint, "revision": wish.revision,
        "experts": wish.experts, "trunk": wish.trunk, "trunk_first": wish.trunk_first,
    }  # fmt: skip


def _listing(wish: Wish, target: Path, token: str | None, cancel: CancelToken) -> Listing:
    """The repository; of a pull that was begun, at its commit."""
    begun = pending(target)
    if begun is None or begun["repo"] != wish.repo or wish.revision not in (None, begun["revision"], begun["commit"]):
        return look(wish.repo, wish.revision, token, wish.endpoint, cancel)
    try:
        return look(wish.repo, str(begun["commit"]), token, wish.endpoint, cancel)
    except HubError as e:
        if "no revision" not in str(e):
            raise
        raise SourceChanged(
            f"{wish.repo} has changed since its download began, and the version that was begun is gone. "
            f"Discard what is there ({_work(target)}) and start again."
        ) from e


class Pull:
    """One pull at work: `run` in one thread, `provide` from any."""

    def __init__(
        self, wish: Wish, listing: Listing, token: str | None, source: HubCheckpoint, pieces: Pieces, draft: Draft, transfer: Transfer
    ) -> None:
        self.listing, self.pieces, self.draft, self.source = listing, pieces, draft, source
        self._wish, self._token, self._transfer, self.cancel = wish, token, transfer, transfer.cancel
        assert draft.store is not None
        self.store = draft.store
        shards = source.shards
        where = {t: (f, shard.tensors[t]) for f, shard in shards.files.items() for t in shard.tensors}
        self.segments = Segments(pieces, Tracer(shards.listed), where)
        self.feed = Feed(
            pieces, self.store, self.segments, source, source.window, min(performance_cores(), 4), self.cancel, transfer.full
        )
        self.streams = [
            FileStream(listing.files[name], i, self.segments.of_file.get(name, []), self.feed, self.store)
            for i, name in enumerate(sorted(shards.files))
        ]
        self._fetching = threading.Lock()

    def run(self, opened: Callable[["Pull"], None]) -> None:
        """Bring all pieces. Raises as `pull`."""
        t = self._transfer
        t.measure(sum(s.file.nbytes for s in self.streams), lambda: sum(s.position for s in self.streams))
        t.state = "downloading"
        if self._wish.trunk_first:
            self._bring([p for p in self.pieces.of_trunk() if not self.store.has(*p)])
            opened(self)
        for _ in range(PASSES):
            self._all_files()
            missing = [(f, p) for f in range(len(self.store.files)) for p in self.store.missing(f)]
            if not missing:
                return
            doubtful = {s.file for p in missing for s in self.segments.of_piece[p] if not has_raw(self.store, s)}
            for stream in self.streams:
                if stream.file.name in doubtful:
                    stream.forget(self.cancel)
            if not doubtful:
                self._bring(missing)
        raise SourceChanged(f"{self.listing.repo} sends other bytes each time. Try again later.")

    def provide(self, ordinal: int, expert: int) -> None:
        """Bring one expert now, where it is missing; returns when it can be read. Raises as `pull`."""
        missing = [p for p in self.pieces.of_expert(ordinal, expert) if not self.store.has(*p)]
        if missing:
            self._bring(missing)

    def has(self, ordinal: int, expert: int) -> bool:
        """Whether an expert can be read."""
        return all(self.store.has(*p) for p in self.pieces.of_expert(ordinal, expert))

    def _all_files(self) -> None:
        waiting = iter(self.streams)
        taking = threading.Lock()

        def work(line: int) -> None:
            ranges = Ranges(self.listing, self._token, lambda text: self._transfer.said(line, text), self.cancel)
            try:
                while True:
                    with taking:
                        stream = next(waiting, None)
                    if stream is None:
                        return
                    stream.run(ranges, self.cancel)
            except BaseException as e:
                self._transfer.fail(e)
            finally:
                self._transfer.said(line, None)

        lines = max(min(self._wish.connections, len(self.streams)), 1)
        threads = [threading.Thread(target=work, args=(i,), name="download", daemon=True) for i in range(1, lines + 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self._transfer.check()
        self.feed.settle(self.cancel)

    def _bring(self, missing: list[Piece]) -> None:
        """Fetch what these pieces need by range, and wait until they are written."""
        self.feed.again({p for p in missing if p in self.segments.of_piece}, ())
        wanted = {s for p in missing for s in self.segments.of_piece.get(p, ())}
        ranges = Ranges(self.listing, self._token, lambda text: self._transfer.said(0, text), self.cancel)
        with ThreadPoolExecutor(max(min(self._wish.connections, 4), 1), "download") as pool:
            list(pool.map(lambda run: self._fetch(run, ranges), _runs(wanted)))
        while any(not self.store.has(*p) for p in missing):
            self.cancel.check()
            if self.feed.problem is not None:
                raise self.feed.problem
            time.sleep(0.002)

    def _fetch(self, run: list[Segment], ranges: Ranges) -> None:
        self.feed.room(self.cancel)
        first, end = run[0].start, run[-1].end
        data = np.frombuffer(ranges.read(self.listing.files[run[0].file], first, end), np.uint8)
        for s in run:
            mine = data[s.start - first : s.end - first]
            if raw_differs(self.store, s, mine):
                raise SourceChanged(f"{self.listing.repo} sends other bytes for the same range. Try again later.")
            note_raw(self.store, s, mine)
            self.feed.arrive(s, mine.copy())


def _runs(segments: "set[Segment]") -> list[list[Segment]]:
    """Neighbours together."""
    out: list[list[Segment]] = []
    for s in sorted(segments, key=lambda s: (s.file, s.start)):
        last = out[-1] if out else []
        if last and last[-1].file == s.file and s.start - last[-1].end <= GAP_BYTES and s.end - last[0].start <= RUN_BYTES:
            last.append(s)
        else:
            out.append([s])
    return out
