"""Tools over HTTP: told to the model by its template, calls of them in results and streams, results given back; held to where asked."""

import json
from collections.abc import Callable
from typing import Any

import openai
import pytest
from openai.types.chat import ChatCompletion

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


def test_that_strict_tools_are_kept_to_or_refused(calling: Running, client: Client) -> None:
    strict: Any = [{"type": "function", "function": {**TOOLS[0]["function"], "strict": True}}]
    api = client(calling)
    with pytest.raises(openai.BadRequestError, match="only where tool_choice asks for a call"):  # its tokenizer has no token for the marker
        api.chat.completions.create(model=calling.name, messages=ASK, tools=strict)
    answer = api.chat.completions.create(model=calling.name, messages=ASK, tools=strict, tool_choice="required", parallel_tool_calls=False)
    fits((answer.choices[0].message.tool_calls or [])[0].function.arguments)  # type: ignore[union-attr]


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
