"""Messages of chat completions as messages of ours. Source: OpenAI's API reference, "Create chat completion"."""

import json
from typing import Any

from engine.openai.reading import Fields
from engine.openai.refusals import Refused
from engine.requests import Message, ToolCall

ROLES = ("system", "developer", "user", "assistant", "tool")


def messages_of(values: list[Any], at: str = "messages") -> tuple[Message, ...]:
    """All messages of a chat. Raises Refused."""
    if not values:
        raise Refused(f"{at} is empty: write a message.", at)
    called: dict[str, str] = {}  # call's id to the tool's name
    out = []
    for n, value in enumerate(values):
        message = _message(Fields(value, f"{at}[{n}]"), called)
        called |= {call.id: call.name for call in message.calls}
        out.append(message)
    return tuple(out)


def _message(f: Fields, called: dict[str, str]) -> Message:
    role = f.one_of("role", *ROLES)
    if role is None:
        raise Refused(f"{f.name('role')} is missing; choose one of {', '.join(ROLES)}.", f.name("role"))
    content = text_of(f.any("content"), f.name("content"))
    name = f.text("name") or ""
    f.ignore("id", "status", "timestamp", "cache_control", "provider_specific_fields", "reasoning_details")  # as front ends keep them
    match role:
        case "assistant":
            reasoning = f.text("reasoning_content") or ""
            other = f.text("reasoning") or ""
            f.ignore("refusal", "annotations")
            f.only("audio")
            f.only("function_call")
            calls = tuple(_call(Fields(c, f"{f.name('tool_calls')}[{n}]")) for n, c in enumerate(f.list("tool_calls") or []))
            if content is None and not calls:
                raise Refused(f"{f.name('content')} is missing.", f.name("content"))
            message = Message("assistant", content or "", reasoning or other, calls, name=name)
        case "tool":
            call_id = f.text("tool_call_id")
            if not call_id:
                raise Refused(f"{f.name('tool_call_id')} is missing: say which call this answers.", f.name("tool_call_id"))
            if content is None:
                raise Refused(f"{f.name('content')} is missing.", f.name("content"))
            message = Message("tool", content, call_id=call_id, name=name or called.get(call_id, ""))
        case _:
            if content is None:
                raise Refused(f"{f.name('content')} is missing.", f.name("content"))
            message = Message("system" if role == "developer" else role, content, name=name)
    f.end()
    return message


def text_of(value: Any, at: str) -> str | None:
    """The text of a content: a string, or a list of parts that are text. None where it is left out."""
    if value is None or isinstance(value, str):
        return value
    if not isinstance(value, list):
        raise Refused(f"{at} has to be a text or a list of parts.", at)
    texts = []
    for n, part in enumerate(value):
        f = Fields(part, f"{at}[{n}]")
        kind = f.text("type")
        if kind not in ("text", "input_text", "output_text", "refusal"):
            raise Refused(f"{at}[{n}] is of the type {kind!r}; this model takes text alone.", f"{at}[{n}].type", "unsupported_content")
        text = f.text("refusal" if kind == "refusal" else "text")
        if text is None:
            raise Refused(f"{at}[{n}].text is missing.", f"{at}[{n}].text")
        texts.append(text)
    return "".join(texts)


def _call(f: Fields) -> ToolCall:
    if f.one_of("type", "function") is None:
        raise Refused(f"{f.name('type')} is missing.", f.name("type"))
    call_id = f.text("id") or ""
    f.ignore("index")
    function = Fields(f.object("function") or {}, f.name("function"))
    call = tool_call(function, call_id)
    function.end()
    f.end()
    return call


def tool_call(f: Fields, call_id: str) -> ToolCall:
    """A call by the keys name and arguments; arguments that are no JSON object, as of an answer that was cut, stay as they are."""
    name, arguments = f.text("name"), f.text("arguments") or "{}"
    if not name:
        raise Refused(f"{f.name('name')} is missing.", f.name("name"))
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        value = None
    return ToolCall(call_id, name, json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else arguments)
