"""A checkpoint turned into a container, piece by piece: little memory, any kill survived, nothing visible before the end."""

import shutil
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import xxhash

from engine.arch import described, read_arch
from engine.arch.spec import ArchSpec
from engine.cancel import CancelToken
from engine.container.draft import Draft
from engine.container.format import CHECKSUMS, EMBED_ROWS, TRUNK, VERSION
from engine.container.growing import GrowingFile
from engine.container.manifest import FileEntry, Manifest, TrunkEntry
from engine.container.storage import writing
from engine.cores import performance_cores
from engine.errors import BadCheckpoint, StorageError, UnsupportedConfig
from engine.setup.ahead import in_order
from engine.setup.check import Check
from engine.setup.checkpoint import CheckpointFolder
from engine.setup.defaults import published_defaults
from engine.setup.fitting import fit
from engine.setup.layout import Layout, Strip, lay_out
from engine.setup.packing import U8, packed_record, packed_strip
from engine.setup.problems import bad_checkpoint
from engine.setup.roles import expert_formats, trunk_formats
from engine.setup.source import TensorSource

CONVERTER = "ouzel-convert 2"  # raise the number whenever the same checkpoint gives other bytes
Progress = Callable[[str, int, int], None]


def convert(source: Path, target: Path, experts: str, trunk: str, progress: Progress, cancel: CancelToken) -> None:
    """Convert the Hugging Face folder `source` into the container `target`, formats as in `engine.setup.roles`.

    progress(phase, done, total): phase "check", bytes of the checkpoint, then "trunk" and "experts", bytes of the container. Raises
    UnsupportedModel (before any file of weights is read), BadCheckpoint (all problems at once, nothing written), BadRequest,
    StorageError, Cancelled; a later call with the same arguments goes on.
    """
    target = target.expanduser().absolute()
    trunk_formats(trunk), expert_formats(experts)
    with closing(CheckpointFolder(source, _supported)) as opened:
        check = Check(opened, experts == "mxfp4", cancel)
        begun = Draft.begun(target, _key(opened, experts, trunk))
        if check.sound and not begun and check.arch is not None:
            _need_space(target, lay_out(opened, check.arch, experts, trunk).nbytes, 0)
        if not check.sound or not begun:  # a draft of this very checkpoint was begun after its numbers were found sound
            check.values(progress)
        check.judge()
        _write(opened, read_arch(opened.config), target, experts, trunk, progress, cancel)


def convert_source(source: TensorSource, target: Path, experts: str, trunk: str, progress: Progress, cancel: CancelToken) -> None:
    """As `convert`, from any source of tensors; numbers are checked while they are packed."""
    arch = read_arch(source.config)
    if lines := fit(source.tensors, arch, experts == "mxfp4").lines({}):
        raise bad_checkpoint(source.name, lines)
    _write(source, arch, target.expanduser().absolute(), experts, trunk, progress, cancel)


def _write(
    source: TensorSource, arch: ArchSpec, target: Path, experts: str, trunk: str, progress: Progress, cancel: CancelToken
) -> None:
    layout = lay_out(source, arch, experts, trunk)
    with Draft(target, _key(source, experts, trunk)) as draft:
        _need_space(target, layout.nbytes, draft.kept_bytes)
        Writer(source, layout, draft, progress, cancel).run()


def _key(source: TensorSource, experts: str, trunk: str) -> str:
    """Equal for conversions that write the same bytes."""
    return f"{VERSION} {CONVERTER} {source.name} {source.key} {experts} {trunk}"


def _supported(config: Mapping[str, Any]) -> None:
    """Raises UnsupportedModel for a model that is refused before its weights are looked at."""
    with suppress(UnsupportedConfig):  # told with everything else
        described(config)


def _need_space(target: Path, total: int, kept: int) -> None:
    with writing(target):
        drive = next((p for p in target.parents if p.exists()), target.parent)
        free = shutil.disk_usage(drive).free
    if free < total - kept + 2**20:
        mb = 1_000_000
        raise StorageError(
            f"The converted model needs {(total - kept) // mb + 1} MB, but the drive of {target} has {free // mb} MB left. "
            "Free some space or choose another drive."
        )


class Writer:
    """Fills a draft with a layout's bytes, which `strip` and `record` make, on a few threads."""

    def __init__(self, source: TensorSource, layout: Layout, draft: Draft, progress: Progress, cancel: CancelToken) -> None:
        self.source, self.layout, self.draft, self.cancel = source, layout, draft, cancel
        self._progress, self._done, self._phase = progress, 0, "trunk"
        self.ahead = min(performance_cores(), 4)
        self.bad: list[BadCheckpoint] = []

    def strip(self, strip: Strip) -> U8:
        """The bytes of a strip of the trunk, or of a panel of the embedding."""
        return packed_strip(self.source, strip)

    def record(self, ordinal: int, expert: int) -> U8:
        """The record of an expert of MoE layer `ordinal`."""
        return packed_record(self.source, self.layout.specs[ordinal], self.layout.entries[ordinal].layout, expert, self.cancel)

    def run(self) -> None:
        """Write everything and give the draft its name."""
        with ThreadPoolExecutor(self.ahead, "convert") as self.pool, writing(self.draft.target):
            trunk, panels = self.trunk(), self.embed()
            self._phase = "experts"
            sums = [s for i in range(len(self.layout.entries)) for s in self.experts(i)]
            if self.bad:
                raise _all_of(self.bad)
            self.finish(trunk, np.array(sums + panels, "<u8").tobytes())

    def count(self, nbytes: int) -> None:
        """Tell that many more bytes."""
        self._done += nbytes
        self._progress(self._phase, self._done, self.layout.nbytes)

    def trunk(self) -> TrunkEntry:
        """Write trunk.safetensors."""
        layout, head = self.layout, np.frombuffer(self.layout.header, np.uint8)
        jobs: list[Callable[[], U8]] = [lambda: head, *(partial(self.strip, s) for s in layout.strips)]
        sizes = [head.nbytes, *(s.nbytes for s in layout.strips)]
        with closing(self.draft.grow(TRUNK, sizes, self.cancel, head.nbytes, self.count)) as file:
            self.fill(file, jobs[len(file.sums) :])
        return TrunkEntry(TRUNK, sum(sizes), head.nbytes, xxhash.xxh3_128_hexdigest(layout.header), file.digest, layout.tensors)

    def embed(self) -> list[int]:
        """Write the embedding's own file, where it has one; the checksums of its panels."""
        if self.layout.embed is None:
            return []
        panels = self.layout.panels
        with closing(self.draft.grow(self.layout.embed.file, [p.nbytes for p in panels], self.cancel, 0, self.count)) as file:
            self.fill(file, [partial(self.strip, p) for p in panels[len(file.sums) :]])
        return file.sums

    def experts(self, ordinal: int) -> list[int]:
        """Write one layer's expert file; the checksums of its records."""
        entry = self.layout.entries[ordinal]
        sizes = [entry.layout.stride] * entry.n_experts
        with closing(self.draft.grow(entry.file, sizes, self.cancel, 0, self.count)) as file:
            missing = range(len(file.sums), entry.n_experts)
            self.fill(file, [partial(self.record, ordinal, e) for e in missing])
        return file.sums

    def fill(self, file: GrowingFile, jobs: Iterable[Callable[[], U8]]) -> None:
        """Append what the jobs make; from the first bad one on, only look for more of them."""
        for chunk in in_order(self.pool, (partial(_tried, job) for job in jobs), self.ahead, self.cancel):
            if isinstance(chunk, BadCheckpoint):
                self.bad.append(chunk)
                continue
            if not self.bad:
                file.append(chunk)
            self.count(chunk.nbytes)

    def finish(self, trunk: TrunkEntry, sums: bytes) -> None:
        """The small files, the checksums and, last, the manifest."""
        files = self.source.files()
        for name, data in files.items():
            self.draft.put(name, data)
        self.draft.put(CHECKSUMS, sums)
        formats = set(self.layout.formats.values())
        features = [
            name
            for name, used in (
                ("mxfp4", "mxfp4" in formats),
                ("expert-biases", any(e.layout.biases is not None for e in self.layout.entries)),
                (EMBED_ROWS, self.layout.embed is not None),
            )
            if used
        ]
        self.draft.finish(
            Manifest(
                features=tuple(features),
                converter=CONVERTER,
                source={"name": self.source.name, "repo": self.source.repo, "commit": self.source.commit},
                config=self.source.config,
                defaults=published_defaults(files.get("generation_config.json", b"{}")),
                formats=self.layout.formats,
                trunk=trunk,
                volumes=(".",),
                experts=self.layout.entries,
                checksums_file=CHECKSUMS,
                checksums=FileEntry(len(sums), xxhash.xxh3_128_hexdigest(sums)),
                files={name: FileEntry(len(data), xxhash.xxh3_128_hexdigest(data)) for name, data in files.items()},
                embed=self.layout.embed,
            )
        )


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
    more = f" and {len(named) - 3} more" if len(named) > 3 else ""
    return BadCheckpoint(f"{bad[0]} The same is true of {', '.join(named[:3])}{more}.", "\n".join(map(str, bad)))
