"""How often tokens that the text proposes are what the model draws, by the length of the match behind them; learned also where a proposal
was not run.

What was proposed is compared with what the model drew whether or not it was in the step, so a draft that does not pay costs nothing to
watch.
"""


from engine.generate.ngram import LEAST, LONGEST
from engine.generate.proposal import Proposal

_EDGES = (4, 6, 9, 16, 28)  # match lengths at which a new class begins
_PRIOR = (0.45, 0.55, 0.65, 0.75, 0.85, 0.9)  # of places that go on alike: a guess, which the first few proposals of a class outweigh
PRIOR_WEIGHT, FORGET = 3.0, 0.93  # one class remembers about 14 proposals
_MOOD_FORGET = 0.85  # how well the last few proposals did against their expectation: about 7 of them


def class_of(match: int, agree: bool) -> int:
    """The class of a proposed token with so long a match behind it."""
    length = min(max(match, LEAST), LONGEST)
    return sum(length >= e for e in _EDGES) + (0 if agree else len(_PRIOR))


class Acceptance:
    """Chances of a proposal's tokens. Give each proposal with what the model drew to `note`."""

    def __init__(self) -> None:
        self._right = [p * PRIOR_WEIGHT for p in _PRIOR] + [0.7 * p * PRIOR_WEIGHT for p in _PRIOR]
        self._seen = [PRIOR_WEIGHT] * (2 * len(_PRIOR))
        self._mood_right = self._mood_expected = 2.0

    def chances(self, proposal: Proposal) -> list[float]:
        """For each token of the proposal: the chance that it is right if those before it were."""
        mood = min(self._mood_right / self._mood_expected, 1.0)
        return [mood * self._chance(class_of(proposal.match + i, proposal.agree or i > 0)) for i in range(len(proposal.ids))]

    def note(self, proposal: Proposal, right: int, judged: int) -> None:
        """The first `right` tokens were drawn; `judged` were looked at, the first wrong one included."""
        for i in range(judged):
            c, hit = class_of(proposal.match + i, proposal.agree or i > 0), i < right
            self._mood_expected = self._mood_expected * _MOOD_FORGET + (1 - _MOOD_FORGET) * 2 * self._chance(c)
            self._mood_right = self._mood_right * _MOOD_FORGET + (1 - _MOOD_FORGET) * 2 * hit
            self._right[c] = self._right[c] * FORGET + hit
            self._seen[c] = self._seen[c] * FORGET + 1

    def _chance(self, c: int) -> float:
        return self._right[c] / self._seen[c]
