"""The files of kept conversations by their keys, for whoever removes some without opening a model."""

import contextlib
import re
from collections.abc import Collection
from pathlib import Path

import xxhash

SUFFIX = ".state"


def forget(folder: Path, key: str) -> None:
    """Remove what is kept of a conversation, as when it is deleted."""
    remove(folder / f"{named(key)}{SUFFIX}")


def only(folder: Path, keys: Collection[str]) -> None:
    """Remove what is kept of all other conversations."""
    names = {named(key) for key in keys}
    for path in folder.glob(f"*{SUFFIX}"):
        if path.name.removesuffix(SUFFIX) not in names:
            remove(path)


def named(key: str) -> str:
    """A file name for a conversation's key."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]{1,80}", key) else xxhash.xxh3_128_hexdigest(key.encode())


def remove(path: Path) -> None:
    """Remove a file where that is possible."""
    with contextlib.suppress(OSError):
        path.unlink()
