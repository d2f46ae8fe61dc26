"""The beginning of an answer as a model writes it, so that an answer that was cut can be gone on with.

Markers are those of `channels`; what separates them is as in the families' chat templates.
"""

from collections.abc import Callable

from engine.text.channels import Channels, Harmony, Tags, ThinkTags, Thoughts
from engine.text.xtml import CLOSE, OPEN, SEP


def begun(kind: Callable[[], Channels], prompt: str, reasoning: str, answer: str) -> str:
    """What follows `prompt`, which ends where an answer of that channel format begins. An empty answer: the reasoning goes on."""
    writers: dict[object, Callable[[str, str, str], str]] = {
        ThinkTags: _think_tags,
        Thoughts: _thoughts,
        Harmony: _harmony,
        Tags: _tags,
    }
    write = writers.get(kind)
    return write(prompt, reasoning, answer) if write is not None else answer


def _think_tags(prompt: str, reasoning: str, answer: str) -> str:
    opened = prompt.rstrip("\n").endswith(ThinkTags.OPEN)
    if not reasoning and not opened:
        return answer
    start = ("" if opened else f"{ThinkTags.OPEN}\n") + reasoning
    return f"{start}\n{ThinkTags.CLOSE}\n\n{answer}" if answer else start


def _thoughts(_prompt: str, reasoning: str, answer: str) -> str:
    if not reasoning:
        return answer
    start = f"{Thoughts.OPEN}thought\n{reasoning}"
    return f"{start}\n{Thoughts.CLOSE}{answer}" if answer else start


def _harmony(_prompt: str, reasoning: str, answer: str) -> str:
    thought = f"<|channel|>analysis<|message|>{reasoning}" if reasoning else ""
    if not answer:
        return thought
    return thought + ("<|end|><|start|>assistant" if thought else "") + f"<|channel|>final<|message|>{answer}"


def _tags(prompt: str, reasoning: str, answer: str) -> str:
    thinks = prompt.endswith(f"{OPEN}think{SEP}")
    start = reasoning if thinks else ""
    if not answer:
        return start
    return start + (f"{CLOSE}think{SEP}{OPEN}response{SEP}" if thinks else "") + answer
