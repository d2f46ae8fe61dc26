"""Conversations out of the store and back, and everything that does not fit refused."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from app.chats.exchange import fenced, read_file, store_all, to_json, to_markdown
from app.chats.options import ChatOptions
from app.chats.records import Attached, StoreError
from app.chats.store import ChatStore


@pytest.fixture
def chat(store: ChatStore) -> int:
    made = store.create("Rivers 🌊", ChatOptions(temperature=0.5, stop=("END",)))
    question = store.add(made, "user", "What *is* it?", files=[Attached("a.md", "```\nx\n```\n")])
    answer = store.add(made, "assistant", "A stream.")
    store.update(answer, "A stream.", "complete", {"model": "starter", "seed": 3}, "hm", 1.5)
    store.add(made, "assistant", "Another answer.", "stopped", parent=question)
    store.show(answer)
    store.pin(made, True)
    return made


def shape(store: ChatStore, chat: int) -> list[Any]:
    def one() -> list[Any]:
        return [(m.role, m.content, m.state, m.stats, m.reasoning, m.seconds, m.files, len(m.siblings)) for m in store.messages(chat)]

    shown, other = one(), store.messages(chat)[1].siblings[1]
    kept = store.messages(chat)[1].id
    store.show(other)
    both = [shown, one()]
    store.show(kept)
    return both


def test_that_json_brings_everything_back(store: ChatStore, chat: int, tmp_path: Path) -> None:
    file = tmp_path / "chats.json"
    file.write_text(to_json(store, [chat]), encoding="utf-8")
    numbers = store_all(store, read_file(file))
    assert len(numbers) == 1 and numbers[0] != chat
    assert shape(store, numbers[0]) == shape(store, chat)
    assert store.options(numbers[0]) == store.options(chat)
    assert [(c.title, c.pinned) for c in store.conversations()] == [("Rivers 🌊", True)] * 2
    assert {f.conversation.id for f in store.search("another")} == {chat, numbers[0]}


def test_that_markdown_is_the_shown_branch_with_its_files(store: ChatStore, chat: int) -> None:
    text = to_markdown(store.messages(chat), "You", "Answer")
    assert text == "**You**\n\n`a.md`\n\n````\n```\nx\n```\n````\n\nWhat *is* it?\n\n**Answer (starter)**\n\nA stream.\n"
    assert fenced("plain") == "```\nplain\n```"


def changed(data: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    made = copy.deepcopy(data)
    place: Any = made
    *way, last = [int(p) if p.isdigit() else p for p in path.split("/")]
    for step in way:
        place = place[step]
    if value is KeyError:
        del place[last]
    else:
        place[last] = value
    return made


FIRST = "conversations/0/messages/0/"
SECOND = "conversations/0/messages/1/"


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        ("format", "other", "format"),
        ("version", 2, "version 2"),
        ("conversations", {}, "list of conversations"),
        ("conversations/0", [], "chat 1"),
        ("conversations/0/title", 5, "title of chat 1"),
        ("conversations/0/title", "\ud800", "title of chat 1"),
        ("conversations/0/changed", -1, "times of chat 1"),
        ("conversations/0/changed", True, "times of chat 1"),
        ("conversations/0/pinned", 1, "pinned"),
        ("conversations/0/options/temperature", "hot", "options of chat 1"),
        ("conversations/0/options/unknown", 1, "options of chat 1"),
        ("conversations/0/shown", 10**9, "shown"),
        (FIRST + "id", "1", "id of message 1"),
        (SECOND + "parent", 10**9, "parent of message 2"),
        (SECOND + "parent", KeyError, "parent of message 2"),
        (SECOND + "parent", None, "role of message 2"),
        (FIRST + "role", "system", "role of message 1"),
        (FIRST + "content", None, "text of message 1"),
        (FIRST + "content", "\udc00", "text of message 1"),
        (SECOND + "state", "writing", "state of message 2"),
        (SECOND + "seconds", "1", "times of message 2"),
        (SECOND + "stats", [], "numbers of message 2"),
        (FIRST + "files/0/text", 3, "files of message 1"),
        (FIRST + "files", {}, "files of message 1"),
    ],
)
def test_that_what_does_not_fit_is_refused_and_nothing_is_changed(
    store: ChatStore, chat: int, tmp_path: Path, path: str, value: object, told: str
) -> None:
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(changed(json.loads(to_json(store, [chat])), path, value)))
    with pytest.raises(StoreError, match=told):
        read_file(file)
    assert len(store.conversations()) == 1


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "\x00", '{"format": "ouzel-chats", "version": NaN}', "[" * 100_000, "\xff\xfe"])
def test_that_other_files_are_refused_in_words(tmp_path: Path, text: str) -> None:
    file = tmp_path / "other.json"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(StoreError, match=r"other.json"):
        read_file(file)
    with pytest.raises(StoreError, match="cannot be read"):
        read_file(tmp_path / "missing.json")


def test_that_an_import_is_whole_or_not_at_all(store: ChatStore, chat: int) -> None:
    good = json.loads(to_json(store, [chat]))["conversations"][0]
    with pytest.raises(KeyError):
        store_all(store, [good, {"title": "cut"}])
    assert len(store.conversations()) == 1
