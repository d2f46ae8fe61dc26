"""What a program is told where its request cannot be carried out: a status and OpenAI's error object."""

from typing import Any

from engine.errors import BadRequest, Cancelled, ContextFull, EngineError

TOO_LONG = "context_length_exceeded"
LONGEST_TOLD, LONGEST_NAME = 2000, 200  # characters
QUEUE_FULL = "Too many requests wait for this model already. Try again later."


class Refused(BadRequest):
    """A request that is refused as it stands; param: the parameter that is in the way; code: a word for programs."""

    def __init__(self, message: str, param: str | None = None, code: str | None = None, status: int = 400) -> None:
        super().__init__(message)
        self.param, self.code, self.status = param, code, status


class Busy(Refused):
    """There is too much to do at the moment; seconds: after which another try makes sense."""

    def __init__(self, seconds: int, message: str = QUEUE_FULL, code: str = "queue_full") -> None:
        super().__init__(message, code=code, status=429)
        self.seconds = seconds


def error_body(message: str, kind: str, param: str | None = None, code: str | None = None) -> dict[str, Any]:
    """OpenAI's error object; what it quotes of a request is cut. Source: API reference, "Error codes"."""
    return {"error": {"message": _cut(message, LONGEST_TOLD), "type": kind, "param": param and _cut(param, LONGEST_NAME), "code": code}}


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most] + "..."


def told_error(error: EngineError) -> tuple[int, dict[str, Any]]:
    """(status, body) of an error."""
    if isinstance(error, Refused):
        kinds = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error", 503: "server_error"}
        return error.status, error_body(str(error), kinds.get(error.status, "invalid_request_error"), error.param, error.code)
    if isinstance(error, ContextFull):
        return 400, error_body(str(error), "invalid_request_error", "messages", TOO_LONG)
    if isinstance(error, BadRequest):
        return 400, error_body(str(error), "invalid_request_error")
    if isinstance(error, Cancelled):
        return 503, error_body(str(error), "server_error", None, "stopped")
    return 500, error_body(str(error), "server_error")
