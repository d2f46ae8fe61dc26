"""The tables of the chat file, format by format. A new file goes through all of them, so that there is one way to each format.

1: conversations with their messages in order. 2: messages are a tree; thoughts, attached files, what is typed but not sent, pins,
options, presets, and an index over all text.
"""

SCHEMA_VERSION = 2

_FIRST = """
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

# root and child: the branch that is shown; where they are NULL, or deleted, the newest. start: the first message that a model is given.
# draft_of: the message that the draft is to replace. A draft of conversation 0 belongs to the chat that has no messages yet.
_SECOND = """
ALTER TABLE conversations ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN root INTEGER;
ALTER TABLE conversations ADD COLUMN start INTEGER;
ALTER TABLE conversations ADD COLUMN options TEXT;
ALTER TABLE messages ADD COLUMN parent INTEGER REFERENCES messages(id) ON DELETE CASCADE;
ALTER TABLE messages ADD COLUMN child INTEGER;
ALTER TABLE messages ADD COLUMN reasoning TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN seconds REAL NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN deleted REAL;
CREATE INDEX messages_below ON messages(parent);
CREATE TABLE files (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  message INTEGER NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
  name TEXT NOT NULL, text TEXT NOT NULL);
CREATE INDEX files_of ON files(message, id);
CREATE TABLE drafts (conversation INTEGER PRIMARY KEY, text TEXT NOT NULL, files TEXT NOT NULL, draft_of INTEGER);
CREATE TABLE presets (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE, options TEXT NOT NULL);
UPDATE messages SET state = 'stopped' WHERE state = 'writing';
UPDATE messages SET parent =
  (SELECT max(p.id) FROM messages p WHERE p.conversation = messages.conversation AND p.id < messages.id);
"""


def _index(table: str, columns: tuple[str, ...], settled: str = "1") -> str:
    """A full-text index that follows `table`; rows for which `settled` does not hold, of NEW or OLD, are left out."""
    name, listed = f"find_{table}", ", ".join(columns)
    new, old = (", ".join(f"{row}.{c}" for c in columns) for row in ("new", "old"))
    changed = " OR ".join(f"old.{c} IS NOT new.{c}" for c in columns) + (" OR old.state <> new.state" if settled != "1" else "")
    put = f"INSERT INTO {name}(rowid, {listed}) VALUES (new.id, {new});"
    take = f"INSERT INTO {name}({name}, rowid, {listed}) VALUES ('delete', old.id, {old});"
    is_new, is_old = settled.replace("ROW", "new"), settled.replace("ROW", "old")
    # SQLite runs the triggers of one event in no set order, so the two halves of an update are one trigger before and one after.
    return f"""
CREATE VIRTUAL TABLE {name} USING fts5({listed}, content='{table}', content_rowid='id', tokenize='unicode61 remove_diacritics 2');
CREATE TRIGGER {name}_put AFTER INSERT ON {table} WHEN {is_new} BEGIN {put} END;
CREATE TRIGGER {name}_take AFTER DELETE ON {table} WHEN {is_old} BEGIN {take} END;
CREATE TRIGGER {name}_out BEFORE UPDATE ON {table} WHEN ({is_old}) AND ({changed}) BEGIN {take} END;
CREATE TRIGGER {name}_in AFTER UPDATE ON {table} WHEN ({is_new}) AND ({changed}) BEGIN {put} END;
INSERT INTO {name}({name}) VALUES ('rebuild');
"""


# What grows is written once a second, so it is indexed when it is complete.
_INDEXES = _index("conversations", ("title",)) + _index("messages", ("content", "reasoning"), "ROW.state <> 'writing'")
_INDEXES += _index("files", ("name", "text"))

STEPS = (_FIRST, _SECOND + _INDEXES)
assert len(STEPS) == SCHEMA_VERSION


def script(version: int) -> str:
    """SQL that brings a file of this format to SCHEMA_VERSION, whole or not at all."""
    return f"BEGIN IMMEDIATE; {' '.join(STEPS[version:])} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;"
