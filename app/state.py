"""What the window knows of the engine: one frozen value, changed only by what the person asks and what the engine answers."""

from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from engine.config import EngineConfig
from engine.events import Converted, Converting, Event, Failed, Finished, Loaded, Loading, ModelInfo, Prefill, Text, Unloaded


class Phase(Enum):
    """What the engine is doing. Only IDLE and READY take new work."""

    IDLE = "idle"  # no model is open
    BUILDING = "building"  # a container is being made
    LOADING = "loading"
    READY = "ready"
    READING = "reading"  # prefill
    WRITING = "writing"  # decode
    STOPPING = "stopping"
    UNLOADING = "unloading"
    CLOSING = "closing"


ANSWERING = (Phase.READING, Phase.WRITING, Phase.STOPPING)
RESTING = (Phase.IDLE, Phase.READY)


@dataclass(frozen=True, slots=True)
class EngineState:
    """phase with the id of the request that it belongs to.

    step: the part of loading or building that is under way; while writing, "thinking" before the answer. done, total: its progress;
    total 0 where it is not known. waits: what an answer waits for beyond this computer, as a phrase.
    model: the container that is open or being opened, config: how.
    """

    phase: Phase = Phase.IDLE
    request: int = 0
    step: str = ""
    done: int = 0
    total: int = 0
    model: Path | None = None
    info: ModelInfo | None = None
    waits: str = ""

    @property
    def config(self) -> EngineConfig | None:
        """How the open model was opened."""
        return self.info.config if self.info else None


def asked_load(state: EngineState, request: int, model: Path) -> EngineState:
    """A model is to be opened; an open one is closed by that."""
    return EngineState(Phase.LOADING, request, model=model)


def asked_unload(state: EngineState, request: int) -> EngineState:
    """The model is to be closed."""
    return replace(state, phase=Phase.UNLOADING, request=request, info=None)


def asked_build(state: EngineState, request: int) -> EngineState:
    """A container is to be made; the open model stays open."""
    return replace(state, phase=Phase.BUILDING, request=request, step="", done=0, total=0)


def asked_answer(state: EngineState, request: int) -> EngineState:
    """An answer is to be generated."""
    return replace(state, phase=Phase.READING, request=request, step="", done=0, total=0)


def asked_stop(state: EngineState) -> EngineState:
    """The current work is to end early."""
    return replace(state, phase=Phase.STOPPING) if state.phase in ANSWERING else state


def wrote(state: EngineState) -> EngineState:
    """The first characters of the answer are there."""
    return replace(state, phase=Phase.WRITING, step="", done=0, total=0) if state.phase in (Phase.READING, Phase.WRITING) else state


def waiting(state: EngineState, waits: str) -> EngineState:
    """An answer waits for something, or (empty) no longer does."""
    return replace(state, waits=waits if state.phase in (Phase.READING, Phase.WRITING) else "")


def happened(state: EngineState, event: Event) -> EngineState:
    """The state after an event; events of requests that are no longer current change nothing."""
    if getattr(event, "id", None) != state.request or state.phase is Phase.CLOSING:
        return state
    rest = Phase.READY if state.info else Phase.IDLE
    match event:
        case Loading(_, phase, fraction):
            return replace(state, step=phase, done=round(fraction * 1000), total=1000)
        case Loaded(_, info):
            return replace(state, phase=Phase.READY, info=info, model=info.config.model, step="", done=0, total=0)
        case Unloaded():
            return EngineState(Phase.IDLE)
        case Converting(_, phase, done, total):
            return replace(state, step=phase, done=done, total=total)
        case Converted() | Finished():
            return replace(state, phase=rest, step="", done=0, total=0, waits="")
        case Prefill(_, done, total) if state.phase is Phase.READING:
            return replace(state, done=done, total=total)
        case Text(kind="reasoning") if state.phase in (Phase.READING, Phase.WRITING):
            return replace(state, phase=Phase.WRITING, step="thinking", done=0, total=0)
        case Text():
            return wrote(state)
        case Failed() if state.phase is Phase.LOADING:
            return EngineState(Phase.IDLE)
        case Failed():
            return replace(state, phase=rest, step="", done=0, total=0, waits="")
    return state
