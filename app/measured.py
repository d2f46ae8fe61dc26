"""How fast models wrote on this computer, by how they were open: kept in a file, so that an expectation stands beside what was seen."""

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from engine.container.storage import write_whole
from engine.events import ModelInfo
from engine.stats import AnswerStats

LEAST_TOKENS = 16  # of an answer that counts
RECENT_TOKENS = 4000  # older ones fade beside so many
MOST = 40  # ways of opening that are kept of a model
ALIKE = 0.02  # caches whose sizes differ by less than this part of the experts are as fast as each other
LIMIT = 1 << 20


@dataclass(frozen=True, slots=True)
class Speed:
    """Tokens that were written after the first of each answer, and seconds, with n_slots experts in memory."""

    n_slots: int
    n_records: int
    exact: bool
    drafts: bool
    threads: int
    tokens: float
    seconds: float

    def alike(self, n_slots: int, n_records: int, exact: bool, drafts: bool) -> bool:
        """Whether a model that is open in that way is as fast, as far as this file can tell."""
        near = abs(self.n_slots - n_slots) <= ALIKE * max(n_records, 1)
        return near and (self.n_records, self.exact, self.drafts) == (n_records, exact, drafts)


Speeds = dict[str, tuple[Speed, ...]]  # by the model's folder, the newest first


def noted(speeds: Speeds, info: ModelInfo, stats: AnswerStats) -> Speeds:
    """With one more answer."""
    tokens = stats.answer_tokens - 1
    if tokens < LEAST_TOKENS or stats.seconds_decode <= 0:
        return speeds
    exact, drafts = info.arithmetic == "exact", info.config.draft != "off"
    new = Speed(info.n_slots, info.n_expert_records, exact, drafts, info.threads, float(tokens), stats.seconds_decode)
    key, others = str(info.config.model), list[Speed]()
    for old in speeds.get(key, ()):
        if replace(old, tokens=new.tokens, seconds=new.seconds) != new:
            others.append(old)
            continue
        kept = min(1.0, RECENT_TOKENS / old.tokens) if old.tokens > 0 else 0.0
        new = replace(new, tokens=new.tokens + kept * old.tokens, seconds=new.seconds + kept * old.seconds)
    return {**speeds, key: (new, *others)[:MOST]}


def rate(speeds: Speeds, model: Path, n_slots: int, n_records: int, exact: bool, drafts: bool) -> float | None:
    """Tokens a second that were measured with so many experts in memory, the newest; None: never."""
    found = next((s for s in speeds.get(str(model), ()) if s.alike(n_slots, n_records, exact, drafts)), None)
    return found.tokens / found.seconds if found is not None else None


def load(path: Path) -> Speeds:
    """What is kept; a damaged file counts as none."""
    with suppress(OSError, ValueError, TypeError, AttributeError, RecursionError):
        if path.stat().st_size <= LIMIT:
            found = json.loads(path.read_text(encoding="utf-8"))
            return {str(key): tuple(s for s in map(_read, values) if s is not None) for key, values in found.items()}
    return {}


def _read(value: dict[str, Any]) -> Speed | None:
    s = Speed(**value)
    whole = all(type(n) is int and n >= 0 for n in (s.n_slots, s.n_records, s.threads))
    numbers = all(type(n) in (int, float) and 0 < n < 1e12 for n in (s.tokens, s.seconds))
    return s if whole and numbers and type(s.exact) is bool and type(s.drafts) is bool else None


def save(path: Path, speeds: Speeds) -> None:
    """Replace the file whole. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps({key: [asdict(s) for s in values] for key, values in speeds.items()}).encode())
