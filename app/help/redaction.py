"""Takes out of a text what is nobody's business: names of people in paths, tokens, passwords, and what may be a chat's words."""

import getpass
import re
from pathlib import Path

from engine.errors import EngineError

MOST = 300  # characters of an unforeseen error's words
SECRETS = (
    (re.compile(r"\bhf_[A-Za-z0-9]{6,}"), "hf_…"),
    (re.compile(r"\b(sk|ghp|xox[bp])[-_][A-Za-z0-9_-]{8,}"), r"\1-…"),
    (re.compile(r"(?i)\b(bearer |(token|api[-_]?key|password|authorization)['\"]?\s*[:=]\s*['\"]?)[^\s'\",;]{6,}"), r"\1…"),
    (re.compile(r"(?<=://)[^/\s@]+@"), "…@"),
    (re.compile(r"[\w.+-]+@[\w-]+(\.[\w-]+)+"), "…@…"),
)
QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|“[^”\n]*”|`[^`\n]*`")


def redacted(text: str, home: Path | None = None, user: str | None = None) -> str:
    """`text` without the home folder's path, the user's name in paths, tokens, passwords and mail addresses."""
    home, user = home or Path.home(), user if user is not None else _user()
    for found in {str(home), home.as_posix(), str(home).replace("\\", "\\\\")}:
        if len(found) > 1:
            text = re.sub(re.escape(found) + r"(?![\w-])", "~", text)
    if user:
        text = re.sub(rf"(?<=[/\\]){re.escape(user)}(?=[/\\\s'\",:;)]|$)", "USER", text, flags=re.MULTILINE)
    for pattern, instead in SECRETS:
        text = pattern.sub(instead, text)
    return text


def words(error: BaseException) -> str:
    """What an error says, without what may be quoted from a chat.

    Our own errors and the system's are written by us or by the system. Others tend to quote what they could not handle.
    """
    if isinstance(error, EngineError):
        return unquoted(str(error)) if type(error) is EngineError else str(error)  # the plain kind wraps what nobody foresaw
    if isinstance(error, OSError):
        return f"{error.strerror or ''} {error.filename or ''}".strip()
    if isinstance(error, UnicodeError):
        return getattr(error, "reason", "")
    said = unquoted(str(error))
    return said if len(said) <= MOST else said[:MOST] + "…"


def unquoted(text: str) -> str:
    """`text` without what stands in quotes; the lines of a traceback that name a file keep theirs."""
    lines = text.split("\n")
    return "\n".join(line if line.startswith('  File "') else QUOTED.sub("'…'", line) for line in lines)


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # an account without a name
        return ""
