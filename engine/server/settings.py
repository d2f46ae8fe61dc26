"""How a server is run: where it listens, who may ask, and how much."""

import ipaddress
from dataclasses import dataclass, field

from engine.config import REQUEST_BYTES
from engine.errors import BadRequest
from engine.openai.reading import LARGEST

PORT = 8740


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """key: what clients must show, "" for none, which is possible on loopback alone. port 0: any free one.

    origins: of web pages that may ask, as "https://example.org"; hosts: names under which clients may reach the server, beside loopback's
    and the address itself. waiting: requests that may wait for their turn. body_bytes, body_seconds: the most that a body may have and
    take; memory_bytes: what all requests together, from their bodies' first byte on, may take of memory, which the plan counts.
    send_seconds: how long a client may leave what is sent to it unread; answer_seconds: the longest that a request may take, the queue
    included. keep_alive: seconds between signs of life while nothing can be sent.
    """

    host: str = "127.0.0.1"
    port: int = PORT
    key: str = field(default="", repr=False)
    origins: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    waiting: int = 32
    connections: int = 256
    body_bytes: int = LARGEST
    memory_bytes: int = REQUEST_BYTES
    body_seconds: float = 60.0
    send_seconds: float = 60.0
    answer_seconds: float = 24 * 3600.0
    keep_alive: float = 10.0

    def checked(self) -> "ServerConfig":
        """These settings. Raises BadRequest where others could ask without a key, or an origin is none."""
        if not self.key and not is_loopback(self.host):
            raise BadRequest(
                f"At {self.host} other computers can reach the server, so it needs a key. Put one in a file and name it with --key-file, "
                "or in the variable OUZEL_API_KEY."
            )
        for origin in self.origins:
            scheme, found, rest = origin.partition("://")
            if not (scheme and found and rest) or "/" in rest or origin == "null":
                raise BadRequest(f"{origin!r} is no origin. Write one as https://example.org, without a path.")
        return self


def is_loopback(host: str) -> bool:
    """Whether only this computer reaches `host`."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
