"""A checkpoint in a hub's repository: its headers and small files are read; the weights flow past, see `engine.setup.pull`."""

import errno
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.container.strict import Malformed
from engine.errors import BadCheckpoint
from engine.setup.checkpoint import Checkpoint
from engine.setup.hub import HubFile, Listing, checked
from engine.setup.naming import no_config
from engine.setup.ranges import Ranges
from engine.setup.safetensors_file import Header
from engine.setup.window import Window
from engine.words import say

HEADER_GUESS = 2**15  # the rest of a longer header is read after it


class HubShard(Header):
    """A safetensors file on the hub. Raises Malformed, and what reading ranges does."""

    def __init__(self, file: HubFile, ranges: Ranges) -> None:
        self.file = file
        start = ranges.read(file, 0, min(HEADER_GUESS, file.nbytes))

        def read(first: int, end: int) -> bytes:
            have = start[first:end]
            return have + ranges.read(file, first + len(have), end) if len(have) < end - first else have

        super().__init__(file.nbytes, read)

    def close(self) -> None:
        """Nothing is open."""


class HubFolder:
    """A repository as a folder; see engine.setup.folder.Folder."""

    def __init__(self, listing: Listing, ranges: Ranges) -> None:
        self.listing, self._ranges = listing, ranges

    def names(self) -> list[str]:
        """The files at the top."""
        return sorted(name for name in self.listing.files if "/" not in name)

    def small(self, name: str, limit: int) -> bytes:
        """A whole file, checked by its hash."""
        file = self._file(name)
        if file.nbytes > limit:
            raise Malformed(say("is too large: {nbytes} bytes", nbytes=file.nbytes))
        return checked(file, self._ranges.read(file, 0, file.nbytes))

    def shard(self, name: str) -> HubShard:
        """A safetensors file."""
        if name not in self.listing.files:
            raise Malformed(say("is missing"))
        return HubShard(self._file(name), self._ranges)

    def stamp(self, name: str) -> str:
        """Its hash."""
        return self._file(name).etag

    def _file(self, name: str) -> HubFile:
        if name not in self.listing.files:
            raise FileNotFoundError(errno.ENOENT, say("it is not in the repository"), name)
        return self.listing.files[name]


class HubCheckpoint(Checkpoint):
    """The checkpoint of a repository; its tensors are read from `window`, which somebody fills."""

    def __init__(self, listing: Listing, ranges: Ranges, check: Callable[[Mapping[str, Any]], object]) -> None:
        self.window = Window()
        if "config.json" not in listing.files:
            raise BadCheckpoint(no_config(listing.repo, listing.files))
        super().__init__(HubFolder(listing, ranges), listing.repo.rpartition("/")[2], listing.repo, listing.commit, check)

    def read(self, name: str, start: int, nbytes: int) -> npt.NDArray[np.uint8]:
        """As StoredTensors.read, of what is in the window."""
        return self.window.read(name, start, nbytes)
