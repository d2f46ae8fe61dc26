"""Verdicts about models on this machine: the facts are gathered here, and judged by `engine.setup.verdict`."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import psutil

from engine import paths
from engine.cancel import CancelToken
from engine.config import EngineConfig
from engine.cores import performance_cores
from engine.machine import memory
from engine.offers import Verdict
from engine.setup.catalogue import Entry, catalogue
from engine.setup.memory_speed import memory_speed
from engine.setup.outlook import outlook
from engine.setup.speed import drive_speed
from engine.setup.unwritten import Unwritten
from engine.setup.verdict import Machine, verdict

AT_DEFAULTS = EngineConfig(Path(), draft="auto", apart=True)  # as the window opens it, which takes a little more


def this_machine(
    folder: Path, cancel: CancelToken, progress: Callable[[float], None] = lambda fraction: None, again: bool = False
) -> Machine:
    """The facts, for models in `folder`, which need not exist yet: six seconds, or none where the drive was measured lately.

    progress(fraction) of the drive's test; again: test it in any case. Raises StorageError, Cancelled.
    """
    drive = drive_speed(folder, cancel, progress, again)
    cancel.check()
    now = memory()
    free = psutil.disk_usage(str(paths.nearest(folder))).free
    return Machine(now.limit_bytes, now.available_bytes, memory_speed(performance_cores(), cancel), drive, free)


def judge(
    model: Unwritten, machine: Machine, config: EngineConfig = AT_DEFAULTS, download_bytes: int | None = None, installed: bool = False
) -> Verdict:
    """The verdict about `model` under the limit of `config`, or the one that it would get on `machine`. Raises BadRequest."""
    at_best = outlook(model, replace(config, budget_bytes=None))
    limit = max(config.budget_bytes or machine.budget_bytes, at_best.floor_bytes)
    return verdict(machine, outlook(model, replace(config, budget_bytes=limit)), download_bytes, installed)


def judged(entry: Entry, machine: Machine) -> Verdict:
    """The verdict about a model of the catalogue in its recommended formats."""
    model = entry.unwritten()
    return judge(model, machine, download_bytes=entry.download_bytes(model.arch))


def judged_catalogue(machine: Machine, cancel: CancelToken) -> list[tuple[Entry, Verdict]]:
    """The whole catalogue, what runs well on `machine` first. Raises Cancelled."""
    out = []
    for entry in catalogue():
        cancel.check()
        out.append((entry, judged(entry, machine)))
    return sorted(out, key=lambda pair: pair[1].order)
