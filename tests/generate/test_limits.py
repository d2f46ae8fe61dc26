"""Grammars, biases and penalties with the real starter model: the same answer with drafts and without, inside the memory plan."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.config import EngineConfig, Sampling
from engine.errors import BadRequest
from engine.requests import Message, Options, Shape
from tests.worker.driving import Driver

DEPTH = {"type": "integer", "minimum": 1, "maximum": 99}
ITEM: dict[str, Any] = {"type": "object", "properties": {"name": {"enum": ["river", "lake"]}, "depth": DEPTH}}
ITEM |= {"required": ["name", "depth"], "additionalProperties": False}
LIST = json.dumps({"type": "array", "items": ITEM, "minItems": 8, "maxItems": 8})
ASK = (Message("user", "List eight waters as JSON: a river with its depth, a lake with its depth, again and again."),)


def answers(model: Path, draft: str, requests: list[tuple[Options, Sampling]]) -> list[tuple[str, int, int]]:
    """(text, tokens, drafted tokens that were accepted) of each."""
    from engine.events import Finished, Text
    from engine.requests import Generate, LoadModel

    out = []
    with Driver() as driver:
        driver.do(LoadModel(1, EngineConfig(model, 400_000_000, threads=2, draft=draft, programs=True)))
        for options, sampling in requests:
            events = driver.do(Generate(2, ASK, sampling, options=options))
            done = events[-1]
            assert isinstance(done, Finished), done
            text = "".join(e.piece for e in events if isinstance(e, Text))
            out.append((text, done.stats.answer_tokens, done.stats.counters.drafts_accepted))
    return out


@pytest.mark.long
def test_that_drafts_change_nothing_under_a_grammar(starter: Path) -> None:
    shaped = Options(shape=Shape("schema", LIST), logprobs=2)
    requests = [
        (shaped, Sampling(0, max_tokens=160)),
        (shaped, Sampling(0.8, seed=11, max_tokens=160, presence_penalty=0.3, frequency_penalty=0.1)),
        (Options(), Sampling(0.7, seed=3, max_tokens=60, logit_bias=((198, 4.0),), frequency_penalty=0.2)),
    ]
    plain, drafted = answers(starter, "off", requests), answers(starter, "ngram", requests)
    assert [a[:2] for a in plain] == [a[:2] for a in drafted]
    assert sum(a[2] for a in drafted) > 0 == sum(a[2] for a in plain)  # else nothing was tried
    for text, _, _ in plain[:2]:
        value = json.loads(text)
        assert len(value) == 8 and all(set(item) == {"name", "depth"} and 1 <= item["depth"] <= 99 for item in value)


def test_that_a_model_opened_for_chats_alone_refuses_shapes(starter: Path) -> None:
    from engine.events import Failed
    from engine.requests import Generate, LoadModel

    with Driver() as driver:
        driver.do(LoadModel(1, EngineConfig(starter, 400_000_000, threads=2)))
        failed = driver.do(Generate(2, ASK, Sampling(0), options=Options(shape=Shape("json"))))[-1]
        assert isinstance(failed, Failed) and isinstance(failed.error, BadRequest) and "room for grammars" in str(failed.error)


MEASURE = """
import os, sys
from pathlib import Path
import psutil
from engine.text.text import Text
from engine.requests import Shape
from engine.model.plan import GRAMMAR_BYTES, GRAMMAR_TOKEN
from engine.machine import bound_heap, trim_heap
bound_heap()
text = Text.open(Path(sys.argv[1]))
trim_heap()
n, process = 49152, psutil.Process()
before = process.memory_info().rss
for schema in ('{"type": "object"}', sys.argv[2]):
    limits = text.limits(Shape("schema", schema), (), "", None, n)
    for c in '[{"name":':
        limits.allowed()
    del limits
trim_heap()
print(process.memory_info().rss - before, GRAMMAR_BYTES + GRAMMAR_TOKEN * n)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="what is resident is measured as Linux counts it")
def test_that_the_plan_has_room_for_grammars(starter: Path) -> None:
    run = subprocess.run([sys.executable, "-c", MEASURE, str(starter), LIST], capture_output=True, text=True, check=True)
    taken, planned = map(int, run.stdout.split())
    assert taken <= planned, (taken, planned)
