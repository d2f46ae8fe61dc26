"""How many drafted tokens to verify in the next step: as many as make most tokens a second by what was measured, or none.

A step of 1 + d rows yields 1 + p1 + p1 p2 + ... tokens, p from `Acceptance`, and takes the seconds of `StepCosts`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.generate.acceptance import Acceptance
from engine.generate.costs import StepCosts
from engine.generate.drafter import Drafted
from engine.generate.proposal import Proposal

MARGIN = 1.04  # expected gain below which a draft is left out: estimates err
FIRST_WIDTH, FIRST_STEPS = 2, 3  # the first steps with drafts are short: they tell what a row costs here
# After so many steps without a draft a likely one is tried in few rows: what a row costs may have been learned in a bad moment.
RETRY_STEPS, RETRY_CHANCE, RETRY_WIDTH = 64, 0.7, 2


@dataclass(frozen=True, slots=True)
class Choice:
    """One decision. tokens, seconds: expected of a step with 0, 1, ... drafted tokens; width: how many were taken."""

    proposal: Proposal
    width: int
    tokens: tuple[float, ...]
    seconds: tuple[float, ...]

    @property
    def rate(self) -> float:
        """Tokens a second that the step is expected to make; 0 where nothing is known."""
        return self.tokens[self.width] / max(self.seconds[self.width], 1e-9) if self.seconds else 0.0


class WidthController:
    """Chooses before each step, learns after it. saved: estimated seconds that drafts gained since the start, below 0 where they lost."""

    def __init__(self) -> None:
        self._costs, self._acceptance = StepCosts(), Acceptance()
        self.saved = 0.0
        self._plain, self._drafted = 0, 0  # steps since the last one with a draft; steps with a draft

    def choose(self, proposal: Proposal) -> Choice:
        """How many of the proposal's tokens the next step verifies."""
        chances = self._acceptance.chances(proposal)
        tokens = _expected(chances)
        seconds = self._costs.seconds(len(tokens))
        width = 0
        if self._costs.known and len(tokens) > 1:
            rates = [t / max(s, 1e-9) for t, s in zip(tokens, seconds, strict=True)]
            best = max(range(len(rates)), key=lambda d: rates[d])
            width = best if rates[best] > MARGIN * rates[0] else 0
            width = self._at_first(width)
            if not width and self._plain >= RETRY_STEPS and chances[0] >= RETRY_CHANCE:
                width = min(RETRY_WIDTH, len(chances))
        return Choice(proposal, width, tuple(tokens), tuple(seconds))

    def among(self, text: Choice, drafted: Drafted) -> Choice:
        """The better of what the text proposes and what was drafted, now that drafting is paid for."""
        tokens = _expected(drafted.chances)
        seconds = self._costs.seconds(len(tokens))
        rates = [t / max(drafted.seconds + s, 1e-9) for t, s in zip(tokens, seconds, strict=True)]
        best = max(range(len(rates)), key=lambda d: rates[d])
        other = text.tokens[text.width] / max(drafted.seconds + text.seconds[text.width], 1e-9)
        if not best or rates[best] <= other:
            return text if text.width else Choice(drafted.proposal, 0, tuple(tokens), tuple(seconds))
        return Choice(drafted.proposal, self._at_first(best), tuple(tokens), tuple(seconds))

    def _at_first(self, width: int) -> int:
        return min(width, FIRST_WIDTH) if self._drafted < FIRST_STEPS else width

    @property
    def known(self) -> bool:
        """Whether any step was seen."""
        return self._costs.known

    def steps(self, most: int) -> list[float]:
        """Expected seconds of a step with 0, 1 ... `most` drafted tokens."""
        return self._costs.seconds(most + 1)

    def spent(self, seconds: float) -> None:
        """Drafting took so long, whatever comes of it."""
        self.saved -= seconds

    def stepped(self, rows: int, drawn: int, seconds: float, read_wait: float, misses: int) -> None:
        """A step of `rows` rows, one of them no draft, yielded `drawn` tokens."""
        self._plain = 0 if rows > 1 else self._plain + 1
        self._drafted += rows > 1
        if rows > 1:
            self.saved += drawn * self._costs.seconds(1)[0] - seconds
        self._costs.note(rows, seconds, read_wait, misses)

    def judge(self, proposal: Proposal, right: int, judged: int) -> None:
        """See Acceptance.note."""
        self._acceptance.note(proposal, right, judged)


def _expected(chances: Sequence[float]) -> list[float]:
    """Tokens that a step with 0, 1, ... drafted tokens yields."""
    tokens, likely = [1.0], 1.0
    for p in chances:
        likely *= p
        tokens.append(tokens[-1] + likely)
    return tokens
