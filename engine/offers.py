"""What a model would be on this machine, as plain values: made by `engine.setup.verdict`, shown by the faces."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Level = Literal["good", "slow", "impossible"]
LEVELS: tuple[Level, ...] = ("good", "slow", "impossible")


@dataclass(frozen=True, slots=True)
class Verdict:
    """reasons, helps: sentences: why, and what would make it better. tokens_per_second: expected, between slowest and fastest, at
    budget_bytes; 0 where it is impossible. drive_bytes: read for each token. disk_peak: while it is made; disk: afterwards. Bytes.
    """

    level: Level
    reasons: tuple[str, ...]
    helps: tuple[str, ...]
    tokens_per_second: float
    slowest: float
    fastest: float
    hit_rate: float
    cached_share: float
    drive_bytes: float
    download_bytes: int | None
    disk_peak_bytes: int
    disk_bytes: int
    floor_bytes: int
    recommended_bytes: int
    budget_bytes: int
    context: int
    parameters: int
    active_parameters: int

    @property
    def order(self) -> tuple[int, float]:
        """Sorts what runs well here to the front: of good models the largest first, of slow ones the fastest, else the least limit."""
        key = {"good": -self.parameters, "slow": -self.tokens_per_second, "impossible": self.floor_bytes}[self.level]
        return LEVELS.index(self.level), key


@dataclass(frozen=True, slots=True)
class Offer:
    """A model of the catalogue with its verdict in its recommended formats `experts` and `trunk`."""

    name: str
    repo: str
    licence: str
    licence_link: str
    about: str
    experts: str
    trunk: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Precision:
    """The verdict about a model in the formats `experts` and `trunk`; as_published: the experts' values stay what they are.

    dense: it has no experts, and as_published is about all its matrices.
    """

    experts: str
    trunk: str
    as_published: bool
    verdict: Verdict
    dense: bool = False


@dataclass(frozen=True, slots=True)
class LimitOffer:
    """One memory limit for a model that is here: what the engine would take of it, and what it brings. Bytes.

    n_slots of n_records experts are in memory at once, hit_rate of the uses find theirs there, drive_bytes are read for each token.
    tokens_per_second: expected, between slowest and fastest; 0 where nothing is expected (exact arithmetic).
    """

    budget_bytes: int
    planned_bytes: int
    context: int
    n_slots: int
    n_records: int
    hit_rate: float
    drive_bytes: float
    tokens_per_second: float
    slowest: float
    fastest: float


@dataclass(frozen=True, slots=True)
class ContextOffer:
    """One context length: what its keys and values take, for all answers at once, and the least memory limit with it. Bytes."""

    context: int
    kv_bytes: int
    floor_bytes: int


@dataclass(frozen=True, slots=True)
class KeptPull:
    """A pull that has not ended, as it is kept over restarts: the values of its PullModel.

    paused: by the user, so that it waits for them; problem: the sentence with which it ended last, else empty.
    """

    source: str
    target: Path
    experts: str = "q4"
    trunk: str = "q4"
    revision: str | None = None
    start_now: bool = False
    paused: bool = False
    problem: str = ""
    mtp: str = "keep"
