"""The tools that a body offers, and which calls of them it asks for. Source: OpenAI's API reference."""

import json
from typing import Any

from engine.events import ModelInfo
from engine.openai.reading import Fields
from engine.openai.refusals import Refused
from engine.requests import Shape


def read_tools(f: Fields, info: ModelInfo, wanted: Shape | None, wrapped: bool) -> tuple[tuple[str, ...], Shape | None]:
    """(definitions that the model is told, the answer's shape). wanted: of an answer that calls nothing. Raises Refused.

    wrapped: a tool and a choice hold their function as an object "function", as in chat completions; else its fields are their own.
    """
    tools, strict, names = [], False, []
    for n, value in enumerate(f.list("tools") or []):
        tool = Fields(value, f"tools[{n}]")
        if tool.text("type") != "function":
            raise Refused(f"tools[{n}].type has to be function.", f"tools[{n}].type")
        function = _function(tool, wrapped)
        names.append(function.text("name"))
        text, kept = _definition(function)
        tool.end()
        tools.append(text)
        strict = strict or kept
    parallel = f.flag("parallel_tool_calls") is not False
    choice, name = f.any("tool_choice"), ""
    if isinstance(choice, dict):
        held = Fields(choice, "tool_choice")
        held.one_of("type", "function")
        function = _function(held, wrapped)
        name, choice = function.text("name") or "", "named"
        function.end()
        held.end()
        if name not in names:
            raise Refused(f"tool_choice names {name!r}, which is not among tools.", "tool_choice")
    elif choice not in (None, "auto", "none", "required"):
        raise Refused("tool_choice has to be none, auto, required or a function.", "tool_choice")
    if len(set(names)) != len(names):
        raise Refused("Two tools have one name.", "tools")
    if not tools and choice in ("required", "named"):
        raise Refused("tool_choice asks for a call, but there are no tools.", "tool_choice")
    if not tools or choice == "none":
        return (), wanted
    if not info.can_call:
        raise Refused(f"{info.name}'s chat template has no place for tools. Leave tools out.", "tools", "unsupported_parameter")
    return tuple(tools), _shape(choice or "auto", name, parallel, strict, wanted)


def _function(f: Fields, wrapped: bool) -> Fields:
    return Fields(f.object("function") or {}, f.name("function")) if wrapped else f


def _definition(f: Fields) -> tuple[str, bool]:
    """(definition as JSON, whether it is strict) of a function's object."""
    name = f.text("name")
    if not name or len(name) > 64 or not all(c.isascii() and (c.isalnum() or c in "_-.") for c in name):
        raise Refused(f"{f.name('name')} has to be 1 to 64 letters, digits, dots, dashes and underscores.", f.name("name"))
    function: dict[str, Any] = {"name": name, "description": f.text("description") or ""}
    parameters = f.object("parameters")
    function["parameters"] = parameters if parameters is not None else {"type": "object", "properties": {}}
    strict = bool(f.flag("strict"))
    f.end()
    return json.dumps({"type": "function", "function": function}, ensure_ascii=False), strict


def _shape(choice: str, name: str, parallel: bool, strict: bool, wanted: Shape | None) -> Shape | None:
    """What holds an answer to calls of tools: choice is "auto", "required" or "named". wanted: the shape of one that calls nothing."""
    if choice == "auto" and wanted is not None:
        return Shape("calls", several=parallel, instead=wanted, strict=strict)
    if choice == "auto":
        return Shape("calls", several=parallel, free=True, strict=strict) if strict or not parallel else None
    return Shape("calls", name=name, several=parallel and choice == "required", strict=strict)
