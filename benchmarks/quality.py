"""What a container's formats and arithmetic cost: perplexity over held-out windows, and mean KL of fast against exact arithmetic.

    python -m benchmarks quality [--json]
    python -m benchmarks.quality CONTAINER [--windows N] [--json]

Windows come from tests/data/starter/eval.jsonl: token ids of the starter's tokenizer, six English sources, 512 tokens each.
Perplexity is exp of the mean over windows of the mean loss of tokens 1..511. KL is sum p_exact (log p_exact - log p_fast).
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


def open_model(path: Path, exact: bool) -> Model:
    """The container with all experts cached, 512-row chunks."""
    config = EngineConfig(path, context=512, chunk=512, exact=exact)
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


def measure() -> dict[str, float]:
    """Of the starter, over all windows."""
    q = quality(built_starter())
    return {"perplexity_exact": q.exact, "perplexity_fast": q.fast, "kl_fast": q.kl}


def told(result: dict[str, float]) -> str:
    exact, fast = result["perplexity_exact"], result["perplexity_fast"]
    return f"perplexity exact {exact:.3f}, fast {fast:.3f} ({100 * (fast / exact - 1):+.2f}%), mean KL {result['kl_fast']:.2e}"


def main() -> None:
    """Print the table, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("container", type=Path)
    parser.add_argument("--windows", type=int)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    q = quality(args.container, args.windows)
    result = {"perplexity_exact": q.exact, "perplexity_fast": q.fast, "kl_fast": q.kl}
    print(json.dumps(result) if args.json else told(result))


if __name__ == "__main__":
    main()
