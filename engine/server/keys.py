"""The server's key: from a file, the environment or the system's keyring, never from the command line, which every process can read."""

import hashlib
import hmac
import os
import stat
from pathlib import Path

from engine.cancel import CancelToken
from engine.errors import BadRequest, EngineError
from engine.setup.outside import outside

VARIABLE = "OUZEL_API_KEY"
SERVICE, NAME = "ouzel server", "key"
KEYRING_S = 5.0
SHORTEST, LONGEST = 16, 1024


def find_key(file: Path | None, keyring: bool) -> str:
    """The key of that file, else of the environment, else of the keyring where it may be asked; "" for none. Raises EngineError."""
    if file is not None:
        return check_key(_of_file(file))
    if given := os.environ.get(VARIABLE, "").strip():
        return check_key(given)
    if keyring and (found := keyring_key()):
        return check_key(found)
    if keyring:
        raise BadRequest("The system's keyring has no key for the server. Make one in the window's settings, or use --key-file.")
    return ""


def check_key(key: str) -> str:
    """`key`, if it can be one. Raises BadRequest; the sentence does not repeat it."""
    if not SHORTEST <= len(key) <= LONGEST or not key.isascii() or not key.isprintable() or " " in key:
        raise BadRequest(f"The server's key has to be one word of {SHORTEST} to {LONGEST} letters (A to Z), digits and signs.")
    return key


def keyring_key() -> str:
    """The key in the system's keyring; "" where there is none. Raises EngineError where the keyring does not answer."""
    return _keyring(None) or ""


def keep_key(key: str) -> None:
    """Put a key into the system's keyring. Raises EngineError, BadRequest."""
    _keyring(check_key(key))


class KeyCheck:
    """Whether a client's key is the right one, in a time that does not tell how much of it is."""

    def __init__(self, key: str) -> None:
        self.needed = bool(key)
        self._sum = hashlib.sha256(key.encode()).digest()

    def __call__(self, given: str) -> bool:
        """Any text may be given."""
        return hmac.compare_digest(hashlib.sha256(given.encode("utf-8", "surrogateescape")).digest(), self._sum)


def _of_file(file: Path) -> str:
    try:
        if os.name == "posix" and stat.S_IMODE(file.stat().st_mode) & 0o077:
            raise BadRequest(f"Others can read {file}, so what is in it is no secret. Run: chmod 600 {file}")
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as e:
        raise BadRequest(f"The key's file {file} cannot be read ({e}). Name another one.") from e


def _keyring(key: str | None) -> str | None:
    try:
        return outside(lambda: _ask(key), CancelToken(), KEYRING_S)
    except TimeoutError:
        raise EngineError("The system's keyring does not answer; perhaps it is locked. Unlock it, or keep the key in a file.") from None


def _ask(key: str | None) -> str | None:
    import keyring  # noqa: PLC0415  it looks for the system's services, which only this needs

    try:
        if key is None:
            return keyring.get_password(SERVICE, NAME)
        keyring.set_password(SERVICE, NAME, key)
    except Exception as e:  # each system's keyring has errors of its own
        raise EngineError(f"This system has no keyring that can be used ({type(e).__name__}). Keep the key in a file.") from None
    return key
