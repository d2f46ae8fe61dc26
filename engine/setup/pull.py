"""From a repository on a hub to a container, without ever storing the checkpoint: its files flow past and become pieces.

Everything that was written survives a kill, and what was finished is not fetched again. Each file is checked against the hub's hash; a
file that differs is taken anew with all that was made of it. With trunk_first the trunk is fetched ahead of the files, so that the model
can be opened before the rest is there; the files still pass as a whole, and what came ahead is compared with them.
"""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, closing

import numpy as np

from engine.arch import read_arch
from engine.cancel import CancelToken, Either
from engine.container.draft import DOWNLOAD, Draft
from engine.container.storage import writing
from engine.cores import performance_cores
from engine.errors import BadRequest
from engine.setup.check import Check
from engine.setup.convert import draft_key, need_space, supported
from engine.setup.feed import Feed, has_raw, note_raw, raw_differs
from engine.setup.further import check_mtp, chosen
from engine.setup.hub import Listing
from engine.setup.layout import lay_out
from engine.setup.live import at_work
from engine.setup.pieces import Pieces
from engine.setup.ranges import AHEAD, CHUNK, Ranges, SourceChanged, State
from engine.setup.remote import HubCheckpoint
from engine.setup.roles import expert_formats, trunk_formats
from engine.setup.seal import finish, seal
from engine.setup.segments import Piece, Segment, Segments
from engine.setup.stored import Tracer
from engine.setup.stream import FileStream
from engine.setup.transfer import Report, Transfer
from engine.setup.wish import Wish, kept_bytes, listing_of, must_be_the_same, note_of
from engine.words import say

AT_ONCE = 8  # ranges that are asked for at a time, ahead of the files
BAD = 3  # times that a piece cannot be made of what came for it
OTHERWISE = 8  # ranges that may come in other bytes than before
BESIDE = (64 * 2**20, 256 * 2**20)  # room and most of the feed while a model may be open beside it
PASSES = 3
RUN_BYTES, GAP_BYTES = 16 * 2**20, 2**18  # ranges that lie close together are asked for as one


def pull(
    wish: Wish, token: str | None, report: Report, cancel: CancelToken, opened: Callable[["Pull"], None] = lambda pull: None
) -> None:
    """Fetch and convert; what an earlier call left is taken up, at the commit that it began with.

    opened(pull) is called once the model can be opened by `engine.setup.live`: when the trunk is there, with trunk_first; never for a
    dense model, which is all trunk and comes by its files alone. Raises BadCheckpoint, UnsupportedModel, NeedsToken, HubError,
    SourceChanged, StorageError, BadRequest, Cancelled.
    """
    target = wish.target.expanduser().absolute()
    trunk_formats(wish.trunk), expert_formats(wish.experts)
    check_mtp(wish.mtp)
    transfer = Transfer(report, cancel)
    transfer.state = "looking"
    with writing(target):
        if target.exists():
            raise BadRequest(say("{target} exists already. Choose another name, or remove it first; it was not changed.", target=target))
    listing = listing_of(wish, target, token, cancel)
    must_be_the_same(wish, listing, target)
    ranges = Ranges(listing, token, lambda text: transfer.said(0, text), transfer.cancel)
    with transfer.watched(), closing(HubCheckpoint(listing, ranges, supported)) as source:
        check = Check(source, wish.experts == "mxfp4", cancel, wish.mtp)
        check.judge()
        arch = chosen(read_arch(source.config), source.tensors, wish.mtp)
        layout = lay_out(source, arch, wish.experts, wish.trunk)
        need_space(target, layout.nbytes, kept_bytes(target))
        key = draft_key(source, wish.experts, wish.trunk, arch.mtp is not None)
        with Draft(target, key, download=True) as draft, ExitStack() as undo:
            draft.note(DOWNLOAD, note_of(wish, listing))
            with writing(target):
                for name, data in source.files().items():
                    draft.put(name, data)
            pieces = Pieces(layout)
            store = undo.enter_context(closing(draft.pieces(pieces.files)))
            work = undo.enter_context(closing(Pull(wish, listing, token, source, pieces, draft, transfer)))
            with at_work(target, key, work) as live:
                work.run(opened)
                transfer.state = "verifying"
                sealed = seal(pieces, store, cancel)
                undo.close()  # some systems rename no folder of open files
                live.let_go(cancel)
                finish(source, layout, draft, sealed)
    transfer.state = "done"
    transfer.tell()


class Pull:
    """One pull at work: `run` in one thread, `bring` from any.

    ahead: bytes that were asked for by range, and those of them that came; memory_bytes: what it may take at most while it goes on.
    """

    def __init__(
        self, wish: Wish, listing: Listing, token: str | None, source: HubCheckpoint, pieces: Pieces, draft: Draft, transfer: Transfer
    ) -> None:
        self.listing, self.pieces, self.draft, self.source = listing, pieces, draft, source
        self._wish, self._token, self._transfer, self.cancel = wish, token, transfer, transfer.cancel
        assert draft.store is not None
        self.store = draft.store
        shards = source.shards
        where = {t: (f, shard.tensors[t]) for f, shard in shards.files.items() for t in shard.tensors}
        self.segments = Segments(pieces, Tracer(shards.listed, source.mlx), where)
        self._trunk_first = wish.trunk_first and bool(pieces.layout.entries)
        limits = BESIDE if self._trunk_first else (None, None)
        self.feed = Feed(
            pieces, self.store, self.segments, source, source.window, min(performance_cores(), 4), self.cancel, transfer.full, *limits
        )
        self.streams = [
            FileStream(listing.files[name], i, self.segments.of_file.get(name, []), self.feed, self.store)
            for i, name in enumerate(sorted(shards.files))
        ]
        self.ahead = [0, 0]
        self._lock = threading.Lock()
        self._bringing = self._otherwise = 0
        self._says: dict[int, str] = {}  # what each request for experts waits for

    @property
    def memory_bytes(self) -> int:
        """The window, a segment for each connection, and what waits in their queues; never more than the whole checkpoint, twice."""
        longest = max((s.end - s.start for of in self.segments.of_file.values() for s in of), default=0)
        whole = sum(s.file.nbytes for s in self.streams)
        return min(self.feed.most + (self._wish.connections + AT_ONCE) * (longest + AHEAD * CHUNK), 2 * whole)

    def run(self, opened: Callable[["Pull"], None]) -> None:
        """Bring all pieces. Raises as `pull`."""
        t, whole = self._transfer, sum(s.file.nbytes for s in self.streams)
        t.measure(lambda: whole + self.ahead[0], lambda: sum(s.position for s in self.streams) + self.ahead[1])
        t.state = "downloading"
        if self._trunk_first:
            self._bring(list(self.pieces.of_trunk()), self.cancel, lambda text: t.said(0, text))
            t.said(0, None)
            opened(self)
        for _ in range(PASSES):
            self._all_files()
            self.feed.refuse_bad(s for stream in self.streams for s in stream.segments)
            missing = [(f, p) for f in range(len(self.store.files)) for p in self.store.missing(f)]
            if not missing:
                return
            doubtful = {s.file for p in missing for s in self.segments.of_piece[p] if not has_raw(self.store, s)}
            for stream in self.streams:
                if stream.file.name in doubtful:
                    stream.forget(self.cancel)
            if not doubtful:
                self._bring(missing, self.cancel, lambda text: t.said(0, text))
        raise SourceChanged(say("{repo} sends other bytes each time. Try again later.", repo=self.listing.repo))

    def bring(self, ordinal: int, experts: Sequence[int], cancel: CancelToken) -> None:
        """Fetch what is missing of these experts of MoE layer `ordinal`, ahead of the files; returns when they can be read.

        Raises as `pull`, and Cancelled within 100 ms of a cancel of either.
        """
        with self._lock:
            self._bringing += 1
            self.feed.urgent += 1
        me = threading.get_ident()
        try:
            pieces = [p for e in experts for p in self.pieces.of_expert(ordinal, e)]
            self._bring(pieces, Either(cancel, self.cancel), lambda text: self._says.__setitem__(me, text), urgent=True)
        finally:
            with self._lock:
                self._bringing -= 1
                self.feed.urgent -= 1
                self._says.pop(me, None)

    @property
    def waits(self) -> str:
        """What `bring` waits for, as a phrase; empty while nobody waits."""
        if not self._bringing:
            return ""
        if self._transfer.lacks:
            return say("space on the drive: it is full, and the download goes on when some is free")
        text = next((t for t in list(self._says.values()) if t), "")
        return say("the network ({text})", text=text) if text else say("parts of the model that are not here yet")

    def has(self, ordinal: int, expert: int) -> bool:
        """Whether an expert can be read."""
        return all(self.store.has(*p) for p in self.pieces.of_expert(ordinal, expert))

    def close(self) -> None:
        """End all requests; idempotent."""
        self.cancel.cancel()
        while self._bringing:
            time.sleep(0.002)
        self.feed.close()

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

    def _bring(self, pieces: Sequence[Piece], cancel: CancelToken, says: State, urgent: bool = False) -> None:
        """Fetch what these pieces need by range where they are missing, and wait until they are written."""
        ranges = Ranges(self.listing, self._token, says, cancel)
        bad = 0
        while missing := [p for p in pieces if not self.store.has(*p)]:
            if refused := [why for p in missing if (why := self.feed.bad.get(p)) is not None]:
                bad += 1
                if bad == BAD:
                    raise refused[0]
            if runs := _runs(self.feed.want(missing)):
                self.ahead[0] += sum(run[-1].end - run[0].start for run in runs)
                with ThreadPoolExecutor(min(AT_ONCE, len(runs)), "download") as pool:
                    jobs = [pool.submit(self._fetch, run, ranges, cancel, urgent) for run in runs]
                    try:
                        for job in as_completed(jobs):
                            job.result()
                    except BaseException:
                        pool.shutdown(cancel_futures=True)
                        raise
            while any(not self.store.has(*p) and self.feed.waits_for(p) for p in missing):
                cancel.check()
                if self.feed.problem is not None:
                    raise self.feed.problem
                time.sleep(0.002)
            cancel.check()

    def _fetch(self, run: list[Segment], ranges: Ranges, cancel: CancelToken, urgent: bool) -> None:
        if not urgent:
            self.feed.room(cancel)
        first, end = run[0].start, run[-1].end
        try:
            data = np.frombuffer(ranges.read(self.listing.files[run[0].file], first, end), np.uint8)
        except BaseException:
            self.ahead[0] -= end - first
            raise
        self.ahead[1] += end - first
        for s in run:
            mine = data[s.start - first : s.end - first]
            if raw_differs(self.store, s, mine):  # nobody knows which of the two is right before the whole file was hashed
                self._otherwise += 1
                if self._otherwise > OTHERWISE:
                    raise SourceChanged(say("{repo} sends other bytes for the same range. Try again later.", repo=self.listing.repo))
                self.feed.again(set(s.pieces), [s])
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
