"""Conversations in SQLite: one file, write-ahead log, a schema version, messages in order.

Commits are not flushed to the drive one by one, so that a busy drive never holds up the window: they survive the end of the
process at any moment. `checkpoint`, called from another thread after each answer, makes them survive a power cut too.
A deleted conversation stays for KEEP_DELETED seconds and can be restored until then.
"""

import json
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

SCHEMA_VERSION = 1
KEEP_DELETED = 30 * 24 * 3600.0
SCHEMA = """
CREATE TABLE conversations (
  id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, created REAL NOT NULL, changed REAL NOT NULL, deleted REAL);
CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation INTEGER NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
  content TEXT NOT NULL, state TEXT NOT NULL, stats TEXT, created REAL NOT NULL);
CREATE INDEX messages_of ON messages(conversation, id);
CREATE INDEX conversations_changed ON conversations(deleted, changed);
"""

MessageState = Literal["complete", "writing", "stopped", "failed"]


class StoreError(Exception):
    """The chat file cannot be opened or written; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """One row of the side list; changed is seconds since 1970."""

    id: int
    title: str
    changed: float


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """One turn. state "writing" is an answer whose end was not recorded. stats: numbers of the answer, by name."""

    id: int
    role: Literal["user", "assistant"]
    content: str
    state: MessageState
    stats: dict[str, Any] | None


class ChatStore:
    """The conversations of one file. Used by one thread; `checkpoint` alone may run on another."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self.path, self._clock = path, clock
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, isolation_level=None)
            self._open()
        except (sqlite3.Error, OSError) as e:
            if hasattr(self, "_db"):
                self._db.close()
            raise StoreError(
                f"The chats in {path} cannot be opened ({e}). Move this file away to start with an empty list, "
                "or check that the folder can be written."
            ) from e

    def _open(self) -> None:
        db = self._db
        db.execute("PRAGMA foreign_keys = ON")
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version > SCHEMA_VERSION:
            raise sqlite3.DatabaseError(f"written by a newer program, format {version}")
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("PRAGMA wal_autocheckpoint = 0")
        if version == 0:
            db.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")
        with self._change():
            # An answer that was being written when the process ended keeps what it had.
            db.execute("UPDATE messages SET state = 'stopped' WHERE state = 'writing'")
            db.execute("DELETE FROM conversations WHERE deleted < ?", (self._clock() - KEEP_DELETED,))

    @contextmanager
    def _change(self) -> Iterator[sqlite3.Connection]:
        try:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")
        except sqlite3.Error as e:
            raise StoreError(f"The chat could not be saved in {self.path} ({e}). Check that the drive has space and can be written.") from e

    def conversations(self) -> list[Conversation]:
        """All that are not deleted, the latest change first."""
        rows = self._db.execute("SELECT id, title, changed FROM conversations WHERE deleted IS NULL ORDER BY changed DESC, id DESC")
        return [Conversation(*row) for row in rows]

    def messages(self, conversation: int) -> list[StoredMessage]:
        """The turns of a conversation in order; empty where there is none of this number."""
        rows = self._db.execute("SELECT id, role, content, state, stats FROM messages WHERE conversation = ? ORDER BY id", (conversation,))
        return [StoredMessage(i, role, content, state, _decode(stats)) for i, role, content, state, stats in rows]

    def create(self, title: str) -> int:
        """A new conversation; its number."""
        now = self._clock()
        with self._change() as db:
            return int(db.execute("INSERT INTO conversations (title, created, changed) VALUES (?, ?, ?)", (title, now, now)).lastrowid or 0)

    def rename(self, conversation: int, title: str) -> None:
        """Give a conversation another title; its place in the list stays."""
        with self._change() as db:
            db.execute("UPDATE conversations SET title = ? WHERE id = ?", (title, conversation))

    def delete(self, conversation: int) -> None:
        """Take a conversation off the list."""
        with self._change() as db:
            db.execute("UPDATE conversations SET deleted = ? WHERE id = ?", (self._clock(), conversation))

    def restore(self, conversation: int) -> None:
        """Undo delete."""
        with self._change() as db:
            db.execute("UPDATE conversations SET deleted = NULL WHERE id = ?", (conversation,))

    def add(self, conversation: int, role: Literal["user", "assistant"], content: str, state: MessageState = "complete") -> int:
        """Append a turn; its number."""
        now = self._clock()
        with self._change() as db:
            db.execute("UPDATE conversations SET changed = ? WHERE id = ?", (now, conversation))
            sql = "INSERT INTO messages (conversation, role, content, state, created) VALUES (?, ?, ?, ?, ?)"
            return int(db.execute(sql, (conversation, role, content, state, now)).lastrowid or 0)

    def update(self, message: int, content: str, state: MessageState, stats: dict[str, Any] | None = None) -> None:
        """Replace what a turn says."""
        with self._change() as db:
            encoded = None if stats is None else json.dumps(stats)
            db.execute("UPDATE messages SET content = ?, state = ?, stats = ? WHERE id = ?", (content, state, encoded, message))

    def remove(self, message: int) -> None:
        """Take a turn out, such as an answer that never began."""
        with self._change() as db:
            db.execute("DELETE FROM messages WHERE id = ?", (message,))

    def close(self) -> None:
        """Write everything through and close; idempotent."""
        self._db.close()


def checkpoint(path: Path) -> None:
    """Flush the log of the chat file to the drive. For a thread that may wait; a failure leaves everything in the log."""
    try:
        db = sqlite3.connect(path, timeout=5)
        try:
            db.execute("PRAGMA synchronous = FULL")
            db.execute("PRAGMA wal_checkpoint(PASSIVE)")
        finally:
            db.close()
    except sqlite3.Error:
        pass


def title_of(text: str, longest: int = 48) -> str:
    """A conversation's first title: the first line of its first message, cut at a word."""
    words = " ".join(next((line for line in text.splitlines() if line.strip()), "").split())
    if len(words) <= longest:
        return words
    cut = words[:longest]
    at_word = cut if words[longest] == " " else cut.rsplit(" ", 1)[0]
    return (at_word if len(at_word) > longest // 2 else cut).rstrip(" ,.;:") + "…"


def _decode(stats: str | None) -> dict[str, Any] | None:
    try:
        found = json.loads(stats) if stats else None
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
