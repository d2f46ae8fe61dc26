"""What goes down to the worker: frozen requests, each answered by events that carry its id."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from engine.config import EngineConfig, Sampling


@dataclass(frozen=True, slots=True)
class ToolCall:
    """An assistant's call of a tool. arguments: a JSON object's text, or what there is of one where the answer was cut."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """One turn: role is "system", "user", "assistant" or "tool". reasoning: what an assistant thought before its answer.

    calls: the tools that an assistant called. call_id, name: the call that a tool's message answers, and the tool.
    """

    role: str
    content: str
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Shape:
    """What an answer must be; tokens that would break it are never drawn.

    kind: "json" (a JSON object), "schema" (JSON that fits the JSON schema `schema`) or "calls" (calls of the request's tools, of the one
    called `name` where that is given, one call alone where not `several`; text before or instead of them where `free`).
    instead: JSON that may be the answer instead of calls. strict: refuse where calls cannot be held to all that their schemas ask for;
    else what no grammar can say is passed over.
    """

    kind: Literal["json", "schema", "calls"]
    schema: str = ""
    name: str = ""
    several: bool = True
    free: bool = False
    instead: "Shape | None" = None
    strict: bool = True


@dataclass(frozen=True, slots=True)
class Options:
    """What programs ask for beyond a chat.

    tools: definitions as JSON objects of OpenAI's form, {"type": "function", "function": {...}}; calls of them come as Called. effort: how
    much to think, in the words of the model's template. logprobs: bring Drawn, with so many of the likeliest tokens at each place.
    prompt: text or ids that the model goes on with as they stand, instead of messages; control strings in such a text are control tokens.
    tell_ids: bring Ids, the answer's tokens. resumed: the tokens that an earlier run of the same request told so: their events come
    again, without Drawn, and the answer goes on after them as that run would have done.
    """

    tools: tuple[str, ...] = ()
    shape: Shape | None = None
    effort: str = ""
    logprobs: int | None = None
    prompt: str | tuple[int, ...] | None = None
    tell_ids: bool = False
    resumed: tuple[int, ...] = ()


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
    """Answer the last user message; answered by Prefill*, Text*, Called*, Drawn*, then Finished or Failed.

    messages: the whole conversation; the worker prefills only what its session does not hold yet. thinking: whether the model
    thinks before it answers, where it can be told so; None: as it does by itself. continued: the last message is an answer that was
    cut; Text brings what follows it. conversation: a key under which its state is kept for later sessions, where EngineConfig.states
    says where; "": for this session alone.
    """

    id: int
    messages: tuple[Message, ...]
    sampling: Sampling = field(default_factory=Sampling)
    thinking: bool | None = None
    continued: bool = False
    conversation: str = ""
    options: Options = field(default_factory=Options)


@dataclass(frozen=True, slots=True)
class CountTokens:
    """Count what a Generate with the same messages would have the model read; answered by Counted or Failed. Nothing is computed.

    texts: further texts, each counted by itself. room: tokens that an answer shall have; where they are not left, Counted says how
    many of the oldest turns are in the way.
    """

    id: int
    messages: tuple[Message, ...]
    texts: tuple[str, ...] = ()
    thinking: bool | None = None
    continued: bool = False
    room: int = 1


@dataclass(frozen=True, slots=True)
class BuildStarter:
    """Build the starter model's container at `target` unless it is there; answered by Converting*, then Converted or Failed."""

    id: int
    target: Path


@dataclass(frozen=True, slots=True)
class MapExperts:
    """Say which experts are in memory and how much each is used, also while an answer is written; answered by ExpertMap, or Failed."""

    id: int


Request = LoadModel | UnloadModel | Generate | CountTokens | BuildStarter | MapExperts


@dataclass(frozen=True, slots=True)
class Survey:
    """Measure the drive of `folder` and memory, and judge the catalogue; answered by Surveying*, then Surveyed or Failed.

    again: test the drive in any case, else a test of the last days counts.
    """

    id: int
    folder: Path
    again: bool = False


@dataclass(frozen=True, slots=True)
class LookUp:
    """What a source is and how it would run, before a byte of its weights moves; answered by Looked or Failed.

    source: "owner/name" on the hub, or the path of a checkpoint's folder, a .gguf file or a NAME.ouzel; revision: of a repository, None
    for its main branch; folder: where the model would lie; mtp: "keep" or "drop" its layer for further tokens.
    """

    id: int
    source: str
    folder: Path
    revision: str | None = None
    mtp: str = "keep"


@dataclass(frozen=True, slots=True)
class PullModel:
    """Make the container `target` from a source as in LookUp; answered by Pulling*, perhaps Startable, then Pulled, PullStopped or Failed.

    What an earlier pull into `target` left is taken up, and one that was paused goes on. Pulls are carried out one after the other.
    start_now: fetch the trunk first, so that the model can be opened before the rest is there.
    mtp: "keep" a layer for further tokens, or "drop" it.
    """

    id: int
    source: str
    target: Path
    experts: str = "q4"
    trunk: str = "q4"
    revision: str | None = None
    start_now: bool = False
    mtp: str = "keep"


@dataclass(frozen=True, slots=True)
class StopPull:
    """Pause the pull into `target`, queued or under way, or remove everything of it (discard), also where it is paused already.

    Answered by PullStopped, or Failed where there is no such pull; the pull's own request ends with PullStopped too.
    """

    id: int
    target: Path
    discard: bool = False


@dataclass(frozen=True, slots=True)
class Estimate:
    """What each memory limit and context would cost and bring for a model that is here; answered by Surveying*, Estimated or Failed.

    config: how it would be opened; its limit is looked at too, beside the others. held_bytes: memory of the open model, which is given
    back before.
    """

    id: int
    config: EngineConfig
    held_bytes: int = 0


FetchRequest = Survey | LookUp | Estimate | PullModel | StopPull  # for the Fetcher, so that the engine goes on answering
