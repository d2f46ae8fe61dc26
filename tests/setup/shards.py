"""Checkpoint folders to spoil: their tensors as arrays, changed, and written back with the safetensors library."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load_file, save_file

from engine.cancel import CancelToken
from engine.setup.convert import convert

Arrays = dict[str, npt.NDArray[np.generic]]


def changed(checkpoint: Path, folder: Path, change: Callable[[Arrays], object]) -> Path:
    """A copy of an f32 checkpoint whose tensors `change` has edited in place."""
    out = Path(shutil.copytree(checkpoint, folder / "changed"))
    arrays: Arrays = {}
    for file in sorted(out.glob("*.safetensors")):
        arrays.update(load_file(file))
        file.unlink()
    (out / "model.safetensors.index.json").unlink(missing_ok=True)
    change(arrays)
    save_file(arrays, out / "model.safetensors")
    return out


def run(source: Path, target: Path, experts: str = "q4", trunk: str = "q4") -> Path:
    convert(source, target, experts, trunk, lambda phase, done, total: None, CancelToken())
    return target


def tree(folder: Path) -> Mapping[str, bytes]:
    """Every file below a folder."""
    return {f.relative_to(folder).as_posix(): f.read_bytes() for f in sorted(folder.rglob("*")) if f.is_file()}
