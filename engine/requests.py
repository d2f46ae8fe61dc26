"""What goes down to the worker: frozen requests, each answered by events that carry its id."""

from dataclasses import dataclass, field
from pathlib import Path

from engine.config import EngineConfig, Sampling


@dataclass(frozen=True, slots=True)
class Message:
    """One turn: role is "system", "user" or "assistant". reasoning: what an assistant thought before its answer."""

    role: str
    content: str
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class LoadModel:
    """Open a container; answered by Loading*, then Loaded or Failed. An open model is closed first."""

    id: int
    config: EngineConfig


@dataclass(frozen=True, slots=True)
class UnloadModel:
    """Close the open model and give its memory back; answered by Unloaded."""

    id: int


@dataclass(frozen=True, slots=True)
class Generate:
    """Answer the last user message; answered by Prefill*, Text*, then Finished or Failed.

    messages: the whole conversation; the worker prefills only what its session does not hold yet. thinking: whether the model
    thinks before it answers, where it can be told so; None: as it does by itself.
    """

    id: int
    messages: tuple[Message, ...]
    sampling: Sampling = field(default_factory=Sampling)
    thinking: bool | None = None


@dataclass(frozen=True, slots=True)
class BuildStarter:
    """Build the starter model's container at `target` unless it is there; answered by Converting*, then Converted or Failed."""

    id: int
    target: Path


@dataclass(frozen=True, slots=True)
class Convert:
    """Convert a checkpoint folder into a container; answered like BuildStarter."""

    id: int
    source: Path
    target: Path
    experts: str = "q4"
    trunk: str = "q4"


Request = LoadModel | UnloadModel | Generate | BuildStarter | Convert
