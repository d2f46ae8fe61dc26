"""Tracebacks for the log and for reports: where it went wrong and what was said, never the values of variables."""

import traceback

from app.help.redaction import redacted, words

MOST = 8  # causes of causes


def told(error: BaseException) -> str:
    """The traceback as text, causes first, redacted."""
    parts: list[str] = []
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen and len(parts) < MOST:
        seen.add(id(current))
        frames = "".join(traceback.format_list(traceback.extract_tb(current.__traceback__)))
        said = words(current)
        kind = f"{type(current).__module__}.{type(current).__qualname__}".removeprefix("builtins.")
        parts.append(f"{frames}{kind}{': ' if said else ''}{said}")
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    return redacted("\nwhich led to:\n".join(reversed(parts)))
