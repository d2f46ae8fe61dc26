"""A batch under way: gives a face requests, takes the engine's events, writes results in the order of completion."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import xxhash

from engine import __version__
from engine.batch.journal import Journal
from engine.batch.lines import CHAT, RESPONSES, TEXT, Line, Lines
from engine.batch.results import Results
from engine.config import REQUEST_BYTES
from engine.container.format import MANIFEST
from engine.errors import BadRequest, ContextFull, EngineError
from engine.events import Event, Failed, Finished, Ids, ModelInfo
from engine.openai.asked import Asked
from engine.openai.chat import chat, completion
from engine.openai.collected import Collected
from engine.openai.refusals import Busy, Refused, told_error
from engine.openai.response_results import response_result
from engine.openai.responses import response
from engine.openai.results import result
from engine.openai.room import Lease, Room, of_drawn, size_of, to_read
from engine.requests import Generate
from engine.words import say

MUCH = Refused(
    "The logprobs of this answer take more memory than there is for requests. Ask for fewer of them, for fewer answers (n), or say with "
    "max_tokens how long one may be.",
    "logprobs",
    "too_many_logprobs",
)


@dataclass
class _Task:
    """lease: its memory; likely: tokens of all its answers whose probabilities that can keep."""

    line: Line
    asked: Asked
    answers: list[Collected]
    lease: Lease
    likely: int
    cut: bool = False  # the present answer ends where they would take more
    current: Collected | None = None
    resumed: int = 0  # tokens of the present answer that an earlier run drew
    request: int = 0


def state_of(info: ModelInfo) -> str:
    """What an answer's tokens depend on beside its request: the weights, the arithmetic, this version."""
    with (info.config.model / MANIFEST).open("rb") as file:
        weights = xxhash.xxh3_128_hexdigest(file.read())
    return f"{weights} {info.arithmetic} {info.kv_dtype} {info.isa} {__version__}"


class Batch:
    """Requests of `lines` that have no result yet; those with a common beginning one after the other, so that it is computed once.

    any_model: the model that is open answers, whatever a request calls it. clock: seconds, for the results' dates. memory_bytes: what all
    requests under way may take, which the plan counts; those that others leave none wait.
    What cannot be answered as it stands gets a result that says so; what did not fit a shorter context than this one is asked again.
    Raises BadRequest where a request is for another model, StorageError.
    """

    def __init__(
        self,
        lines: Lines,
        results: Results,
        info: ModelInfo,
        any_model: bool = False,
        clock: Callable[[], float] = time.time,
        memory_bytes: int = REQUEST_BYTES,
    ) -> None:
        self._lines, self._results, self._clock = lines, results, clock
        self._info, self._any_model = info, any_model
        self.total = len(lines)
        self.tokens = 0  # drawn by this run
        self._running: dict[int, _Task] = {}  # by the ids that were given to `next`
        self._room = Room(memory_bytes)
        self._waiting: int | None = None  # the number of a request that has to wait for memory
        self._again: list[_Task] = []  # those with more answers to come, or that were stopped
        results.try_again(info.context)
        for n in lines.index.unanswered():
            line = lines[n]
            try:
                lines.index.wait(n, _turn(_asked(line, info, any_model)))
            except Refused as e:
                if e.code == "model_not_found":
                    raise BadRequest(
                        say(
                            "The request {custom_id} is for the model {model}, and {name} is open. Open that one, or let this one "
                            "answer with --any-model.",
                            custom_id=repr(line.custom_id),
                            model=repr(line.body.get("model")),
                            name=info.name,
                        )
                    ) from None
                results.add(line, *told_error(e))
        self._journal = Journal(results.path, state_of(info))

    @property
    def done(self) -> int:
        """Requests that have a result."""
        return self._results.done

    @property
    def refused(self) -> int:
        """Those of them whose result is an error."""
        return self._results.refused

    def next(self, id: int) -> Generate | None:
        """The next request to carry out, beside those that are; one again that was stopped. None: all are done or being carried out, or
        the next one has to wait for one of those.
        """
        while (task := self._again.pop() if self._again else self._taken_up()) is not None:
            n = len(task.answers)
            request = task.asked.generate(n, id)
            if request.options.logprobs is None:
                break
            left, most = task.likely - sum(len(answer.drawn) for answer in task.answers), request.sampling.max_tokens
            task.cut = most is None or most > left
            if not task.cut:
                break
            if left > 0:
                request = replace(request, sampling=replace(request.sampling, max_tokens=left))
                break
            self._end(task, MUCH)
        else:
            return None
        self._running[id] = task
        task.request, task.current = id, Collected()
        resumed = self._journal.tokens(task.line.id, n) if request.options.logprobs is None else ()
        task.resumed = len(resumed)
        self._journal.begin(task.line.id, n, task.resumed)
        return replace(request, options=replace(request.options, tell_ids=True, resumed=resumed))

    def _taken_up(self) -> _Task | None:
        """A request that has not been begun; None: there is none, or others have the memory that it needs."""
        if self._waiting is None:
            self._waiting = self._lines.index.pop()
        if self._waiting is None:
            return None
        lease, most = Lease(self._room), self._room.nbytes
        try:
            text = self._lines.text(self._waiting)
            lease.set(min(to_read(text), most))
            line = self._lines.line(self._waiting, text)
            asked = _asked(line, self._info, self._any_model)
            size, each, likely = min(size_of((line.body, asked)), most), 0, 0
            if asked.options.logprobs is not None:
                each = of_drawn(asked.options.logprobs)
                likely = (most - size) // each
            lease.set(size + each * min(likely, asked.count * (asked.sampling.max_tokens or self._info.context)))
        except Busy:
            lease.close()
            return None
        self._waiting = None
        return _Task(line, asked, [], lease, likely)

    def take(self, event: Event) -> None:
        """An event of the engine. Raises the error of a Failed that is not about the request itself, StorageError."""
        task = self._running.get(getattr(event, "id", -1))
        if task is None or task.current is None:
            return
        n = len(task.answers)
        match event:
            case Ids(_, ids):
                self.tokens += len(ids)
                self._journal.add(task.line.id, n, ids)
                return
            case Finished(_, stats) if stats.reason == "cancelled":
                self._journal.flush()
                self._ask_again(task)
                return
            case Failed(_, error) if not isinstance(error, BadRequest | ContextFull):
                self._journal.flush()
                self._ask_again(task)
                raise error
        task.current.take(event)
        if isinstance(event, Failed) and task.resumed:  # whatever is wrong with what was kept
            self._journal.begin(task.line.id, n, 0)
            self._ask_again(task)
        elif isinstance(event, Failed):
            self._end(task, event.error)
        elif isinstance(event, Finished) and task.cut and event.stats.reason == "length":
            self._end(task, MUCH)
        elif isinstance(event, Finished):
            task.answers.append(task.current)
            if len(task.answers) == task.asked.count:
                self._end(task, None)
            else:
                self._ask_again(task)

    def _ask_again(self, task: _Task) -> None:
        del self._running[task.request]
        task.current = None
        self._again.append(task)

    def _end(self, task: _Task, error: EngineError | None) -> None:
        if error is not None:
            status, told = told_error(error)
            if isinstance(error, ContextFull):  # beyond OpenAI's error: what was too short, so that a longer one is worth a try
                told["error"]["context_length"] = error.context
            self._results.add(task.line, status, told)
        else:
            self._results.add(task.line, 200, _result(task, int(self._clock())))
        self._journal.drop(task.line.id)
        self._running.pop(task.request, None)
        task.lease.close()

    def close(self) -> None:
        """Keep what is half done; idempotent."""
        self._journal.close(self.done == self.total)


def _asked(line: Line, info: ModelInfo, any_model: bool) -> Asked:
    body = {**line.body, "model": info.name} if any_model else line.body
    asked = {CHAT: chat, TEXT: completion, RESPONSES: response}[line.url](body, info, line.seed)
    return replace(asked, model=str(line.body.get("model") or info.name))


def _result(task: _Task, created: int) -> dict[str, Any]:
    id = task.line.id.replace("batch_req", {"chat": "chatcmpl", "completion": "cmpl", "response": "resp"}[task.asked.kind])
    if task.asked.kind == "response":
        return response_result(task.asked, task.answers[0], id, created)
    return result(task.asked, task.answers, id, created)


def _turn(asked: Asked) -> bytes:
    """Sorts what begins alike together: hashes of ever longer beginnings, each by an eighth longer than the one before it."""
    said = [[m.role, m.content, m.reasoning, len(m.calls)] for m in asked.messages]
    whole = json.dumps([asked.kind, asked.options.tools, asked.options.effort, str(asked.thinking), said, asked.prompts]).encode()
    begun, out, at = xxhash.xxh3_64(), bytearray(), 0
    while at < len(whole):
        step = max(16, at // 8)
        begun.update(whole[at : at + step])
        out += begun.digest()[:4]
        at += step
    return bytes(out)
