"""Replies in JSON, and errors in OpenAI's form."""

import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from engine.errors import EngineError
from engine.openai.refusals import Busy, told_error


def as_json(value: Any) -> bytes:
    """JSON in one line. Lone halves of surrogates, which no UTF-8 has, are written as escapes."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()


def reply(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A JSON body."""
    return Response(as_json(value), status, dict(headers or {}), "application/json")


def refusal(error: EngineError) -> Response:
    """What is told of an error."""
    status, body = told_error(error)
    headers = {}
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, Busy):
        headers["Retry-After"] = str(error.seconds)
    return reply(body, status, headers)
