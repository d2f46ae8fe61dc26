"""What the tests of drafts ask: texts that repeat themselves, code, and words without order, no two alike."""

import random
from collections.abc import Iterator

from engine.config import Sampling

WORDS = ["one", "two", "three", "four", "five", "six", "seven"]
CODE = "def {0}(a, b):\n    {1} = a + {2}\n    return {1} * b\n\n\ndef {2}(a):\n    return {0}(a, a)\n"
SAMPLINGS = (
    Sampling(0, max_tokens=14),
    Sampling(0.7, seed=1, max_tokens=14),
    Sampling(0.9, top_k=20, seed=2, max_tokens=14),
    Sampling(0.8, repetition_penalty=1.2, seed=3, max_tokens=14),
)


def varied(rng: random.Random) -> Iterator[str]:
    """Endless, the three kinds in turn."""
    while True:
        yield " ".join(rng.choices(WORDS, k=rng.randint(2, 8)))
        yield ", ".join([" ".join(rng.choices(WORDS, k=rng.randint(3, 6)))] * rng.randint(2, 4))
        yield CODE.format(*rng.sample(WORDS, 3))
