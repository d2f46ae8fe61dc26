"""Conversations on disk."""

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from app.chats.store import KEEP_DELETED, SCHEMA_VERSION, ChatStore, StoreError, checkpoint, title_of


def test_that_a_conversation_survives_a_restart(tmp_path: Path) -> None:
    store = ChatStore(tmp_path / "chats.db")
    chat = store.create("Rivers")
    store.add(chat, "user", "Hello 🌊")
    answer = store.add(chat, "assistant", "", "writing")
    store.update(answer, "Hi *there*", "complete", {"seed": 3})
    store.close()
    again = ChatStore(tmp_path / "chats.db")
    assert [c.title for c in again.conversations()] == ["Rivers"]
    assert [(m.role, m.content, m.state, m.stats) for m in again.messages(chat)] == [
        ("user", "Hello 🌊", "complete", None),
        ("assistant", "Hi *there*", "complete", {"seed": 3}),
    ]
    again.close()


def test_that_a_killed_process_loses_nothing_that_was_saved(tmp_path: Path) -> None:
    script = (
        "import sys, time; from pathlib import Path; from app.chats.store import ChatStore\n"
        "s = ChatStore(Path(sys.argv[1])); c = s.create('t'); s.add(c, 'user', 'q'); a = s.add(c, 'assistant', '', 'writing')\n"
        "s.update(a, 'half an ans', 'writing'); print('saved', flush=True); time.sleep(60)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", script, str(tmp_path / "chats.db")], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "saved\n"
    os.kill(child.pid, signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
    child.wait()
    child.stdout.close()
    store = ChatStore(tmp_path / "chats.db")
    messages = store.messages(store.conversations()[0].id)
    assert [(m.content, m.state) for m in messages] == [("q", "complete"), ("half an ans", "stopped")]
    store.close()


def test_that_the_latest_change_comes_first(tmp_path: Path) -> None:
    now = [100.0]
    store = ChatStore(tmp_path / "chats.db", lambda: now[0])
    first, second = store.create("first"), store.create("second")
    now[0] = 200.0
    store.add(first, "user", "more")
    assert [c.id for c in store.conversations()] == [first, second]
    store.rename(second, "renamed")
    assert [c.title for c in store.conversations()] == ["first", "renamed"]
    store.close()


def test_that_a_deleted_conversation_can_be_restored_for_thirty_days(tmp_path: Path) -> None:
    now = [1000.0]
    store = ChatStore(tmp_path / "chats.db", lambda: now[0])
    chat = store.create("gone")
    store.add(chat, "user", "text")
    store.delete(chat)
    assert store.conversations() == []
    store.restore(chat)
    assert [c.id for c in store.conversations()] == [chat] and len(store.messages(chat)) == 1
    store.delete(chat)
    store.close()
    now[0] += KEEP_DELETED - 1
    store = ChatStore(tmp_path / "chats.db", lambda: now[0])
    assert len(store.messages(chat)) == 1
    store.close()
    now[0] += 2
    store = ChatStore(tmp_path / "chats.db", lambda: now[0])
    assert store.messages(chat) == []
    store.restore(chat)
    assert store.conversations() == []
    store.close()


def test_that_removed_messages_are_gone(store: ChatStore) -> None:
    chat = store.create("t")
    kept, gone = store.add(chat, "user", "a"), store.add(chat, "assistant", "b")
    store.remove(gone)
    assert [m.id for m in store.messages(chat)] == [kept]


def test_that_a_file_of_a_newer_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "chats.db"
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    db.commit()
    db.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="newer program"):
        ChatStore(path)
    assert path.read_bytes() == before


def test_that_a_damaged_file_is_a_sentence_with_a_way_out(tmp_path: Path) -> None:
    path = tmp_path / "chats.db"
    path.write_bytes(b"This is no database at all. " * 100)
    with pytest.raises(StoreError, match="Move this file away"):
        ChatStore(path)


def test_that_a_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be opened"):
        ChatStore(tmp_path / "file" / "chats.db")


def test_that_a_failed_write_changes_nothing_and_says_so(store: ChatStore) -> None:
    chat = store.create("t")
    with pytest.raises(StoreError, match="could not be saved"):
        store.add(chat + 1, "user", "nowhere")
    assert store.messages(chat + 1) == [] and len(store.conversations()) == 1
    store.add(chat, "user", "works again")


def test_that_damaged_numbers_do_not_hide_an_answer(store: ChatStore) -> None:
    chat = store.create("t")
    number = store.add(chat, "assistant", "text")
    store._db.execute("UPDATE messages SET stats = '[1' WHERE id = ?", (number,))
    assert store.messages(chat)[0].stats is None


def test_that_a_checkpoint_moves_the_log_into_the_file(tmp_path: Path) -> None:
    store = ChatStore(tmp_path / "chats.db")
    chat = store.create("moved")
    checkpoint(store.path)
    alone = tmp_path / "alone.db"
    alone.write_bytes(store.path.read_bytes())
    copied = ChatStore(alone)
    assert [c.id for c in copied.conversations()] == [chat]
    copied.close()
    store.close()
    checkpoint(tmp_path)  # no file to open: nothing happens


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Hello", "Hello"),
        ("\n\n  Two   words \nmore", "Two words"),
        ("", ""),
        ("a" * 60, "a" * 48 + "…"),
        ("The quick brown fox jumps over the lazy dog, and then again", "The quick brown fox jumps over the lazy dog, and…"),
        ("Explain to me, please, how the river gets to the sea", "Explain to me, please, how the river gets to the…"),
    ],
)
def test_that_a_title_is_the_first_line_cut_at_a_word(text: str, title: str) -> None:
    assert title_of(text) == title
