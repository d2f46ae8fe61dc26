"""How one conversation's answers are made; what is left open is as in the settings, and then as the model's publisher says."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from app.settings import CHECKS, Settings
from engine.config import Sampling

SAMPLED = ("temperature", "top_k", "top_p", "min_p", "repetition_penalty", "max_tokens", "seed")
MOST_STOPS = 16


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """None, and no stop strings, mean "as the settings and the model say"; the rest is named as in the engine's requests."""

    system_prompt: str | None = None
    temperature: float | None = None
    top_k: int | None = None
    top_p: float | None = None
    min_p: float | None = None
    repetition_penalty: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    thinking: bool | None = None

    def sampling(self, settings: Settings, defaults: Sampling) -> Sampling:
        """The request's sampling."""
        wanted = {n: getattr(settings, n) if getattr(self, n) is None else getattr(self, n) for n in SAMPLED}
        return defaults.given(wanted | {"stop": self.stop or None})

    def prompt(self, settings: Settings) -> str:
        """The system prompt; "" for none."""
        return (settings.system_prompt if self.system_prompt is None else self.system_prompt).strip()

    def stored(self) -> dict[str, Any]:
        """What differs from nothing, for JSON."""
        return {k: list(v) if k == "stop" else v for k, v in asdict(self).items() if v is not None and v != ()}


def from_stored(found: object) -> ChatOptions:
    """Options from JSON; each value is checked alone, and what does not fit is left out."""
    if not isinstance(found, Mapping):
        return ChatOptions()
    return ChatOptions(**{f.name: _tuple(found[f.name]) for f in fields(ChatOptions) if f.name in found and fits(f.name, found[f.name])})


def fits(name: str, value: object) -> bool:
    """Whether an option may have this value in JSON."""
    if name == "stop":
        return isinstance(value, list) and len(value) <= MOST_STOPS and all(isinstance(s, str) and 0 < len(s) <= 1000 for s in value)
    if name == "thinking":
        return isinstance(value, bool)
    return name in {f.name for f in fields(ChatOptions)} and value is not None and CHECKS[name](value)


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
