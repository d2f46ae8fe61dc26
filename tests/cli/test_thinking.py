"""A model that thinks: its thoughts never reach standard output, and it can be told not to."""

import json
from collections.abc import Callable
from pathlib import Path

from tests.cli.running import here

ASK = ("--temperature", 0, "--max-tokens", 12, "--threads", 1, "--ctx", 1024, "--exact")


def test_that_thoughts_are_not_printed(tiny: Callable[..., Path]) -> None:
    code, out, err = here("run", "Why?", "--model", tiny("kimi_k3"), *ASK)
    assert (code, out) == (0, "")
    assert "12 tokens" in err
    assert "Thinking" not in out


def test_that_json_tells_thoughts_and_answer_apart(tiny: Callable[..., Path]) -> None:
    told = {flag: json.loads(here("run", "Why?", "--model", tiny("kimi_k3"), *ASK, "--json", *flag)[1]) for flag in ((), ("--no-think",))}
    assert told[()]["answer"] == "" != told[()]["reasoning"]
    assert told["--no-think",]["reasoning"] == "" != told["--no-think",]["answer"]


def test_that_a_chat_goes_on_from_its_own_thoughts(tiny: Callable[..., Path]) -> None:
    """A turn without an answer is forgotten; one with an answer is kept whole."""
    _, out, _ = here("chat", "--model", tiny("kimi_k3"), *ASK, "--json", "--no-think", stdin="Why?\nMore?\n")
    first, second = map(json.loads, out.splitlines())
    assert second["reused_tokens"] == first["prompt_tokens"] + first["answer_tokens"] - 1
