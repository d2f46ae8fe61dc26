"""The command line's side of the worker: requests one at a time or several, Ctrl-C stops it, a second Ctrl-C ends the program at once."""

import os
import signal
import threading
from collections.abc import Callable
from dataclasses import asdict
from itertools import count
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Self

from engine import paths
from engine.cli.console import Waiting, say
from engine.config import EngineConfig
from engine.errors import Cancelled, EngineError
from engine.events import Converted, Event, Failed, Finished, Loaded, ModelInfo, Unloaded
from engine.requests import BuildStarter, LoadModel, Request
from engine.stats import AnswerStats
from engine.worker.worker import Worker

_CLOSING = (Loaded, Unloaded, Finished, Converted, Failed)
_LOOK_S = 0.1  # Windows does not interrupt a wait for Ctrl-C


class Client:
    """An engine for the length of a `with` block."""

    def __init__(self) -> None:
        self._woken = threading.Event()
        self._worker = Worker(self._woken.set)
        self._ids = count(1)
        self._interrupts = 0

    def __enter__(self) -> Self:
        self._worker.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._worker.stop()
        self._worker.join()

    def next_id(self) -> int:
        """A number for a request."""
        return next(self._ids)

    def do(self, request: Request, see: Callable[[Event], None]) -> Event:
        """Carry out a request, show its events to `see`, return the closing one; raises the error of Failed, Cancelled after Ctrl-C."""
        self._interrupts = 0
        before = signal.signal(signal.SIGINT, self._interrupted)
        try:
            self._worker.post(request)
            if self._interrupts:  # before it was posted
                self._worker.cancel()
            while True:
                self._woken.wait(_LOOK_S)
                self._woken.clear()
                for event in self._worker.events():
                    if isinstance(event, Failed):
                        raise event.error
                    if isinstance(event, _CLOSING):
                        if self._interrupts and not isinstance(event, Finished):  # too late for what has ended, not for what follows
                            raise Cancelled("Stopped.")
                        return event
                    see(event)
        finally:
            signal.signal(signal.SIGINT, before)

    def do_several(self, most: int, more: Callable[[], Request | None], see: Callable[[Event], None]) -> None:
        """Carry out requests, `most` at a time, until `more` has none and all have ended; Ctrl-C stops those under way. All events,
        closing ones too, go to `see`, which may end it with an exception; `more` is asked again after each that has ended.
        """
        self._interrupts = 0
        before = signal.signal(signal.SIGINT, self._interrupted)
        running: set[int] = set()
        try:
            while True:
                while len(running) < most and not self._interrupts and (request := more()) is not None:
                    running.add(request.id)
                    self._worker.post(request)
                if self._interrupts:  # also what was posted in the same moment
                    self._worker.cancel()
                if not running:
                    return
                self._woken.wait(_LOOK_S)
                self._woken.clear()
                for event in self._worker.events():
                    if isinstance(event, _CLOSING):
                        running.discard(event.id)
                    see(event)
        finally:
            signal.signal(signal.SIGINT, before)

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C came during the last requests, if only when their answers were whole."""
        return self._interrupts > 0

    def post(self, request: Request) -> None:
        """Hand a request to the engine; any thread."""
        self._worker.post(request)

    def cancel(self, id: int) -> None:
        """Stop a request; any thread."""
        self._worker.cancel(id)

    def listen(self, see: Callable[[Event], None]) -> None:
        """Show all events to `see` until Ctrl-C or a request to end."""
        ended = threading.Event()
        before = {s: signal.signal(s, lambda number, frame: ended.set()) for s in (signal.SIGINT, signal.SIGTERM)}
        try:
            while not ended.is_set():
                self._woken.wait(_LOOK_S)
                self._woken.clear()
                for event in self._worker.events():
                    see(event)
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        self._interrupts += 1
        if self._interrupts > 1:
            os._exit(130)
        self._worker.cancel()

    def open(self, name: str | None, configure: Callable[[Path], EngineConfig]) -> ModelInfo:
        """Load the named model, else the last used one, else the starter, which is built when missing."""
        return self.open_at(choose(name), configure)

    def open_at(self, path: Path, configure: Callable[[Path], EngineConfig]) -> ModelInfo:
        """Load the model at `path`, or what is there of it while this process pulls it."""
        config = configure(path)
        with Waiting() as waiting:
            if path == paths.starter_path() and not path.exists():
                self.do(BuildStarter(self.next_id(), path), waiting.show)
            loaded = self.do(LoadModel(self.next_id(), config), waiting.show)
        assert isinstance(loaded, Loaded)
        if config.draft == "mtp" and not loaded.info.drafts_itself:
            say(f"{loaded.info.name} has no layer for further tokens, so nothing is guessed ahead.")
        return loaded.info


def choose(name: str | None) -> Path:
    """The container that a command means; it exists, or is the starter."""
    if name is not None and not name.strip():
        raise EngineError("The model's name is empty. Give a container's path or name, or leave --model out for the last used one.")
    path = paths.find_model(name) if name is not None else paths.last_model() or paths.starter_path()
    if path.exists() or path == paths.starter_path():
        return path
    if name is None:
        raise EngineError(f"{path}, the model used last, is not there. Connect its drive, or choose another: --model {paths.STARTER}.")
    here = ", ".join(p.name.removesuffix(paths.SUFFIX) for p in paths.installed_models()) or "none yet"
    raise EngineError(f"There is no model {name}. Give a container's path, or a name from {paths.models_dir()} (there: {here}).")


def as_json(info: ModelInfo, answer: str, stats: AnswerStats, reasoning: str) -> dict[str, Any]:
    """An answer, the reasoning before it, and its statistics for other programs."""
    said = {"model": info.name, "answer": answer, "reasoning": reasoning}
    return {**said, **asdict(stats), "tokens_per_second": stats.tokens_per_second}
