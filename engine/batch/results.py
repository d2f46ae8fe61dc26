"""The output of a batch, and what of it an earlier run has written. Source: OpenAI's API reference, "The request output object"."""

import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from engine.batch.index import PREFIX
from engine.batch.lines import Line, Lines
from engine.container.storage import Hold, append_whole, writing
from engine.errors import BadRequest
from engine.openai.refusals import TOO_LONG
from engine.words import say

ANSWERED = b'"status_code": 200,'  # in a line of ours that is no refusal; in texts quotes are escaped
_BEGINS = b'{"id": "' + PREFIX.encode()  # every line of ours


class Results:
    """A file of results, one JSON object a line, each on the drive when `add` returns. One process at a time writes to it.

    A line that a kill cut off is taken away, and so is a new file to which nothing was written, with the folders that were made for it.
    Raises BadRequest where the file holds anything but results of these requests, StorageError.
    """

    def __init__(self, path: Path, lines: Lines) -> None:
        self.path, self._lines = path, lines
        self.done = self.refused = 0  # requests with a result, and those of them whose result is an error
        self.last: tuple[str, int, dict[str, Any]] | None = None  # custom id, status and body of what was added last
        with writing(path.parent):
            self._made = [p for p in path.parents if not p.exists()]  # the innermost first
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists() and not path.is_file():
                raise BadRequest(say("{path} is no ordinary file. Name another output.", path=path))
        self._new = not path.exists()
        self._open()
        try:
            self._read()
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        with writing(self.path):
            self._file = self.path.open("ab", buffering=0)
            told = say("{path} is being written by another Ouzel. Wait until it is ready, or name another output.", path=self.path)
            try:
                self._hold = Hold(self.path, True, told)
            except BaseException:
                self._file.close()
                raise

    def _read(self) -> None:
        whole = 0
        with writing(self.path), self.path.open("rb") as file:
            for n, text in enumerate(file, 1):
                cut = not text.endswith(b"\n")
                if not (_is_cut(text) if cut else self._take(text)):
                    raise BadRequest(
                        say(
                            "Line {n} of {path} is no result of these requests: it was written for others, or changed. Name "
                            "another output, or remove that file.",
                            n=n,
                            path=self.path,
                        )
                    )
                if cut:
                    self._file.truncate(whole)
                else:
                    whole += len(text)

    def _take(self, text: bytes) -> bool:
        """A whole line of the file; whether it is the first result of one of these requests."""
        try:
            result = json.loads(text)
            name, id, response = str(result["custom_id"]), str(result["id"]), result["response"]
            return self._note(name, id, int(response["status_code"]), response["body"])
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return False

    def _note(self, name: str, id: str, status: int, body: dict[str, Any]) -> bool:
        error = body.get("error") if status != 200 else None
        short = int(error.get("context_length", 0)) if error is not None and error.get("code") == TOO_LONG else None
        known = self._lines.index.answer(name, id, status, short)
        self.done += known
        self.refused += known and status != 200
        return known

    def try_again(self, context: int) -> int:
        """Take away the results of requests that did not fit a shorter context than this one; how many. Raises StorageError."""
        index = self._lines.index
        if not (number := index.short_of(context)):
            return 0
        draft = self.path.with_name(self.path.name + ".new")
        try:
            with writing(self.path), self.path.open("rb") as file, draft.open("wb") as kept:
                for text in file:
                    if ANSWERED in text or not index.is_short(json.loads(text)["custom_id"], context):
                        kept.write(text)
                kept.flush()
                os.fsync(kept.fileno())
            self.close()  # Windows replaces no open file
            with writing(self.path):
                draft.replace(self.path)
            self._open()
        except BaseException:
            with suppress(OSError):
                draft.unlink(missing_ok=True)
            raise
        index.ask_again(context)
        self.done -= number
        self.refused -= number
        return number

    def add(self, line: Line, status: int, body: dict[str, Any]) -> None:
        """The next result. Raises StorageError."""
        result = {
            "id": line.id,
            "custom_id": line.custom_id,
            "response": {"status_code": status, "request_id": line.id.replace("batch_req", "req"), "body": body},
            "error": None,
        }
        with writing(self.path):
            append_whole(self._file, json.dumps(result, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")
        self._note(line.custom_id, line.id, status, body)
        self.last = line.custom_id, status, body

    def close(self) -> None:
        """Let others write; idempotent."""
        if self._file.closed:
            return
        empty = os.fstat(self._file.fileno()).st_size == 0
        self._file.close()
        if sys.platform == "win32":  # it removes no open file
            self._hold.close()
        if self._new and empty:
            with suppress(OSError):
                self.path.unlink(missing_ok=True)
                for folder in self._made:
                    folder.rmdir()
        self._hold.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _is_cut(text: bytes) -> bool:
    """Whether a kill may have left this of a line of ours. A loss of power leaves zeros."""
    text = text.rstrip(b"\0")
    return text.startswith(_BEGINS) or _BEGINS.startswith(text)
