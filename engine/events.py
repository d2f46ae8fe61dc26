"""What comes up from the worker: frozen events, each with the id of its request."""

from dataclasses import dataclass

from engine.config import EngineConfig
from engine.errors import EngineError
from engine.stats import AnswerStats, Snapshot


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What is open. kv_dtype is "f32", "f16" or "bf16"; direct tells whether expert reads are unbuffered, and why not."""

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


@dataclass(frozen=True, slots=True)
class Loading:
    id: int
    phase: str  # "manifest", "trunk", "tokenizer", "memory"
    fraction: float


@dataclass(frozen=True, slots=True)
class Loaded:
    id: int
    info: ModelInfo


@dataclass(frozen=True, slots=True)
class Unloaded:
    id: int


@dataclass(frozen=True, slots=True)
class Converting:
    id: int
    phase: str
    done_bytes: int
    total_bytes: int


@dataclass(frozen=True, slots=True)
class Converted:
    id: int
    path: str


@dataclass(frozen=True, slots=True)
class Prefill:
    id: int
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Text:
    id: int
    piece: str


@dataclass(frozen=True, slots=True)
class Finished:
    id: int
    stats: AnswerStats


@dataclass(frozen=True, slots=True)
class Failed:
    id: int
    error: EngineError


@dataclass(frozen=True, slots=True)
class Counters:
    """Sent a few times a second while work is done, and once when it ends."""

    snapshot: Snapshot


Event = Loading | Loaded | Unloaded | Converting | Converted | Prefill | Text | Finished | Failed | Counters
