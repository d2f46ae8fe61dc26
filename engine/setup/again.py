"""Pieces of a container made again from where it came from: a repository at the commit that the manifest names, or a local checkpoint.

Of a repository only the ranges that the pieces need are fetched, and no more than are needed at a time.
"""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from engine.cancel import CancelToken
from engine.container.manifest import Manifest
from engine.errors import BadRequest
from engine.setup.check import Check
from engine.setup.convert import supported
from engine.setup.hub import Listing, look
from engine.setup.opening import open_checkpoint
from engine.setup.pieces import Pieces
from engine.setup.ranges import Ranges
from engine.setup.remote import HubCheckpoint
from engine.setup.source import TensorSource
from engine.setup.stored import Tracer
from engine.setup.token import load
from engine.words import say

U8 = npt.NDArray[np.uint8]
LINES = 4


class Remake(Protocol):
    """Where pieces come from."""

    @property
    def source(self) -> TensorSource:
        """The checkpoint."""

    def pieces(self, wanted: list[tuple[int, int]]) -> Iterator[U8]:
        """Their bytes, in order. Raises BadCheckpoint, StorageError, Cancelled, what fetching does."""


class FromFolder:
    """From a checkpoint on this computer."""

    def __init__(self, source: TensorSource, pieces: Pieces, cancel: CancelToken) -> None:
        self.source: TensorSource = source
        self._pieces, self._cancel = pieces, cancel

    def pieces(self, wanted: list[tuple[int, int]]) -> Iterator[U8]:
        """As Remake.pieces."""
        for file, piece in wanted:
            yield self._pieces.make(self.source, file, piece, self._cancel)


class FromHub:
    """From a repository, range by range."""

    def __init__(self, hub: HubCheckpoint, listing: Listing, ranges: Ranges, pieces: Pieces, cancel: CancelToken) -> None:
        self._hub, self._ranges, self._pieces, self._cancel = hub, ranges, pieces, cancel
        self.source: TensorSource = hub
        self._tracer = Tracer(hub.shards.listed)
        self._where = {t: (listing.files[name], shard.tensors[t].offset) for name, shard in hub.shards.files.items() for t in shard.tensors}

    def pieces(self, wanted: list[tuple[int, int]]) -> Iterator[U8]:
        """As Remake.pieces."""
        for file, piece in wanted:
            spans = list(_joined(self._pieces.needs(self._tracer, file, piece)))
            with ThreadPoolExecutor(LINES, "download") as pool:
                for (name, start, _), data in zip(spans, pool.map(self._read, spans), strict=True):
                    self._hub.window.put(name, start, np.frombuffer(data, np.uint8))
            yield self._pieces.make(self.source, file, piece, self._cancel)
            for name, start, _ in spans:
                self._hub.window.drop(name, start)

    def _read(self, span: tuple[str, int, int]) -> bytes:
        name, start, end = span
        file, at = self._where[name]
        return self._ranges.read(file, at + start, at + end)


def _joined(spans: Iterable[tuple[str, int, int]]) -> Iterator[tuple[str, int, int]]:
    """The same bytes without overlaps."""
    last: tuple[str, int, int] | None = None
    for name, start, end in sorted({s for s in spans if s[2] > s[1]}):
        if last is not None and last[0] == name and start <= last[2]:
            last = name, last[1], max(last[2], end)
            continue
        if last is not None:
            yield last
        last = name, start, end
    if last is not None:
        yield last


@contextmanager
def opened(m: Manifest, pieces: Pieces, local: Path | None, cancel: CancelToken) -> Iterator[Remake]:
    """The source of a container: `local`, a checkpoint's folder or GGUF file, else the repository at its commit.

    Raises BadRequest (nobody knows where it came from), BadCheckpoint, NeedsToken, HubError, UnsupportedModel, StorageError, Cancelled.
    """
    keep = "mxfp4" in m.formats.values()
    if local is not None:
        folder = open_checkpoint(local, supported)
        try:
            Check(folder, keep, cancel).judge()
            yield FromFolder(folder, pieces, cancel)
        finally:
            folder.close()
        return
    repo, commit = m.source["repo"], m.source["commit"]
    if not repo or not commit:
        raise BadRequest(
            say("This model does not say which repository it came from. Name its checkpoint: ouzel repair MODEL --from FOLDER")
        )
    token = load(cancel=cancel)
    value = token.value if token else None
    listing = look(repo, commit, value, cancel=cancel)
    ranges = Ranges(listing, value, lambda text: None, cancel)
    hub = HubCheckpoint(listing, ranges, supported)
    try:
        Check(hub, keep, cancel).judge()
        yield FromHub(hub, listing, ranges, pieces, cancel)
    finally:
        hub.close()
