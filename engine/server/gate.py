"""Who may ask: the name under which the server was reached, the page that asks, the key. Before a byte of a body is read.

A page in a browser can send requests to this computer. It is known by its Origin; one that got our address under its own name (DNS
rebinding) is known by the Host; and bodies that are not declared as JSON, which pages may send to anybody, are refused.
"""

import ipaddress
import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.openai.refusals import Refused
from engine.server.keys import KeyCheck
from engine.server.replies import refusal
from engine.server.settings import ServerConfig

OPEN = frozenset({"/health"})  # what is told without a key
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
METHODS, HEADERS = "GET, POST, OPTIONS", ("authorization", "content-type")
CLIENTS = re.compile(r"x-stainless-[a-z-]{1,40}|openai-[a-z-]{1,40}|user-agent|x-requested-with")  # what OpenAI's own client sends besides


class Gate:
    """An ASGI application in front of another."""

    def __init__(self, app: ASGIApp, config: ServerConfig) -> None:
        self._app = app
        self._key = KeyCheck(config.key)
        self._origins = frozenset(o.lower() for o in config.origins)
        self._hosts = LOOPBACK | {h.lower().strip("[]") for h in (config.host, *config.hosts)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it with a refusal."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        allowed = origin if origin is not None and origin.lower() in self._origins else None

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                out = MutableHeaders(scope=message)
                out["X-Content-Type-Options"] = "nosniff"
                out["Cache-Control"] = "no-store"
                if allowed is not None:
                    out["Access-Control-Allow-Origin"] = allowed
                    out.add_vary_header("Origin")
            await send(message)

        try:
            self._check(scope, headers, allowed)
        except Refused as e:
            await refusal(e)(scope, receive, answer)
            return
        if scope["method"] == "OPTIONS" and allowed is not None:
            await _preflight(headers.get("access-control-request-headers", ""), answer)
            return
        await self._app(scope, receive, answer)

    def _check(self, scope: Scope, headers: Headers, allowed: str | None) -> None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._known(hosts[0], scope.get("server")):
            told = "This server is not known under the name in the Host header. Allow the name with --allow-host."
            raise Refused(told, code="host", status=403)
        if allowed is None and ("origin" in headers or headers.get("sec-fetch-site") in ("cross-site", "same-site")):
            raise Refused("Web pages of this origin may not ask this server. Allow the origin with --origin.", code="origin", status=403)
        if scope["method"] == "OPTIONS" and allowed is not None:
            return
        if self._key.needed and scope["path"] not in OPEN:
            scheme, _, given = headers.get("authorization", "").partition(" ")
            if scheme.lower() != "bearer" or not self._key(given.strip()):
                raise Refused("The API key is missing or wrong. Send it as: Authorization: Bearer KEY", code="invalid_api_key", status=401)
        if scope["method"] == "POST" and headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise Refused("The body has to be JSON: send Content-Type: application/json.", code="unsupported_media_type", status=415)

    def _known(self, host: str, server: Iterable[object] | None) -> bool:
        """Whether `host` is a name of ours, or the very address that was connected to."""
        try:
            name = (urlsplit(f"//{host}").hostname or "").lower()
        except ValueError:
            return False
        if name in self._hosts:
            return True
        here = next(iter(server), None) if server else None
        try:
            return ipaddress.ip_address(name) == ipaddress.ip_address(str(here).partition("%")[0])
        except ValueError:
            return False


async def _preflight(wanted: str, send: Send) -> None:
    """wanted: names of headers that the page is going to send."""
    known = [name for each in wanted.split(",") if CLIENTS.fullmatch(name := each.strip().lower())]
    headers = [
        (b"access-control-allow-methods", METHODS.encode()),
        (b"access-control-allow-headers", ", ".join((*HEADERS, *known)).encode()),
        (b"access-control-max-age", b"600"),
    ]
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
