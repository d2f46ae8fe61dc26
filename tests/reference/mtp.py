"""The layer for multi-token prediction in float64, from the published tensors.

Source: DeepSeek-V3 (arXiv 2412.19437), equations 21 to 23. Facts beyond it, alike in the released implementations of all families here:
the input is [norm of the embedding; norm of the hidden row] in this order, the hidden row is what the head reads (after the last norm).
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from engine.arch.spec import ArchSpec, Dense, with_mtp
from tests.reference.ffn import dense, moe
from tests.reference.norm import rms_norm
from tests.reference.source import Checkpoint, Trunk
from tests.reference.walk import Walk, _mixer

F64 = npt.NDArray[np.float64]


def further(
    spec: ArchSpec, checkpoint: Checkpoint, ids: npt.NDArray[np.int32], walked: Walk, names: Mapping[str, str], one_plus: bool
) -> tuple[F64, F64, npt.NDArray[np.int32]]:
    """For each token but the last, with the one after it: logits [T - 1, vocab] of the token after both, rows of the last norm
    [T - 1, d_model], and the chosen experts [T - 1, top_k], none of a dense layer. names: published names of the tensors around the layer.
    """
    m = spec.offered
    assert m is not None
    trunk = Trunk(checkpoint, with_mtp(replace(spec, mtp=None)))

    def own(name: str) -> F64:
        t = np.asarray(checkpoint.tensors[names[name]], np.float64)
        return t + 1 if one_plus and name != "project" else t

    x = np.concatenate(
        [rms_norm(trunk["embed"][ids[1:]], own("embed_norm"), m.norm_eps), rms_norm(walked.final[:-1], own("hidden_norm"), m.norm_eps)], 1
    ) @ own("project").T
    w, chosen = trunk.at(f"layers.{m.index}."), [np.zeros((len(x), 0), np.int32)]
    x = x + _mixer(m.layer, w, x)
    if isinstance(m.layer.ffn, Dense):
        x = x + dense(m.layer.ffn, w.at("ffn."), rms_norm(x, w["ffn_norm"], m.layer.norm_eps))
    else:
        x = x + moe(m.layer, m.experts[0], w, checkpoint, x, lambda logits, ids, weights: chosen.append(ids))
    rows = rms_norm(x, own("norm"), m.norm_eps)
    return rows @ trunk["embed" if spec.tied else "head"].T, rows, chosen[-1]
