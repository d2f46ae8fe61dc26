"""One answer's events, put together, and the parts of results that formats share."""

from dataclasses import dataclass, field
from typing import Any

from engine.errors import EngineError
from engine.events import Called, Drawn, Event, Failed, Finished, Likely, Text
from engine.stats import AnswerStats


@dataclass
class Call:
    """A call of a tool, as far as it has come."""

    id: str
    name: str
    arguments: str = ""


@dataclass
class Collected:
    """An answer as far as it has come; stats is there when it has ended, error where it could not be carried out.

    n_drawn: how many Drawn came, also where `drawn` was emptied, since they take more than all else.
    """

    text: str = ""
    reasoning: str = ""
    calls: list[Call] = field(default_factory=list)
    drawn: list[Drawn] = field(default_factory=list)
    n_drawn: int = 0
    stats: AnswerStats | None = None
    error: EngineError | None = None

    def take(self, event: Event) -> None:
        """The next event of this answer."""
        match event:
            case Text(_, piece, "answer"):
                self.text += piece
            case Text(_, piece, _):
                self.reasoning += piece
            case Called(_, index, call_id, name, arguments):
                if index == len(self.calls):
                    self.calls.append(Call(call_id, name))
                self.calls[index].arguments += arguments
            case Drawn():
                self.drawn.append(event)
                self.n_drawn += 1
            case Finished(_, stats):
                self.stats = stats
            case Failed(_, error):
                self.error = error

    @property
    def ended(self) -> bool:
        """Whether nothing more comes."""
        return self.stats is not None or self.error is not None

    @property
    def finish_reason(self) -> str:
        """OpenAI's word for why it ended."""
        if self.stats is not None and self.stats.reason in ("length", "context"):
            return "length"
        return "tool_calls" if self.calls else "stop"


def usage_of(answers: list[Collected], prompts: int = 1) -> dict[str, Any]:
    """Tokens of all answers. prompts: how many prompts they answer; one that several answers share counts once."""
    stats = [a.stats for a in answers if a.stats is not None]
    first = stats[:: max(len(stats) // max(prompts, 1), 1)]
    prompt, completion = sum(s.prompt_tokens for s in first), sum(s.answer_tokens for s in stats)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": sum(s.reused_tokens for s in first)},
        "completion_tokens_details": {"reasoning_tokens": sum(s.reasoning_tokens for s in stats)},
    }


def logprobs_of(drawn: list[Drawn]) -> list[dict[str, Any]]:
    """Tokens as chat completions and responses tell them."""
    return [{**_likely(d.token), "top_logprobs": [_likely(t) for t in d.top]} for d in drawn]


def token_text(token: Likely) -> str:
    """A token's text; bytes of an unfinished character show as such."""
    try:
        return token.piece.decode("utf-8")
    except UnicodeDecodeError:
        return "bytes:" + "".join(f"\\x{b:02x}" for b in token.piece)


def _likely(token: Likely) -> dict[str, Any]:
    return {"token": token_text(token), "logprob": token.logprob, "bytes": list(token.piece)}
