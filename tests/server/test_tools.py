"""Tools over HTTP: told to the model by its template, calls of them in results and streams, results given back; held to where asked."""

import json
from collections.abc import Callable
from typing import Any

import openai
import pytest
from openai.types.chat import ChatCompletion

from engine.text.text import Text
from tests.server.conftest import Running

Client = Callable[[Running], openai.OpenAI]
ASK: Any = [{"role": "user", "content": "How is the weather in Bern?"}]
WEATHER = {
    "type": "object",
    "properties": {"city": {"type": "string", "maxLength": 12}, "days": {"type": "integer", "minimum": 1, "maximum": 9}},
    "required": ["city", "days"],
    "additionalProperties": False,
}
PARAMETERLESS: Any = {"type": "function", "function": {"name": "now"}}
TOOLS: Any = [
    {"type": "function", "function": {"name": "get_weather", "description": "The weather of a city.", "parameters": WEATHER}},
    PARAMETERLESS,
]


def fits(arguments: str) -> None:
    value = json.loads(arguments)
    assert set(value) == {"city", "days"} and len(value["city"]) <= 12 and 1 <= value["days"] <= 9


def test_that_a_required_call_is_one_that_fits_whole_and_streamed(calling: Running, client: Client) -> None:
    api = client(calling)
    for choice in ("required", {"type": "function", "function": {"name": "get_weather"}}):
        body: Any = {"model": calling.name, "messages": ASK, "tools": TOOLS[:1], "tool_choice": choice, "parallel_tool_calls": False}
        answer = api.chat.completions.create(**body, temperature=1.2, seed=5)
        ChatCompletion.model_validate_json(answer.model_dump_json(), strict=True)
        [call] = answer.choices[0].message.tool_calls or []
        assert call.type == "function"
        assert call.function.name == "get_weather" and answer.choices[0].finish_reason == "tool_calls"
        assert not answer.choices[0].message.content
        fits(call.function.arguments)
        with api.chat.completions.stream(**body, temperature=1.2, seed=5) as stream:
            kinds = [event.type for event in stream]
            [streamed] = stream.get_final_completion().choices[0].message.tool_calls or []
        assert streamed.function.arguments == call.function.arguments and streamed.function.name == "get_weather"
        assert kinds.count("tool_calls.function.arguments.delta") > 2


def test_that_calls_and_results_go_back_into_the_prompt(calling: Running, client: Client) -> None:
    api = client(calling)
    call: Any = {"id": "abc", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Bern", "days": 2}'}}
    messages: Any = [
        *ASK,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "abc", "content": "rain"},
    ]
    answer = api.chat.completions.create(model=calling.name, messages=messages, tools=TOOLS, temperature=0, max_tokens=8)
    assert answer.choices[0].finish_reason in ("stop", "length")
    posted = calling.posted[-1]
    assert [m.role for m in posted.messages] == ["user", "assistant", "tool"]
    assert posted.messages[1].calls[0].arguments == '{"city": "Bern", "days": 2}'
    assert (posted.messages[2].name, posted.messages[2].call_id) == ("get_weather", "abc")
    assert [json.loads(t)["function"]["name"] for t in posted.options.tools] == ["get_weather", "now"]
    told = answer.usage.prompt_tokens if answer.usage else 0
    bare = api.chat.completions.create(model=calling.name, messages=messages, tools=TOOLS, tool_choice="none", temperature=0, max_tokens=8)
    assert bare.usage is not None and bare.usage.prompt_tokens < told  # without a call to be made, tools are not told


def test_that_strict_tools_are_kept_to_and_text_may_come_instead(calling: Running, client: Client) -> None:
    strict: Any = [{"type": "function", "function": {**TOOLS[0]["function"], "strict": True}}]
    body: Any = {"model": calling.name, "messages": ASK, "tools": strict, "parallel_tool_calls": False, "max_tokens": 60, "seed": 1}
    free = client(calling).chat.completions.create(**body).choices[0]
    assert free.finish_reason in ("stop", "length") and free.message.content and not free.message.tool_calls
    answer = client(calling).chat.completions.create(**body, tool_choice="required")
    fits((answer.choices[0].message.tool_calls or [])[0].function.arguments)  # type: ignore[union-attr]


FORMAT: Any = {
    "type": "object",
    "properties": {"rain": {"type": "boolean"}, "degrees": {"type": "integer", "minimum": 0, "maximum": 99}},
    "required": ["rain", "degrees"],
    "additionalProperties": False,
}


CITY: Any = {**WEATHER, "properties": {**WEATHER["properties"], "city": {"type": "string", "enum": ["Bern", "Basel"]}}}  # type: ignore[dict-item]
SHAPE: Any = {"type": "json_schema", "json_schema": {"name": "weather", "schema": FORMAT, "strict": True}}
NAMED: Any = {"type": "function", "function": {"name": "get_weather"}}


def asked_for(made: Running, choice: Any, first: str = "") -> Any:
    """A body with tools and a format. first: what the answer is likely to begin with."""
    function = {"name": "get_weather", "description": "The weather of a city.", "parameters": CITY}
    bias = {"logit_bias": {str(Text.open(made.model).encode(first)[0]): 100}} if first else {}
    chosen = {} if choice is None else {"tool_choice": choice}
    tools: Any = [{"type": "function", "function": function}]
    body = {"model": made.name, "messages": ASK, "tools": tools, "response_format": SHAPE, "parallel_tool_calls": False, "seed": 3}
    return {**body, **bias, **chosen, "temperature": 1.0}


def streamed(api: openai.OpenAI, body: Any) -> tuple[str, str]:
    """(text, arguments of calls)."""
    content, arguments = "", ""
    for chunk in api.chat.completions.create(**body, stream=True):
        content += chunk.choices[0].delta.content or ""
        arguments += "".join((c.function.arguments if c.function else None) or "" for c in chunk.choices[0].delta.tool_calls or [])
    return content, arguments


def test_that_tools_and_a_format_go_together(calling: Running, client: Client) -> None:
    api = client(calling)
    for choice, first, calls in (
        ("auto", "<", True), (None, "{", False), ("none", "", False), ("required", "", True), (NAMED, "", True)
    ):  # fmt: skip
        answer = api.chat.completions.create(**asked_for(calling, choice, first)).choices[0]
        assert answer.finish_reason == ("tool_calls" if calls else "stop")
        kept(answer.message.content, "".join(c.function.arguments for c in answer.message.tool_calls or [] if c.type == "function"), calls)
    text: Any = {"format": {"type": "json_schema", "name": "weather", "schema": FORMAT, "strict": True}}
    function = {"type": "function", "name": "get_weather", "parameters": CITY}
    for flat, calls in (("none", False), ({"type": "function", "name": "get_weather"}, True)):
        asked: Any = {"model": calling.name, "tools": [function], "tool_choice": flat, "text": text, "input": ASK, "temperature": 1.0}
        with api.responses.stream(**asked) as stream:
            last = [event.type for event in stream][-1]
            item = stream.get_final_response().output[-1]
        assert last == "response.completed"
        kept("" if item.type == "function_call" else item.content[0].text, item.arguments if item.type == "function_call" else "", calls)  # type: ignore[index, union-attr]


@pytest.mark.long
def test_that_they_stream_in_the_formats_of_other_families(calling_otherwise: Running, client: Client) -> None:
    for first, calls in (("<", True), ("{", False)):
        kept(*streamed(client(calling_otherwise), asked_for(calling_otherwise, "auto", first)), calls)


def kept(content: str | None, arguments: str, calls: bool) -> None:
    """Whether it is one call that fits, or JSON that does."""
    assert bool(arguments) is calls
    if calls:
        assert not content
        fits(arguments)
    else:
        value = json.loads(content or "")
        assert set(value) == {"rain", "degrees"} and 0 <= value["degrees"] <= 99


def test_that_responses_call_tools(calling: Running, client: Client) -> None:
    api = client(calling)
    tools: Any = [{"type": "function", "strict": True, **TOOLS[0]["function"]}]
    body: Any = {"model": calling.name, "tools": tools, "tool_choice": "required", "parallel_tool_calls": False, "temperature": 0.9}
    answer = api.responses.create(input="How is the weather in Bern?", **body)
    [item] = answer.output
    assert item.type == "function_call" and item.name == "get_weather"
    fits(item.arguments)
    with api.responses.stream(input="How is the weather in Bern?", **body) as stream:
        kinds = [event.type for event in stream]
        final = stream.get_final_response()
    assert kinds[0] == "response.created" and kinds[-1] == "response.completed"
    assert "response.function_call_arguments.delta" in kinds
    assert final.output[0].type == "function_call"
    fits(final.output[0].arguments)
    back: Any = [
        {"role": "user", "content": "How is the weather in Bern?"},
        {"type": "function_call", "call_id": item.call_id, "name": item.name, "arguments": item.arguments},
        {"type": "function_call_output", "call_id": item.call_id, "output": "rain"},
    ]
    last = api.responses.create(model=calling.name, input=back, tools=tools, tool_choice="none", max_output_tokens=8, temperature=0)
    assert last.status in ("completed", "incomplete")
    assert [m.role for m in calling.posted[-1].messages] == ["user", "assistant", "tool"]


def test_that_a_model_without_a_place_for_tools_says_so(served: Running, client: Client) -> None:
    with pytest.raises(openai.BadRequestError, match="no place for tools") as refused:
        client(served).chat.completions.create(model=served.name, messages=ASK, tools=TOOLS)
    assert refused.value.param == "tools"
