"""Stored messages as the transcript shows them, and as a model is given them."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from app import answers
from app.chats.exchange import fenced
from app.chats.records import Attached, StoredMessage
from app.language import number
from app.transcript.document import Turn
from engine.requests import Message

CUT = ("length", "context", "cancelled", "failed")  # reasons after which an answer can be gone on with


def shown(stored: Sequence[StoredMessage], start: int | None) -> list[Turn]:
    """The turns of a conversation; start: the first message that the model is given."""
    first = start if any(m.id == start for m in stored[1:]) else None
    return [turn(m, m.id == first) for m in stored]


def turn(message: StoredMessage, first: bool = False) -> Turn:
    """One message."""
    stats = message.stats or {}
    note = answers.note(stats)
    if message.role == "assistant" and message.state == "stopped" and not stats:
        note = answers.note({"reason": "cancelled"})
    siblings = message.siblings or (message.id,)
    return Turn(
        number=message.id,
        user=message.role == "user",
        text=message.content,
        name=str(stats.get("model", "")),
        note=note,
        thought=message.reasoning,
        seconds=message.seconds,
        branch=(siblings.index(message.id) + 1 if message.id in siblings else 1, len(siblings)),
        files=tuple(file_line(f.name, len(f.text)) for f in message.files),
        cut=can_go_on(message),
        first=first,
    )


def can_go_on(message: StoredMessage) -> bool:
    """Whether an answer was cut and has something to go on with."""
    if message.role != "assistant" or not (message.content.strip() or message.reasoning.strip()):
        return False
    return message.state in ("stopped", "failed") or (message.stats or {}).get("reason") in CUT


def file_line(name: str, characters: int) -> str:
    """How a file is named in a message."""
    return QCoreApplication.translate("Turns", "{0} · {1} characters").format(name, number(characters))


def content(text: str, files: Sequence[Attached]) -> str:
    """What the model reads of a message: its files, each with its name and fenced, then its text."""
    parts = [f"{f.name}:\n{fenced(f.text)}" for f in files]
    return "\n\n".join([*parts, text] if text.strip() else parts)


def given(stored: Sequence[StoredMessage], start: int | None, prompt: str) -> tuple[tuple[Message, ...], tuple[int, ...]]:
    """(messages for the model, the number of the stored message that each begins with; 0 for the system prompt).

    Turns of one role that follow each other, as after a deletion, are given as one: templates take them in turn only.
    """
    begin = next((n for n, m in enumerate(stored) if m.id == start), 0)
    messages = [Message("system", prompt)] if prompt else []
    numbers = [0] * len(messages)
    for m in stored[begin:]:
        text = content(m.content, m.files)
        if messages and messages[-1].role == m.role:
            messages[-1] = Message(m.role, f"{messages[-1].content}\n\n{text}", messages[-1].reasoning or m.reasoning)
        else:
            messages.append(Message(m.role, text, m.reasoning))
            numbers.append(m.id)
    return tuple(messages), tuple(numbers)
