"""The way to a hub: its address, a proxy, certificates of one's own. The environment counts first, then what was set here.

HF_ENDPOINT names the hub; HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY the way there. A setting counts where none of its variables is
set. Certificates add up: the system's, or those of SSL_CERT_FILE, SSL_CERT_DIR or REQUESTS_CA_BUNDLE, and those that were set. The settings
are kept in network.json in the home folder and taken up by the hub's client before its next request.
"""

import json
import os
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies_environment

from engine import paths
from engine.container.storage import write_whole, writing
from engine.container.strict import Malformed, parse_object, read_limited
from engine.errors import BadRequest
from engine.words import say

ENDPOINT = "https://huggingface.co"
LIMIT = 1 << 16
CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE")
QUIET = ("HF_HUB_DISABLE_TELEMETRY", "HF_HUB_DISABLE_UPDATE_CHECK", "HF_HUB_DISABLE_PROGRESS_BARS", "HF_HUB_DISABLE_IMPLICIT_TOKEN")
_lock = threading.Lock()
_client: "tuple[object, ...] | None" = None  # what the client in use was made for


@dataclass(frozen=True, slots=True)
class Network:
    """endpoint, proxy: addresses; ca_file: certificates in PEM form that are trusted beside the system's. None: not set."""

    endpoint: str | None = None
    proxy: str | None = None
    ca_file: Path | None = None


def settings() -> Network:
    """What was set; a file that is damaged counts as nothing."""
    try:
        value = parse_object(read_limited(_file(), LIMIT))
        found = Network(_text(value.get("endpoint")), _text(value.get("proxy")), Path(f) if (f := _text(value.get("ca_file"))) else None)
        return _checked(found)
    except (Malformed, OSError, BadRequest):
        return Network()


def change(wanted: Network) -> Network:
    """Set all three, and keep them; what is kept. Raises BadRequest (what is no address, no certificate), StorageError."""
    kept = _checked(wanted)
    if kept.ca_file is not None:
        trust(kept.ca_file)
    value = {"endpoint": kept.endpoint, "proxy": kept.proxy, "ca_file": None if kept.ca_file is None else str(kept.ca_file)}
    with writing(_file()):
        write_whole(_file(), json.dumps(value, indent=1).encode())
    return kept


def from_environment() -> tuple[str, ...]:
    """The fields of Network that the environment decides, whatever is set."""
    given = {
        "endpoint": bool(os.environ.get("HF_ENDPOINT", "").strip()),
        "proxy": bool({k for k, v in getproxies_environment().items() if v} & {"http", "https", "all"}),
    }
    return tuple(name for name, there in given.items() if there)


def endpoint() -> str:
    """The hub: HF_ENDPOINT, else what was set, else the usual one; without its last slash."""
    return os.environ.get("HF_ENDPOINT", "").strip().rstrip("/") or settings().endpoint or ENDPOINT


def for_programs() -> dict[str, str]:
    """Variables that send a program that we start through the proxy that is set."""
    proxy = settings().proxy
    return dict.fromkeys(("HTTPS_PROXY", "HTTP_PROXY"), proxy) if proxy and "proxy" not in from_environment() else {}


def prepare() -> None:
    """Make the hub's client go the way that is set now, and send nothing but what it is asked to. Raises BadRequest (certificates)."""
    global _client
    for name in QUIET:
        os.environ.setdefault(name, "1")
    from huggingface_hub import get_session, set_client_factory  # noqa: PLC0415  half a second that a start without downloads does not need

    fixed, now = from_environment(), settings()
    proxy = None if "proxy" in fixed else now.proxy
    certificates = tuple(os.environ.get(name, "") for name in CERTIFICATES)
    bundle = "" if any(certificates[:2]) else certificates[2]
    more = tuple(p for p in (Path(bundle) if bundle else None, now.ca_file) if p is not None)
    wanted = (proxy, more, certificates, tuple(sorted(getproxies_environment().items())))
    with _lock:
        if wanted == _client:
            return
        context = trust(*more) if more else None
        with _usable():
            hooks = get_session().event_hooks  # of the client that the library would make, so that ours does what it does
        set_client_factory(lambda: _made(proxy, context, hooks))
        _client = wanted


def trust(*more: Path) -> ssl.SSLContext:
    """The usual certificates and those of these files or folders. Raises BadRequest."""
    from httpx2 import create_ssl_context  # noqa: PLC0415  as above

    context = create_ssl_context()
    for place in more:
        try:
            context.load_verify_locations(**{"capath" if place.is_dir() else "cafile": str(place)})
        except (OSError, ValueError) as e:  # an SSLError is an OSError
            why = say("it is not there") if isinstance(e, FileNotFoundError) else say("it holds no certificates in PEM form")
            raise BadRequest(say("The certificates in {place} cannot be used: {why}. Choose another file.", place=place, why=why)) from e
    return context


def _made(proxy: str | None, context: ssl.SSLContext | None, hooks: Any) -> Any:
    """A client as the hub's library makes it, but for the way there. Raises BadRequest."""
    from httpx2 import Client  # noqa: PLC0415  the same

    with _usable():
        return Client(proxy=proxy, verify=True if context is None else context, event_hooks=hooks, follow_redirects=True, timeout=None)


@contextmanager
def _usable() -> Iterator[None]:
    from httpx2 import InvalidURL  # noqa: PLC0415  the same

    try:
        yield
    except (ImportError, ValueError, InvalidURL) as e:
        raise BadRequest(
            say("The proxy that is set cannot be used ({kind}). Give one as http://HOST:PORT.", kind=type(e).__name__)
        ) from None


def address(endpoint: str | None) -> str | None:
    """A hub's address as it is kept; None where it is empty. Raises BadRequest."""
    return _address(endpoint, ("https", "http"), say("the hub"))


def _checked(n: Network) -> Network:
    """Addresses whole and without a password. Raises BadRequest."""
    where = address(n.endpoint)
    proxy = _address(n.proxy, ("http", "https"), say("a proxy"))
    return Network(where, proxy, n.ca_file.expanduser().absolute() if n.ca_file is not None else None)


def _address(text: str | None, schemes: tuple[str, ...], what: str) -> str | None:
    if text is None or not text.strip():
        return None
    text = text.strip().rstrip("/")
    try:
        parts = urlsplit(text)
        sound = parts.scheme in schemes and bool(parts.hostname) and (parts.port is None or parts.port > 0) and text.isprintable()
    except ValueError:
        sound = False
    if not sound or " " in text:
        raise BadRequest(
            say("This is no address of {what}: give it as {scheme}://HOST or {scheme}://HOST:PORT.", what=what, scheme=schemes[0])
        )
    if parts.username is not None or parts.password is not None:
        raise BadRequest(
            say(
                "The address of {what} must not hold a password, since settings are kept in plain text. Set HTTPS_PROXY instead.", what=what
            )
        )
    return text


def _text(value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise Malformed(say("has no text where one is expected"))
    return value or None


def _file() -> Path:
    return paths.home() / "network.json"
