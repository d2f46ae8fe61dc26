"""A draft model for the starter, made of it by leaving layers out: `python -m benchmarks.skip [--layers 24] [--folder DIR]`.

The layers that change the residual stream least go (one minus the cosine between what a layer reads and what it leaves, over a text:
"block influence", arXiv 2403.03853); the first and the last stay. Nothing is trained afterwards, so this is a poor model of its size.
"""

import argparse
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.draft_prompts import HARBOUR, LETTER, SHOP
from benchmarks.widen import default_folder, starter_source
from engine.cancel import CancelToken
from engine.config import EngineConfig
from engine.container.format import MANIFEST
from engine.container.reader import Container
from engine.errors import EngineError
from engine.model.model import Model
from engine.model.plan import plan
from engine.setup.convert import convert_source
from engine.setup.source import TensorInfo, TensorSource
from engine.text.text import Text
from tests.starter_cache import built_starter

F32 = npt.NDArray[np.float32]


class Influence:
    """A probe: how much each layer turns the residual stream, summed over rows."""

    def __init__(self, n_layers: int) -> None:
        self.turned = np.zeros(n_layers)
        self._before: F32 | None = None

    def hidden(self, layer: int, x: F32) -> None:
        x = x.astype(np.float64)
        if layer >= 0 and self._before is not None:
            norms = np.linalg.norm(x, axis=1) * np.linalg.norm(self._before, axis=1)
            self.turned[layer] += float((1 - (x * self._before).sum(axis=1) / norms).sum())
        self._before = x

    def last(self, x: F32) -> None:
        pass

    def routes(self, layer: int, logits: F32, ids: npt.NDArray[np.int32], weights: F32) -> None:
        pass


def influence(path: Path) -> npt.NDArray[np.float64]:
    """Of each layer of a container, over a text."""
    with closing(Container.open(path)) as container:
        config = EngineConfig(path, context=1024, chunk=128)
        with closing(Model(container, config, plan(container, config), lambda fraction: None, CancelToken())) as model:
            seen = Influence(len(container.arch.layers))
            model.probe = seen
            ids = Text.open(path).encode(f"{HARBOUR}\n\n{LETTER}\n\n{SHOP}")[:1000]
            state = model.new_state()
            for at in range(0, len(ids), 128):
                model.forward(np.asarray(ids[at : at + 128], np.int32), state, "none")
            model.probe = None
    return seen.turned


class SkipSource:
    """`base`, a checkpoint whose layers are named model.layers.N, with only `kept` of them."""

    def __init__(self, base: TensorSource, kept: list[int]) -> None:
        self.base, self.repo, self.commit = base, base.repo, base.commit
        self.name = f"{base.name}-{len(kept)}-layers"
        self.key = f"{base.key} layers {kept}"
        self.config: Mapping[str, Any] = {**base.config, "num_hidden_layers": len(kept), **self._placed(base.config, kept)}
        new = {old: n for n, old in enumerate(kept)}
        self._old: dict[str, str] = {}
        for name in base.tensors:
            parts = name.split(".")
            if parts[:2] == ["model", "layers"]:
                if int(parts[2]) not in new:
                    continue
                parts[2] = str(new[int(parts[2])])
            self._old[".".join(parts)] = name
        self.tensors: Mapping[str, TensorInfo] = {name: base.tensors[old] for name, old in self._old.items()}

    @staticmethod
    def _placed(config: Mapping[str, Any], kept: list[int]) -> dict[str, Any]:
        dense = config.get("mlp_only_layers")
        return {} if dense is None else {"mlp_only_layers": [n for n, old in enumerate(kept) if old in dense]}

    def rows(self, name: str, start: int, count: int, step: int = 1, index: int | None = None) -> F32:
        """As TensorSource.rows."""
        return self.base.rows(self._old[name], start, count, step, index)

    def raw(self, name: str, index: int | None = None) -> npt.NDArray[np.uint8]:
        """As TensorSource.raw."""
        return self.base.raw(self._old[name], index)

    def files(self) -> Mapping[str, bytes]:
        """As TensorSource.files."""
        return self.base.files()


def kept_layers(turned: npt.NDArray[np.float64], count: int) -> list[int]:
    """The first, the last, and of the others those with the most influence, `count` in all."""
    inner = sorted(range(1, len(turned) - 1), key=lambda i: -turned[i])[: count - 2]
    return sorted([0, *inner, len(turned) - 1])


def skipped(count: int, folder: Path | None = None) -> Path:
    """The starter with `count` layers, made where `folder` has none. Raises EngineError."""
    target = (folder or default_folder()) / f"starter-{count}-layers.ouzel"
    if not (target / MANIFEST).exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        kept = kept_layers(influence(built_starter()), count)
        with starter_source() as base:
            convert_source(SkipSource(base, kept), target, "q4", "q4", lambda phase, done, total: None, CancelToken())
    return target


def main() -> None:
    """Make one, and say where it is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, default=24)
    parser.add_argument("--folder", type=Path, help=f"default {default_folder()}; OUZEL_BENCH_FOLDER moves it")
    a = parser.parse_args()
    try:
        print(skipped(a.layers, a.folder))
    except EngineError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
