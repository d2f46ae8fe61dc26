"""What comes up from the worker: frozen events, each with the id of its request."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from engine.config import EngineConfig, Sampling
from engine.errors import EngineError
from engine.offers import ContextOffer, LimitOffer, Offer, Precision
from engine.stats import AnswerStats, Snapshot, VolumeCounters


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What is open. kv_dtype is "f32", "f16", "bf16" or "q8"; direct tells whether expert reads are unbuffered, locked whether the
    trunk is kept in RAM; the notes have the system's words where it refused.

    defaults: how the model's publisher draws tokens; a request that leaves a value open means these. can_think: the model can be
    told whether to think before it answers; efforts: how much. can_call: it can call tools. vocabulary: how many tokens
    it knows. longest_context: tokens that the model takes at most. draft_model: the
    name of the model that drafts beside it; draft_note: why there is none, where one was asked for. drafts_itself: with a layer for
    further tokens. further_bytes: what one more answer at a time would take of the memory limit.
    larger_context: the next longer one that the limit has room for, 0 where there is none.
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
    locked: bool = False
    locked_note: str = ""
    defaults: Sampling = field(default_factory=Sampling)
    can_think: bool = False
    can_call: bool = False
    efforts: bool = False
    vocabulary: int = 1 << 31
    longest_context: int = 1 << 20
    draft_model: str = ""
    draft_note: str = ""
    drafts_itself: bool = False
    further_bytes: int = 0
    larger_context: int = 0


@dataclass(frozen=True, slots=True)
class Loading:
    """A step of opening: phase is "manifest", "tokenizer", "memory", "trunk" or "draft"; fraction of that phase."""

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
class Counted:
    """tokens: of the prompt. texts: tokens of each further text. context: tokens that prompt and answer may have together.

    left_out: messages after the system prompt, oldest first, without which the wanted room is there; it ends before a message of the
    user. None: not even the last one alone leaves it.
    """

    id: int
    tokens: int
    context: int
    texts: tuple[int, ...] = ()
    left_out: int | None = 0


@dataclass(frozen=True, slots=True)
class Text:
    """Whole characters of the answer, or of the reasoning before it; stop strings never appear."""

    id: int
    piece: str
    kind: Literal["answer", "reasoning"] = "answer"


@dataclass(frozen=True, slots=True)
class Called:
    """A piece of a call of a tool: the index-th of this answer. call_id and name come with its first piece, arguments in pieces of JSON."""

    id: int
    index: int
    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Likely:
    """A token, its bytes, and the logarithm of the probability that the model gives it, before anything is done to its logits."""

    token: int
    piece: bytes
    logprob: float


@dataclass(frozen=True, slots=True)
class Drawn:
    """A token of the answer whose text was shown, and the likeliest ones at its place, likeliest first."""

    id: int
    token: Likely
    top: tuple[Likely, ...]


@dataclass(frozen=True, slots=True)
class Ids:
    """The answer's next tokens, those whose text is held back included; see Options."""

    id: int
    ids: tuple[int, ...]


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
class ExpertMap:
    """Experts of the open model by MoE layer: layers has their numbers, n_experts the experts of each, width the most of them.

    By layer * width + expert: cached is 1 where the expert is in memory; habit (f32) how often it was used, decayed over thousands of
    tokens and over sessions; lately (f32) by how many tokens since the map before. steps: tokens since then.
    """

    id: int
    layers: tuple[int, ...]
    n_experts: tuple[int, ...]
    width: int
    n_slots: int
    cached: bytes
    habit: bytes
    lately: bytes
    steps: int


@dataclass(frozen=True, slots=True)
class Counters:
    """Sent a few times a second while work is done, and once when it ends. volumes: the drives of the experts.

    waits: what the work waits for beyond this computer's drives, as a phrase; empty where it does not.
    """

    snapshot: Snapshot
    volumes: tuple[VolumeCounters, ...] = ()
    waits: str = ""


@dataclass(frozen=True, slots=True)
class Surveying:
    """Progress of a survey's test of the drive."""

    id: int
    fraction: float


@dataclass(frozen=True, slots=True)
class Surveyed:
    """What the machine can do for models in `folder`, and the catalogue, what runs well here first. Bytes; rates in bytes a second.

    direct: whether the drive was read past the system's cache; else read_rate may be too high.
    """

    id: int
    folder: Path
    free_bytes: int
    read_rate: float
    memory_rate: float
    memory_bytes: int
    available_bytes: int
    direct: bool
    offers: tuple[Offer, ...]


@dataclass(frozen=True, slots=True)
class Estimated:
    """What can be chosen for the model of `config` in `available_bytes` of memory, which is what is free and what is held now.

    floor_bytes: the least limit at the context of the config. limits: from there to what is free, or to where more brings nothing;
    empty where less is free. automatic, chosen: without a limit, and at the config's; None where that cannot be had. contexts: those that
    fit, shortest first. direct: whether the drive was read past the system's cache; else speeds may be too high.
    """

    id: int
    config: EngineConfig
    available_bytes: int
    floor_bytes: int
    limits: tuple[LimitOffer, ...]
    automatic: LimitOffer | None
    chosen: LimitOffer | None
    contexts: tuple[ContextOffer, ...]
    longest_context: int
    direct: bool


@dataclass(frozen=True, slots=True)
class Looked:
    """What a source is. kind: "hub", "folder", "gguf" or "container"; commit: of a repository; family: its model_type.

    licence as the source names it, None where it does not; gated: whether the hub asks for an account that accepted the licence.
    source_bytes: what is read of it, the download of a repository. precisions: those that it can be had in, the recommended one first.
    """

    id: int
    source: str
    kind: Literal["hub", "folder", "gguf", "container"]
    name: str
    family: str
    commit: str | None
    licence: str | None
    gated: bool
    source_bytes: int
    precisions: tuple[Precision, ...]


@dataclass(frozen=True, slots=True)
class Pulling:
    """Progress of a pull. state: "queued" behind another pull, "looking", "checking", "downloading", "converting", "copying", "stalled",
    "waiting", "no space", "verifying" or "done"; text says more of those that wait.

    done, total: bytes, total 0 where it is not known; rate: bytes a second over the last seconds; eta: seconds, None where unknown.
    """

    id: int
    target: Path
    state: str
    done: int = 0
    total: int = 0
    rate: float = 0.0
    eta: float | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Startable:
    """The trunk is there: `target` can be opened, what is missing comes when it is needed. Only with start_now."""

    id: int
    target: Path


@dataclass(frozen=True, slots=True)
class Pulled:
    """The container `target` is whole."""

    id: int
    target: Path


@dataclass(frozen=True, slots=True)
class PullStopped:
    """The pull into `target` is paused, or nothing of it is left (discarded)."""

    id: int
    target: Path
    discarded: bool


FetchEvent = Surveying | Surveyed | Estimated | Looked | Pulling | Startable | Pulled | PullStopped
Answering = Prefill | Text | Called | Drawn | Ids
Event = Loading | Loaded | Unloaded | Converting | Converted | Counted | Answering | ExpertMap | Finished | Failed | Counters | FetchEvent
