"""Access tokens of a model hub: where they are kept, and who may see them.

A token belongs to one endpoint. It is looked for in the system's keyring, in HF_TOKEN (for the endpoint that the environment or the
settings name), in this session's memory, and in a file that only its owner can read, which is made with the user's consent alone. It never
goes into a log, a setting, an address, an error or a list of downloads, and `Token` does not show it.
"""

import json
import os
import stat
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from engine import paths
from engine.cancel import CancelToken
from engine.container.storage import sync_folder, writing
from engine.container.strict import Malformed, parse_object, read_limited
from engine.errors import BadRequest, EngineError
from engine.setup import network
from engine.setup.outside import outside
from engine.words import say

SERVICE = "ouzel"
VARIABLE = "HF_TOKEN"
KEYRING_S = 5.0  # a locked keyring may wait for its password
LIMIT = 1 << 16
Place = Literal["keyring", "environment", "session", "file"]
_session: dict[str, str] = {}


@dataclass(frozen=True, slots=True)
class Token:
    """value: for the Authorization header of the endpoint's own origin; place: where it is kept."""

    value: str = field(repr=False)
    place: Place


class NoKeyring(EngineError):
    """This system has no keyring that can be used."""


def load(endpoint: str | None = None, cancel: CancelToken | None = None) -> Token | None:
    """The token for `endpoint`, the usual one if left out. A keyring that does not answer in 5 s counts as none. Raises Cancelled."""
    key = _key(endpoint)
    with suppress(NoKeyring):
        if found := _ask("get", key, "", cancel or CancelToken()):
            return Token(found, "keyring")
    given = os.environ.get(VARIABLE, "").strip()
    if given and key == _key(None):
        return Token(given, "environment")
    if key in _session:
        return Token(_session[key], "session")
    kept = _in_file().get(key)
    return Token(kept, "file") if kept else None


def store(value: str, place: Place, endpoint: str | None = None, cancel: CancelToken | None = None) -> None:
    """Keep a token in the keyring, for this session, or in the file (with the user's consent only), and nowhere else.

    Raises BadRequest (no token), NoKeyring, StorageError, Cancelled.
    """
    key, value = _key(endpoint), check(value)
    if place == "environment":
        raise BadRequest(say("The variable {variable} is set outside of Ouzel. Choose another place for the token.", variable=VARIABLE))
    if place == "keyring":
        _ask("set", key, value, cancel or CancelToken())
    _session.pop(key, None)
    kept = _in_file()
    if kept.pop(key, None) is not None or place == "file":
        _write({**kept, key: value} if place == "file" else kept)
    if place == "session":
        _session[key] = value


def forget(endpoint: str | None = None, cancel: CancelToken | None = None) -> tuple[Place, ...]:
    """Remove the token for `endpoint` wherever we may; the places where it was. That of the environment is left. Raises StorageError."""
    key, out = _key(endpoint), list[Place]()
    with suppress(NoKeyring):
        if _ask("delete", key, "", cancel or CancelToken()):
            out.append("keyring")
    if _session.pop(key, None) is not None:
        out.append("session")
    kept = _in_file()
    if kept.pop(key, None) is not None:
        _write(kept)
        out.append("file")
    return tuple(out)


def has_keyring(cancel: CancelToken | None = None) -> bool:
    """Whether the system has a keyring that answers; up to 5 s."""
    try:
        _ask("get", "probe", "", cancel or CancelToken())
    except NoKeyring:
        return False
    return True


def file_path() -> Path:
    """Where the file would be."""
    return paths.home() / "hub_tokens.json"


def check(value: str) -> str:
    """`value` without spaces around it. Raises BadRequest where it cannot be a token; the sentence does not repeat it."""
    value = value.strip()
    if not value or not value.isascii() or not value.isprintable() or any(c.isspace() for c in value) or len(value) > 4096:
        raise BadRequest(say("This is no access token, which is one word of letters, digits and signs. Copy it again from your account."))
    return value


def _key(endpoint: str | None) -> str:
    """The endpoint's origin, as tokens are kept by it."""
    parts = urlsplit(network.endpoint() if endpoint is None else endpoint)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}".lower()


def _ask(what: Literal["get", "set", "delete"], key: str, value: str, cancel: CancelToken) -> str | None:
    """Do something with the keyring on a thread that may be left behind. Raises NoKeyring, Cancelled."""
    try:
        return outside(lambda: _keyring(what, key, value), cancel, KEYRING_S)
    except TimeoutError:
        raise NoKeyring(say("The system's keyring does not answer; perhaps it is locked. Unlock it, or choose another place.")) from None


def _keyring(what: str, key: str, value: str) -> str | None:
    import keyring  # noqa: PLC0415  it looks for the system's services, which only this needs
    from keyring.errors import PasswordDeleteError  # noqa: PLC0415  as above

    try:
        if what == "get":
            return keyring.get_password(SERVICE, key)
        if what == "set":
            keyring.set_password(SERVICE, key, value)
            return None
        keyring.delete_password(SERVICE, key)
    except PasswordDeleteError:
        return None
    except Exception as e:  # each system's keyring has errors of its own
        raise NoKeyring(say("This system has no keyring that can be used ({kind}).", kind=type(e).__name__)) from None
    return "deleted"


def _in_file() -> dict[str, str]:
    """What the file holds; one that others can read, or that is damaged, counts as empty."""
    path = file_path()
    try:
        if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
            return {}
        value = parse_object(read_limited(path, LIMIT))
    except (Malformed, OSError):
        return {}
    return {k: v for k, v in value.items() if isinstance(v, str)}


def _write(tokens: dict[str, str]) -> None:
    path = file_path()
    with writing(path):
        if not tokens:
            path.unlink(missing_ok=True)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(path.name + ".new")
        draft.unlink(missing_ok=True)
        fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        with os.fdopen(fd, "wb") as file:
            file.write(json.dumps(tokens).encode())
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        sync_folder(path.parent)
