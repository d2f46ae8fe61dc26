"""What a container's formats and arithmetic cost: perplexity over held-out windows, and mean KL of fast against exact arithmetic and
of keys and values in q8 against f16.

    python -m benchmarks quality [--json]
    python -m benchmarks.quality CONTAINER [--windows N] [--json]

Windows come from tests/data/starter/eval.jsonl: token ids of the starter's tokenizer, six English sources, 512 tokens each.
Perplexity is exp of the mean over windows of the mean loss of tokens 1..511. KL is sum p_exact (log p_exact - log p_fast). The cost of q8
is measured in both arithmetics: fast is what people run, where its rounding adds to that of activations, exact shows it alone.
"""

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.cancel import CancelToken
from engine.config import EngineConfig
from engine.container.reader import Container
from engine.model.model import Model
from engine.model.plan import plan
from engine.setup.measure import compare
from tests.starter_cache import built_starter

EVAL = Path(__file__).parents[1] / "tests" / "data" / "starter" / "eval.jsonl"


@dataclass(frozen=True, slots=True)
class Costs:
    """Perplexities in both arithmetics, and the mean KL per position."""

    exact: float
    fast: float
    kl: float


@dataclass(frozen=True, slots=True)
class KvCosts:
    """Of one arithmetic: perplexities with keys and values in f16 and in q8, the mean KL, and the share of equal likeliest tokens."""

    f16: float
    q8: float
    kl: float
    same_top: float


def open_model(path: Path, exact: bool, kv: str = "auto") -> Model:
    """The container with all experts cached, 512-row chunks."""
    config = EngineConfig(path, context=512, chunk=512, exact=exact, kv=kv)
    container = Container.open(path)
    return Model(container, config, plan(container, config), lambda _: None, CancelToken())


def eval_windows(every: int = 1) -> list[npt.NDArray[np.int32]]:
    """Every `every`-th of the 52 windows of token ids."""
    return [np.array(json.loads(line)["ids"], np.int32) for line in EVAL.read_text(encoding="utf-8").splitlines()[::every]]


def quality(path: Path, windows: int | None = None, every: int = 1) -> Costs:
    """Perplexity and KL of the container over every `every`-th window, at most `windows` of them."""
    exact, fast = open_model(path, True), open_model(path, False)
    found = compare(fast, exact, eval_windows(every)[:windows], lambda done, total: None, CancelToken())
    exact.close()
    fast.close()
    assert found.reference_perplexity is not None and found.kl is not None
    return Costs(found.reference_perplexity, found.perplexity, found.kl)


def kv_quality(path: Path, exact: bool, windows: int | None = None) -> KvCosts:
    """Perplexity and KL of q8 against f16 for keys and values, over the first `windows` windows."""
    ours, wide = open_model(path, exact, "q8"), open_model(path, exact, "f16")
    found = compare(ours, wide, eval_windows()[:windows], lambda done, total: None, CancelToken())
    ours.close()
    wide.close()
    assert found.reference_perplexity is not None and found.kl is not None and found.same_top is not None
    return KvCosts(found.reference_perplexity, found.perplexity, found.kl, found.same_top)


def all_costs(path: Path, windows: int | None = None) -> dict[str, float]:
    """Of one container; keys with kv are those of q8 for keys and values."""
    q = quality(path, windows)
    result = {"perplexity_exact": q.exact, "perplexity_fast": q.fast, "kl_fast": q.kl}
    for name, exact in (("exact", True), ("fast", False)):
        kv = kv_quality(path, exact, windows)
        result |= {f"perplexity_{name}_kv_f16": kv.f16, f"perplexity_{name}_kv_q8": kv.q8}
        result |= {f"kl_{name}_kv_q8": kv.kl, f"same_top_{name}_kv_q8": kv.same_top}
    return result


def measure() -> dict[str, float]:
    """Of the starter, over all windows."""
    return all_costs(built_starter())


def told(result: dict[str, float]) -> str:
    def change(new: str, old: str) -> str:
        return f"{result[new]:.3f} ({100 * (result[new] / result[old] - 1):+.3f}%)"

    lines = [f"perplexity exact {result['perplexity_exact']:.3f}, fast {change('perplexity_fast', 'perplexity_exact')}, "
             f"mean KL {result['kl_fast']:.2e}"]  # fmt: skip
    for name in ("exact", "fast"):
        f16 = f"perplexity_{name}_kv_f16"
        lines.append(
            f"{name} arithmetic, keys and values in f16 {result[f16]:.3f}, in q8 {change(f'perplexity_{name}_kv_q8', f16)}, mean KL "
            f"{result[f'kl_{name}_kv_q8']:.2e}, the same likeliest token at {result[f'same_top_{name}_kv_q8']:.1%} of the places"
        )
    return "\n".join(lines)


def main() -> None:
    """Print the table, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("container", type=Path)
    parser.add_argument("--windows", type=int)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    result = all_costs(args.container, args.windows)
    print(json.dumps(result) if args.json else told(result))


if __name__ == "__main__":
    main()
