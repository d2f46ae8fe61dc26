"""Chat and text completions as OpenAI's own client sees them, every result checked against the client's types."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import numpy as np
import openai
import pytest
from openai.types import Completion, Model
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from engine.requests import Generate
from tests.server.conftest import Running

Client = Callable[[Running], openai.OpenAI]
ASK: Any = [{"role": "system", "content": "You are short."}, {"role": "user", "content": "Name three colours."}]


def post(http: httpx.Client, path: str = "/v1/chat/completions", **body: Any) -> Any:
    answer = http.post(path, json={"temperature": 0, "max_tokens": 12, **body})
    assert answer.status_code == 200, answer.text
    return answer.json()


def chunks(http: httpx.Client, path: str = "/v1/chat/completions", **body: Any) -> list[Any]:
    """The data of a stream, which ends with its mark."""
    with http.stream("POST", path, json={"temperature": 0, "max_tokens": 12, "stream": True, **body}) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = [line for line in answer.iter_lines() if line and not line.startswith(":")]
    assert all(line.startswith("data: ") for line in lines)
    assert lines[-1] == "data: [DONE]"
    return [json.loads(line.removeprefix("data: ")) for line in lines[:-1]]


def test_that_a_chat_is_answered_whole_and_in_pieces_alike(served: Running, http: httpx.Client) -> None:
    whole = post(http, model=served.name, messages=ASK, seed=7, temperature=0.8)
    ChatCompletion.model_validate(whole, strict=True)
    assert whole["choices"][0]["finish_reason"] == "length"
    assert whole["usage"]["completion_tokens"] == 12
    assert whole["usage"]["total_tokens"] == whole["usage"]["prompt_tokens"] + 12
    parts = chunks(http, model=served.name, messages=ASK, seed=7, temperature=0.8, stream_options={"include_usage": True})
    for part in parts:
        ChatCompletionChunk.model_validate(part, strict=True)
    assert parts[0]["choices"][0]["delta"]["role"] == "assistant"
    text = "".join(c["delta"].get("content") or "" for p in parts for c in p["choices"])
    assert text == whole["choices"][0]["message"]["content"]
    assert [c["finish_reason"] for p in parts for c in p["choices"] if c["finish_reason"]] == ["length"]
    assert parts[-1]["choices"] == [] and parts[-1]["usage"]["completion_tokens"] == 12
    assert parts[-1]["usage"]["prompt_tokens_details"]["cached_tokens"] == whole["usage"]["prompt_tokens"] - 1  # all but the last token
    assert all(p["usage"] is None for p in parts[:-1])


def test_the_official_client(served: Running, client: Client) -> None:
    api = client(served)
    assert [m.id for m in api.models.list()] == [served.name]
    assert api.models.retrieve(served.name).id == served.name
    Model.model_validate(api.models.retrieve(served.name).model_dump(), strict=True)
    answer = api.chat.completions.create(model=served.name, messages=ASK, temperature=0, max_completion_tokens=8)
    stream = api.chat.completions.create(model=served.name, messages=ASK, temperature=0, max_completion_tokens=8, stream=True)
    assert "".join(c.choices[0].delta.content or "" for c in stream) == answer.choices[0].message.content
    with pytest.raises(openai.NotFoundError, match="is not open here"):
        api.chat.completions.create(model="gpt-9", messages=ASK)
    with pytest.raises(openai.BadRequestError, match="no embeddings"):
        api.embeddings.create(model=served.name, input="x")


def test_that_parameters_reach_the_engine(served: Running, http: httpx.Client) -> None:
    body = {
        "temperature": 0.5, "top_p": 0.9, "seed": -1, "stop": ["\n\n", "END"], "presence_penalty": 0.5, "frequency_penalty": -0.5,
        "logit_bias": {"5": 10}, "max_completion_tokens": 3, "max_tokens": None, "user": "me", "n": 2, "top_k": 40,
    }  # fmt: skip
    answer = post(http, model=served.name, messages=ASK, **body)
    assert [c["index"] for c in answer["choices"]] == [0, 1]
    first, second = (r for r in served.posted[-2:])
    assert isinstance(first, Generate)
    s = first.sampling
    assert (s.temperature, s.top_p, s.top_k, s.seed, s.max_tokens, s.stop) == (0.5, 0.9, 40, (1 << 64) - 1, 3, ("\n\n", "END"))
    assert (s.presence_penalty, s.frequency_penalty, s.logit_bias) == (0.5, -0.5, ((5, 10.0),))
    assert second.sampling.seed == 0 and [m.role for m in first.messages] == ["system", "user"]
    post(http, model=served.name, messages=ASK, temperature=None, max_tokens=1)  # what is left out is as the publisher has it
    assert served.posted[-1].sampling.repetition_penalty == served.shared.info.defaults.repetition_penalty  # type: ignore[union-attr]
    assert served.posted[-1].sampling.temperature == served.shared.info.defaults.temperature  # type: ignore[union-attr]


def test_that_bias_and_stop_change_the_answer(served: Running, http: httpx.Client) -> None:
    plain = post(http, model=served.name, messages=ASK, logprobs=True, top_logprobs=3)
    ChatCompletion.model_validate(plain, strict=True)
    tokens = plain["choices"][0]["logprobs"]["content"]
    text = plain["choices"][0]["message"]["content"]
    assert "".join(t["token"] for t in tokens) == text
    assert b"".join(bytes(t["bytes"]) for t in tokens).decode() == text
    for t in tokens:  # greedily, without a penalty, each token is the likeliest
        assert len(t["top_logprobs"]) == 3
        assert t["top_logprobs"][0]["token"] == t["token"] and t["top_logprobs"][0]["logprob"] == t["logprob"]
        assert np.exp([x["logprob"] for x in t["top_logprobs"]]).sum() <= 1 + 1e-9
    parts = chunks(http, model=served.name, messages=ASK, logprobs=True, top_logprobs=3)
    assert [t for p in parts for c in p["choices"] if c["logprobs"] for t in c["logprobs"]["content"]] == tokens
    stop = text[4:7]
    cut = post(http, model=served.name, messages=ASK, stop=stop, logprobs=True)
    assert cut["choices"][0]["message"]["content"] == text[: text.index(stop)]
    assert cut["choices"][0]["finish_reason"] == "stop"
    told = "".join(t["token"] for t in cut["choices"][0]["logprobs"]["content"])
    assert told.startswith(text[: text.index(stop)]) and len(told) < len(text)


def test_text_completions(served: Running, http: httpx.Client) -> None:
    one = post(http, "/v1/completions", model=served.name, prompt="The capital of France is", logprobs=2)
    Completion.model_validate(one, strict=True)
    assert one["choices"][0]["finish_reason"] == "length"
    assert one["usage"]["prompt_tokens"] < 10  # no template around it
    logprobs = one["choices"][0]["logprobs"]
    assert "".join(logprobs["tokens"]) == one["choices"][0]["text"]
    assert logprobs["text_offset"][:2] == [0, len(logprobs["tokens"][0])]
    many = post(http, "/v1/completions", model=served.name, prompt=["One, two,", "A, b,"], n=2, max_tokens=3, echo=True)
    Completion.model_validate(many, strict=True)
    assert [c["text"].startswith(p) for c, p in zip(many["choices"], ["One", "One", "A,", "A,"], strict=True)] == [True] * 4
    tokens = post(http, "/v1/completions", model=served.name, prompt=[504, 3575, 282], max_tokens=3)
    assert tokens["usage"]["prompt_tokens"] == 3
    parts = chunks(http, "/v1/completions", model=served.name, prompt="The capital of France is", stream_options={"include_usage": True})
    for part in parts:  # the client's type has no null there, but its service sends it until the end
        choices = [{**c, "finish_reason": c["finish_reason"] or "stop"} for c in part["choices"]]
        Completion.model_validate({**part, "choices": choices}, strict=True)
    assert "".join(c["text"] for p in parts for c in p["choices"]) == one["choices"][0]["text"]


def test_that_answers_of_a_shape_have_it(served: Running, client: Client) -> None:
    api = client(served)
    schema = {
        "type": "object",
        "properties": {"colour": {"enum": ["red", "blue"]}, "number": {"type": "integer", "minimum": 0, "maximum": 99}},
        "required": ["colour", "number"],
        "additionalProperties": False,
    }
    form: Any = {"type": "json_schema", "json_schema": {"name": "pick", "strict": True, "schema": schema}}
    for seed in range(3):
        answer = api.chat.completions.create(model=served.name, messages=ASK, seed=seed, temperature=1.5, response_format=form)
        value = json.loads(answer.choices[0].message.content or "")
        assert set(value) == {"colour", "number"} and value["colour"] in ("red", "blue") and 0 <= value["number"] <= 99
        assert answer.choices[0].finish_reason == "stop"
    loose: Any = {"type": "json_object"}
    answer = api.chat.completions.create(model=served.name, messages=ASK, max_tokens=200, temperature=0, response_format=loose)
    text = answer.choices[0].message.content or ""
    assert text.startswith("{")
    if answer.choices[0].finish_reason == "stop":
        json.loads(text)
    with pytest.raises(openai.BadRequestError, match="cannot be held to this shape"):
        form["json_schema"]["schema"] = {"type": "object", "not": {}}
        api.chat.completions.create(model=served.name, messages=ASK, response_format=form)


def test_that_conversations_share_what_was_computed(served: Running, http: httpx.Client) -> None:
    long = [{"role": "system", "content": "You know much. " * 40}]
    turns = [[*long, {"role": "user", "content": f"Tell me of {what}."}] for what in ("rivers", "mountains")]
    first = post(http, model=served.name, messages=turns[0], max_tokens=2)["usage"]
    second = post(http, model=served.name, messages=turns[1], max_tokens=2)["usage"]
    assert first["prompt_tokens_details"]["cached_tokens"] < 60 < second["prompt_tokens_details"]["cached_tokens"]
    metrics = http.get("/metrics").text
    assert 'ouzel_requests_total{route="/v1/chat/completions",status="200"}' in metrics
    assert "ouzel_engine_expert_hits_total" in metrics and "ouzel_cached_tokens_total" in metrics
    assert http.get("/health").json()["status"] == "ok"
