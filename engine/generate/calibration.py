"""How often tokens that a model drafts are what the model draws, by how sure it was of them; learned also where they were not run."""

from collections.abc import Sequence

from engine.generate.acceptance import FORGET, PRIOR_WEIGHT

_SURE = (0.3, 0.5, 0.7, 0.85, 0.95)  # probabilities at which a new class begins
_SURE_PRIOR = (0.2, 0.4, 0.6, 0.75, 0.87, 0.96)  # a model is taken at its word until it is known better
_FAR = 2  # tokens of a draft that have classes of their own: the first, and all that follow it
_FIRST_PRIOR, _FIRST_FORGET = 0.7, 0.8  # before anything is drafted
_SURE_MOOD_FORGET = 0.8  # about the last five tokens


class Calibration:
    """Chances of the tokens that a model drafts, by how sure it is of them; and what to expect before it is asked.

    All that it drafted tells how much better or worse it is than its word (as a factor of the odds); each class corrects that. The last
    few drafts tell by such a factor what the text before them does not: that the subject has changed.
    """

    def __init__(self) -> None:
        self._right = [0.0] * (len(_SURE_PRIOR) * _FAR)
        self._seen = [0.0] * len(self._right)
        self._hits = self._expected = self._all = 0.0
        self._rate = [_FIRST_PRIOR] * _FAR
        self._mood_hits = self._mood_expected = self._mood_all = 0.0

    def chance(self, sure: float, depth: int) -> float:
        """Of token `depth` (from 0) of a draft, if those before it were right: that it is."""
        mood = _better(self._mood_hits, self._mood_expected, self._mood_all)
        return _times(mood, self._settled(self._class(sure, depth)))

    def _settled(self, c: int) -> float:
        prior = _times(_better(self._hits, self._expected, self._all), _SURE_PRIOR[c % len(_SURE_PRIOR)])
        return (self._right[c] + PRIOR_WEIGHT * prior) / (self._seen[c] + PRIOR_WEIGHT)

    def ahead(self, depth: int) -> float:
        """The same, before it is drafted: as the last few drafts went."""
        return self._rate[min(depth, _FAR - 1)]

    def note(self, sure: Sequence[float], right: int, judged: int) -> None:
        """See Acceptance.note."""
        for i in range(judged):
            c, d, hit = self._class(sure[i], i), min(i, _FAR - 1), i < right
            self._rate[d] = self._rate[d] * _FIRST_FORGET + (1 - _FIRST_FORGET) * hit
            self._mood_hits = self._mood_hits * _SURE_MOOD_FORGET + hit
            self._mood_expected = self._mood_expected * _SURE_MOOD_FORGET + self._settled(c)
            self._mood_all = self._mood_all * _SURE_MOOD_FORGET + 1
            self._right[c] = self._right[c] * FORGET + hit
            self._seen[c] = self._seen[c] * FORGET + 1
            self._hits = self._hits * FORGET + hit
            self._expected = self._expected * FORGET + _SURE_PRIOR[c % len(_SURE_PRIOR)]
            self._all = self._all * FORGET + 1

    @staticmethod
    def _class(sure: float, depth: int) -> int:
        return sum(sure >= e for e in _SURE) + len(_SURE_PRIOR) * min(depth, _FAR - 1)


def _better(hits: float, expected: float, judged: float) -> float:
    """The factor of the odds by which hits exceed what was expected, nearer to 1 where few were judged."""
    return (hits + 1) / (judged - hits + 1) / ((expected + 1) / (judged - expected + 1))


def _times(factor: float, chance: float) -> float:
    """A chance whose odds are multiplied."""
    return 1 - 1 / (1 + factor * chance / (1 - chance))
