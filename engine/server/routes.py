"""The server's addresses, each a few lines over the formats of engine.openai."""

import asyncio
import time
from collections.abc import Callable, Mapping
from secrets import randbits
from typing import Any, Protocol
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine import __version__
from engine.errors import EngineError
from engine.events import ModelInfo
from engine.openai.asked import Asked
from engine.openai.chat import chat, completion
from engine.openai.reading import read_body
from engine.openai.refusals import Busy, Refused, error_body
from engine.openai.responses import response
from engine.openai.room import AGAIN_S, Lease, Room, size_of
from engine.server.answering import Answering, within
from engine.server.desk import Desk
from engine.server.desk import Engine as DeskEngine
from engine.server.gate import Gate
from engine.server.numbers import CONTENT_TYPE, HasSnapshot, Numbers
from engine.server.replies import refusal, reply
from engine.server.settings import ServerConfig

LARGE = 1 << 18  # bytes of a body that is parsed on a thread
LONGEST_LOGGED = 200  # characters of an address
LATE = Refused("The body took too long to come.", code="timeout", status=408)
SLOW = "The body came slowly, and others needed the memory of what had come. Send it again."
Read = Callable[[Mapping[str, Any], ModelInfo, int], Asked]
Log = Callable[[str, str, int, float], None]  # address, asker, status, seconds


class Engine(DeskEngine, HasSnapshot, Protocol):
    """What the server needs of an engine."""


class Routes:
    """The application over one engine. log: told of each request when it has been answered."""

    def __init__(self, engine: Engine, config: ServerConfig, log: Log = lambda path, asker, status, seconds: None) -> None:
        self._engine, self._config, self._log = engine, config, log
        self.numbers = Numbers(engine)
        self.desk = Desk(engine, config.waiting, self.numbers.ended)
        self.numbers.watch(self.desk)
        self._room = Room(config.memory_bytes)
        self._opened = int(time.time())
        post, get = ["POST"], ["GET"]
        routes = [
            Route("/v1/chat/completions", self._answers(chat), methods=post),
            Route("/v1/completions", self._answers(completion), methods=post),
            Route("/v1/responses", self._answers(response), methods=post),
            Route("/v1/embeddings", self._embeddings, methods=post),
            Route("/v1/models", self._models, methods=get),
            Route("/v1/models/{name:path}", self._model, methods=get),
            Route("/health", self._health, methods=get),
            Route("/metrics", self._metrics, methods=get),
        ]
        handlers: Mapping[Any, Any] = {HTTPException: _http_error, EngineError: _engine_error}
        self._starlette = Starlette(routes=routes, exception_handlers=handlers)
        self.app: ASGIApp = _Counted(Gate(self._starlette, config), self.numbers, log)

    def _answers(self, read: Read) -> Callable[[Request], Any]:
        async def answer(request: Request) -> Any:
            info = self._engine.info
            if info is None:
                raise Refused("No model is open at the moment. Open one, then try again.", code="no_model", status=503)
            if request.headers.get("content-encoding", "identity").lower() != "identity":
                told = "A packed body is not taken here. Send it without Content-Encoding."
                raise Refused(told, code="unsupported_media_type", status=415)
            lease = Lease(self._room)
            try:
                data = await self._received(request, lease)
                lease.read(data)
                # A large body takes a while to read, and others are being answered meanwhile.
                value = read_body(data) if len(data) < LARGE else await asyncio.to_thread(read_body, data)
                asked = read(value, info, randbits(63))
                del data, value
                lease.set(size_of(asked))
                return Answering(self.desk.enter(asked, _asker(request), lease.hold), self._config, lease)
            except BaseException:
                lease.close()
                raise

        return answer

    async def _received(self, request: Request, lease: Lease) -> bytes:
        """The body. Raises Refused where it takes too long, or others need the memory of its half."""
        held = bytearray()
        coming = asyncio.ensure_future(self._body(request, lease, held))
        gave_way = False

        def drop() -> None:
            nonlocal gave_way
            gave_way = coming.cancel()
            held.clear()

        lease.coming(drop)
        try:
            return await within(coming, self._config.body_seconds, LATE)
        except asyncio.CancelledError:
            if gave_way:
                raise Busy(AGAIN_S, SLOW, "memory_full") from None
            raise
        finally:
            lease.coming(None)
            coming.cancel()

    async def _body(self, request: Request, lease: Lease, held: bytearray) -> bytes:
        """The body, in `held` as far as it has come. Raises Refused where it is too large, before it is read."""
        most = self._config.body_bytes
        large = Refused(f"The body is larger than {most >> 20} MB.", code="body_too_large", status=413)
        declared = request.headers.get("content-length", "0")
        if declared.isdecimal() and int(declared) > most:
            raise large
        lease.fits(int(declared) if declared.isdecimal() else 0)
        try:
            async for part in request.stream():
                size = len(held) + len(part)
                if size > most:
                    raise large
                lease.set(2 * size)  # what a client only promises takes nothing from others; it is copied in the end
                held += part
        except ClientDisconnect:
            raise Refused("The client went away.", status=499) from None
        return bytes(held)

    async def _embeddings(self, request: Request) -> Response:
        raise Refused("There are no embeddings here: the open model writes text and makes no vectors of it.", code="unsupported_endpoint")

    async def _models(self, request: Request) -> Response:
        info = self._engine.info
        return reply({"object": "list", "data": [self._told(info)] if info is not None else []})

    async def _model(self, request: Request) -> Response:
        info, name = self._engine.info, request.path_params["name"]
        if info is None or name.removesuffix(".ouzel") != info.name.removesuffix(".ouzel"):
            raise Refused(f"The model {name!r} is not open here.", "model", "model_not_found", 404)
        return reply(self._told(info))

    def _told(self, info: ModelInfo) -> dict[str, Any]:
        more = {"context_length": info.context, "tools": info.can_call, "reasoning": info.can_think or info.efforts}
        return {"id": info.name, "object": "model", "created": self._opened, "owned_by": "ouzel", **more}

    async def _health(self, request: Request) -> Response:
        ready = self._engine.info is not None
        return reply({"status": "ok" if ready else "no model is open", "version": __version__}, 200 if ready else 503)

    async def _metrics(self, request: Request) -> Response:
        return Response(self.numbers.text(), media_type=CONTENT_TYPE)


class _Counted:
    """Counts and logs requests by what they were answered with, and answers what nobody foresaw."""

    KNOWN = frozenset(
        {"/v1/chat/completions", "/v1/completions", "/v1/responses", "/v1/embeddings", "/v1/models", "/health", "/metrics"}
    )

    def __init__(self, app: ASGIApp, numbers: Numbers, log: Log) -> None:
        self._app, self._numbers, self._log = app, numbers, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start, status = time.monotonic(), 499  # where nothing was answered the client had gone

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noted)
        except Exception as e:
            if status == 499:
                told = f"Something unexpected went wrong ({type(e).__name__}). The server goes on; if it comes back, report it."
                await reply(error_body(told, "server_error"), 500)(scope, receive, noted)
            raise
        finally:
            route = scope["path"] if scope["path"] in self.KNOWN else "other"
            self._numbers.requests.labels(route, str(status)).inc()
            # Quoted, since anybody may ask for anything, and a log is read at a terminal.
            self._log(quote(scope["path"][:LONGEST_LOGGED]), (scope.get("client") or ("",))[0], status, time.monotonic() - start)


def _asker(request: Request) -> str:
    """Whose turn it is when several ask: a client's address and program."""
    host = request.client.host if request.client else ""
    return f"{host} {request.headers.get('user-agent', '')[:100]}"


async def _http_error(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    path = request.url.path if len(request.url.path) <= LONGEST_LOGGED else request.url.path[:LONGEST_LOGGED] + "..."
    told = {
        404: f"There is nothing at {path}. OpenAI's interface is below /v1, as /v1/chat/completions.",
        405: f"{path} does not take {request.method}.",
    }
    headers = error.headers if isinstance(error, HTTPException) else None
    code = "method_not_allowed" if status == 405 else "not_found"
    return reply(error_body(told.get(status, str(error)), "invalid_request_error", None, code), status, headers)


async def _engine_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, EngineError)
    return refusal(error)
