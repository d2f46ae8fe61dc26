"""Contract 1: looking ahead moves reads, never a bit of the result; what it names is what the next router would choose."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from engine.cancel import CancelToken
from engine.config import EngineConfig
from engine.container.reader import Container
from engine.experts.lookahead import ROWS
from engine.experts.missing import Batch
from engine.model.model import Model
from engine.model.plan import Planner, plan
from tests.conftest import Tiny

IDS = [3, 17, 255, 4, 9, 200, 31, 8, 77, 120, 5, 64]
FAMILIES = ["qwen2_moe", "deepseek_v3", "gemma4", "gpt_oss", "kimi_linear", "kimi_k3", "qwen3_next", "mixtral"]


@contextmanager
def opened(path: Path, share: float, lookahead: str, **options: object) -> Iterator[Model]:
    """A model with room for this share of its experts."""
    container = Container.open(path)
    asked = {"context": 128, "chunk": 32, "threads": 1, "lookahead": lookahead} | options
    planner = Planner(container, EngineConfig(path, **asked))  # type: ignore[arg-type]
    slots = max(planner.least_slots, int(planner.n_records * share))
    config = EngineConfig(path, budget_bytes=planner.fixed(128, 32) + planner.cache(slots), **asked)  # type: ignore[arg-type]
    model = Model(container, config, plan(container, config), lambda fraction: None, CancelToken())
    try:
        yield model
    finally:
        model.close()
        container.close()


def steps(model: Model, n: int) -> np.ndarray:
    """Logits of a prompt, of n single rows and of some steps of more rows."""
    state = model.new_state()
    out = [model.forward(np.array(IDS, np.int32), state, "all").copy()]
    for i in range(n):
        out.append(model.forward(np.array([out[-1][-1].argmax()], np.int32), state, "all").copy())
        if i % 4 == 3:
            out.append(model.forward(np.array(IDS[i % 5 :][:4], np.int32), state, "all").copy())
    return np.concatenate(out)


@pytest.mark.parametrize("exact", [True, False], ids=["exact", "fast"])
@pytest.mark.parametrize("family", FAMILIES)
def test_that_looking_ahead_never_changes_a_bit(family: str, exact: bool, tiny: Tiny) -> None:
    path = tiny(family, "mxfp4+q4" if family in ("gpt_oss", "kimi_k3") else "q4")
    with opened(path, 1, "off", exact=exact) as model:
        whole = steps(model, 16)
        assert model.snapshot().lookahead_reads == 0
    reads = 0
    for share in (0, 0.3, 0.6):
        for mode in ("on", "auto"):
            with opened(path, share, mode, exact=exact) as model:
                assert np.array_equal(steps(model, 16), whole), (share, mode)
                reads += model.snapshot().lookahead_reads
    assert reads > 0


def test_that_the_starter_names_most_of_what_it_uses(starter: Path) -> None:
    with opened(starter, 0.3, "on") as model:
        named: list[list[int]] = []
        asked: list[list[int]] = []
        foresee, stream = model.streamer.foresee, model.streamer.stream
        state, rng = model.new_state(), np.random.default_rng(1)
        logits = model.forward(np.array(IDS, np.int32), state, "last")

        def naming(ordinal: int, experts: dict[int, None]) -> None:
            named.append([ordinal, *experts])
            foresee(ordinal, experts)

        def asking(ordinal: int, experts: npt.NDArray[np.int32], *more: Any) -> Generator[Batch, None, None]:
            asked.append([ordinal, *experts.tolist()])
            return stream(ordinal, experts, *more)

        model.streamer.foresee, model.streamer.stream = naming, asking  # type: ignore[assignment, method-assign]
        for _ in range(30):
            p = np.exp(logits[-1] - logits[-1].max())
            logits = model.forward(np.array([rng.choice(len(p), p=p / p.sum())], np.int32), state, "all")
        asked = [a for a in asked if a[0] > 0]
        assert [n[0] for n in named] == [a[0] for a in asked]
        right = np.mean([np.isin(n[1:], a[1:]).mean() for n, a in zip(named, asked, strict=True)])
        first = np.mean([n[1] in a[1:] for n, a in zip(named, asked, strict=True)])
        assert right > 0.65
        assert first > 0.9
        c = model.snapshot()
        asked_for = c.lookahead_used + c.lookahead_late  # a slow drive makes them late
        assert c.lookahead_reads >= asked_for > 0.5 * c.lookahead_reads


def test_that_a_prompt_is_not_looked_ahead(tiny: Tiny) -> None:
    with opened(tiny("qwen2_moe", "q4"), 0.3, "on") as model:
        model.forward(np.arange(ROWS + 1, dtype=np.int32), model.new_state(), "last")
        assert model.snapshot().lookahead_reads == 0
