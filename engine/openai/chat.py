"""Bodies of chat completions and of text completions. Source: OpenAI's API reference."""

from collections.abc import Mapping
from typing import Any

from engine.events import ModelInfo
from engine.openai.asked import (
    LONGEST,
    MOST_ANSWERS,
    MOST_TOP,
    Asked,
    check_model,
    leave,
    most_of,
    sampling_of,
    shape_of,
    thinking_of,
)  # fmt: skip
from engine.openai.messages import messages_of
from engine.openai.reading import Fields
from engine.openai.refusals import Refused
from engine.openai.tools import read_tools
from engine.requests import Options

MOST_PROMPTS = 64


def chat(body: Mapping[str, Any], info: ModelInfo, seed: int) -> Asked:
    """A body of /v1/chat/completions; seed: for a request without one. Raises Refused."""
    f = Fields(body)
    model = check_model(f.text("model"), info)
    leave(f)
    f.only("modalities", ["text"])
    for key in ("audio", "web_search_options", "functions", "function_call"):
        f.only(key)
    f.only("verbosity", "medium")
    messages = messages_of(f.list("messages") or [])
    most, former = most_of(f, "max_completion_tokens"), most_of(f, "max_tokens")
    if most is not None and former is not None and most != former:
        raise Refused("max_tokens and max_completion_tokens differ. Give one of them.", "max_tokens")
    sampling = sampling_of(f, info, seed, most if most is not None else former)
    thinking, effort = thinking_of(f.text("reasoning_effort"), info, "reasoning_effort")
    wanted = shape_of(Fields(f.any("response_format"), "response_format")) if f.has("response_format") else None
    tools, shape = read_tools(f, info, wanted, wrapped=True)
    logprobs, top = f.flag("logprobs"), f.whole("top_logprobs", 0, MOST_TOP)
    if top is not None and not logprobs:
        raise Refused("top_logprobs needs logprobs to be true.", "top_logprobs")
    if (kwargs := f.object("chat_template_kwargs")) is not None:
        thinking = _template(Fields(kwargs, "chat_template_kwargs"), info, thinking)
    stream, usage = _stream(f)
    n = f.whole("n", 1, MOST_ANSWERS) or 1
    f.end()
    options = Options(tools, shape, effort, (top or 0) if logprobs else None)
    return Asked("chat", model, messages, (), sampling, thinking, options, n, stream, usage)


def completion(body: Mapping[str, Any], info: ModelInfo, seed: int) -> Asked:
    """A body of /v1/completions; see `chat`."""
    f = Fields(body)
    model = check_model(f.text("model"), info)
    leave(f)
    f.only("suffix", "")
    prompts = _prompts(f.any("prompt"), info)
    n = f.whole("n", 1, MOST_ANSWERS) or 1
    f.only("best_of", 1, n)
    echo, logprobs = bool(f.flag("echo")), f.whole("logprobs", 0, 5)
    if echo and (logprobs is not None or not all(isinstance(p, str) for p in prompts)):
        raise Refused("echo is possible for prompts of text alone, and without logprobs.", "echo")
    # OpenAI's default is 16 tokens; where a client asks for no limit there is none.
    most = None if f.any("max_tokens") == -1 else most_of(f, "max_tokens") or 16
    sampling = sampling_of(f, info, seed, most)
    stream, usage = _stream(f)
    f.end()
    return Asked("completion", model, (), prompts, sampling, None, Options(logprobs=logprobs), n, stream, usage, echo)


def _stream(f: Fields) -> tuple[bool, bool]:
    """(streamed, with usage)."""
    stream = bool(f.flag("stream"))
    given = f.object("stream_options")
    if given is None:
        return stream, False
    if not stream:
        raise Refused("stream_options needs stream to be true.", "stream_options")
    options = Fields(given, "stream_options")
    usage = bool(options.flag("include_usage"))
    options.ignore("include_obfuscation")
    options.end()
    return stream, usage


def _template(f: Fields, info: ModelInfo, thinking: bool | None) -> bool | None:
    for key in ("enable_thinking", "thinking"):
        wanted = f.flag(key)
        if wanted is not None:
            if not info.can_think:
                raise Refused(f"This model cannot be told whether to think. Leave {f.name(key)} out.", f.name(key))
            thinking = wanted
    f.end()
    return thinking


def _prompts(value: Any, info: ModelInfo) -> tuple[str | tuple[int, ...], ...]:
    if isinstance(value, str):
        return (value,)
    wrong = Refused("prompt has to be a text, a list of texts, a list of tokens, or a list of lists of tokens.", "prompt")
    if not isinstance(value, list) or not value or len(value) > (LONGEST if isinstance(value[0], int) else MOST_PROMPTS):
        raise wrong
    if all(isinstance(v, str) for v in value):
        return tuple(value)
    lists = [value] if isinstance(value[0], int) else value
    for ids in lists:
        if not isinstance(ids, list) or not all(isinstance(i, int) and not isinstance(i, bool) and 0 <= i < info.vocabulary for i in ids):
            raise wrong
    return tuple(tuple(ids) for ids in lists)
