"""The input of a batch: JSON lines in OpenAI's batch format. Source: OpenAI's API reference, "The request input object"."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from engine.batch.index import PREFIX, Index
from engine.config import REQUEST_BYTES
from engine.errors import BadRequest, StorageError
from engine.openai.reading import LARGEST, Fields, read_body
from engine.openai.refusals import Refused
from engine.openai.room import to_read
from engine.words import joined, say

LONGEST_ID = 512
SHOWN = 10  # problems that are told at once
CHAT, TEXT, RESPONSES = "/v1/chat/completions", "/v1/completions", "/v1/responses"
_MARK = b"\xef\xbb\xbf"  # that a file is UTF-8, as some editors write


@dataclass(frozen=True, slots=True)
class Line:
    """One request. id: of its result, the same for the same request, so that a result tells whether it answers this one."""

    custom_id: str
    url: str
    body: Mapping[str, Any]

    @property
    def id(self) -> str:
        """See above."""
        said = json.dumps([self.custom_id, self.url, self.body], sort_keys=True, ensure_ascii=False)
        return PREFIX + hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:32]

    @property
    def seed(self) -> int:
        """For a request without one: another for each, and the same each time."""
        return int(self.id[-15:], 16)


class Lines:
    """The requests of a file, numbered from 0, of which memory holds one at a time; where each is lies in an index on disk.

    folder: for the index, which is gone when this is closed. Raises BadRequest that tells what is wrong with which lines, before anything
    is answered, StorageError.
    """

    def __init__(self, path: Path, folder: Path) -> None:
        self._path = path
        try:
            if path.exists() and not path.is_file():
                raise BadRequest(say("{path} is no ordinary file. Write the requests to one, one JSON object a line.", path=path))
            self._file = path.open("rb")
        except OSError as e:
            raise self._unreadable(e) from None
        try:
            self.index = Index(folder)
            try:
                self._read()
            except BaseException:
                self.index.close()
                raise
        except OSError as e:
            self._file.close()
            raise self._unreadable(e) from None
        except BaseException:
            self._file.close()
            raise

    def _unreadable(self, e: OSError) -> BadRequest:
        return BadRequest(
            say("{path} cannot be read ({why}). Name a file of requests, one JSON object a line.", path=self._path, why=e.strerror)
        )

    def _read(self) -> None:
        problems, wrong, at, n = list[str](), 0, 0, 0
        while text := self._file.readline(LARGEST + 1):
            n, begins = n + 1, at
            at += len(text)
            long = len(text) > LARGEST and not text.endswith(b"\n")
            while long and (more := self._file.readline(LARGEST)):
                at += len(more)
                if more.endswith(b"\n"):
                    break
            if not long and not text.removeprefix(_MARK if begins == 0 else b"").strip():
                continue
            try:
                if long:
                    raise Refused(f"It is longer than {LARGEST >> 20} MB.")
                line = _line(text.removeprefix(_MARK) if begins == 0 else text)
                former = self.index.add(line.custom_id, line.id, begins, len(text), n)
                if former:
                    raise Refused(f"custom_id {line.custom_id!r} is that of line {former} too.")
            except Refused as e:
                wrong += 1
                if wrong <= SHOWN:
                    problems.append(say("line {n}: {why}", n=n, why=e))
        if problems:
            told = [say("{path} is not answered, since some of it cannot be read:", path=self._path), *problems]
            raise BadRequest(joined("\n", [*told, *([say("... and {count} more", count=wrong - SHOWN)] if wrong > SHOWN else [])]))
        if not len(self):
            raise BadRequest(
                say("{path} holds no requests. Write one JSON object a line: custom_id, method, url and body.", path=self._path)
            )

    def __len__(self) -> int:
        return len(self.index)

    def __getitem__(self, n: int) -> Line:
        """The n-th request. Raises StorageError where the file is not what it was."""
        return self.line(n, self.text(n))

    def text(self, n: int) -> bytes:
        """The n-th request as it stands in the file. Raises StorageError."""
        at, size, _ = self.index.place(n)
        try:
            self._file.seek(at)
            return self._file.read(size).removeprefix(_MARK if at == 0 else b"")
        except OSError as e:
            raise self._changed from e

    def line(self, n: int, text: bytes) -> Line:
        """The n-th request, whose text this is. Raises StorageError where it is another one."""
        try:
            line = _line(text)
        except Refused as e:
            raise self._changed from e
        if line.id != self.index.place(n)[2]:
            raise self._changed
        return line

    @property
    def _changed(self) -> StorageError:
        return StorageError(say("{path} was changed while it was being answered. Start again.", path=self._path))

    def __iter__(self) -> Iterator[Line]:
        return (self[n] for n in range(len(self)))

    def close(self) -> None:
        """Let go of the file; idempotent."""
        self._file.close()
        self.index.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _line(text: bytes) -> Line:
    if to_read(text) > REQUEST_BYTES:
        raise Refused("It is made of too many values for the memory that is kept for requests.")
    f = Fields(read_body(text, "The line"))
    custom_id = f.text("custom_id")
    if not custom_id or len(custom_id) > LONGEST_ID:
        raise Refused(f"custom_id is missing, or longer than {LONGEST_ID} characters.")
    if f.one_of("method", "POST") is None:
        raise Refused("method is missing: write POST.")
    url = f.one_of("url", CHAT, TEXT, RESPONSES)
    if url is None:
        raise Refused(f"url is missing: write {CHAT}.")
    body = f.object("body")
    if body is None:
        raise Refused("body is missing.")
    f.end()
    return Line(custom_id, url, body)
