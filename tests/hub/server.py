"""A model hub on this computer, for tests: what the hub's client and our range loop ask of the real one, and its bad days.

Faults are set from outside: cuts, stalls, corruption, status codes, ranges that are ignored, a slow line, links that expire. Files of at
least `lfs_from` bytes are sent from another host name, as the real hub does.
"""

import hashlib
import json
import re
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit

if TYPE_CHECKING:
    import trustme

PIECE = 64 * 1024


@dataclass
class Repo:
    """Files by name. token: the one that opens a gated repository."""

    files: Mapping[str, bytes]
    token: str | None = None
    licence: str = "apache-2.0"
    lfs_from: int = 1 << 16
    meta: dict[str, dict[str, Any]] = field(init=False)
    commit: str = field(init=False)

    def __post_init__(self) -> None:
        self.meta = {}
        for name, data in self.files.items():
            lfs = {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 134}
            blob = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
            self.meta[name] = {"size": len(data), "blobId": blob, **({"lfs": lfs} if len(data) >= self.lfs_from else {})}
        self.commit = hashlib.sha1(repr(sorted((n, m["blobId"]) for n, m in self.meta.items())).encode()).hexdigest()

    def etag(self, name: str) -> str:
        m = self.meta[name]
        return str(m["lfs"]["sha256"] if "lfs" in m else m["blobId"])


@dataclass
class Faults:
    """What goes wrong. Lists are used up from the front, one entry a request that they concern."""

    cut_after: dict[str, list[int]] = field(default_factory=dict)  # file: bytes of an answer after which the line is dropped
    stall_after: dict[str, list[tuple[int, float]]] = field(default_factory=dict)  # file: (bytes, seconds of silence)
    corrupt: dict[str, int] = field(default_factory=dict)  # file: offset of a byte that is flipped, each time
    corrupt_once: dict[str, int] = field(default_factory=dict)
    corrupt_to_once: dict[str, tuple[int, int]] = field(default_factory=dict)  # file: offset, bits that flip
    statuses: dict[str, list[tuple[int, dict[str, str]]]] = field(default_factory=dict)  # path pattern: answers instead
    ignore_range: set[str] = field(default_factory=set)
    bytes_per_second: float = 0
    hold: dict[str, tuple[int, threading.Event]] = field(default_factory=dict)  # file: answers of more bytes wait for the event
    expire_links: list[bool] = field(default_factory=list)  # True: this link of the other host is refused with 403


class Hub:
    """`with Hub({"owner/name": Repo(...)}) as hub`: hub.url is its endpoint, hub.sent the bytes of each file that were sent.

    certificate: with one, it speaks TLS.
    """

    def __init__(self, repos: dict[str, Repo], certificate: "trustme.LeafCert | None" = None) -> None:
        self.repos, self.faults = repos, Faults()
        self.sent: dict[str, int] = {}
        self.requests: list[tuple[str, str, str | None, bool]] = []  # method, path, range, whether a token came
        self.authorized: list[tuple[str, str, str]] = []  # host, path with its query, what stood in the header, where something did
        self.bomb: bytes | None = None  # a gzipped answer in place of what a repository is
        self.siblings: list[dict[str, Any]] | None = None  # instead of the true list of files
        self.lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self.scheme = "http" if certificate is None else "https"
        self.url = f"{self.scheme}://127.0.0.1:{self.port}"
        if certificate is not None:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            certificate.configure_cert(context)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)

    def __enter__(self) -> "Hub":
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def bytes_sent(self) -> int:
        return sum(self.sent.values())


def _handler(hub: Hub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: object) -> None:
            pass

        def do_HEAD(self) -> None:
            self._answer()

        do_GET = do_POST = do_HEAD  # noqa: N815  the names that http.server calls

        def _answer(self) -> None:
            path = unquote(urlsplit(self.path).path)
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length) if length else b""
            with hub.lock:
                hub.requests.append((self.command, path, self.headers.get("Range"), "Authorization" in self.headers))
                if "Authorization" in self.headers:
                    hub.authorized.append((self.headers["Host"].partition(":")[0], self.path, self.headers["Authorization"]))
                fault = next((q.pop(0) for pattern, q in hub.faults.statuses.items() if q and re.search(pattern, path)), None)
            if fault is not None:
                self._send(fault[0], b"", fault[1])
            elif path == "/api/whoami-v2":
                if self.headers.get("Authorization") in {f"Bearer {repo.token}" for repo in hub.repos.values() if repo.token}:
                    self._json({"type": "user", "name": "someone"})
                else:
                    self._error(401, "InvalidToken")
            elif m := re.fullmatch(r"/api/models/([^/]+/[^/]+?)(?:/revision/(.+))?", path):
                if hub.bomb is not None:
                    self._send(200, hub.bomb, {"Content-Type": "application/json", "Content-Encoding": "gzip"})
                elif repo := self._repo(m[1], m[2]):
                    self._json(self._info(m[1], repo))
            elif m := re.fullmatch(r"/api/models/([^/]+/[^/]+)/tree/([^/]+)(?:/.*)?", path):
                if repo := self._repo(m[1], m[2]):
                    self._json([self._row(repo, name) for name in repo.files])
            elif m := re.fullmatch(r"/api/models/([^/]+/[^/]+)/paths-info/([^/]+)", path):
                if repo := self._repo(m[1], m[2]):
                    asked = json.loads(body)["paths"] if body.startswith(b"{") else [v for k, v in parse_qsl(body.decode()) if k == "paths"]
                    self._json([self._row(repo, name) for name in repo.files if name in asked])
            elif m := re.fullmatch(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
                if repo := self._repo(m[1], m[2]):
                    self._resolve(m[1], repo, m[3])
            elif (m := re.fullmatch(r"/cdn/([^/]+/[^/]+)/(.+)", path)) and m[1] in hub.repos:
                with hub.lock:
                    expired = hub.faults.expire_links.pop(0) if hub.faults.expire_links else False
                if expired:
                    self._send(403, b"expired")
                else:
                    self._file(hub.repos[m[1]], m[2], {})
            else:
                self._error(404, "EntryNotFound")

        def _repo(self, name: str, revision: str | None) -> Repo | None:
            repo = hub.repos.get(name)
            if repo is None:
                self._error(401, "RepoNotFound")
            elif repo.token and self.headers.get("Authorization") != f"Bearer {repo.token}":
                self._error(403 if "Authorization" in self.headers else 401, "GatedRepo")
            elif revision not in (None, "main", repo.commit):
                self._error(404, "RevisionNotFound")
            else:
                return repo
            return None

        def _info(self, name: str, repo: Repo) -> dict[str, Any]:
            files = [{"rfilename": n, **m} for n, m in repo.meta.items()] if hub.siblings is None else hub.siblings
            return {
                "_id": "0", "id": name, "modelId": name, "sha": repo.commit, "private": False, "gated": "manual" if repo.token else False,
                "disabled": False, "downloads": 1, "likes": 0, "tags": [f"license:{repo.licence}"], "siblings": files,
            }  # fmt: skip

        def _row(self, repo: Repo, name: str) -> dict[str, Any]:
            m = repo.meta[name]
            lfs = {"lfs": {"oid": m["lfs"]["sha256"], "size": m["size"], "pointerSize": 134}} if "lfs" in m else {}
            return {"type": "file", "path": name, "size": m["size"], "oid": m["blobId"], **lfs}

        def _resolve(self, name: str, repo: Repo, file: str) -> None:
            commit = {"X-Repo-Commit": repo.commit}
            if file not in repo.files:
                self._error(404, "EntryNotFound", commit)
            elif "lfs" in repo.meta[file]:
                linked = {"X-Linked-Size": str(repo.meta[file]["size"]), "X-Linked-ETag": f'"{repo.etag(file)}"'}
                self._send(302, b"", {"Location": f"{hub.scheme}://localhost:{hub.port}/cdn/{name}/{quote(file)}", **commit, **linked})
            else:
                self._file(repo, file, commit)

        def _error(self, status: int, code: str, more: Mapping[str, str] | None = None) -> None:
            self._send(status, json.dumps({"error": code}).encode(), {"X-Error-Code": code, "X-Error-Message": code, **(more or {})})

        def _json(self, value: object) -> None:
            self._send(200, json.dumps(value).encode(), {"Content-Type": "application/json"})

        def _send(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
            self._head(status, {"Content-Length": str(len(body)), **(headers or {})})
            if self.command != "HEAD":
                self.wfile.write(body)

        def _head(self, status: int, headers: Mapping[str, str]) -> None:
            self.send_response(status)
            for key, value in headers.items():
                self.send_header(key, value)
            self.end_headers()

        def _file(self, repo: Repo, name: str, more: Mapping[str, str]) -> None:
            data, etag, faults = repo.files[name], f'"{repo.etag(name)}"', hub.faults
            start, end, status = 0, len(data), 200
            asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range") or "")
            if asked and name not in faults.ignore_range and self.headers.get("If-Range") in (None, etag):
                start, end, status = int(asked[1]), min(int(asked[2]) + 1, end) if asked[2] else end, 206
                if start >= len(data):
                    self._send(416, b"", {"Content-Range": f"bytes */{len(data)}"})
                    return
            headers = {"ETag": etag, "Accept-Ranges": "bytes", "Content-Length": str(end - start), **more}
            self._head(status, headers | ({"Content-Range": f"bytes {start}-{end - 1}/{len(data)}"} if status == 206 else {}))
            if self.command != "HEAD":
                self._body(name, data, start, end)

        def _body(self, name: str, data: bytes, start: int, end: int) -> None:
            faults = hub.faults
            with hub.lock:
                cut = faults.cut_after[name].pop(0) if faults.cut_after.get(name) else None
                stall = faults.stall_after[name].pop(0) if faults.stall_after.get(name) else None
                flipped = faults.corrupt.get(name)
                if flipped is None and start <= faults.corrupt_once.get(name, -1) < end:
                    flipped = faults.corrupt_once.pop(name)
                bits = 1
                if flipped is None and start <= faults.corrupt_to_once.get(name, (-1, 0))[0] < end:
                    flipped, bits = faults.corrupt_to_once.pop(name)
            if (held := faults.hold.get(name)) and end - start > held[0]:
                held[1].wait()
            at = start
            while at < end:
                n = min(PIECE, end - at, *([start + cut - at] if cut is not None else []))
                if n <= 0:
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                if stall and at - start >= stall[0]:
                    time.sleep(stall[1])
                    stall = None
                piece = bytearray(data[at : at + n])
                if flipped is not None and at <= flipped < at + n:
                    piece[flipped - at] ^= bits
                try:
                    self.wfile.write(piece)
                except OSError:
                    self.close_connection = True
                    return
                at += n
                with hub.lock:
                    hub.sent[name] = hub.sent.get(name, 0) + n
                if faults.bytes_per_second:
                    time.sleep(n / faults.bytes_per_second)

    return Handler
