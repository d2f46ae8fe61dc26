"""What the chat file holds, as frozen values."""

import json
from dataclasses import dataclass
from typing import Any, Literal

MessageState = Literal["complete", "writing", "stopped", "failed"]
Role = Literal["user", "assistant"]


class StoreError(Exception):
    """Something could not be read or written; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """One row of the side list; changed is seconds since 1970."""

    id: int
    title: str
    changed: float
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """A conversation that a search found. message: where, None for the title; excerpt: the words around it."""

    conversation: Conversation
    message: int | None
    excerpt: str


@dataclass(frozen=True, slots=True)
class Attached:
    """A file that goes with a message, as text."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """One turn. state "writing" is an answer whose end was not recorded. stats: numbers of the answer, by name.

    reasoning: what was thought before the answer, for `seconds`. siblings: numbers of the turns that stand in the same place, this
    one among them, oldest first.
    """

    id: int
    role: Role
    content: str
    state: MessageState
    stats: dict[str, Any] | None
    reasoning: str = ""
    seconds: float = 0.0
    files: tuple[Attached, ...] = ()
    siblings: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """What is written but not sent. replaces: the message that it is a new version of."""

    text: str = ""
    files: tuple[Attached, ...] = ()
    replaces: int | None = None


def title_of(text: str, longest: int = 48) -> str:
    """A conversation's first title: the first line of its first message, cut at a word."""
    words = " ".join(next((line for line in text.splitlines() if line.strip()), "").split())
    if len(words) <= longest:
        return words
    cut = words[:longest]
    at_word = cut if words[longest] == " " else cut.rsplit(" ", 1)[0]
    return (at_word if len(at_word) > longest // 2 else cut).rstrip(" ,.;:") + "…"


def decoded(text: str | None) -> dict[str, Any] | None:
    """A JSON object, or None for anything else."""
    try:
        found = json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
