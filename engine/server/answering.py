"""Answers over HTTP: whole, or as a stream of server-sent events; either ends at once where the client goes away.

A stream's status is sent when the prompt is being read, so that what cannot be carried out is refused with a status of its own. While a
long prompt is read comments keep the connection alive. Source of the format: WHATWG HTML, "Server-sent events".
"""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Awaitable
from contextlib import suppress
from typing import Any, TypeVar

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from engine.errors import Cancelled, EngineError
from engine.events import Event, Failed, Prefill
from engine.openai.asked import Asked
from engine.openai.collected import Collected
from engine.openai.refusals import told_error
from engine.openai.response_results import ResponseEvents, response_result
from engine.openai.results import Chunks, result
from engine.openai.room import Lease
from engine.server.desk import Ticket
from engine.server.replies import as_json, refusal, reply
from engine.server.settings import ServerConfig

PREFIX = {"chat": "chatcmpl-", "completion": "cmpl-", "response": "resp_"}
GONE = 499  # the client closed the connection; a status for the log alone
T = TypeVar("T")


class Answering:
    """An ASGI response to one request. Closes its ticket and gives its memory back when it is done, whatever happens."""

    status_code = 200

    def __init__(self, ticket: Ticket, config: ServerConfig, lease: Lease) -> None:
        self._ticket, self._asked, self._config, self._lease = ticket, ticket.asked, config, lease
        self._id, self._created = PREFIX[ticket.asked.kind] + uuid.uuid4().hex, int(time.time())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, unless the client leaves before."""
        work = asyncio.ensure_future(self._answer(scope, receive, send))
        gone = asyncio.ensure_future(_gone(receive))
        try:
            await asyncio.wait((work, gone), timeout=self._config.answer_seconds, return_when=asyncio.FIRST_COMPLETED)
            self._ticket.close()
            if gone.done() and not work.done():
                self.status_code = GONE
            elif not work.done():  # its time is over; the answer ends where it is
                with suppress(TimeoutError):
                    await asyncio.wait_for(asyncio.shield(work), self._config.send_seconds)
        finally:
            self._ticket.close()
            self._lease.close()
            for task in (work, gone):
                task.cancel()
            await asyncio.gather(work, gone, return_exceptions=True)
        if not work.cancelled() and (error := work.exception()) is not None and not isinstance(error, TimeoutError | OSError):
            raise error

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._asked.stream:
            await self._stream(scope, receive, send)
        else:
            await (await self._whole())(scope, receive, send)

    async def _whole(self) -> Response:
        answers = [Collected() for _ in range(self._asked.count)]
        async for index, event in self._ticket.events():
            answers[index].take(event)
            if isinstance(event, Failed):
                return self._refused(event.error)
        if self._asked.kind == "response":
            return reply(response_result(self._asked, answers[0], self._id, self._created))
        return reply(result(self._asked, answers, self._id, self._created))

    def _refused(self, error: EngineError) -> Response:
        response = refusal(error)
        self.status_code = response.status_code
        return response

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        events = self._ticket.events()
        waiting = asyncio.ensure_future(anext(events))
        first = await self._soon(waiting)
        if first is not None and isinstance(first[1], Failed):
            await self._refused(first[1].error)(scope, receive, send)
            return
        headers = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"x-accel-buffering", b"no")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        async for data in self._pieces(waiting, events):
            await asyncio.wait_for(send({"type": "http.response.body", "body": data, "more_body": True}), self._config.send_seconds)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _soon(self, waiting: "asyncio.Future[T]") -> T | None:
        """What comes, or None where nothing does before a sign of life is due."""
        done, _ = await asyncio.wait((waiting,), timeout=self._config.keep_alive)
        return waiting.result() if done else None

    async def _pieces(
        self, waiting: "asyncio.Future[tuple[int, Event]]", events: AsyncIterator[tuple[int, Event]]
    ) -> AsyncIterator[bytes]:
        """The stream's bytes."""
        writer = _ResponseWriter(self._asked, self._id, self._created) if self._asked.kind == "response" else None
        chunks = _ChunkWriter(self._asked, self._id, self._created) if writer is None else writer
        yield chunks.begin()
        try:
            while True:
                try:
                    came = await self._soon(waiting)
                except StopAsyncIteration:
                    break
                if came is None:
                    yield b": waiting\n\n"
                    continue
                index, event = came
                waiting = asyncio.ensure_future(_next(events))
                if isinstance(event, Prefill):
                    yield b": reading the prompt, %d of %d tokens\n\n" % (event.done, event.total)
                elif isinstance(event, Failed):
                    yield chunks.failed(event.error)
                    return
                elif data := chunks.write(index, event):
                    yield data
                if writer is None:  # a response is told as a whole in the end
                    self._lease.told(event)
            yield chunks.end()
        finally:
            waiting.cancel()
            with suppress(asyncio.CancelledError, StopAsyncIteration):
                await waiting


class _ChunkWriter:
    """A stream of completions."""

    def __init__(self, asked: Asked, id: str, created: int) -> None:
        self._chunks = Chunks(asked, id, created)

    def begin(self) -> bytes:
        """What is sent first."""
        return b""

    def write(self, index: int, event: Event) -> bytes:
        """What an event makes."""
        return b"".join(_data(chunk) for chunk in self._chunks.take(index, event))

    def failed(self, error: EngineError) -> bytes:
        """An answer that cannot go on; the stream has no mark of its end then, so that nobody takes it for whole."""
        return _data(told_error(error)[1])

    def end(self) -> bytes:
        """What is sent last."""
        return b"".join(_data(chunk) for chunk in self._chunks.end()) + b"data: [DONE]\n\n"


class _ResponseWriter:
    """A stream of a response's events."""

    def __init__(self, asked: Asked, id: str, created: int) -> None:
        self._events = ResponseEvents(asked, id, created)

    def begin(self) -> bytes:
        """See _ChunkWriter."""
        return _named(self._events.begin())

    def write(self, index: int, event: Event) -> bytes:
        """See _ChunkWriter."""
        return _named(self._events.take(event))

    def failed(self, error: EngineError) -> bytes:
        """See _ChunkWriter."""
        return _named(self._events.failed(error))

    def end(self) -> bytes:
        """See _ChunkWriter."""
        return b""


def _data(value: Any) -> bytes:
    return b"data: " + as_json(value) + b"\n\n"


def _named(events: list[dict[str, Any]]) -> bytes:
    return b"".join(b"event: " + str(e["type"]).encode() + b"\n" + _data(e) for e in events)


async def _next(events: AsyncIterator[T]) -> T:
    return await anext(events)


async def _gone(receive: Receive) -> None:
    """Ends when the client is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def within(work: Awaitable[T], seconds: float, error: EngineError) -> T:
    """The result of `work`, or that error where it takes longer."""
    try:
        return await asyncio.wait_for(work, seconds)
    except TimeoutError:
        raise error from None


STOPPING = Cancelled("The server is stopping.")
