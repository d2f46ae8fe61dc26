"""A tiny proxy on this computer, for tests: it passes plain requests and tunnels on, and notes them."""

import http.client
import select
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from urllib.parse import urlsplit


class Proxy:
    """`with Proxy(send_to) as proxy`: proxy.url is its address, proxy.seen what was asked for; all names lead to send_to, (host, port)."""

    def __init__(self, send_to: tuple[str, int]) -> None:
        self.seen: list[tuple[str, str]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self, send_to))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> "Proxy":
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(proxy: Proxy, send_to: tuple[str, int]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            proxy.seen.append(("GET", self.path))
            parts = urlsplit(self.path)
            line = http.client.HTTPConnection(*send_to)
            line.request("GET", parts._replace(scheme="", netloc="").geturl(), headers=dict(self.headers))
            answer = line.getresponse()
            body = answer.read()
            self.send_response(answer.status)
            for key, value in answer.getheaders():
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(body)
            line.close()

        def do_CONNECT(self) -> None:
            proxy.seen.append(("CONNECT", self.path))
            with socket.create_connection(send_to) as line:
                self.send_response(200)
                self.end_headers()
                both = (self.connection, line)
                while True:
                    for ready in select.select(both, (), ())[0]:
                        data = ready.recv(1 << 16)
                        if not data:
                            self.close_connection = True
                            return
                        both[1 - both.index(ready)].sendall(data)

    return Handler
