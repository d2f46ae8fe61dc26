"""An answer that is being written: what has come of it, and what it began with."""

from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Literal

from app.chats.records import Draft

Kind = Literal["send", "again", "continue"]
SUMS = (
    "answer_tokens",
    "seconds_decode",
    "expert_hits",
    "expert_misses",
    "bytes_read",
    "drafts_proposed",
    "drafts_accepted",
    "drafts_seconds_saved",
    "seconds_read_wait",
    "seconds_experts",
    "seconds_attention",
    "seconds_rest",
)


@dataclass
class Answer:
    """kind: to a new message, once more to one that was answered, or going on. user: number of the message that it answers.

    draft: what was sent, to be given back where nothing comes of it. text, thought, seconds: so far, with what it began with. old:
    numbers of the answer that goes on.
    """

    request: int
    conversation: int
    kind: Kind
    user: int
    number: int
    model: str
    draft: Draft = field(default_factory=Draft)
    begun: str = ""
    thought: str = ""
    seconds: float = 0.0
    old: dict[str, Any] | None = None
    pieces: list[str] = field(default_factory=list)
    came: int = 0  # pieces of text and thought
    saved: int = 0  # of these, those that the store has
    _since: float | None = None
    _before: float = 0.0

    @property
    def text(self) -> str:
        """The answer so far."""
        return self.begun + "".join(self.pieces)

    def think(self, piece: str) -> None:
        """More was thought."""
        now = monotonic()
        if self._since is None:
            self._since, self._before = now, self.seconds
        self.thought += piece
        self.seconds = self._before + now - self._since
        self.came += 1

    def write(self, piece: str) -> None:
        """More was answered; with the first of it the thought has ended."""
        if self._since is not None:
            self.seconds = self._before + monotonic() - self._since
            self._since = None
        self.pieces.append(piece)
        self.came += 1


def added(old: dict[str, Any] | None, new: dict[str, Any]) -> dict[str, Any]:
    """Numbers of an answer that went on: counts and seconds of both parts together, the rest of the later one."""
    if not old:
        return new
    result = dict(new)
    for name in SUMS:
        a, b = old.get(name, 0), new.get(name, 0)
        if isinstance(a, int | float) and isinstance(b, int | float):
            result[name] = a + b
    if isinstance(old.get("seconds_to_first_token"), int | float):
        result["seconds_to_first_token"] = old["seconds_to_first_token"]
    seconds, tokens = result.get("seconds_decode", 0), result.get("answer_tokens", 0)
    result["tokens_per_second"] = (tokens - 1) / seconds if tokens > 1 and seconds > 0 else 0.0
    return result
