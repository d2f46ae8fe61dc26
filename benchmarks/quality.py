"""What a container's formats and arithmetic cost: perplexity over held-out windows, and mean KL of fast against exact arithmetic.

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

EVAL = Path(__file__).parents[1] / "tests" / "data" / "starter" / "eval.jsonl"


@dataclass(frozen=True, slots=True)
class Quality:
    """Perplexities in both arithmetics, and the mean KL per position."""

    exact: float
    fast: float
    kl: float


def open_model(path: Path, exact: bool) -> Model:
    """The container with all experts cached, 512-row chunks."""
    config = EngineConfig(path, context=512, chunk=512, exact=exact)
    container = Container.open(path)
    return Model(container, config, plan(container, config), lambda _: None, CancelToken())


def log_probs(model: Model, ids: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
    """log softmax of all rows' logits [n, vocab]."""
    logits = model.forward(ids, model.new_state(), "all")
    shifted = logits - logits.max(1, keepdims=True)
    out: npt.NDArray[np.float32] = shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
    return out


def quality(path: Path, windows: int | None = None, every: int = 1) -> Quality:
    """Perplexity and KL of the container over every `every`-th window, at most `windows` of them."""
    rows = [json.loads(line)["ids"] for line in EVAL.read_text().splitlines()][::every][:windows]
    exact, fast = open_model(path, True), open_model(path, False)
    losses, kls = [], []
    for row in rows:
        ids = np.asarray(row, np.int32)
        a, b = log_probs(exact, ids), log_probs(fast, ids)
        at = np.arange(len(ids) - 1)
        losses.append([-float(x[at, ids[1:]].mean()) for x in (a, b)])
        kls.append(float((np.exp(a[:-1]) * (a[:-1] - b[:-1])).sum(1).mean()))
    exact.close()
    fast.close()
    mean = np.exp(np.mean(losses, 0))
    return Quality(float(mean[0]), float(mean[1]), float(np.mean(kls)))


def main() -> None:
    """Print the table, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("container", type=Path)
    parser.add_argument("--windows", type=int)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    q = quality(args.container, args.windows)
    if args.json:
        print(json.dumps({"perplexity_exact": q.exact, "perplexity_fast": q.fast, "kl_fast": q.kl}))
    else:
        print(f"perplexity exact {q.exact:.3f}, fast {q.fast:.3f} ({100 * (q.fast / q.exact - 1):+.2f}%), mean KL {q.kl:.2e}")


if __name__ == "__main__":
    main()
