"""What a layer for further tokens is trained on: `python -m benchmarks.further_texts FOLDER`; then see benchmarks/train_further.py.

FOLDER/base.npz: the starter's tensors as f16, and its numbers in "config". FOLDER/texts.npz: "prompts", token ids of questions in the
model's chat form, one array beside their lengths. They are made of topics and of what every Python brings along, its own manual and
sources, so nothing is fetched; those of benchmarks/draft_prompts.py, by which the result is judged, are not among them.
"""

import argparse
import inspect
import json
import random
import re
from collections.abc import Iterator
from importlib import import_module
from itertools import islice
from pathlib import Path
from pydoc_data import topics

import numpy as np
import numpy.typing as npt

from benchmarks.widen import starter_source
from engine.requests import Message
from engine.text.text import Text
from tests.starter_cache import built_starter

PROMPTS, LONGEST = 4000, 320  # prompts, tokens of the longest
TOPICS = """
volcanoes, bread, the moon, honey, trains, chess, the heart, rivers, sleep, music, glass, whales, democracy, gravity, coffee,
photosynthesis, earthquakes, painting, the Roman Empire, electric cars, vaccines, rainbows, money, clouds, dogs, cats, gardening,
marathons, the internet, computers, recursion, sorting, databases, friendship, winter, lighthouses, tea, cheese, bridges, maps,
clocks, the ocean, deserts, forests, bees and flowers, birds, stars, telescopes, antibiotics, exercise, stress, cooking rice,
football, swimming, libraries, poetry, mathematics, prime numbers, algebra, wind power, batteries, recycling, the periodic table,
atoms, light, sound, magnets, rockets, castles, pirates, dinosaurs, elephants, farmers, teachers, doctors, a lost key, an old clock,
a journey by sea, a small village, a robot, two brothers, a rainy day, a birthday, learning a language, job interviews, budgets
""".replace("\n", " ").replace("  ", " ").strip().split(", ")
TASKS = (
    "Tell me about {0}.", "What should I know about {0}?", "Write a short story about {0}.", "Explain {0} to a child.",
    "Why do people care about {0}?", "Give me five facts about {0}.", "Write a poem about {0}.", "How does one begin with {0}?",
    "What are the advantages and disadvantages of {0}?", "Describe {0} in detail.", "Write a letter to a friend about {0}.",
    "What is the history of {0}?", "Give me three tips about {0}.", "Compare {0} and {1}.", "Write a dialogue about {0} and {1}.",
)  # fmt: skip
ON_TEXT = ("Summarize this text:\n\n{0}", "Write this text again in simpler words:\n\n{0}", "Repeat this text:\n\n{0}",
           "What are the main points of this text?\n\n{0}", "Correct mistakes in this text and write it again:\n\n{0}")  # fmt: skip
ON_CODE = ("Explain this program:\n\n```python\n{0}```", "Write this program again with comments:\n\n```python\n{0}```",
           "Add type hints:\n\n```python\n{0}```")  # fmt: skip
MODULES = ("textwrap", "bisect", "heapq", "statistics", "fnmatch", "glob", "shlex", "string", "calendar", "fractions", "random", "csv")


def paragraphs() -> list[str]:
    """Of Python's manual."""
    plain = (re.sub(r"[*\"`]{1,2}", "", text) for text in topics.topics.values())
    found = (" ".join(p.split()) for text in plain for p in text.split("\n\n"))
    return [p for p in found if 250 < len(p) < 900]


def functions() -> list[str]:
    """Short ones of the standard library."""
    out = []
    for name in MODULES:
        for _, f in inspect.getmembers(import_module(name), inspect.isfunction):
            source = inspect.getsource(f)
            if 200 < len(source) < 900:
                out.append(source)
    return out


def prompts(seed: int = 0) -> Iterator[str]:
    """Endless."""
    rng, texts, code = random.Random(seed), paragraphs(), functions()
    while True:
        kind = rng.random()
        if kind < 0.6:
            yield rng.choice(TASKS).format(*rng.sample(TOPICS, 2))
        elif kind < 0.8:
            yield rng.choice(ON_TEXT).format(rng.choice(texts))
        else:
            yield rng.choice(ON_CODE).format(rng.choice(code))


def ragged(name: str, parts: list[list[int]]) -> dict[str, npt.NDArray[np.int32]]:
    """As two arrays."""
    return {name: np.concatenate([np.asarray(p, np.int32) for p in parts]), f"{name}_lengths": np.array([len(p) for p in parts], np.int32)}


def encoded(text: Text, content: str) -> list[int]:
    """A conversation's beginning, as the engine reads it."""
    rendered, mark = text.render((Message("user", content),), None)
    return list(text.encode(rendered.replace(mark, "")) if mark else text.encode(rendered))


def write(folder: Path) -> None:
    """Fill the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with starter_source() as base:
        arrays = {name: base.rows(name, 0, t.shape[0]).astype(np.float16) for name, t in base.tensors.items()}
        np.savez(folder / "base.npz", config=np.array(json.dumps(dict(base.config))), **arrays)  # type: ignore[arg-type]
    text = Text.open(built_starter())
    asked = [ids for ids in (encoded(text, p) for p in islice(prompts(), PROMPTS)) if len(ids) <= LONGEST]
    np.savez(folder / "texts.npz", **ragged("prompts", asked))  # type: ignore[arg-type]
    print(f"{len(asked)} prompts, {sum(map(len, asked))} tokens")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    write(parser.parse_args().folder)


if __name__ == "__main__":
    main()
