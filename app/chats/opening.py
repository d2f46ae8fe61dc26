"""Opening the chat file so that the program starts whatever state it is in, and flushing it to the drive.

A file of an older format is copied before it is changed. A damaged one is set aside under another name. Where nothing can be kept, chats
live in memory until the program ends. Each of these is said in a sentence.
"""

import contextlib
import os
import sqlite3
from datetime import datetime
from pathlib import Path

from app.chats.schema import SCHEMA_VERSION, script
from engine.words import joined, say

PARTS = ("", "-wal", "-shm")
WAIT_S = 2.0  # for another process that writes
# What fails for reasons that lie outside the file; anything else means that it is damaged.
OUTSIDE = {
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_AUTH,
}


class NewerFormat(Exception):
    """The file was written by a newer program."""


def open_database(path: Path) -> tuple[sqlite3.Connection, str]:
    """(connection, a sentence for the person or ""). Never fails for what is on the disk."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return _opened(path), ""
    except NewerFormat as e:
        why = say(
            "The chats in {path} were written by a newer version of Ouzel ({why}). They are left as they are: install that version again.",
            path=path,
            why=e,
        )
    except (sqlite3.Error, OSError) as e:
        why = say(
            "The chats in {path} cannot be opened ({why}). Check that the drive has space and the folder can be written, then start again.",
            path=path,
            why=e,
        )
        if not isinstance(e, OSError) and getattr(e, "sqlite_errorcode", 0) & 0xFF not in OUTSIDE:
            with contextlib.suppress(OSError, sqlite3.Error):
                return _start_afresh(path, e)
            why = say(
                "The chats in {path} are damaged ({why}) and cannot be moved away. Move the file to another place, then start again.",
                path=path,
                why=e,
            )
    memory = sqlite3.connect(":memory:", isolation_level=None)
    memory.executescript(script(0))
    return memory, joined(" ", [why, say("Chats of now are not kept.")])


def _opened(path: Path) -> sqlite3.Connection:
    log = path.with_name(path.name + "-wal")
    unclean = path.exists() and log.exists() and log.stat().st_size > 0
    db = sqlite3.connect(path, isolation_level=None, timeout=WAIT_S)
    try:
        version = int(db.execute("PRAGMA user_version").fetchone()[0])
        if version > SCHEMA_VERSION:
            raise NewerFormat(say("format {version}", version=version))
        if version and version < SCHEMA_VERSION:
            _back_up(db, path.with_name(f"{path.stem}-before-format-{SCHEMA_VERSION}{path.suffix}"))
        for setting in ("journal_mode = WAL", "synchronous = NORMAL", "wal_autocheckpoint = 0"):
            db.execute(f"PRAGMA {setting}")
        if unclean and (found := db.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
            raise sqlite3.DatabaseError(found)
        if version < SCHEMA_VERSION:
            _migrate(db, version)
        db.execute("SELECT count(*), max(changed) FROM conversations").fetchone()
        return db
    except BaseException:
        db.close()
        raise


def _migrate(db: sqlite3.Connection, version: int) -> None:
    try:
        db.executescript(script(version))
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    if db.execute("PRAGMA foreign_key_check").fetchone() is not None:
        raise sqlite3.DatabaseError("messages without a conversation")


def _back_up(db: sqlite3.Connection, target: Path) -> None:
    """A whole copy beside the file; an older copy of that name is replaced."""
    draft = target.with_name(target.name + ".new")
    draft.unlink(missing_ok=True)
    copy = sqlite3.connect(draft, isolation_level=None)
    try:
        db.backup(copy)
    finally:
        copy.close()
    with draft.open("rb+") as file:
        os.fsync(file.fileno())
    draft.replace(target)


def _start_afresh(path: Path, why: Exception) -> tuple[sqlite3.Connection, str]:
    stamp, n = datetime.now().strftime("%Y-%m-%d-%H%M%S"), 0
    while (aside := path.with_name(f"{path.name}.damaged-{stamp}{f'-{n}' if n else ''}")).exists():
        n += 1
    for part in PARTS:
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + part).replace(aside.with_name(aside.name + part))
    told = [
        say("The file with the chats was damaged ({why}). It was set aside as {aside}, and the list starts empty.", why=why, aside=aside)
    ]
    copies = sorted(path.parent.glob(f"{path.stem}-before-format-*{path.suffix}"))
    if copies:
        told.append(say("An older copy is {path}.", path=copies[-1]))
    return _opened(path), joined(" ", told)


def checkpoint(path: Path) -> None:
    """Move the log into the file, on the drive. For a thread that may wait; a failure leaves everything in the log."""
    with contextlib.suppress(sqlite3.Error):
        db = sqlite3.connect(path, timeout=5)
        try:
            db.execute("PRAGMA synchronous = FULL")
            db.execute("PRAGMA wal_checkpoint(PASSIVE)")
        finally:
            db.close()


def flush(path: Path) -> None:
    """Bring the log to the drive, so that a power cut keeps what was committed. For a thread that may wait."""
    # SQLite holds no lock on the log itself, so closing it here takes none away.
    with contextlib.suppress(OSError), path.with_name(path.name + "-wal").open("rb+") as log:
        os.fsync(log.fileno())
