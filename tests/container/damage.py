"""A copy of a container to damage, and its manifest rewritten with a checksum that is right again."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.container.manifest import _checksum, encode


def copied(container: Path, folder: Path) -> Path:
    return Path(shutil.copytree(container, folder / container.name))


def flip(file: Path, at: int) -> None:
    data = bytearray(file.read_bytes())
    data[at] ^= 0x10
    file.write_bytes(data)


def edit(container: Path, change: Callable[[dict[str, Any]], object]) -> None:
    file = container / "manifest.json"
    value = json.loads(file.read_text(encoding="utf-8"))
    change(value)
    value["checksum"] = _checksum(value)
    file.write_bytes(encode(value))
