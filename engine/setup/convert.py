"""A checkpoint turned into a container, piece by piece: little memory, any kill survived, nothing visible before the end."""

import shutil
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

from engine.arch import described, read_arch
from engine.arch.spec import ArchSpec
from engine.cancel import CancelToken
from engine.container.draft import Draft
from engine.container.format import VERSION
from engine.container.pieces import PieceStore
from engine.container.storage import DriveFull, writing
from engine.cores import performance_cores
from engine.errors import BadCheckpoint, UnsupportedConfig
from engine.setup.ahead import in_order
from engine.setup.check import Check
from engine.setup.fitting import fit
from engine.setup.further import check_mtp, chosen
from engine.setup.layout import Layout, lay_out
from engine.setup.opening import open_checkpoint
from engine.setup.outlook import must_run
from engine.setup.packing import U8
from engine.setup.pieces import Pieces
from engine.setup.problems import bad_checkpoint
from engine.setup.roles import expert_formats, trunk_formats
from engine.setup.seal import CONVERTER, finish, seal
from engine.setup.source import TensorSource
from engine.setup.unwritten import Unwritten
from engine.words import say

Progress = Callable[[str, int, int], None]
AHEAD, AHEAD_BYTES = 24, 2**26  # pieces made and not written, at most: what is packed while a flush takes its time


def convert(
    source: Path, target: Path, experts: str, trunk: str, progress: Progress, cancel: CancelToken, mtp: str = "keep"
) -> None:
    """Convert the checkpoint `source`, a folder or a GGUF file, into the container `target`, formats as in `engine.setup.roles`.

    mtp: whether a layer for further tokens is kept, as in `engine.setup.further`.

    progress(phase, done, total): phase "trunk" and "experts", bytes of the container; "check", bytes of the checkpoint, where something is
    wrong with it. Raises UnsupportedModel (before any file of weights is read), BadCheckpoint (all problems at once, nothing left
    behind), BadRequest, StorageError, Cancelled; a later call with the same arguments goes on.
    """
    target = target.expanduser().absolute()
    trunk_formats(trunk), expert_formats(experts)
    check_mtp(mtp)
    with closing(open_checkpoint(source, supported)) as opened:
        check = Check(opened, experts == "mxfp4", cancel, mtp)
        begun = Draft.begun(target, draft_key(opened, experts, trunk, check.arch is not None and check.arch.mtp is not None))
        if check.sound and not begun and check.arch is not None:
            need_space(target, lay_out(opened, check.arch, experts, trunk).nbytes, 0)
        if not check.sound:
            check.values(progress)
        check.judge()
        try:
            _write(opened, chosen(read_arch(opened.config), opened.tensors, mtp), target, experts, trunk, progress, cancel)
        except BadCheckpoint:
            check.values(progress)  # numbers are looked at as they are packed; where one is none, each of them is told
            check.judge()
            raise


def convert_source(
    source: TensorSource, target: Path, experts: str, trunk: str, progress: Progress, cancel: CancelToken, mtp: str = "keep"
) -> None:
    """As `convert`, from any source of tensors; numbers are checked while they are packed."""
    arch = chosen(read_arch(source.config), source.tensors, mtp)
    if lines := fit(source.tensors, arch, experts == "mxfp4").lines({}):
        raise bad_checkpoint(source.name, lines)
    _write(source, arch, target.expanduser().absolute(), experts, trunk, progress, cancel)


def _write(
    source: TensorSource, arch: ArchSpec, target: Path, experts: str, trunk: str, progress: Progress, cancel: CancelToken
) -> None:
    with Draft(target, draft_key(source, experts, trunk, arch.mtp is not None)) as draft:
        Writer(source, lay_out(source, arch, experts, trunk), draft, progress, cancel).run()


def draft_key(source: TensorSource, experts: str, trunk: str, mtp: bool = False) -> str:
    """Equal for conversions that write the same bytes."""
    return f"{VERSION} {CONVERTER} {source.name} {source.key} {experts} {trunk}{' mtp' if mtp else ''}"


def supported(config: Mapping[str, Any]) -> None:
    """Raises UnsupportedModel for a config of a model that is refused before its weights are looked at."""
    with suppress(UnsupportedConfig):  # told with everything else
        described(config)
        must_run(Unwritten("", dict(config)))


def need_space(target: Path, total: int, kept: int) -> None:
    """Raises DriveFull where the drive of `target` cannot take the rest of `total` bytes, `kept` of which are there."""
    with writing(target):
        drive = next((p for p in target.parents if p.exists()), target.parent)
        free = shutil.disk_usage(drive).free
    if free < total - kept + 2**20:
        mb = 1_000_000
        raise DriveFull(
            say(
                "The converted model needs {need} MB, but the drive of {target} has {free} MB left. Free some space "
                "or choose another drive.",
                need=(total - kept) // mb + 1,
                target=target,
                free=free // mb,
            )
        )


class Writer:
    """Fills a draft with a layout's pieces, made on a few threads in the order in which they lie."""

    def __init__(self, source: TensorSource, layout: Layout, draft: Draft, progress: Progress, cancel: CancelToken) -> None:
        self.source, self.layout, self.draft, self.cancel = source, layout, draft, cancel
        self._progress = progress
        self.threads = min(performance_cores(), 4)
        self.bad: list[BadCheckpoint] = []

    def pieces(self) -> Pieces:
        """What is written, and how each piece is made."""
        return Pieces(self.layout)

    def run(self) -> None:
        """Write everything and give the draft its name."""
        pieces = self.pieces()
        with ThreadPoolExecutor(self.threads, "convert") as pool, writing(self.draft.target):
            with closing(self.draft.pieces(pieces.files)) as store:
                need_space(self.draft.target, self.layout.nbytes, store.bytes_done)
                self._done, self._total = store.bytes_done, store.bytes_in_all
                for file in range(len(store.files)):
                    self._fill(pool, pieces, store, file)
                if self.bad:
                    raise _all_of(self.bad)
                sealed = seal(pieces, store, self.cancel)
            finish(self.source, self.layout, self.draft, sealed)

    def _fill(self, pool: ThreadPoolExecutor, pieces: Pieces, store: PieceStore, file: int) -> None:
        """Make what is missing of a file; from the first bad piece on, only look for more of them."""
        phase = "trunk" if file < pieces.first_layer else "experts"
        missing = list(store.missing(file))
        largest = int(store.files[file].sizes.max(initial=1))
        ahead = max(self.threads, min(AHEAD, AHEAD_BYTES // largest))
        jobs = (partial(_tried, partial(pieces.make, self.source, file, piece, self.cancel)) for piece in missing)
        self._progress(phase, self._done, self._total)
        for piece, made in zip(missing, in_order(pool, jobs, ahead, self.cancel), strict=True):
            if isinstance(made, BadCheckpoint):
                self.bad.append(made)
                continue
            if not self.bad:
                store.write(file, piece, made)
            self._done += made.nbytes
            self._progress(phase, self._done, self._total)
        store.sync()


def _tried(job: Callable[[], U8]) -> U8 | BadCheckpoint:
    """What `job` makes, or what is wrong with its weights."""
    try:
        return job()
    except BadCheckpoint as e:
        return e


def _all_of(bad: list[BadCheckpoint]) -> BadCheckpoint:
    """One error for all weights that cannot be converted: the first in the sentence, all in the details."""
    if len(bad) == 1:
        return bad[0]
    named = list(dict.fromkeys(str(e).split()[0] for e in bad[1:]))
    more = say(" and {count} more", count=len(named) - 3) if len(named) > 3 else ""
    return BadCheckpoint(
        say("{first} The same is true of {named}{more}.", first=bad[0], named=", ".join(named[:3]), more=more), "\n".join(map(str, bad))
    )
