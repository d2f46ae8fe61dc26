"""Pulls that have not ended, in pulls.json of the home folder, so that they go on after a restart or a kill."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from engine.container.storage import FolderLock, InUse, write_whole
from engine.container.strict import Malformed, parse_object, read_limited
from engine.offers import KeptPull
from engine.words import packed, unpacked

VERSION = 1
LIMIT = 1 << 20
LOCK_S, POLL_S = 5.0, 0.01
KEYS = {f.name for f in fields(KeptPull)}


class KeptPulls:
    """The list in `home`, by target; several processes may change it. A home that cannot be written keeps nothing."""

    def __init__(self, home: Path) -> None:
        self._path = home / "pulls.json"

    def all(self) -> tuple[KeptPull, ...]:
        """In the order in which they were first put; entries that are damaged are left out."""
        try:
            value = parse_object(read_limited(self._path, LIMIT))
        except (Malformed, OSError):
            return ()
        entries = value.get("pulls") if value.get("version") == VERSION else None
        found = [_read(entry) for entry in entries] if isinstance(entries, list) else []
        return tuple(pull for pull in found if pull is not None)

    def get(self, target: Path) -> KeptPull | None:
        """The pull into `target`."""
        return next((pull for pull in self.all() if pull.target == target), None)

    def put(self, pull: KeptPull) -> None:
        """Add or replace the pull of this target."""

        def changed(pulls: list[KeptPull]) -> list[KeptPull]:
            if all(p.target != pull.target for p in pulls):
                return [*pulls, pull]
            return [pull if p.target == pull.target else p for p in pulls]

        self._change(changed)

    def drop(self, target: Path) -> None:
        """Forget the pull into `target`, where there is one."""
        if self.get(target) is not None:
            self._change(lambda pulls: [p for p in pulls if p.target != target])

    def _change(self, change: Callable[[list[KeptPull]], list[KeptPull]]) -> None:
        with suppress(OSError, InUse), self._locked():
            entries = [{**asdict(p), "target": str(p.target), "problem": packed(p.problem)} for p in change(list(self.all()))]
            write_whole(self._path, json.dumps({"version": VERSION, "pulls": entries}, indent=1).encode())

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        end = time.monotonic() + LOCK_S
        while True:
            try:
                lock = FolderLock(self._path.with_name("pulls.lock"), self._path)
                break
            except InUse:
                if time.monotonic() > end:
                    raise
                time.sleep(POLL_S)
        try:
            yield
        finally:
            lock.close()


def _read(entry: object) -> KeptPull | None:
    if not isinstance(entry, dict):
        return None
    value: dict[str, Any] = {"mtp": "keep", **entry}  # earlier versions did not ask
    if set(value) != KEYS:
        return None
    texts = all(isinstance(value[k], str) for k in ("source", "target", "experts", "trunk", "mtp"))
    flags = all(isinstance(value[k], bool) for k in ("start_now", "paused"))
    if not texts or not flags or not isinstance(value["revision"], str | None) or "\0" in value["target"]:
        return None
    try:
        problem = unpacked(value["problem"])
    except (ValueError, RecursionError):
        return None
    target = Path(value["target"])
    return KeptPull(**{**value, "target": target, "problem": problem}) if target.is_absolute() else None
