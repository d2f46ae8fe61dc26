"""What comes up from the worker: frozen events, each with the id of its request."""

from dataclasses import dataclass, field
from typing import Literal

from engine.config import EngineConfig, Sampling
from engine.errors import EngineError
from engine.stats import AnswerStats, Snapshot, VolumeCounters


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What is open. kv_dtype is "f32", "f16" or "bf16"; direct tells whether expert reads are unbuffered, locked whether the trunk
    is kept in RAM; the notes have the system's words where it refused.

    defaults: how the model's publisher draws tokens; a request that leaves a value open means these.
    """

    name: str
    model_type: str
    config: EngineConfig
    n_layers: int
    n_experts: int
    n_expert_records: int  # experts over all layers
    n_slots: int
    context: int
    memory_bytes: int
    budget_bytes: int
    floor_bytes: int
    arithmetic: str  # "exact" or "fast"
    isa: str
    threads: int
    kv_dtype: str
    direct: bool
    direct_note: str = ""
    locked: bool = False
    locked_note: str = ""
    defaults: Sampling = field(default_factory=Sampling)


@dataclass(frozen=True, slots=True)
class Loading:
    """A step of opening: phase is "manifest", "trunk", "tokenizer" or "memory"; fraction of that phase."""

    id: int
    phase: str
    fraction: float


@dataclass(frozen=True, slots=True)
class Loaded:
    """The model is open."""

    id: int
    info: ModelInfo


@dataclass(frozen=True, slots=True)
class Unloaded:
    """The model is closed and its memory given back."""

    id: int


@dataclass(frozen=True, slots=True)
class Converting:
    """Progress of a conversion or download; total_bytes 0 where it is not known."""

    id: int
    phase: str
    done_bytes: int
    total_bytes: int


@dataclass(frozen=True, slots=True)
class Converted:
    """A container is ready at `path`."""

    id: int
    path: str


@dataclass(frozen=True, slots=True)
class Prefill:
    """Prompt tokens computed so far, of those that were new."""

    id: int
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Text:
    """Whole characters of the answer, or of the reasoning before it; stop strings never appear."""

    id: int
    piece: str
    kind: Literal["answer", "reasoning"] = "answer"


@dataclass(frozen=True, slots=True)
class Finished:
    """The answer is complete, or was stopped."""

    id: int
    stats: AnswerStats


@dataclass(frozen=True, slots=True)
class Failed:
    """The request could not be carried out; str(error) is for people."""

    id: int
    error: EngineError


@dataclass(frozen=True, slots=True)
class Counters:
    """Sent a few times a second while work is done, and once when it ends. volumes: the drives of the experts."""

    snapshot: Snapshot
    volumes: tuple[VolumeCounters, ...] = ()


Event = Loading | Loaded | Unloaded | Converting | Converted | Prefill | Text | Finished | Failed | Counters
