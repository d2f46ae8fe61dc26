"""A forward pass with everything in it recorded, under the names of the oracle checkpoints; for whoever ports a model."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from engine.arch.spec import LayerSpec, Moe
from engine.cancel import CancelToken
from engine.config import EngineConfig
from engine.container.reader import Container
from engine.errors import BadRequest
from engine.model.model import Model
from engine.model.plan import plan


class _Recorder:
    """Collects the rows of every step by layer."""

    def __init__(self) -> None:
        self.states: dict[int, list[npt.NDArray[np.float32]]] = {}
        self.ends: list[npt.NDArray[np.float32]] = []
        self.routers: dict[int, list[tuple[npt.NDArray[np.float32], npt.NDArray[np.int32], npt.NDArray[np.float32]]]] = {}

    def hidden(self, layer: int, x: npt.NDArray[np.float32]) -> None:
        self.states.setdefault(layer, []).append(x.copy())

    def last(self, x: npt.NDArray[np.float32]) -> None:
        self.ends.append(x.copy())

    def routes(self, layer: int, logits: npt.NDArray[np.float32], ids: npt.NDArray[np.int32], weights: npt.NDArray[np.float32]) -> None:
        order = np.argsort(ids, axis=1)
        row = logits.copy(), np.take_along_axis(ids, order, 1), np.take_along_axis(weights, order, 1)
        self.routers.setdefault(layer, []).append(row)


def trace(config: EngineConfig, ids: Sequence[int], greedy: int = 0) -> dict[str, npt.NDArray[np.generic]]:
    """Run ids [T] in chunks of config.chunk rows, then `greedy` argmax tokens (end tokens do not stop it).

    Returns input_ids [T], logits [T, V], hidden [L+1, T, H] (the embedding first), final [T, H] (after the last norm),
    moe_layers [M], router_logits [M, T, E] (probabilities where the published router hands those out), topk_idx [M, T, K] sorted
    by id, topk_weight alike, greedy_ids [greedy],
    greedy_logits [greedy, V]. Raises the errors of opening and of `Model.forward`.
    """
    if not ids:
        raise BadRequest("There is nothing to trace: give at least one token id with --ids.")
    container = Container.open(config.model)
    cancel = CancelToken()
    model = Model(container, config, plan(container, config), lambda _: None, cancel)
    try:
        return _run(model, np.asarray(ids, np.int32), greedy)
    finally:
        model.close()
        container.close()


def _shown(layer: LayerSpec, logits: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    assert isinstance(layer.ffn, Moe)
    if layer.ffn.router.shown == "logits":
        return logits
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True))


def _stacked(layers: list[npt.NDArray[np.generic]], n: int, kind: type[np.generic]) -> npt.NDArray[np.generic]:
    """A column of all MoE layers; a dense model has none."""
    return np.stack(layers) if layers else np.zeros((0, n, 0), kind)


def _run(model: Model, ids: npt.NDArray[np.int32], greedy: int) -> dict[str, npt.NDArray[np.generic]]:
    recorder, state = _Recorder(), model.new_state()
    model.probe = recorder
    step = model.plan.chunk
    logits = np.concatenate([model.forward(ids[i : i + step], state, "all").copy() for i in range(0, len(ids), step)])
    model.probe = None
    layers = sorted(recorder.routers)
    hidden = np.stack([np.concatenate(recorder.states[i]) for i in range(-1, len(model.spec.layers))])
    columns = [[np.concatenate([row[k] for row in recorder.routers[i]]) for i in layers] for k in range(3)]
    columns[0] = [_shown(model.spec.layers[i], logits) for i, logits in zip(layers, columns[0], strict=True)]
    chosen, rows, last = [], [], logits[-1]
    for _ in range(greedy):
        rows.append(last.copy())
        chosen.append(int(last.argmax()))
        if len(chosen) < greedy:
            last = model.forward(np.asarray(chosen[-1:], np.int32), state, "all")[0]
    return {
        "input_ids": ids,
        "logits": logits,
        "hidden": hidden,
        "final": model.final_norm(np.concatenate(recorder.ends)),
        "moe_layers": np.asarray(layers, np.int32),
        "router_logits": _stacked(columns[0], len(ids), np.float32),
        "topk_idx": _stacked(columns[1], len(ids), np.int32),
        "topk_weight": _stacked(columns[2], len(ids), np.float32),
        "greedy_ids": np.asarray(chosen, np.int32),
        "greedy_logits": np.stack(rows) if rows else np.zeros((0, logits.shape[1]), np.float32),
    }
