"""What a path on this computer is a model in: a folder of safetensors, or a GGUF file; and one way to open either."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from engine.container.storage import reading
from engine.setup.checkpoint import CheckpointFolder
from engine.setup.gguf_checkpoint import GgufCheckpoint
from engine.setup.gguf_parts import PART, is_gguf


def gguf_in(path: Path) -> Path | None:
    """The GGUF file that `path` is, or the first one of the only model in a folder without config.json. Raises StorageError."""
    with reading(path):
        if is_gguf(path):
            return path
        if path.is_dir() and not (path / "config.json").exists() and not (path / "manifest.json").exists():
            found = sorted(f for f in path.iterdir() if f.is_file() and f.suffix.lower() == ".gguf" and not f.name.startswith("mmproj"))
            firsts = [f for f in found if (m := PART.match(f.name)) is None or int(m["part"]) == 1]
            return firsts[0] if len(firsts) == 1 else None
    return None


def open_checkpoint(
    path: Path, check: Callable[[Mapping[str, Any]], object] = lambda config: None
) -> CheckpointFolder | GgufCheckpoint:
    """The checkpoint at `path`, open until its `close`. Raises BadCheckpoint, UnsupportedModel, StorageError, what `check` raises."""
    path = path.expanduser().absolute()
    file = gguf_in(path)
    return CheckpointFolder(path, check) if file is None else GgufCheckpoint(file, check)
