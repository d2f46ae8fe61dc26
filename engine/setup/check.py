"""Everything about a checkpoint that can be wrong, told in one error: all but its numbers before a byte of its container is written."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from engine.arch import described
from engine.arch.sense import contradictions
from engine.arch.spec import ArchSpec
from engine.cancel import CancelToken
from engine.cores import performance_cores
from engine.errors import UnsupportedConfig
from engine.machine import memory
from engine.setup.diagnose import wrong_number
from engine.setup.finite import RULES, Numbers, unsound
from engine.setup.fitting import Fit, fit
from engine.setup.further import chosen
from engine.setup.problems import Problems, bad_checkpoint
from engine.setup.source import TensorInfo
from engine.setup.tensor_file import TensorFile
from engine.words import say

Progress = Callable[[str, int, int], None]
FINDINGS = 3  # wrong numbers of a config that are looked for, one after the other
SCALES = ("_scale", "_scales")  # beside the U8 codes of MXFP4


class Files(Protocol):
    """Files of weights. listed: what they name; owner: the file of each tensor that can be read.

    lacking: tensors that should be in a file and are not, with its name; unread: those of which only the name is known; blind: there may
    be others.
    """

    blind: bool

    @property
    def listed(self) -> Mapping[str, TensorInfo]:
        """By stored name."""

    @property
    def owner(self) -> Mapping[str, object]:
        """By stored name."""

    @property
    def lacking(self) -> Mapping[str, str]:
        """By stored name."""

    @property
    def unread(self) -> Collection[str]:
        """Stored names."""


class Checked(Protocol):
    """A checkpoint that is looked at. tensors: by the names that its family uses; parts: the stored ones that a tensor is made of."""

    name: str
    config: Mapping[str, Any]
    problems: Problems
    tensors: Mapping[str, TensorInfo]

    @property
    def shards(self) -> Files:
        """Its files."""

    def parts(self, name: str) -> tuple[str, ...]:
        """The stored tensors that `name` is made of."""


class Check:
    """Of the checkpoint `folder`: config, files and tensors when made, the numbers by `values`; `judge` raises what was found.

    mtp: see engine.setup.further.

    arch: None where the config cannot be read. Raises BadRequest (keep_mxfp4, where the experts are stored otherwise), Cancelled.
    """

    def __init__(self, folder: Checked, keep_mxfp4: bool, cancel: CancelToken, mtp: str = "keep") -> None:
        self.folder, self.problems, self.cancel = folder, folder.problems, cancel
        self.arch: ArchSpec | None = None
        self._unsupported: UnsupportedConfig | None = None
        self._used: dict[str, int | None] = dict.fromkeys(folder.tensors)
        lacking = dict(folder.shards.lacking)
        if not self.problems.config:
            try:
                self.arch = chosen(described(folder.config), folder.tensors, mtp)
            except UnsupportedConfig as e:
                self._refuse(e.problems)
        if self.arch is not None:
            self._tensors(self.arch, keep_mxfp4, lacking)
        self.problems.files += [say("{file} lacks {name}", file=file, name=name) for name, file in lacking.items()]

    @property
    def sound(self) -> bool:
        """Whether nothing was found so far."""
        return not self.problems.lines()

    def values(self, progress: Progress) -> None:
        """Look at every number that a conversion reads, each byte once. progress("check", bytes done, bytes in all).

        Raises StorageError, Cancelled.
        """
        parts = {(t.shard.path.name, t.name): t for t in self._numbers()}  # experts of one stacked tensor name it again and again
        numbers = sorted(parts.values(), key=lambda t: (t.shard.path.name, t.shard.tensors[t.name].offset))
        total, done = sum(t.nbytes for t in numbers), 0

        def on_bytes(n: int) -> None:
            nonlocal done
            done += n
            progress("check", done, total)

        keep = total < memory().available_bytes // 2
        for name, bad in unsound(numbers, min(performance_cores(), 4), keep, on_bytes, self.cancel).items():
            at = [int(i) for i in np.unravel_index(bad.at, self.folder.shards.listed[name].shape)]
            more = say(", and {count} more such values", count=bad.count - 1) if bad.count > 1 else ""
            self.problems.values.append(
                say("{name} holds {value} at {at}, which is no number{more}", name=name, value=bad.value, at=at, more=more)
            )

    def judge(self) -> None:
        """Raises BadCheckpoint with all that was found; UnsupportedConfig, where that is only what the config asks for."""
        if not (lines := self.problems.lines()):
            return
        if self._unsupported is not None and set(lines) == set(self._unsupported.problems):
            raise self._unsupported
        raise bad_checkpoint(self.folder.name, lines)

    def _refuse(self, problems: "tuple[str, ...] | list[str]") -> None:
        self._unsupported = UnsupportedConfig(problems)
        self.problems.config += problems

    def _compare(self, arch: ArchSpec, all_experts: bool = True, keep_mxfp4: bool = False) -> Fit:
        out = fit(self.folder.tensors, arch, keep_mxfp4, self.folder.shards.unread, all_experts)
        if self.folder.shards.blind:
            out.missing.clear()
        return out

    def _tensors(self, arch: ArchSpec, keep_mxfp4: bool, lacking: dict[str, str]) -> None:
        found = self._compare(arch, keep_mxfp4=keep_mxfp4)
        self._used, explained, config = found.used, set[str](), self.folder.config
        wrong, now = contradictions(arch), found
        for _ in range(FINDINGS):
            if not now.bad or (finding := wrong_number(config, arch, now, self._compare, self.cancel.check)) is None:
                break
            self.problems.config.append(finding.words)
            explained |= finding.explained
            arch, config, now, wrong = finding.arch, finding.config, self._compare(finding.arch), []
            self._used = self._used | now.used
        if wrong:
            self._refuse(wrong)
        self.problems.tensors += now.lines(lacking)
        for name in found.missing | now.missing:
            lacking.pop(name, None)

    def _numbers(self) -> Iterator[Numbers]:
        shards = self.folder.shards
        for name, count in self._used.items():
            for part in self.folder.parts(name):
                shard = shards.owner.get(part)
                if not isinstance(shard, TensorFile):  # what comes over a network is checked while it is packed
                    continue
                stored = shard.tensors[part]
                dtype = "E8M0" if stored.info.dtype == "U8" and part.endswith(SCALES) else stored.info.dtype
                if dtype in RULES:
                    size = np.dtype(RULES[dtype][0]).itemsize
                    yield Numbers(shard, part, dtype, 0, stored.nbytes if count is None else min(stored.nbytes, count * size))
