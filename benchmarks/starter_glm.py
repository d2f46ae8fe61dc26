"""The starter in GLM-4.5's format, whose checkpoints may bring a layer for further tokens.

    python -m benchmarks.starter_glm [--further FILE.npz]

The same function, up to rounding:

- the starter's biases on q, k and v and its shared expert's gate are zero, so they are left out, and the shared down projection halved;
- GLM's shared experts have one width and its dense layers come first: a later dense layer becomes a shared expert beside routed experts
  that are zero, a narrower shared expert is filled up with zeros;
- GLM weighs experts by sigmoids instead of a softmax. Far below zero a sigmoid is an exponential, and after the division by their sum a
  shift that all experts share is gone. So each router gets the same direction subtracted from all its rows, one along which its
  inputs all lie (fitted by least squares).

`further`: tensors of a layer for further tokens by their published names; benchmarks/train_further.py trains one.
"""

import argparse
import shutil
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.draft_prompts import HARBOUR, LETTER, SHOP, STACK
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
FIRST_DENSE = 3  # of the starter's layers, before the first that is routed
DEPTH = 8.0  # the least by which logits are shifted down: a sigmoid there is an exponential up to one part in 3000


class RouterInputs:
    """A probe: what each router reads, checked by the logits that come of it."""

    def __init__(self, model: Model, routers: Mapping[int, F32]) -> None:
        self._model, self._routers = model, routers
        self.seen: dict[int, list[F32]] = {i: [] for i in routers}
        self.logits: dict[int, list[F32]] = {i: [] for i in routers}

    def hidden(self, layer: int, x: F32) -> None:
        pass

    def last(self, x: F32) -> None:
        pass

    def routes(self, layer: int, logits: F32, ids: npt.NDArray[np.int32], weights: F32) -> None:
        h = self._model._scratch.h.array[: len(logits)].copy()
        if not np.allclose(h @ self._routers[layer].T, logits, atol=0.05 * float(np.abs(logits).max())):
            raise AssertionError(f"the buffer does not hold what the router of layer {layer} read")
        self.seen[layer].append(h)
        self.logits[layer].append(logits.copy())


def shifts(base: TensorSource) -> dict[int, F32]:
    """By routed layer, what to subtract from each row of its router."""
    routers = {
        i: base.rows(f"model.layers.{i}.mlp.gate.weight", 0, base.config["num_experts"])
        for i in range(base.config["num_hidden_layers"]) if i not in base.config["mlp_only_layers"]
    }  # fmt: skip
    path = built_starter()
    with closing(Container.open(path)) as container:
        config = EngineConfig(path, context=1024, chunk=128)
        with closing(Model(container, config, plan(container, config), lambda fraction: None, CancelToken())) as model:
            model.probe = probe = RouterInputs(model, routers)
            ids = Text.open(path).encode(f"{HARBOUR}\n\n{SHOP}\n\n{LETTER}\n\n{STACK}")[:1000]
            state = model.new_state()
            for at in range(0, len(ids), 128):
                model.forward(np.asarray(ids[at : at + 128], np.int32), state, "none")
            model.probe = None
    out = {}
    for i, parts in probe.seen.items():
        h, highest = np.concatenate(parts).astype(np.float64), np.concatenate(probe.logits[i]).max(axis=1)
        gram = h.T @ h
        v = np.linalg.solve(gram + 1e-3 * np.trace(gram) / len(gram) * np.eye(len(gram)), h.sum(axis=0))
        along = h @ v
        if along.min() <= 0:
            raise AssertionError(f"no direction has all inputs of the router of layer {i}")
        out[i] = (v * float(((highest + DEPTH) / along).max())).astype(np.float32)
    return out


class GlmSource:
    """`base`, the starter, as a glm4_moe checkpoint."""

    def __init__(self, base: TensorSource, shifts: Mapping[int, F32], further: Mapping[str, F32] | None = None) -> None:
        self.base, c = base, base.config
        self.name, self.repo, self.commit = f"{base.name}-glm", base.repo, base.commit
        self.key = f"{base.key} glm {sum(float(np.abs(a).sum()) for a in (further or {}).values())}"
        same = (
            "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "head_dim", "hidden_act",
            "max_position_embeddings", "rms_norm_eps", "rope_theta", "vocab_size", "tie_word_embeddings", "bos_token_id", "eos_token_id",
            "pad_token_id", "torch_dtype", "num_experts_per_tok", "moe_intermediate_size", "norm_topk_prob",
        )  # fmt: skip
        self.config: Mapping[str, Any] = {k: c[k] for k in same} | {
            "architectures": ["Glm4MoeForCausalLM"], "model_type": "glm4_moe", "attention_bias": False, "use_qk_norm": False,
            "partial_rotary_factor": 1.0, "n_routed_experts": c["num_experts"], "routed_scaling_factor": 1.0, "n_group": 1, "topk_group": 1,
            "n_shared_experts": c["intermediate_size"] // c["moe_intermediate_size"], "first_k_dense_replace": FIRST_DENSE,
            "num_nextn_predict_layers": 1 if further else 0,
        }  # fmt: skip
        self._made: dict[str, F32] = dict(further or {})
        self._old: dict[str, str] = {}
        for name in base.tensors:
            if not name.endswith(("bias", "shared_expert_gate.weight", "mlp.gate.weight")) and "shared_expert." not in name:
                self._old[name] = name
        for i in range(FIRST_DENSE, c["num_hidden_layers"]):
            self._routed(i, f"model.layers.{i}.mlp.", shifts.get(i))
        shapes = {k: base.tensors[old].shape for k, old in self._old.items()} | {k: a.shape for k, a in self._made.items()}
        self.tensors: Mapping[str, TensorInfo] = {k: TensorInfo("F32", shape) for k, shape in shapes.items()}

    def _routed(self, i: int, p: str, shift: F32 | None) -> None:
        c, d = self.base.config, self.base.config["hidden_size"]
        n, wide, narrow = c["num_experts"], c["intermediate_size"], c["moe_intermediate_size"]
        self._made[p + "gate.e_score_correction_bias"] = np.zeros(n, np.float32)
        if shift is None:  # a dense layer
            for part in ("gate", "up", "down"):
                self._old[f"{p}shared_experts.{part}_proj.weight"] = self._old.pop(f"{p}{part}_proj.weight")
                shape = (d, narrow) if part == "down" else (narrow, d)
                self._made |= {f"{p}experts.{e}.{part}_proj.weight": np.zeros(shape, np.float32) for e in range(n)}
            self._made[p + "gate.weight"] = np.zeros((n, d), np.float32)
            return
        self._made[p + "gate.weight"] = self.base.rows(p + "gate.weight", 0, n) - shift
        for part in ("gate", "up", "down"):
            old = f"{p}shared_expert.{part}_proj.weight"
            own = self.base.rows(old, 0, self.base.tensors[old].shape[0]) * (0.5 if part == "down" else 1.0)
            full = np.zeros((d, wide) if part == "down" else (wide, d), np.float32)
            full[: own.shape[0], : own.shape[1]] = own
            self._made[f"{p}shared_experts.{part}_proj.weight"] = full

    def rows(self, name: str, start: int, count: int, step: int = 1, index: int | None = None) -> F32:
        """As TensorSource.rows."""
        if name in self._made:
            return self._made[name][start : start + (count - 1) * step + 1 : step]
        return self.base.rows(self._old[name], start, count, step, index)

    def raw(self, name: str, index: int | None = None) -> npt.NDArray[np.uint8]:
        """As TensorSource.raw; nothing is stored as bytes here."""
        raise KeyError(name)

    def files(self) -> Mapping[str, bytes]:
        """As TensorSource.files."""
        return self.base.files()


def as_glm(further: Mapping[str, F32] | None = None, folder: Path | None = None, anew: bool = False, trunk: str = "q4") -> Path:
    """The container, with the layer where there is one; made where `folder` has none, or anew. Raises EngineError."""
    target = (folder or default_folder()) / f"starter-glm{'-mtp' if further else ''}-{trunk}.ouzel"
    if anew:
        shutil.rmtree(target, ignore_errors=True)
    if not (target / MANIFEST).exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        with starter_source() as base:
            convert_source(GlmSource(base, shifts(base), further), target, "q4", trunk, lambda phase, done, total: None, CancelToken())
    return target


def main() -> None:
    """Make it, and say where it is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--further", type=Path, help="what benchmarks/train_further.py wrote")
    parser.add_argument("--folder", type=Path, help=f"default {default_folder()}; OUZEL_BENCH_FOLDER moves it")
    parser.add_argument("--trunk", default="q4", help="its format")
    a = parser.parse_args()
    further = None
    if a.further is not None:
        with np.load(a.further) as npz:
            further = {name: npz[name] for name in npz.files}
    try:
        print(as_glm(further, a.folder, further is not None, a.trunk))
    except EngineError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
