"""Record what PyTorch's own models answer to the tiny checkpoints; needed once a family, a seed and a torch version.

    pip install torch==2.13.0 transformers==5.23.0 safetensors
    python -m tests.oracle.record [FAMILY ...] [--seed N] [--dtype bf16|f32]

Writes tests/data/oracle/FAMILY/expected_SEED_DTYPE.npz (names and shapes as in `engine.model.trace`) and meta_SEED_DTYPE.json: the
least gap between the two best logits of the greedy tokens, and between the last chosen and the first rejected expert, so that a
test knows how much rounding the discrete answers absorb. Of 16 random prompts the one furthest from a tie is kept.
"""

import argparse
import io
import json
import re
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from safetensors.torch import load_file

from tests.oracle.checkpoint import DATA, write_checkpoint
from tests.oracle.draw import VOCAB, family_seed
from tests.oracle.k3_torch import KimiText
from tests.reference.mxfp4 import decode

PROMPT, GREEDY = 24, 16


class TransformersOracle:
    """transformers' own class, float32, eager attention and experts, watched by hooks."""

    def __init__(self, folder: Path) -> None:
        config = transformers.AutoConfig.from_pretrained(folder)
        more = {"quantization_config": transformers.Mxfp4Config(dequantize=True)} if getattr(config, "quantization_config", None) else {}
        cls = getattr(transformers, config.architectures[0])
        self.model, info = cls.from_pretrained(
            folder, dtype=torch.float32, attn_implementation="eager", experts_implementation="eager", output_loading_info=True, **more
        )
        wrong = {k: v for k, v in info.items() if v and k != "error_msgs"}
        assert not wrong, f"checkpoint and model disagree: {wrong}"
        self.model.eval()
        self.base = getattr(self.model.model, "language_model", self.model.model)

    def forward(self, ids: list[int]) -> dict[str, Any]:
        """logits [T, V], hidden [L+1, T, H], final [T, H], routing [(layer, logits, weights, ids)]."""
        hidden: list[torch.Tensor] = []
        routing: list[tuple[int, Any, Any, Any]] = []
        final: list[torch.Tensor] = []
        first = self.base.layers[0]
        hooks = [first.register_forward_pre_hook(lambda m, a, kw: hidden.append(_one(a or kw["hidden_states"])), with_kwargs=True)]
        for i, layer in enumerate(self.base.layers):
            hooks.append(layer.register_forward_hook(lambda m, a, out: hidden.append(_one(out))))
            for m in layer.modules():
                if re.search(r"TopKRouter|TopkRouter|TextRouter", type(m).__name__):
                    hooks.append(m.register_forward_hook(lambda m, a, out, i=i: routing.append((i, out[0], out[1], out[2]))))
        hooks.append(self.base.norm.register_forward_hook(lambda m, a, out: final.append(out[0].clone())))
        with torch.no_grad():
            logits = self.model(input_ids=torch.tensor([ids]), use_cache=False).logits[0]
        for h in hooks:
            h.remove()
        return {"logits": logits, "hidden": torch.stack(hidden), "final": final[0], "routing": routing}


def _one(out: Any) -> torch.Tensor:
    return (out[0] if isinstance(out, tuple) else out)[0].clone()


class K3Oracle:
    """k3_torch over the published tensors, MXFP4 decoded exactly."""

    def __init__(self, folder: Path) -> None:
        raw = {k.removeprefix("language_model."): v for f in sorted(folder.glob("*.safetensors")) for k, v in load_file(f).items()}
        weights = {}
        for name, value in raw.items():
            if name.endswith("weight_packed"):
                scale = raw[name.replace("packed", "scale")]
                weights[name.removesuffix("_packed")] = torch.from_numpy(decode(value.numpy(), scale.numpy()))
            elif not name.endswith("weight_scale"):
                weights[name] = value
        self.config = json.loads((folder / "config.json").read_text())["text_config"]
        self.model = KimiText(self.config, weights)

    def forward(self, ids: list[int]) -> dict[str, Any]:
        """As TransformersOracle.forward."""
        with torch.no_grad():
            r: dict[str, Any] = self.model.forward(torch.tensor(ids))
        r["routing"] = [(self.config["first_k_dense_replace"] + j, *x) for j, x in enumerate(r["routing"])]
        return r


def expert_gap(run: dict[str, Any], folder: Path, config: dict[str, Any]) -> float:
    """Least distance, over tokens and layers, between the choice scores of the last chosen and the first rejected expert or group.

    Infinite for a dense model, which chooses none.
    """
    if not run["routing"]:
        return float("inf")
    tensors = {k: v for f in folder.glob("*.safetensors") for k, v in load_file(f).items() if k.endswith("correction_bias")}
    c, gap = config.get("text_config", config), np.inf
    k = c.get("num_experts_per_tok") or c.get("num_experts_per_token") or c["top_k_experts"]
    for layer, logits, *_ in run["routing"]:
        s = logits.flatten(0, -2).double().numpy()
        bias = [v.double().numpy() for n, v in tensors.items() if f"layers.{layer}." in n]
        if bias:
            s = 1 / (1 + np.exp(-s)) + bias[0]
        elif "top_k_experts" in c:
            s = np.log(s)  # this router hands out probabilities
        groups, keep = c.get("n_group", 1), c.get("topk_group", 1)
        if bias and groups > 1:
            g = s.reshape(len(s), groups, -1)
            score = np.sort(g, -1)[..., -2:].sum(-1)
            order = np.sort(score, -1)
            gap = min(gap, float((order[:, -keep] - order[:, -keep - 1]).min()))
            s = np.where((score >= order[:, -keep][:, None])[..., None], g, -np.inf).reshape(len(s), -1)
        o = np.sort(s, -1)
        gap = min(gap, float((o[:, -k] - o[:, -k - 1]).min()))
    return gap


def record(family: str, seed: int, dtype: str) -> None:
    """Write the expected outputs of one checkpoint."""
    with tempfile.TemporaryDirectory() as tmp:
        folder = write_checkpoint(family, seed, dtype, Path(tmp))
        config = json.loads((folder / "config.json").read_text())
        oracle = K3Oracle(folder) if family == "kimi_k3" else TransformersOracle(folder)
        rng = np.random.Generator(np.random.Philox(key=[family_seed(family, seed), 1]))
        bos = config.get("bos_token_id", 256)
        prompts = [[bos, *rng.integers(0, VOCAB, PROMPT - 1).tolist()] for _ in range(16)]
        prompts = sorted(prompts, key=lambda p: -expert_gap(oracle.forward(p), folder, config))[:4]
        best: tuple[float, list[int], dict[str, Any]] | None = None
        for p in prompts:
            s = list(p)
            for _ in range(GREEDY):
                s.append(int(oracle.forward(s)["logits"][-1].argmax()))
            run = oracle.forward(s[:-1])
            margin = min(expert_gap(run, folder, config), 0.1 * greedy_gap(run))
            if best is None or margin > best[0]:
                best = margin, s, run
        assert best is not None
        _, sequence, full = best
        first = oracle.forward(sequence[:PROMPT])
        meta = {
            "oracle": "k3_torch.py" if family == "kimi_k3" else f"transformers {config['architectures'][0]}",
            "torch": torch.__version__,
            "transformers": transformers.__version__,
            "min_greedy_gap": greedy_gap(full),
        }
        if full["routing"]:
            meta["min_expert_gap"] = expert_gap(first, folder, config)
            meta["min_expert_gap_greedy"] = expert_gap(full, folder, config)
    order = [r[3].sort(-1) for r in first["routing"]]
    _save(
        DATA / family / f"expected_{seed}_{dtype}.npz",
        {
            "input_ids": np.array(sequence[:PROMPT], np.int32),
            "logits": first["logits"].float().numpy(),
            "hidden": first["hidden"].numpy(),
            "final": first["final"].numpy(),
            "moe_layers": np.array([r[0] for r in first["routing"]], np.int32),
            "topk_idx": _stacked([o.values.numpy().astype(np.int32) for o in order], np.int32),
            "topk_weight": _stacked([r[2].gather(1, o.indices).numpy() for r, o in zip(first["routing"], order, strict=True)], np.float32),
            "router_logits": _stacked([r[1].reshape(PROMPT, -1).float().numpy() for r in first["routing"]], np.float32),
            "greedy_ids": np.array(sequence[PROMPT:], np.int32),
            "greedy_logits": full["logits"][PROMPT - 1 :].float().numpy(),
        },
    )
    (DATA / family / f"meta_{seed}_{dtype}.json").write_text(json.dumps(meta, indent=2))
    print(family, seed, dtype, {k: v for k, v in meta.items() if k.startswith("min")})


def _stacked(rows: list[np.ndarray], kind: type) -> np.ndarray:
    return np.stack(rows) if rows else np.zeros((0, PROMPT, 0), kind)


def greedy_gap(run: dict[str, Any]) -> float:
    """Least distance between the two best logits of the greedy tokens."""
    two = run["logits"][PROMPT - 1 :].topk(2, -1).values
    return float((two[:, 0] - two[:, 1]).min())


def _save(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """As numpy.savez_compressed, with fixed times, so that equal arrays give equal files."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for name in sorted(arrays):
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.ascontiguousarray(arrays[name]))
            z.writestr(zipfile.ZipInfo(name + ".npy", (1980, 1, 1, 0, 0, 0)), buffer.getvalue(), zipfile.ZIP_DEFLATED)


def main() -> None:
    """Record the named families, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("families", nargs="*", default=sorted(p.name for p in DATA.iterdir()))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--dtype", choices=("bf16", "f32"), default="bf16")
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    for family in args.families:
        record(family, args.seed, args.dtype)


if __name__ == "__main__":
    main()
