"""Calls that a model wrote badly, and schemas that are strange: each ends as a call or as text, in bounded time and memory."""

import json
from typing import Any

import pytest

from engine.errors import BadRequest
from engine.requests import Shape
from engine.text.channels import Plain
from engine.text.gemma_body import GemmaBody
from engine.text.json_bodies import JsonBody
from engine.text.shapes import grammar
from engine.text.tagged_bodies import typed_value
from engine.text.tool_calls import FORMATS, CallParser, CallPart, Form, Tools

DEEP = 100_000
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "array"}}}}}


@pytest.mark.parametrize("written", ["[}", "{a:[}]}", "{a:[1,}}", "{a:[[}]]}", "{", "{a", "{a:", "[" * DEEP, "{a:[" * DEEP, "]"])
def test_that_a_call_of_gemma_that_does_not_fit_is_text(written: str) -> None:
    parser = CallParser(FORMATS["gemma"], Tools([json.dumps(TOOL)]))
    text = f"<|tool_call>call:f{written}<tool_call|>"
    assert "".join(str(p) for p in [*parser.push(text), *parser.finish()]) == text


def test_that_gemma_reads_what_fits() -> None:
    body = GemmaBody("<tool_call|>")
    [(_, name, arguments)] = body.push('call:f{a:[1,<|"|>x}]<|"|>,{b:true}],c:}<tool_call|>rest')
    assert (name, json.loads(arguments), body.rest) == ("f", {"a": [1, "x}]", {"b": True}], "c": ""}, "rest")


@pytest.mark.parametrize("form", ["hermes", "coder", "glm"])
def test_that_nesting_without_end_is_text_or_a_string(form: Form) -> None:
    deep = "[" * DEEP
    written = {
        "hermes": f'<tool_call>{{"arguments": {deep}, "name": "f"}}</tool_call>',
        "coder": f"<tool_call><function=f><parameter=a>{deep}</parameter></function></tool_call>",
        "glm": f"<tool_call>f<arg_key>a</arg_key><arg_value>{deep}</arg_value></tool_call>",
    }[form]
    parser = CallParser(FORMATS[form], Tools([json.dumps(TOOL)]))
    found = [*parser.push(written), *parser.finish()]
    if form == "hermes":
        assert found == [written]
    else:
        assert json.loads("".join(p.arguments for p in found if isinstance(p, CallPart))) == {"a": deep}


def test_that_arguments_are_json_for_everybody() -> None:
    for word in ("NaN", "Infinity", "-Infinity"):
        assert typed_value(word, {"type": "number"}) == word
    assert JsonBody(r"x", "</x>").push("<no call></x>") == []


def nested(levels: int) -> dict[str, Any]:
    """Objects in objects, each with two that may be left out."""
    inner: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        inner = {"type": "object", "properties": {"a": {"type": "string"}, "b": inner}}
    return inner


@pytest.mark.parametrize("form", ["gemma", "coder", "glm", "hermes"])
def test_that_grammars_grow_with_their_schemas_alone(form: Form) -> None:
    def size(levels: int) -> int:
        tools = Tools([json.dumps({"function": {"name": "f", "parameters": nested(levels)}})])
        return len(grammar(Shape("calls", name="f"), form, tools, Plain, {}, "", False))

    assert size(24) - size(16) < 1.2 * (size(16) - size(8))  # the same again for the same number of levels


@pytest.mark.parametrize("form", ["gemma", "coder", "glm", "xtml", "minimax"])
def test_that_a_strange_schema_makes_a_grammar_or_a_sentence(form: Form) -> None:
    for required in (5, True, "a", {"a": 1}, [["a"]], None):
        schema = {"type": "object", "properties": {"a": {"type": "integer"}, "b": 7}, "required": required}
        tools = Tools([json.dumps({"function": {"name": "f", "parameters": schema}})])
        try:
            assert "start:" in grammar(Shape("calls", name="f"), form, tools, Plain, {}, "", False)
        except BadRequest as error:
            assert str(error)
