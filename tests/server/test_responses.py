"""Responses as OpenAI's own client sees them, every event checked against the client's types."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import openai
import pytest
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import TypeAdapter

from tests.server.conftest import Running

Client = Callable[[Running], openai.OpenAI]
EVENT: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)


def test_that_a_response_is_the_same_whole_and_streamed(served: Running, http: httpx.Client) -> None:
    body = {"model": served.name, "input": "Name three colours.", "instructions": "Be short.", "temperature": 0, "max_output_tokens": 12}
    whole = http.post("/v1/responses", json=body).json()
    Response.model_validate_json(json.dumps(whole), strict=True)
    assert whole["status"] == "incomplete" and whole["incomplete_details"] == {"reason": "max_output_tokens"}
    assert [m.role for m in served.posted[-1].messages] == ["system", "user"]
    [message] = whole["output"]
    text = message["content"][0]["text"]
    with http.stream("POST", "/v1/responses", json={**body, "stream": True}) as answer:
        lines = [line for line in answer.iter_lines() if line and not line.startswith(":")]
    events = [json.loads(line.removeprefix("data: ")) for line in lines[1::2]]
    assert [line.removeprefix("event: ") for line in lines[::2]] == [e["type"] for e in events]
    assert [e["sequence_number"] for e in events] == list(range(len(events)))
    for event in events:
        EVENT.validate_json(json.dumps(event), strict=True)
    assert "".join(e["delta"] for e in events if e["type"] == "response.output_text.delta") == text
    assert events[-1]["type"] == "response.incomplete"
    assert events[-1]["response"]["output"][0]["content"] == message["content"]
    assert events[-1]["response"]["usage"]["output_tokens"] == 12 == whole["usage"]["output_tokens"]


def test_the_official_client(served: Running, client: Client) -> None:
    api = client(served)
    answer = api.responses.create(model=served.name, input="Say hi.", temperature=0, max_output_tokens=8, top_logprobs=2)
    assert answer.output_text
    content = answer.output[0].content[0]  # type: ignore[union-attr,index]
    assert [len(t.top_logprobs) for t in content.logprobs] == [2] * len(content.logprobs)  # type: ignore[union-attr,arg-type]
    schema: Any = {"type": "object", "properties": {"n": {"enum": [1, 2]}}, "required": ["n"], "additionalProperties": False}
    form: Any = {"format": {"type": "json_schema", "name": "pick", "schema": schema, "strict": True}}
    held = api.responses.create(model=served.name, input=[{"role": "user", "content": "Pick."}], text=form)
    assert json.loads(held.output_text)["n"] in (1, 2)
    with pytest.raises(openai.BadRequestError) as refused:
        api.responses.create(model=served.name, input="x", previous_response_id="resp_1")
    assert refused.value.param == "previous_response_id"
