"""One job under way, on a thread of its own: files are read and written here, so that no drive holds the window up."""

import json
from contextlib import ExitStack, closing
from dataclasses import dataclass

from engine.batch.batch import Batch
from engine.batch.jobs import Job, JobStore, write_document
from engine.batch.results import ANSWERED, Results
from engine.config import REQUEST_BYTES
from engine.events import Event, ModelInfo
from engine.requests import Generate

OK = 200
FEW_BYTES = 8_000_000  # that requests may take together, large ones one after the other, where the plan has no room for programs


@dataclass(frozen=True, slots=True)
class Progress:
    """done: requests with a result, of total; refused: those that could not be answered. tokens: drawn since the work was taken up."""

    done: int = 0
    total: int = 0
    refused: int = 0
    tokens: int = 0


class JobWork:
    """Used by one thread at a time."""

    def __init__(self, store: JobStore, job: Job, info: ModelInfo) -> None:
        """Raises BadRequest, StorageError."""
        self.job = job
        most = REQUEST_BYTES if info.config.programs else FEW_BYTES
        with ExitStack() as opened:
            lines = opened.enter_context(store.lines(job))
            self._results = opened.enter_context(Results(store.output(job), lines))
            self._batch = opened.enter_context(closing(Batch(lines, self._results, info, any_model=True, memory_bytes=most)))
            self._open = opened.pop_all()
        write_last_document(store, job)

    @property
    def progress(self) -> Progress:
        """How far it is."""
        b = self._batch
        return Progress(b.done, b.total, b.refused, b.tokens)

    def next(self, id: int) -> Generate | None:
        """See Batch."""
        return self._batch.next(id)

    def take(self, event: Event) -> None:
        """See Batch; a finished answer becomes a document. Raises EngineError."""
        self._batch.take(event)
        last, self._results.last = self._results.last, None
        if last is not None and last[1] == OK:
            write_document(self.job, last[0], last[2])

    def close(self) -> None:
        """Keep what is half done."""
        self._open.close()


def write_last_document(store: JobStore, job: Job) -> None:
    """Write the document of the newest answer, which a kill or a full drive may have left out. Raises StorageError."""
    output = store.output(job)
    last = b""
    if output.exists():
        with output.open("rb") as file:
            for line in file:
                if ANSWERED in line:
                    last = line
    if last:
        result = json.loads(last)
        write_document(job, result["custom_id"], result["response"]["body"])
