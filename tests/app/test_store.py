"""Conversations on disk."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from app.chats.opening import checkpoint, flush
from app.chats.options import ChatOptions
from app.chats.records import Attached, Draft, StoreError, title_of
from app.chats.schema import SCHEMA_VERSION, STEPS
from app.chats.store import KEEP_DELETED, ChatStore


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


def test_that_a_file_of_a_newer_program_is_left_alone_and_the_start_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "chats.db"
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    db.commit()
    db.close()
    before = path.read_bytes()
    store = ChatStore(path)
    assert "newer version" in store.trouble and "not kept" in store.trouble and not store.kept
    store.add(store.create("for now"), "user", "hi")
    assert len(store.conversations()) == 1
    store.close()
    assert path.read_bytes() == before


def damaged_header(path: Path) -> None:
    path.write_bytes(b"This is no database at all. " * 100)


def damaged_pages(path: Path) -> None:
    filled(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))


def without_tables(path: Path) -> None:
    filled(path)
    db = sqlite3.connect(path)
    db.executescript("DROP TABLE messages; DROP TABLE conversations;")
    db.close()


def filled(path: Path) -> None:
    store = ChatStore(path)
    for n in range(30):
        store.add(store.create(f"chat {n}"), "user", "text " * 400)
    checkpoint(path)
    store.close()


@pytest.mark.parametrize("damage", [damaged_header, damaged_pages, without_tables])
def test_that_a_damaged_file_is_set_aside_with_a_sentence(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    path = tmp_path / "chats.db"
    damage(path)
    before = path.read_bytes()
    store = ChatStore(path)
    assert "set aside" in store.trouble and store.kept and store.conversations() == []
    aside = [p for p in tmp_path.iterdir() if "damaged" in p.name]
    assert [p.read_bytes() for p in aside] == [before] and str(aside[0]) in store.trouble
    store.add(store.create("new"), "user", "hi")
    store.close()
    again = ChatStore(path)
    assert again.trouble == "" and len(again.conversations()) == 1
    again.close()


def test_that_damage_found_after_a_crash_is_set_aside_with_the_log(tmp_path: Path) -> None:
    path = tmp_path / "chats.db"
    filled(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] + b"\xff" * (len(whole) - len(whole) // 2))
    path.with_name("chats.db-wal").write_bytes(b"\0" * 4096)
    store = ChatStore(path)
    assert "set aside" in store.trouble and store.conversations() == []
    store.close()


def test_that_a_folder_that_cannot_be_made_does_not_stop_the_start(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = ChatStore(tmp_path / "file" / "chats.db")
    assert "cannot be opened" in store.trouble and not store.kept
    store.add(store.create("for now"), "user", "hi")
    store.close()


def test_that_todays_files_are_taken_over_with_a_copy_made_before(tmp_path: Path) -> None:
    path = tmp_path / "chats.db"
    old = sqlite3.connect(path, isolation_level=None)
    old.executescript(STEPS[0] + "PRAGMA user_version = 1;")
    for chat, title in ((1, "Rivers"), (2, "Stones")):
        old.execute("INSERT INTO conversations VALUES (?, ?, 1, ?, NULL)", (chat, title, chat))
    for n in range(6):
        role = ("user", "assistant")[n // 2 % 2]
        values = (1 + n % 2, role, f"message {n}", "writing" if n == 5 else "complete", 1)
        old.execute("INSERT INTO messages (conversation, role, content, state, created) VALUES (?, ?, ?, ?, ?)", values)
    old.close()
    store = ChatStore(path)
    assert store.trouble == "" and [c.title for c in store.conversations()] == ["Stones", "Rivers"]
    assert [m.content for m in store.messages(1)] == ["message 0", "message 2", "message 4"]
    assert [(m.content, m.state) for m in store.messages(2)][-1] == ("message 5", "stopped")
    assert [f.conversation.id for f in store.search("message 3")] == [2] and store.search("stones")[0].message is None
    store.close()
    copy = sqlite3.connect(tmp_path / f"chats-before-format-{SCHEMA_VERSION}.db")
    assert copy.execute("PRAGMA user_version").fetchone() == (1,)
    assert copy.execute("SELECT count(*) FROM messages").fetchone() == (6,)
    copy.close()


def test_that_a_migration_that_cannot_be_made_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "chats.db"
    old = sqlite3.connect(path, isolation_level=None)
    old.executescript(STEPS[0] + "PRAGMA user_version = 1;")
    old.close()
    (tmp_path / f"chats-before-format-{SCHEMA_VERSION}.db.new").mkdir()  # no copy can be made
    before = path.read_bytes()
    store = ChatStore(path)
    assert "cannot be opened" in store.trouble
    store.close()
    assert path.read_bytes() == before


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


def test_that_saving_reaches_the_drive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    fsync = os.fsync

    def noted(file: int) -> None:
        synced.append(os.fstat(file).st_ino)
        fsync(file)

    monkeypatch.setattr(os, "fsync", noted)
    store = ChatStore(tmp_path / "chats.db")
    store.create("t")
    flush(store.path)
    assert synced == [(tmp_path / "chats.db-wal").stat().st_ino]
    store.create("goes on")
    store.close()
    flush(store.path)  # no log is there any more: nothing happens


def texts(store: ChatStore, chat: int) -> list[str]:
    return [m.content for m in store.messages(chat)]


def test_that_branches_are_kept_and_the_chosen_one_is_shown(tmp_path: Path) -> None:
    store = ChatStore(tmp_path / "chats.db")
    chat = store.create("t")
    q1 = store.add(chat, "user", "q1")
    a1 = store.add(chat, "assistant", "a1")
    store.add(chat, "user", "q2")
    store.add(chat, "assistant", "a2")
    other = store.add(chat, "assistant", "a1 again", parent=q1)
    assert texts(store, chat) == ["q1", "a1 again"] and store.messages(chat)[1].siblings == (a1, other)
    store.show(a1)
    assert texts(store, chat) == ["q1", "a1", "q2", "a2"]
    edited = store.add(chat, "user", "q1 edited", parent=None)
    assert texts(store, chat) == ["q1 edited"] and store.messages(chat)[0].siblings == (q1, edited)
    store.show(q1)
    store.close()
    again = ChatStore(tmp_path / "chats.db")
    assert texts(again, chat) == ["q1", "a1", "q2", "a2"], "the branch that was shown last is remembered"
    assert again.parent(a1) == q1 and again.parent(q1) is None
    again.close()


def test_that_a_deleted_message_takes_what_is_behind_it_and_comes_back(store: ChatStore) -> None:
    chat = store.create("t")
    q1, a1, q2, a2 = (store.add(chat, r, t) for r, t in (("user", "q1"), ("assistant", "a1"), ("user", "q2"), ("assistant", "zebra")))
    store.delete_message(a2)
    store.delete_message(a1)
    assert texts(store, chat) == ["q1"] and store.search("zebra") == []
    store.restore_message(a1)
    assert texts(store, chat) == ["q1", "a1", "q2"], "what was deleted before stays deleted"
    store.restore_message(a2)
    assert texts(store, chat)[-1] == "zebra" and len(store.search("zebra")) == 1
    other = store.add(chat, "assistant", "other", parent=q1)
    store.delete_message(other)
    assert texts(store, chat) == ["q1", "a1", "q2", "zebra"] and q2


def test_that_search_finds_words_by_their_beginning_in_titles_texts_thoughts_and_files(store: ChatStore) -> None:
    river = store.create("About the river")
    store.add(river, "user", 'Say "hello" -- (quoted) AND or NOT *', files=[Attached("notes.txt", "The Ouzel walks under water")])
    answer = store.add(river, "assistant", "", "writing")
    store.update(answer, "Grüße, naïve café", "writing")
    assert store.search("café") == [], "what grows is not found yet"
    store.update(answer, "Grüße, naïve café: 水の流れ", "complete", reasoning="pondering deeply", seconds=2.0)
    other = store.create("Other")
    store.add(other, "user", "A stone")
    words = ("riv", "hel", '"hello"', "(quoted)", "cafe", "CAFÉ", "gru", "流れ", "の流", "ponder deep", "ouzel under", "notes", "naïve")
    for query in words:
        found = store.search(query)
        assert [f.conversation.id for f in found] == [river], query
    for query in ("", "  ", "iver", "stone river", "zzz", '"', "*", "AND*x", "hello NEAR(stone)", "-", "col:stone"):
        assert isinstance(store.search(query), list)
    assert store.search("iver") == [] and store.search("stone river") == []
    first = store.search("流れ")[0]
    assert first.message == answer and "流れ" in first.excerpt
    store.delete(river)
    assert store.search("riv") == []


def test_that_a_changed_title_and_text_are_found_as_they_are_now(store: ChatStore) -> None:
    chat = store.create("first name")
    message = store.add(chat, "assistant", "old words")
    store.rename(chat, "second name")
    store.update(message, "new words", "complete")
    assert store.search("first") == [] and store.search("old") == []
    assert len(store.search("second")) == len(store.search("new words")) == 1
    store.erase(chat)
    assert store.search("second") == store.search("new") == []


def test_that_search_stays_quick_among_thousands(store: ChatStore) -> None:
    with store.change() as db:
        rows = [(n, f"chat {n}", n, n) for n in range(1, 4001)]
        db.executemany("INSERT INTO conversations (id, title, created, changed) VALUES (?, ?, ?, ?)", rows)
        values = [(n, "user", f"the text number {n} speaks of rivers and stones " * 4, "complete", n) for n in range(1, 4001)]
        db.executemany("INSERT INTO messages (conversation, role, content, state, created) VALUES (?, ?, ?, ?, ?)", values)
    start = time.thread_time()
    assert [f.conversation.id for f in store.search("number 1234")] == [1234]
    assert len(store.search("s")) == 200
    assert time.thread_time() - start < 3  # some 30 ms


def test_that_pins_and_the_trash_are_kept(tmp_path: Path) -> None:
    now = [100.0]
    store = ChatStore(tmp_path / "chats.db", lambda: now[0])
    first, second, third = (store.create(t) for t in "abc")
    store.pin(first, True)
    assert [(c.title, c.pinned) for c in store.conversations()] == [("a", True), ("c", False), ("b", False)]
    now[0] = 200.0
    store.delete(second)
    assert [(c.title, c.changed) for c in store.trash()] == [("b", 200.0)]
    store.erase(second)
    assert store.trash() == [] and third
    store.close()


def test_that_drafts_options_presets_and_the_start_are_kept(tmp_path: Path) -> None:
    store = ChatStore(tmp_path / "chats.db")
    options = ChatOptions(system_prompt="Be brief.", temperature=0.2, stop=("END", "\n\n"), thinking=False, seed=7)
    chat = store.create("t", options)
    message = store.add(chat, "user", "q")
    store.set_start(chat, message)
    draft = Draft("half a thou", (Attached("a.py", "x = 1\n"),), message)
    store.set_draft(chat, draft)
    store.set_draft(None, Draft("new one"))
    store.set_preset("Brief", options)
    store.close()
    store = ChatStore(tmp_path / "chats.db")
    assert store.options(chat) == options and store.draft(chat) == draft and store.draft(None) == Draft("new one")
    assert store.presets() == {"Brief": options} and store.start(chat) == message
    store.set_draft(None, Draft())
    store.set_preset("brief", ChatOptions(top_k=5))
    assert store.draft(None) == Draft() and store.presets() == {"brief": ChatOptions(top_k=5)}
    store.set_preset("BRIEF", None)
    store.set_options(chat, ChatOptions())
    assert store.presets() == {} and store.options(chat) == ChatOptions()
    store._db.execute("UPDATE conversations SET options = '{\"temperature\": \"hot\", \"top_k\": 3, \"stop\": [1]}'")
    assert store.options(chat) == ChatOptions(top_k=3), "what does not fit is left out"
    store.close()


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
