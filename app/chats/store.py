"""Conversations in SQLite: one file, write-ahead log, a schema version, messages as a tree of which one branch is shown.

Commits are not flushed to the drive one by one, so that a busy drive never holds up the window: they survive the end of the
process at any moment. `opening.flush` and `checkpoint`, on another thread, make them survive a power cut too.
A deleted conversation or message stays for KEEP_DELETED seconds and can be restored until then.
"""

import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from app.chats import search
from app.chats.opening import open_database
from app.chats.options import ChatOptions, from_stored
from app.chats.records import Attached, Conversation, Draft, Found, MessageState, Role, StoredMessage, StoreError, decoded
from engine.words import Sentence, joined, say, sentence

KEEP_DELETED = 30 * 24 * 3600.0
AT_TIP = -1  # in place of a parent's number: behind the last message that is shown

_SHOWN = """
WITH RECURSIVE path(id, depth) AS (
  SELECT coalesce(
    (SELECT m.id FROM messages m WHERE m.id = c.root AND m.conversation = c.id AND m.parent IS NULL AND m.deleted IS NULL),
    (SELECT max(m.id) FROM messages m WHERE m.conversation = c.id AND m.parent IS NULL AND m.deleted IS NULL)), 0
  FROM conversations c WHERE c.id = ?
  UNION ALL
  SELECT coalesce(
    (SELECT n.id FROM messages n WHERE n.id = m.child AND n.parent = m.id AND n.deleted IS NULL),
    (SELECT max(n.id) FROM messages n WHERE n.parent = m.id AND n.deleted IS NULL)), depth + 1
  FROM path JOIN messages m ON m.id = path.id)
"""
_BELOW = "WITH RECURSIVE below(id) AS (SELECT ? UNION SELECT m.id FROM below JOIN messages m ON m.parent = below.id)"


class ChatStore:
    """The conversations of one file. Used by one thread. trouble: a sentence about how the file was found, "" where all is well."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self.path, self._clock = path, clock
        self._db, self.trouble = open_database(path)
        self._db.execute("PRAGMA foreign_keys = ON")
        try:
            with self.change() as db:
                # An answer that was being written when the process ended keeps what it had.
                db.execute("UPDATE messages SET state = 'stopped' WHERE state = 'writing'")
                old = (clock() - KEEP_DELETED,)
                db.execute("DELETE FROM drafts WHERE conversation IN (SELECT id FROM conversations WHERE deleted < ?)", old)
                db.execute("DELETE FROM conversations WHERE deleted < ?", old)
                db.execute("DELETE FROM messages WHERE deleted < ?", old)
        except StoreError as e:
            self.trouble = self.trouble or sentence(e)

    @property
    def kept(self) -> bool:
        """Whether chats are kept when the program ends."""
        return bool(self._db.execute("SELECT file FROM pragma_database_list WHERE name = 'main'").fetchone()[0])

    @contextmanager
    def change(self) -> Iterator[sqlite3.Connection]:
        """Several changes that are made together or not at all. Raises StoreError."""
        with self._told("saved"):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    @contextmanager
    def _told(self, done: Literal["saved", "read"]) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as e:
            raise StoreError(joined(" ", [_failed(done, self.path, e), say("Check that the drive has space and can be written.")])) from e
        except sqlite3.DatabaseError as e:
            advice = say("If this comes back, restart Ouzel: it checks the file.")
            raise StoreError(joined(" ", [_failed(done, self.path, e), advice])) from e

    # Conversations

    def conversations(self) -> list[Conversation]:
        """All that are not deleted: the pinned ones, then the others, the latest change first."""
        return self._conversations("deleted IS NULL ORDER BY pinned DESC, changed DESC, id DESC")

    def trash(self) -> list[Conversation]:
        """The deleted ones that can still be restored, the latest first; changed is when they were deleted."""
        return self._conversations("deleted IS NOT NULL ORDER BY deleted DESC, id DESC", "deleted")

    def _conversations(self, which: str, moment: str = "changed") -> list[Conversation]:
        with self._told("read"):
            rows = self._db.execute(f"SELECT id, title, {moment}, pinned FROM conversations WHERE {which}")
            return [Conversation(i, title, changed, bool(pinned)) for i, title, changed, pinned in rows]

    def search(self, query: str) -> list[Found]:
        """See app.chats.search."""
        with self._told("read"):
            return search.search(self._db, query)

    def create(self, title: str, options: ChatOptions | None = None) -> int:
        """A new conversation; its number."""
        now = self._clock()
        with self.change() as db:
            sql = "INSERT INTO conversations (title, created, changed, options) VALUES (?, ?, ?, ?)"
            return int(db.execute(sql, (title, now, now, _encoded(options or ChatOptions()))).lastrowid or 0)

    def rename(self, conversation: int, title: str) -> None:
        """Give a conversation another title; its place in the list stays."""
        self._set(conversation, "title", title)

    def pin(self, conversation: int, pinned: bool) -> None:
        """Keep a conversation at the top of the list, or no longer."""
        self._set(conversation, "pinned", int(pinned))

    def delete(self, conversation: int) -> None:
        """Move a conversation to the trash."""
        self._set(conversation, "deleted", self._clock())

    def restore(self, conversation: int) -> None:
        """Undo delete."""
        self._set(conversation, "deleted", None)

    def erase(self, conversation: int) -> None:
        """Take a conversation out for good."""
        with self.change() as db:
            db.execute("DELETE FROM conversations WHERE id = ?", (conversation,))
            db.execute("DELETE FROM drafts WHERE conversation = ?", (conversation,))

    def options(self, conversation: int) -> ChatOptions:
        """How its answers are made."""
        with self._told("read"):
            row = self._db.execute("SELECT options FROM conversations WHERE id = ?", (conversation,)).fetchone()
        return from_stored(decoded(row[0]) if row else None)

    def set_options(self, conversation: int, options: ChatOptions) -> None:
        """Change how its answers are made."""
        self._set(conversation, "options", _encoded(options))

    def start(self, conversation: int) -> int | None:
        """The first message that a model is given; None: the first of all."""
        with self._told("read"):
            row = self._db.execute("SELECT start FROM conversations WHERE id = ?", (conversation,)).fetchone()
        return int(row[0]) if row and row[0] is not None else None

    def set_start(self, conversation: int, message: int | None) -> None:
        """Leave out what comes before `message`."""
        self._set(conversation, "start", message)

    def _set(self, conversation: int, column: str, value: object) -> None:
        with self.change() as db:
            db.execute(f"UPDATE conversations SET {column} = ? WHERE id = ?", (value, conversation))

    # Messages

    def messages(self, conversation: int) -> list[StoredMessage]:
        """The turns of the branch that is shown, in order; empty where there is no conversation of this number."""
        with self._told("read"):
            columns = "m.id, m.role, m.content, m.state, m.stats, m.reasoning, m.seconds, m.parent"
            sql = f"{_SHOWN} SELECT {columns} FROM path JOIN messages m ON m.id = path.id ORDER BY depth"
            rows = self._db.execute(sql, (conversation,)).fetchall()
            sql = "SELECT parent, id FROM messages WHERE conversation = ? AND deleted IS NULL ORDER BY id"
            siblings = _grouped(self._db.execute(sql, (conversation,)))
            sql = "SELECT f.message, f.name, f.text FROM files f JOIN messages m ON m.id = f.message WHERE m.conversation = ? ORDER BY f.id"
            files = _grouped((message, Attached(name, text)) for message, name, text in self._db.execute(sql, (conversation,)))
        return [
            StoredMessage(i, role, content, state, decoded(stats), thought, seconds, tuple(files.get(i, ())), tuple(siblings[parent]))
            for i, role, content, state, stats, thought, seconds, parent in rows
        ]

    def tip(self, conversation: int) -> int | None:
        """The last message of the branch that is shown."""
        with self._told("read"):
            sql = f"{_SHOWN} SELECT m.id FROM path JOIN messages m ON m.id = path.id ORDER BY depth DESC LIMIT 1"
            row = self._db.execute(sql, (conversation,)).fetchone()
        return int(row[0]) if row else None

    def add(
        self,
        conversation: int,
        role: Role,
        content: str,
        state: MessageState = "complete",
        parent: int | None = AT_TIP,
        files: Sequence[Attached] = (),
    ) -> int:
        """Add a turn behind `parent`, None for a first one, and show it; its number."""
        now = self._clock()
        if parent == AT_TIP:
            parent = self.tip(conversation)
        with self.change() as db:
            db.execute("UPDATE conversations SET changed = ? WHERE id = ?", (now, conversation))
            sql = "INSERT INTO messages (conversation, role, content, state, created, parent) VALUES (?, ?, ?, ?, ?, ?)"
            number = int(db.execute(sql, (conversation, role, content, state, now, parent)).lastrowid or 0)
            db.executemany("INSERT INTO files (message, name, text) VALUES (?, ?, ?)", [(number, f.name, f.text) for f in files])
            _show(db, number)
        return number

    def parent(self, message: int) -> int | None:
        """The turn before, None for a first one."""
        with self._told("read"):
            row = self._db.execute("SELECT parent FROM messages WHERE id = ?", (message,)).fetchone()
        return int(row[0]) if row and row[0] is not None else None

    def show(self, message: int) -> None:
        """Show the branch that `message` lies on."""
        with self.change() as db:
            _show(db, message)

    def update(
        self,
        message: int,
        content: str,
        state: MessageState,
        stats: dict[str, Any] | None = None,
        reasoning: str | None = None,
        seconds: float | None = None,
    ) -> None:
        """Replace what a turn says; reasoning and its seconds stay where they are None."""
        encoded = None if stats is None else json.dumps(stats)
        with self.change() as db:
            sql = (
                "UPDATE messages SET content = ?, state = ?, stats = ?, reasoning = coalesce(?, reasoning), "
                "seconds = coalesce(?, seconds) WHERE id = ?"
            )
            db.execute(sql, (content, state, encoded, reasoning, seconds, message))

    def remove(self, message: int) -> None:
        """Take a turn out for good, such as an answer that never began, with all behind it."""
        with self.change() as db:
            db.execute("DELETE FROM messages WHERE id = ?", (message,))

    def delete_message(self, message: int) -> None:
        """Take a turn and all behind it off the conversation."""
        with self.change() as db:
            sql = f"{_BELOW} UPDATE messages SET deleted = ? WHERE id IN below AND deleted IS NULL"
            db.execute(sql, (message, self._clock()))

    def restore_message(self, message: int) -> None:
        """Undo delete_message."""
        with self.change() as db:
            same = "deleted = (SELECT deleted FROM messages WHERE id = ?)"
            db.execute(f"{_BELOW} UPDATE messages SET deleted = NULL WHERE id IN below AND {same}", (message, message))
            _show(db, message)

    # What is written but not sent, and presets

    def draft(self, conversation: int | None) -> Draft:
        """The draft of a conversation, or of the one that has no messages yet."""
        with self._told("read"):
            row = self._db.execute("SELECT text, files, draft_of FROM drafts WHERE conversation = ?", (conversation or 0,)).fetchone()
        if row is None:
            return Draft()
        files = decoded(f'{{"files": {row[1]}}}') or {}
        found = [f for f in files.get("files", []) if isinstance(f, list) and len(f) == 2 and all(isinstance(v, str) for v in f)]
        return Draft(row[0], tuple(Attached(*f) for f in found), row[2])

    def set_draft(self, conversation: int | None, draft: Draft) -> None:
        """Keep a draft; an empty one is none."""
        with self.change() as db:
            if draft == Draft():
                db.execute("DELETE FROM drafts WHERE conversation = ?", (conversation or 0,))
            else:
                files = json.dumps([[f.name, f.text] for f in draft.files], ensure_ascii=False)
                values = (conversation or 0, draft.text, files, draft.replaces)
                db.execute("INSERT OR REPLACE INTO drafts (conversation, text, files, draft_of) VALUES (?, ?, ?, ?)", values)

    def presets(self) -> dict[str, ChatOptions]:
        """Named options, by name."""
        with self._told("read"):
            rows = self._db.execute("SELECT name, options FROM presets ORDER BY name COLLATE NOCASE").fetchall()
        return {name: from_stored(decoded(text)) for name, text in rows}

    def set_preset(self, name: str, options: ChatOptions | None) -> None:
        """Keep options under a name, in place of any of that name; None: forget them."""
        with self.change() as db:
            db.execute("DELETE FROM presets WHERE name = ? COLLATE NOCASE", (name,))
            if options is not None:
                db.execute("INSERT INTO presets (name, options) VALUES (?, ?)", (name, _encoded(options)))

    def close(self) -> None:
        """Write everything through and close; idempotent."""
        self._db.close()


def _failed(done: Literal["saved", "read"], path: Path, why: Exception) -> Sentence:
    if done == "saved":
        return say("The chat could not be saved in {path} ({why}).", path=path, why=why)
    return say("The chat could not be read in {path} ({why}).", path=path, why=why)


def _show(db: sqlite3.Connection, message: int) -> None:
    """Point to `message` from its parent, to that from the one before, and so on."""
    first, further = "SELECT id, parent FROM messages WHERE id = ?", "SELECT m.id, m.parent FROM up JOIN messages m ON m.id = up.parent"
    pairs = db.execute(f"WITH RECURSIVE up(id, parent) AS ({first} UNION {further}) SELECT id, parent FROM up", (message,)).fetchall()
    db.executemany("UPDATE messages SET child = ? WHERE id = ? AND child IS NOT ?", [(i, p, i) for i, p in pairs if p is not None])
    root = next((i for i, p in pairs if p is None), None)
    if root is not None:
        db.execute("UPDATE conversations SET root = ? WHERE id = (SELECT conversation FROM messages WHERE id = ?)", (root, root))


def _grouped(pairs: Any) -> dict[Any, list[Any]]:
    groups: dict[Any, list[Any]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def _encoded(options: ChatOptions) -> str:
    return json.dumps(options.stored(), ensure_ascii=False)
