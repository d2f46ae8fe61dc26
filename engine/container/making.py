"""A container that is still being written, opened once its trunk is there; its experts come as they are asked for, or in their time."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from engine.cancel import CancelToken
from engine.container.draft import being_read
from engine.container.load import read_hashed
from engine.container.manifest import Manifest
from engine.container.placed import Copy, Placed, Volume
from engine.container.reader import SUFFIX, Container
from engine.container.spans import Span
from engine.container.storage import Hold
from engine.errors import BadContainer, EngineError, StorageError
from engine.words import say


class TakenBack(BadContainer):
    """Something that was used has turned out to be other bytes than the published ones."""


class Making(Protocol):
    """Who writes the container; any thread may ask. An expert is known by its MoE layer's ordinal and its number."""

    def there(self, ordinal: int, expert: int) -> bool:
        """Whether its record can be read."""

    def bring(self, ordinal: int, experts: list[int], cancel: CancelToken) -> None:
        """Fetch what is missing of these experts of a layer, ahead of all else; returns when they can be read.

        Raises EngineError (nobody fetches any more, the source refuses), Cancelled within 100 ms.
        """

    def right(self, ordinal: int, expert: int, record: memoryview) -> bool:
        """Whether these bytes of its record are those that were written, and still are to be."""

    def trunk_is_right(self, data: memoryview, cancel: CancelToken) -> bool:
        """The same of the trunk's data, whole."""

    def taken_back(self) -> list[tuple[int, int]]:
        """(ordinal, expert) of those that were there and turned out wrong since the last call."""

    @property
    def spoiled(self) -> bool:
        """Whether a part of the trunk turned out wrong after it was there."""

    @property
    def waits(self) -> str:
        """What `bring` waits for, as a phrase; empty while nobody waits."""

    @property
    def finished(self) -> bool:
        """Whether the container has its name."""

    def closed(self, by: "Unfinished") -> None:
        """Its files are closed."""


class Unfinished(Container):
    """A container in the making, with a `manifest` that has no checksums yet. `adopt` makes it like any other, once it is whole.

    beside_bytes: memory that the making takes while it goes on. Raises StorageError.
    """

    def __init__(
        self, target: Path, folder: Path, manifest: Manifest, panels: npt.NDArray[np.uint64], making: Making, beside_bytes: int
    ) -> None:
        """folder: where its files are until it has its name; panels: checksums of the embedding's panels."""
        try:
            hold = Hold(folder.with_name("key"), False, being_read(target))
        except OSError as e:
            raise StorageError(
                say("{folder} cannot be read ({why}). Check its permissions.", folder=folder, why=e.strerror or e), repr(e)
            ) from e
        copies = tuple((Copy(0, folder / e.file, 0, e.layout.stride),) for e in manifest.experts)
        sums = [*(np.zeros(e.n_experts, np.uint64) for e in manifest.experts), *([panels] if manifest.embed else [])]
        super().__init__(folder, manifest, manifest.arch, sums, Placed((Volume(folder),), copies), hold)
        self.name = target.name.removesuffix(SUFFIX)
        self.target, self.making, self.beside_bytes = target, making, beside_bytes
        self._trunk = ""

    def spans(self, without: Collection[str] = ()) -> tuple[Span, ...]:
        """All of the trunk: what comes is compared with what was written, as a whole."""
        return super().spans()

    def load_trunk(
        self, buffer: memoryview, progress: Callable[[float], None], cancel: CancelToken, direct: bool = True,
        spans: Sequence[Span] | None = None,
    ) -> None:
        """As Container.load_trunk, against what was written; always all of it."""
        t, making = self.manifest.trunk, self.making
        assert making is not None
        path = self.path / t.file
        data = buffer[: self.trunk_bytes]
        try:
            self._trunk = read_hashed(path, t.data_start, data, direct, progress, cancel) or ""
        except OSError as e:
            raise StorageError(
                say("{path} cannot be read ({why}). Check its drive and try again.", path=path, why=e.strerror or e), repr(e)
            ) from e
        if not self._trunk or not making.trunk_is_right(data, cancel):
            raise BadContainer(
                say("{path} is not what was written there: its drive may be failing. Discard the download and start again.", path=path)
            )

    @property
    def here(self) -> Path:
        """The folder of its own once it has one, which may be before it is adopted."""
        return self.path if self.path.exists() else self.target

    def adopt(self) -> bool:
        """Become the finished container where it has its name by now; whether that happened in this call."""
        if self.making is None or not self.making.finished:
            return False
        try:
            whole = Container.open(self.target)
        except EngineError:
            return False  # all of it is open here; the next opening tells what is wrong
        if self._trunk not in ("", whole.manifest.trunk.data_xxh3):
            whole.close()
            raise TakenBack(
                say("The trunk of {name} came otherwise than it was published, and came again. Open the model again.", name=self.name)
            )
        self._hold.close()
        self.path, self.manifest, self.experts, self.volumes = whole.path, whole.manifest, whole.experts, whole.volumes
        self.embed_checksums, self._hold = whole.embed_checksums, whole._hold
        self.making.closed(self)
        self.making = None
        return True

    def close(self) -> None:
        """As Container.close."""
        super().close()
        if self.making is not None:
            self.making.closed(self)
