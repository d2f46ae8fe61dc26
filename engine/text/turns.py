"""Messages, calls of tools and definitions of tools as chat templates take them, with every text in them guarded."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from engine.errors import BadRequest
from engine.requests import Message
from engine.text.cut_json import Written, begun_object
from engine.text.tool_calls import Tools
from engine.unread import why_unread
from engine.words import say

# Templates look for these; they are words of JSON schema, which spell no control token. All else in a definition may be anybody's text.
_WORDS = frozenset({
    "type", "function", "name", "description", "parameters", "properties", "required", "items", "enum", "anyOf", "oneOf",
    "allOf", "additionalProperties", "default", "format", "const", "title", "strict", "$ref", "$defs", "definitions", "minimum",
    "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern", "nullable", "examples", "return", "object", "array",
    "string", "number", "integer", "boolean", "null",
})  # fmt: skip


class Arguments(dict[str, Any]):
    """Arguments of a call: an object for templates that go through it, its JSON for those that join it to text."""

    def __str__(self) -> str:
        return json.dumps(self, ensure_ascii=False)

    def __radd__(self, other: object) -> str:
        return f"{other}{self}" if isinstance(other, str) else NotImplemented

    def __add__(self, other: object) -> str:
        return f"{self}{other}" if isinstance(other, str) else NotImplemented


def texts_of(message: Message) -> Iterator[str]:
    """Every text of a message that others wrote."""
    yield from (message.content, message.reasoning, message.call_id, message.name)
    for call in message.calls:
        yield from (call.id, call.name, call.arguments)


def turn(told: tuple[str, str], message: Message, guard: Callable[[str], str], keyed: bool = False) -> dict[str, Any]:
    """A message; told: (reasoning, content); keyed: the model's format has a place for each argument, and none for other text."""
    reasoning, content = told
    out: dict[str, Any] = {"role": message.role, "content": guard(content)}
    if reasoning:
        out["reasoning_content"] = guard(reasoning)
    if message.calls:
        out["tool_calls"] = [
            {
                "id": guard(call.id),
                "type": "function",
                "function": {"name": guard(call.name), "arguments": _arguments(call.arguments, guard, keyed)},
            }
            for call in message.calls
        ]
        if reasoning and not message.content:
            out["thinking"] = out["reasoning_content"]  # gpt-oss has what was thought before a call there, and there alone
    if message.call_id:
        out["tool_call_id"] = guard(message.call_id)
    if message.name:
        out["name"] = guard(message.name)
    return out


def folded(turns: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Results of tools within the turn that called them, as `tool_responses`: Gemma 4's form, whose model's turn goes on behind them.

    What such a turn says beside its calls becomes a turn of its own before it.
    """
    out: list[dict[str, Any]] = []
    for each in turns:
        caller = out[-1] if out else {}
        if each["role"] == "tool" and caller.get("tool_calls"):
            if caller["content"]:
                out[-1:] = [{k: v for k, v in caller.items() if k != "tool_calls"}, {**caller, "content": ""}]
            result = {"name": each.get("name", ""), "response": each["content"]}
            out[-1] = {**out[-1], "tool_responses": [*out[-1].get("tool_responses", []), result]}
        else:
            out.append(each)
    return out


def definitions(tools: Sequence[str], guard: Callable[[str], str]) -> list[Any]:
    """Definitions of tools. Raises BadRequest."""
    return [_guarded(_parsed(tool), guard) for tool in tools]


def tools_of(tools: Sequence[str]) -> Tools:
    """The same, by name. Raises BadRequest."""
    try:
        return Tools(tools)
    except (ValueError, AttributeError, RecursionError) as e:
        raise BadRequest(say("A definition of a tool cannot be read ({why}).", why=e)) from e


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as e:
        raise BadRequest(say("A definition of a tool is no JSON ({why}).", why=why_unread(e))) from e


def _arguments(text: str, guard: Callable[[str], str], keyed: bool) -> Any:
    """An answer that was cut may end inside of a call's arguments, and its conversation goes on all the same."""
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict) or keyed:
        return Arguments(_guarded(value if isinstance(value, dict) else begun_object(text), guard))
    return Written(guard(text))


def _guarded(value: Any, guard: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return value if value in _WORDS else guard(value)
    if isinstance(value, list):
        return [_guarded(v, guard) for v in value]
    if isinstance(value, dict):
        return {_guarded(k, guard): _guarded(v, guard) for k, v in value.items()}
    return value
