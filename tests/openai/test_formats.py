"""Bodies to requests and events to results, without an engine: what a batch needs too. Results are checked against the client's types."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response

from engine.config import EngineConfig, Sampling
from engine.errors import ContextFull, EngineError
from engine.events import Called, Drawn, Event, Finished, Likely, ModelInfo, Text
from engine.openai.chat import chat, completion
from engine.openai.collected import Collected
from engine.openai.reading import read_body
from engine.openai.refusals import Refused, told_error
from engine.openai.response_results import ResponseEvents, response_result
from engine.openai.responses import response
from engine.openai.results import Chunks, result
from engine.requests import Message, Shape, ToolCall
from engine.stats import AnswerStats, Snapshot

INFO = ModelInfo(
    "m", "qwen3_moe", EngineConfig(Path("m.ouzel")), 1, 1, 1, 1, 100, 1, 1, 1, "exact", "generic", 1, "f32", True,
    defaults=Sampling(0.6, 20, 0.95), can_think=True, can_call=True, efforts=False, vocabulary=1000,
)  # fmt: skip
ASK = [{"role": "user", "content": "Hi"}]
PARAMETERS = {"type": "object", "properties": {"a": {"type": "integer"}}}
TOOL: dict[str, Any] = {"type": "function", "function": {"name": "f", "parameters": PARAMETERS}}
STATS = AnswerStats("end", 10, 4, 6, 0.1, 0.5, 1, Snapshot(), 2)
LIKELY = Likely(5, b"\xc3", -0.25)
EVENTS: list[Event] = [
    Text(1, "Hm.", "reasoning"),
    Text(1, "So"),
    Drawn(1, LIKELY, (LIKELY,)),
    Called(1, 0, "id1", "f", ""),
    Called(1, 0, "", "", '{"a": 1}'),
    Finished(1, STATS),
]


def collected(events: list[Event]) -> Collected:
    answer = Collected()
    for event in events:
        answer.take(event)
    return answer


def test_what_a_chat_becomes() -> None:
    asked = chat({"model": "m", "messages": ASK, "max_tokens": 9, "n": 2}, INFO, 41)
    requests = [asked.generate(n, 100 + n) for n in range(asked.count)]
    assert [r.id for r in requests] == [100, 101] and [r.sampling.seed for r in requests] == [41, 42]
    assert requests[0].messages == (Message("user", "Hi"),)
    assert requests[0].sampling == replace(INFO.defaults, max_tokens=9, seed=41)
    assert chat({"model": "m.ouzel", "messages": ASK, "seed": 3}, INFO, 41).sampling.seed == 3
    assert asked.generate(0, 1) == chat({"model": "m", "messages": ASK, "max_tokens": 9, "n": 2}, INFO, 41).generate(0, 1)
    texts = completion({"model": "m", "prompt": ["a", "b"], "n": 2}, INFO, 5)
    assert [texts.generate(n, 1).options.prompt for n in range(texts.count)] == ["a", "a", "b", "b"]
    assert texts.sampling.max_tokens == 16  # their default, told by the result's finish_reason
    assert completion({"model": "m", "prompt": [[1, 2], [3]]}, INFO, 5).prompts == ((1, 2), (3,))


@pytest.mark.parametrize(
    ("effort", "efforts", "can_think", "found"),
    [
        ("none", False, True, (False, "")),
        ("minimal", False, True, (False, "")),
        ("high", False, True, (True, "")),
        ("high", True, True, (True, "high")),
        ("minimal", True, False, (None, "low")),
        ("none", False, False, (None, "")),
    ],
)
def test_how_much_to_think(effort: str, efforts: bool, can_think: bool, found: tuple[bool | None, str]) -> None:
    info = replace(INFO, efforts=efforts, can_think=can_think)
    asked = chat({"model": "m", "messages": ASK, "reasoning_effort": effort}, info, 1)
    assert (asked.thinking, asked.options.effort) == found
    other = response({"model": "m", "input": "Hi", "reasoning": {"effort": effort}}, info, 1)
    assert (other.thinking, other.options.effort) == found


def test_that_effort_of_a_model_without_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        chat({"model": "m", "messages": ASK, "reasoning_effort": "low"}, replace(INFO, can_think=False), 1)
    assert refused.value.param == "reasoning_effort"


@pytest.mark.parametrize(
    ("more", "shape"),
    [
        ({}, None),
        ({"tool_choice": "auto"}, None),
        ({"tool_choice": "required"}, Shape("calls", strict=False)),
        ({"tool_choice": "required", "parallel_tool_calls": False}, Shape("calls", several=False, strict=False)),
        ({"tool_choice": {"type": "function", "function": {"name": "f"}}}, Shape("calls", name="f", several=False, strict=False)),
        ({"parallel_tool_calls": False}, Shape("calls", several=False, free=True, strict=False)),
    ],
)
def test_what_holds_an_answer_to_calls(more: dict[str, Any], shape: Shape | None) -> None:
    asked = chat({"model": "m", "messages": ASK, "tools": [TOOL], **more}, INFO, 1)
    assert asked.options.shape == shape
    assert [json.loads(t)["function"]["name"] for t in asked.options.tools] == ["f"]
    if isinstance(more.get("tool_choice"), dict):
        more = {**more, "tool_choice": {"type": "function", "name": "f"}}
    flat = response({"model": "m", "input": "Hi", "tools": [{"type": "function", **TOOL["function"]}], **more}, INFO, 1)
    assert flat.options == asked.options


def test_that_no_choice_leaves_tools_out_and_strict_ones_are_kept_to() -> None:
    assert chat({"model": "m", "messages": ASK, "tools": [TOOL], "tool_choice": "none"}, INFO, 1).options.tools == ()
    strict = {"type": "function", "function": {**TOOL["function"], "strict": True}}
    assert chat({"model": "m", "messages": ASK, "tools": [strict]}, INFO, 1).options.shape == Shape("calls", free=True)
    other = {"type": "function", "function": {"name": "g"}}
    both = {"model": "m", "messages": ASK, "tools": [TOOL], "response_format": {"type": "json_object"}}
    assert chat(both, INFO, 1).options.shape == Shape("calls", instead=Shape("json"), strict=False)
    assert chat({**both, "tool_choice": "none"}, INFO, 1).options.shape == Shape("json")
    assert chat({**both, "tool_choice": "required"}, INFO, 1).options.shape == Shape("calls", strict=False)
    for more in ({"tools": [TOOL, TOOL]}, {"tool_choice": other}):
        with pytest.raises(Refused):
            chat({"model": "m", "messages": ASK, "tools": [TOOL], **more}, INFO, 1)


def test_that_calls_and_results_become_messages() -> None:
    call = {"id": "x1", "type": "function", "function": {"name": "f", "arguments": '{"a":"\\u00e4"}'}}
    messages = [
        *ASK,
        {"role": "assistant", "content": None, "reasoning_content": "Hm.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "x1", "content": [{"type": "text", "text": "1"}, {"type": "text", "text": "2"}]},
    ]
    expected = (
        Message("user", "Hi"),
        Message("assistant", "", "Hm.", (ToolCall("x1", "f", '{"a": "ä"}'),)),
        Message("tool", "12", call_id="x1", name="f"),
    )
    assert chat({"model": "m", "messages": messages}, INFO, 1).messages == expected
    items = [
        {"role": "user", "content": "Hi"},
        {"type": "reasoning", "id": "r", "summary": [], "content": [{"type": "reasoning_text", "text": "Hm."}]},
        {"type": "function_call", "call_id": "x1", "name": "f", "arguments": '{"a": "ä"}', "id": "fc", "status": "completed"},
        {"type": "function_call_output", "call_id": "x1", "output": "12"},
    ]
    assert response({"model": "m", "input": items}, INFO, 1).messages == expected
    for arguments in ("[]", '{"a": "x', "5"):  # as of an answer that was cut
        cut = {**call, "function": {"name": "f", "arguments": arguments}}
        asked = chat({"model": "m", "messages": [*ASK, {"role": "assistant", "tool_calls": [cut]}]}, INFO, 1)
        assert asked.messages[1].calls == (ToolCall("x1", "f", arguments),)


def test_results_of_a_chat() -> None:
    asked = chat({"model": "m", "messages": ASK, "tools": [TOOL], "logprobs": True, "top_logprobs": 1}, INFO, 1)
    whole = result(asked, [collected(EVENTS)], "chatcmpl-1", 123)
    ChatCompletion.model_validate_json(json.dumps(whole), strict=True)
    [choice] = whole["choices"]
    assert choice["finish_reason"] == "tool_calls"
    assert choice["message"]["reasoning_content"] == "Hm." and choice["message"]["content"] == "So"
    assert choice["message"]["tool_calls"] == [{"id": "id1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}]
    assert choice["logprobs"]["content"][0]["bytes"] == [0xC3] and choice["logprobs"]["content"][0]["token"] == "bytes:\\xc3"
    assert whole["usage"] == {
        "prompt_tokens": 10,
        "completion_tokens": 6,
        "total_tokens": 16,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 2},
    }
    chunks = Chunks(replace(asked, stream=True, include_usage=True), "chatcmpl-1", 123)
    parts = [c for event in EVENTS for c in chunks.take(0, event)] + chunks.end()
    for part in parts:
        ChatCompletionChunk.model_validate_json(json.dumps(part), strict=True)
    deltas = [c["delta"] for p in parts for c in p["choices"]]
    assert "".join(d.get("reasoning_content", "") for d in deltas) == "Hm."
    assert "".join(d.get("content") or "" for d in deltas) == "So"
    assert "".join(t["function"]["arguments"] for d in deltas for t in d.get("tool_calls", [])) == '{"a": 1}'
    assert parts[-2]["choices"][0]["finish_reason"] == "tool_calls" and parts[-1]["usage"] == whole["usage"]
    cut = collected([*EVENTS[:-1], Finished(1, replace(STATS, reason="context"))])
    assert result(asked, [cut], "x", 1)["choices"][0]["finish_reason"] == "length"


def test_results_of_a_response() -> None:
    asked = response({"model": "m", "input": "Hi", "tools": [{"type": "function", **TOOL["function"]}], "metadata": {"a": "b"}}, INFO, 1)
    whole = response_result(asked, collected(EVENTS), "resp_1", 123)
    Response.model_validate_json(json.dumps(whole), strict=True)
    assert [item["type"] for item in whole["output"]] == ["reasoning", "message", "function_call"]
    assert whole["output"][0]["content"][0]["text"] == "Hm." and whole["output"][2]["arguments"] == '{"a": 1}'
    assert whole["metadata"] == {"a": "b"} and whole["status"] == "completed"
    stream = ResponseEvents(asked, "resp_1", 123)
    events = stream.begin() + [e for event in EVENTS for e in stream.take(event)]
    assert events[-1]["response"]["output"] == whole["output"]
    failed = ResponseEvents(asked, "resp_1", 123)
    told = [*failed.begin(), *failed.failed(EngineError("No."))]
    assert told[-1]["type"] == "response.failed" and told[-1]["response"]["error"]["message"] == "No."


def test_what_is_told_of_errors() -> None:
    assert told_error(ContextFull("Too long."))[1]["error"]["code"] == "context_length_exceeded"
    assert told_error(EngineError("No."))[0] == 500
    assert told_error(Refused("No.", "n"))[1]["error"] == {"message": "No.", "type": "invalid_request_error", "param": "n", "code": None}


def test_that_numbers_have_bounds() -> None:
    for given in (10**400, -(10**400)):
        with pytest.raises(Refused, match="temperature has to be a number"):
            chat({"model": "m", "messages": ASK, "temperature": given}, INFO, 1)
    for text in (b'{"a": 1e999}', b'{"a": [-1e999]}', b'{"a": NaN}', b'{"a": -Infinity}'):
        with pytest.raises(Refused, match="no number of JSON"):
            read_body(text)
    assert read_body(b'{"a": 1e300, "b": 1e-999}') == {"a": 1e300, "b": 0.0}
