"""Search over all text: titles, messages, thoughts and attached files, through SQLite's full-text index.

Each word of a query must begin a word of the same message. Words of scripts without spaces are looked for anywhere in the text.
"""

import re
import sqlite3

from app.chats.records import Conversation, Found

MOST = 200  # conversations
LOOKED_AT = 5000  # matches, the newest first
AROUND = 14  # characters of an excerpt before the match
EXCERPT = 140

# Thai, Lao, Burmese, Khmer, kana, Han: the index takes a whole sentence of these for one word.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")

# Per index: its table, the text that an excerpt is taken from, and how a row leads to its conversation (c) and message (m).
_PLACES = {
    "conversations": ("t.title", "JOIN conversations c ON c.id = t.id", "NULL"),
    "messages": ("t.content || ' ' || t.reasoning", "JOIN messages m ON m.id = t.id JOIN conversations c ON c.id = m.conversation", "m.id"),
    "files": (
        "t.name || ' ' || t.text",
        "JOIN messages m ON m.id = t.message JOIN conversations c ON c.id = m.conversation",
        "m.id",
    ),
}


def search(db: sqlite3.Connection, query: str) -> list[Found]:
    """Conversations, those with the latest change first; each with the newest message that matches, titles before messages."""
    words = query.replace("\0", " ").split()
    spaced = [w for w in words if any(c.isalnum() for c in w) and not _UNSPACED.search(w)]
    others = [w for w in words if w not in spaced]
    if not words:
        return []
    hits: dict[int, tuple[Conversation, str, int, int | None]] = {}
    for table in _PLACES:
        for conversation, row, message in _rows(db, table, spaced, others):
            hits.setdefault(conversation.id, (conversation, table, row, message))
    latest = sorted(hits.values(), key=lambda hit: (-hit[0].changed, -hit[0].id))[:MOST]
    return [Found(c, message, _excerpt(db, table, row, words)) for c, table, row, message in latest]


def _rows(db: sqlite3.Connection, table: str, spaced: list[str], others: list[str]) -> list[tuple[Conversation, int, int | None]]:
    text, joins, message = _PLACES[table]
    where, values = ["c.deleted IS NULL"], list[str]()
    if table != "conversations":
        where.append("m.deleted IS NULL")
    source = f"{table} t"
    if spaced:
        source, where = f"find_{table} JOIN {table} t ON t.id = find_{table}.rowid", [f"find_{table} MATCH ?", *where]
        values.append(" ".join('"' + w.replace('"', '""') + '" *' for w in spaced))
    for word in others:
        where.append(f"({text}) LIKE ? ESCAPE '\\'")
        values.append("%" + re.sub(r"([%_\\])", r"\\\1", word) + "%")
    order = f"find_{table}.rowid" if spaced else "t.id"
    sql = f"SELECT c.id, c.title, c.changed, c.pinned, t.id, {message} FROM {source} {joins} WHERE {' AND '.join(where)}"
    rows = db.execute(f"{sql} ORDER BY {order} DESC LIMIT {LOOKED_AT}", values)
    return [(Conversation(i, title, changed, bool(pinned)), row, m) for i, title, changed, pinned, row, m in rows]


def _excerpt(db: sqlite3.Connection, table: str, row: int, words: list[str]) -> str:
    if table == "conversations":
        return ""
    text = str(db.execute(f"SELECT {_PLACES[table][0]} FROM {table} t WHERE t.id = ?", (row,)).fetchone()[0])
    found = re.search("|".join(rf"(?<!\w){re.escape(w)}" for w in words), text, re.IGNORECASE)
    at = found.start() if found else max(text.casefold().find(words[0].casefold()), 0)
    start = max(at - AROUND, 0)
    if start:  # at a word
        start += len(re.match(r"\w*\W*", text[start:at]).group())  # type: ignore[union-attr]
    return ("…" if start else "") + " ".join(text[start : start + EXCERPT].split())
