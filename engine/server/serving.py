"""A server on a thread of its own: bound, running, stopped; and the engine that it may own."""

import asyncio
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import uvicorn
from uvicorn.lifespan import off as _  # noqa: F401  uvicorn imports it by name, which a bundle would not see
from uvicorn.protocols.http.h11_impl import H11Protocol

from engine.errors import EngineError
from engine.events import Counters, Event, Loaded, ModelInfo, Unloaded
from engine.openai.refusals import Refused, error_body
from engine.requests import Generate
from engine.server.answering import STOPPING
from engine.server.replies import as_json
from engine.server.routes import Log, Routes
from engine.server.settings import ServerConfig
from engine.stats import Snapshot
from engine.words import say

CHANGED = Refused("The open model was changed meanwhile. Ask again.", code="model_changed", status=503)
HEAD_BYTES = 64 << 10
NO_HTTP = f"This is no request that can be read, or the lines before its body take more than {HEAD_BYTES >> 10} kB."
HEAD_S = 20.0  # that a request's head may take, and a connection be idle
END_S = 2.0  # that open connections have when the server stops


class Shared:
    """An engine as a server sees it: what others post to and cancel, and what the last events said. Any thread."""

    def __init__(self, post: Callable[[Generate], None], cancel: Callable[[int], None]) -> None:
        self.post, self.cancel = post, cancel
        self.info: ModelInfo | None = None
        self.snapshot: Snapshot | None = None

    def note(self, event: Event) -> None:
        """An event of the engine."""
        match event:
            case Loaded(_, info):
                self.info = info
            case Unloaded():
                self.info = self.snapshot = None
            case Counters(snapshot):
                self.snapshot = snapshot


class Server:
    """Serves `engine` at config.host. `address` is where, once made.

    Raises BadRequest for impossible settings and EngineError where the address cannot be used. Events of the engine are given to `take`,
    by any thread.
    """

    def __init__(self, engine: Shared, config: ServerConfig, log: Log = lambda path, asker, status, seconds: None) -> None:
        self._engine, self.config = engine, config.checked()
        self._routes = Routes(engine, config, log)
        self._socket = _bound(config)
        host, port = self._socket.getsockname()[:2]
        self.address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        self._uvicorn = uvicorn.Server(
            uvicorn.Config(
                self._routes.app,
                http=_Protocol,
                ws="none",
                lifespan="off",
                log_config=None,
                log_level="error",  # what is wrong with a client's bytes is told to it, and is nothing that libraries could mend
                access_log=False,
                server_header=False,
                proxy_headers=False,
                limit_concurrency=config.connections,
                timeout_keep_alive=int(HEAD_S),
                timeout_graceful_shutdown=int(END_S),
                h11_max_incomplete_event_size=HEAD_BYTES,
            )
        )
        self._loop: asyncio.AbstractEventLoop | None = None
        self._began = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Serve on a thread of our own, from now on."""
        self._thread = threading.Thread(target=self.run, name="server")
        self._thread.start()
        self._began.wait()

    def run(self) -> None:
        """Serve until `stop`."""
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._began.set()
        try:
            await self._uvicorn.serve([self._socket])
        finally:
            self._routes.desk.stop(STOPPING)
            self._loop = None
            self._socket.close()

    def take(self, event: Event) -> None:
        """An event of the engine."""
        self._engine.note(event)
        if isinstance(event, Loaded | Unloaded):
            self._call(lambda: self._routes.desk.turn_away(CHANGED))
        self._call(lambda: self._routes.desk.take(event))

    def note(self, info: ModelInfo | None, snapshot: Snapshot | None) -> None:
        """What the engine said before this server was there."""
        self._engine.info, self._engine.snapshot = info, snapshot

    def hold(self) -> None:
        """See Desk.hold."""
        self._call(self._routes.desk.hold)

    def release(self) -> None:
        """See Desk.release."""
        self._call(self._routes.desk.release)

    def stop(self) -> None:
        """End all requests and then the server; idempotent, returns at once."""

        def end() -> None:
            self._routes.desk.stop(STOPPING)
            self._uvicorn.should_exit = True

        self._uvicorn.should_exit = True
        self._call(end)
        if self._thread is None:
            self._socket.close()

    def join(self, timeout: float | None = None) -> bool:
        """Whether the server has ended within that time."""
        if self._thread is not None:
            self._thread.join(timeout)
            return not self._thread.is_alive()
        return True

    def _call(self, work: Callable[[], None]) -> None:
        loop = self._loop
        if loop is not None:
            with suppress(RuntimeError):  # it has ended
                loop.call_soon_threadsafe(work)


class _Protocol(H11Protocol):
    """Closes connections whose request does not come."""

    def connection_made(self, transport: Any) -> None:
        """A client has connected."""
        super().connection_made(transport)
        self._late: asyncio.TimerHandle | None = None
        self._expect()

    def data_received(self, data: bytes) -> None:
        """Bytes of a request."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._forget()
        elif self._late is None:
            self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone."""
        self._forget()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Tell that no request can be read from what came; uvicorn's own is plain text."""
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            body = as_json(error_body(NO_HTTP, "invalid_request_error", None, "invalid_http"))
            head = f"HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
            self.transport.write(head.encode() + body)
        self.transport.close()

    def _expect(self) -> None:
        self._late = self.loop.call_later(HEAD_S, self.transport.close)

    def _forget(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


def _bound(config: ServerConfig) -> socket.socket:
    """A socket that listens there."""
    try:
        family, kind, proto, _, address = socket.getaddrinfo(config.host, config.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        made = socket.socket(family, kind, proto)
        try:
            if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):  # Windows would let a second program listen at the same address
                made.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
            else:
                made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind(address)
            made.listen(128)
        except OSError:
            made.close()
            raise
        return made
    except OSError as e:
        raise EngineError(
            say(
                "Nothing can listen at {host}:{port} ({why}). Choose another port or address.",
                host=config.host,
                port=config.port,
                why=e.strerror or e,
            )
        ) from e
