"""Conversations as files: Markdown for people, JSON for Ouzel, and our JSON back in.

JSON: {"format": "ouzel-chats", "version": 1, "conversations": [...]}, each with its whole tree of messages, a parent before its
children. What is read in is checked whole before anything is stored: a file that does not fit is refused with the place that does not.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.chats.options import fits, from_stored
from app.chats.records import StoredMessage, StoreError
from app.chats.store import ChatStore
from engine.unread import why_unread
from engine.words import say

FORMAT, VERSION = "ouzel-chats", 1
LARGEST = 1 << 29  # bytes of a file that is read in
LONGEST_TITLE = 1000
STATES = ("complete", "stopped", "failed")


def to_markdown(messages: list[StoredMessage], you: str, answer: str) -> str:
    """The branch that is shown. you, answer: the names of the two sides; an answer's model is named where it is known."""
    parts = []
    for m in messages:
        model = str((m.stats or {}).get("model", "")) if m.role == "assistant" else ""
        name = you if m.role == "user" else f"{answer} ({model})" if model else answer
        files = [f"`{f.name}`\n\n{fenced(f.text)}" for f in m.files]
        parts.append("\n\n".join([f"**{name}**", *files, m.content.strip()]) + "\n")
    return "\n".join(parts)


def fenced(text: str) -> str:
    """A code block that holds `text`, whatever backticks are in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text.rstrip()}\n{fence}"


def to_json(store: ChatStore, conversations: list[int]) -> str:
    """Whole conversations with all branches."""
    found = [_conversation(store, c) for c in conversations]
    return json.dumps({"format": FORMAT, "version": VERSION, "conversations": found}, ensure_ascii=False, indent=1)


def _conversation(store: ChatStore, conversation: int) -> dict[str, Any]:
    with store.change() as db:  # one state of the file
        row = db.execute("SELECT title, created, changed, pinned FROM conversations WHERE id = ?", (conversation,)).fetchone()
        columns = "id, parent, role, content, reasoning, seconds, state, stats, created"
        sql = f"SELECT {columns} FROM messages WHERE conversation = ? AND deleted IS NULL ORDER BY id"
        messages = db.execute(sql, (conversation,)).fetchall()
        sql = "SELECT f.message, f.name, f.text FROM files f JOIN messages m ON m.id = f.message WHERE m.conversation = ? ORDER BY f.id"
        files = db.execute(sql, (conversation,)).fetchall()
    if row is None:
        raise StoreError(say("This chat is not there any more. Choose another one."))
    listed = []
    for i, parent, role, content, reasoning, seconds, state, stats, created in messages:
        entry: dict[str, Any] = {"id": i, "parent": parent, "role": role, "content": content, "created": created}
        entry["state"] = "stopped" if state == "writing" else state
        entry |= {"reasoning": reasoning, "seconds": seconds} if reasoning else {}
        entry |= {"stats": json.loads(stats)} if stats else {}
        attached = [{"name": name, "text": text} for message, name, text in files if message == i]
        listed.append(entry | ({"files": attached} if attached else {}))
    result = {"title": row[0], "created": row[1], "changed": row[2], "pinned": bool(row[3]), "shown": store.tip(conversation)}
    return result | {"options": store.options(conversation).stored(), "messages": listed}


def read_file(path: Path) -> list[dict[str, Any]]:
    """The conversations of an exported file, checked. Raises StoreError with the place that does not fit."""
    try:
        if path.stat().st_size > LARGEST:
            raise StoreError(say("{name} is larger than {mb:,} MB. Export fewer chats at once.", name=path.name, mb=LARGEST >> 20))
        found = json.loads(path.read_text(encoding="utf-8"), parse_constant=_no_number)
    except OSError as e:
        raise StoreError(say("{path} cannot be read ({why}). Check the file and its permissions.", path=path, why=why_unread(e))) from e
    except (ValueError, RecursionError) as e:
        told = say("{name} is no JSON file that Ouzel wrote ({why}). Choose a file from Export as JSON.", name=path.name, why=why_unread(e))
        raise StoreError(told) from e
    try:
        _require(isinstance(found, dict) and found.get("format") == FORMAT, lambda: say('no "format": "ouzel-chats"'))
        version = found.get("version")
        _require(version == VERSION, lambda: say("version {found}, but this program reads {ours}", found=repr(version), ours=VERSION))
        _require(isinstance(found.get("conversations"), list), lambda: say("no list of conversations"))
        for n, conversation in enumerate(found["conversations"], 1):
            _check_conversation(conversation, say("chat {n}", n=n))
    except _Unfit as e:
        told = say("{name} cannot be read in: {why}. Nothing was changed; export the chats again.", name=path.name, why=e)
        raise StoreError(told) from e
    return list(found["conversations"])


def store_all(store: ChatStore, conversations: list[dict[str, Any]]) -> list[int]:
    """Add what `read_file` gave, all of it or nothing; the new numbers. Raises StoreError."""
    numbers = []
    with store.change() as db:
        for c in conversations:
            sql = "INSERT INTO conversations (title, created, changed, pinned, options) VALUES (?, ?, ?, ?, ?)"
            options = json.dumps(from_stored(c.get("options")).stored(), ensure_ascii=False)
            number = db.execute(sql, (c["title"], c["created"], c["changed"], int(c["pinned"]), options)).lastrowid
            new: dict[int, int] = {}
            for m in c["messages"]:
                stats = json.dumps(m["stats"]) if "stats" in m else None
                values = (number, m["role"], m["content"], m.get("reasoning", ""), m.get("seconds", 0.0), m["state"], stats, m["created"])
                columns = "conversation, role, content, reasoning, seconds, state, stats, created, parent"
                sql = f"INSERT INTO messages ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
                new[m["id"]] = int(db.execute(sql, (*values, new.get(m["parent"]))).lastrowid or 0)
                files = [(new[m["id"]], f["name"], f["text"]) for f in m.get("files", [])]
                db.executemany("INSERT INTO files (message, name, text) VALUES (?, ?, ?)", files)
            numbers.append((int(number or 0), new.get(c.get("shown", 0))))
    for _, shown in numbers:
        if shown is not None:
            store.show(shown)
    return [number for number, _ in numbers]


class _Unfit(Exception):
    """The phrase says what does not fit."""


def _require(holds: bool, what: Callable[[], str]) -> None:
    if not holds:
        raise _Unfit(what())


def _no_number(name: str) -> None:
    raise ValueError(say("{name} is no number", name=name))


def _check_conversation(c: Any, where: str) -> None:
    _require(isinstance(c, dict), lambda: say("{where} is no object", where=where))
    _require(_text(c.get("title")) and len(c["title"]) <= LONGEST_TITLE, lambda: say("the title of {where}", where=where))
    _require(_moment(c.get("created")) and _moment(c.get("changed")), lambda: say("the times of {where}", where=where))
    _require(isinstance(c.get("pinned"), bool), lambda: say('"pinned" of {where}', where=where))
    _require(isinstance(c.get("messages"), list), lambda: say("the messages of {where}", where=where))
    options = c.get("options", {})
    _require(isinstance(options, dict) and all(fits(k, v) for k, v in options.items()), lambda: say("the options of {where}", where=where))
    roles: dict[int, str] = {}
    for n, m in enumerate(c["messages"], 1):
        _check_message(m, roles, say("message {n} of {where}", n=n, where=where))
        roles[m["id"]] = m["role"]
    shown = c.get("shown")
    _require(shown is None or (_whole(shown) and shown in roles), lambda: say('"shown" of {where}', where=where))


def _check_message(m: Any, roles: dict[int, str], where: str) -> None:
    _require(isinstance(m, dict), lambda: say("{where} is no object", where=where))
    _require(_whole(m.get("id")) and m["id"] not in roles, lambda: say("the id of {where}", where=where))
    parent = m.get("parent", "")
    _require(parent is None or (_whole(parent) and parent in roles), lambda: say("the parent of {where}", where=where))
    _require(m.get("role") in ("user", "assistant"), lambda: say("the role of {where}", where=where))
    _require(m["parent"] is not None or m["role"] == "user", lambda: say("the role of {where}", where=where))
    _require(_text(m.get("content")) and _text(m.get("reasoning", "")), lambda: say("the text of {where}", where=where))
    _require(m.get("state") in STATES, lambda: say("the state of {where}", where=where))
    _require(_moment(m.get("created")) and _moment(m.get("seconds", 0)), lambda: say("the times of {where}", where=where))
    _require(isinstance(m.get("stats", {}), dict), lambda: say("the numbers of {where}", where=where))
    files = m.get("files", [])
    fit = isinstance(files, list) and all(isinstance(f, dict) and _text(f.get("name")) and _text(f.get("text")) for f in files)
    _require(fit, lambda: say("the files of {where}", where=where))


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _moment(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e12


def _text(value: Any) -> bool:
    return isinstance(value, str) and not re.search("[\ud800-\udfff]", value)
