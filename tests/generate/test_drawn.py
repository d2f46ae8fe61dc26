"""What is told of an answer's tokens, against float64 definitions, and which tokens it is told of."""

import numpy as np
import pytest

from engine.events import Likely
from engine.generate.drawn import DrawnTokens, log_probabilities


def reference(logits: np.ndarray) -> np.ndarray:
    p = np.exp(logits.astype(np.float64) - float(logits.max()))
    return np.log(p / p.sum())


def told(top: int) -> tuple[DrawnTokens, list[tuple[Likely, tuple[Likely, ...]]]]:
    out: list[tuple[Likely, tuple[Likely, ...]]] = []
    return DrawnTokens(top, lambda token: b"%d" % token, lambda token, others: out.append((token, others))), out


@pytest.mark.parametrize("scale", [0.0, 1.0, 30.0])
def test_that_logarithms_and_the_likeliest_are_the_softmax_s(scale: float) -> None:
    logits = np.round(np.random.default_rng(1).standard_normal(500) * scale).astype(np.float32)  # ties are common
    expected = reference(logits)
    assert np.allclose(log_probabilities(logits), expected, rtol=0, atol=1e-9)
    drawn, out = told(20)
    drawn.note(7, logits, 0, ["answer"])
    drawn.flush(1)
    [(token, top)] = out
    assert (token.token, token.piece) == (7, b"7") and abs(token.logprob - expected[7]) < 1e-9
    assert [t.token for t in top] == list(np.lexsort((np.arange(500), -np.round(expected, 9)))[:20])
    assert all(abs(t.logprob - expected[t.token]) < 1e-9 for t in top)


def test_that_only_tokens_whose_text_was_shown_are_told() -> None:
    logits = np.zeros(10, np.float32)
    drawn, out = told(0)
    drawn.note(1, logits, 0, ["reasoning"])
    drawn.note(2, logits, 0, [])  # half a character of what turns out to be the answer
    drawn.note(3, logits, 0, ["answer"])
    drawn.note(4, logits, 5, ["answer"])
    drawn.flush(3)  # the rest is held back as the beginning of a stop string
    assert [t.token for t, _ in out] == [2, 3]
    drawn.flush(5)
    assert len(out) == 2
    drawn.flush(6)
    assert [t.token for t, _ in out] == [2, 3, 4]
