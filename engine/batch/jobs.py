"""Jobs: one prompt over files, or alone, kept in a folder each, so that they outlive the program that made them.

A job's folder holds `job.json` (what a person chose), `in.jsonl` (its requests, which no later edit of the files changes), `out.jsonl` with
its results (engine.batch.results) and, where no other folder was chosen, its documents.
"""

import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import count
from pathlib import Path
from secrets import token_hex
from typing import Any, Literal

from engine.batch.lines import CHAT, Line, Lines
from engine.batch.results import ANSWERED
from engine.container.storage import sync_folder, write_whole, writing
from engine.errors import BadRequest
from engine.words import say

JOB, INPUT, OUTPUT, DOCUMENTS = "job.json", "in.jsonl", "out.jsonl", "documents"
VERSION = 1
ALONE = "answer"  # the custom id of a job without files
LONGEST_NAME = 120  # bytes of a document's name
UNSAFE = re.compile(r'[<>:"/\\|?*\x00-\x1f]')
When = Literal["now", "at", "idle"]


@dataclass(frozen=True, slots=True)
class Job:
    """model: a container's path. when: at once, from the time `at` (seconds since 1970) on, or while nobody uses the computer.

    mains: only while it is not on battery. paused: a person holds it up. documents: where the answers are written. created: seconds.
    """

    id: str
    name: str
    model: str
    documents: str
    created: float
    when: When = "now"
    at: float = 0.0
    mains: bool = False
    paused: bool = False


@dataclass(frozen=True, slots=True)
class Order:
    """What a person asks for: a prompt, texts of files by their names, and what differs from the usual way of answering.

    parameters: of a chat completion's body, such as temperature.
    """

    prompt: str
    files: tuple[tuple[str, str], ...] = ()
    system: str = ""
    parameters: tuple[tuple[str, Any], ...] = ()

    def lines(self, model: str) -> tuple[Line, ...]:
        """The requests, one a file. Raises BadRequest for an empty prompt."""
        if not self.prompt.strip():
            raise BadRequest(say("The job has no prompt. Write what is to be done."))
        head = [{"role": "system", "content": self.system}] if self.system.strip() else []
        names = _apart([name for name, _ in self.files]) or [ALONE]
        asked = [f"{self.prompt}\n\n{name}:\n\n{text}" for name, text in self.files] or [self.prompt]
        bodies = [{"model": model, "messages": [*head, {"role": "user", "content": a}], **dict(self.parameters)} for a in asked]
        return tuple(Line(name, CHAT, body) for name, body in zip(names, bodies, strict=True))


class JobStore:
    """The jobs in a folder. Raises StorageError."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def add(self, job: Job, order: Order) -> Job:
        """Keep a new job, which gets its id; it is there whole or not at all."""
        lines = order.lines(Path(job.model).name.removesuffix(".ouzel"))
        id = token_hex(8)
        place = self.folder / id
        job = replace(job, id=id, name=_short(job.name or order.prompt), documents=job.documents or str(place / DOCUMENTS))
        with writing(place):
            place.mkdir(parents=True)
            rows = ({"custom_id": x.custom_id, "method": "POST", "url": x.url, "body": x.body} for x in lines)
            write_whole(place / INPUT, "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows).encode("utf-8", "backslashreplace"))
        self.change(job)
        return job

    def change(self, job: Job) -> None:
        """Keep what was changed of a job."""
        place = self.folder / job.id
        with writing(place):
            write_whole(place / JOB, json.dumps({"version": VERSION, **asdict(job)}, ensure_ascii=False, indent=1).encode())
            sync_folder(place)

    def jobs(self) -> list[Job]:
        """All of them, oldest first; what cannot be read is passed over and stays."""
        found = [job for place in (self.folder.iterdir() if self.folder.is_dir() else ()) if (job := _read(place)) is not None]
        return sorted(found, key=lambda job: (job.created, job.id))

    def lines(self, job: Job) -> Lines:
        """A job's requests. Raises BadRequest, StorageError."""
        return Lines(self.folder / job.id / INPUT, self.folder / job.id)

    def output(self, job: Job) -> Path:
        """Where its results are."""
        return self.folder / job.id / OUTPUT

    def finished(self, job: Job) -> tuple[int, int, int]:
        """(results, those of them that are errors, requests), as the files have it."""
        total = _count(self.folder / job.id / INPUT)
        done = refused = 0
        if self.output(job).exists():
            with self.output(job).open("rb") as file:
                for line in file:
                    done += line.endswith(b"\n")
                    refused += ANSWERED not in line
        return done, refused, total

    def remove(self, job: Job) -> None:
        """Take a job away with its folder; documents that lie elsewhere stay."""
        place = self.folder / job.id
        with writing(place):
            (place / JOB).unlink(missing_ok=True)  # so that nothing half removed comes back
            shutil.rmtree(place)


def write_document(job: Job, custom_id: str, body: dict[str, Any]) -> None:
    """Write an answer as a document, whole or not at all; another document of its name stays beside it. Raises StorageError."""
    name = UNSAFE.sub("_", custom_id).encode("utf-8", "replace")[:LONGEST_NAME].decode("utf-8", "ignore")
    text = (str(body["choices"][0]["message"]["content"] or "").strip() + "\n").encode("utf-8", "backslashreplace")
    with writing(Path(job.documents) / f"{name}.md"):
        for n in count(1):
            path = Path(job.documents) / (f"{name}.md" if n == 1 else f"{name} ({n}).md")
            if not path.exists():
                return write_whole(path, text)
            if path.is_file() and path.stat().st_size == len(text) and path.read_bytes() == text:
                return None


def _read(place: Path) -> Job | None:
    try:
        found = json.loads((place / JOB).read_bytes())
        if found.pop("version") != VERSION or set(found) != {f.name for f in fields(Job)} or not (place / INPUT).is_file():
            return None
        job = Job(**found)
        texts = all(isinstance(v, str) for v in (job.id, job.name, job.model, job.documents))
        numbers = all(isinstance(v, int | float) for v in (job.created, job.at))
        flags = isinstance(job.mains, bool) and isinstance(job.paused, bool)
        return job if texts and numbers and flags and job.when in ("now", "at", "idle") and job.id == place.name else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _apart(names: Sequence[str]) -> list[str]:
    """Names of files, those that are alike told apart by a number."""
    taken: set[str] = set()
    out = []
    for name in names:
        n, one, path = 1, name, Path(name)
        while one.casefold() in taken:
            n += 1
            one = f"{path.stem} ({n}){path.suffix}"
        taken.add(one.casefold())
        out.append(one)
    return out


def _short(text: str) -> str:
    first = text.strip().splitlines()[0] if text.strip() else ""
    return first if len(first) <= 60 else first[:59].rstrip() + "…"


def _count(path: Path) -> int:
    try:
        with path.open("rb") as file:
            return sum(1 for line in file if line.strip())
    except OSError:
        return 0
