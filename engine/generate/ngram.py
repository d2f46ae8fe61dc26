"""N-gram drafts (prompt lookup): what followed when the text's end occurred before. No model, little memory.

Source: the idea of prompt lookup decoding (A. Saxena, 2023) and LLMA (arXiv 2304.04487). Matches of fewer than three tokens are not
used: replayed on chats they halve the speed.
"""

from array import array
from collections.abc import Sequence

from engine.generate.proposal import NONE, Proposal

LEAST = 3  # tokens of a match
LONGEST = 32  # beyond it matches count as equally long
_TRIED = 16  # earlier occurrences that are compared, most recent first


class NgramSpeculator:
    """An index of the text's n-grams, extended in O(1) a token; about 200 bytes a token."""

    def __init__(self) -> None:
        self._ids = array("i")
        self._last: dict[tuple[int, ...], int] = {}  # an n-gram's most recent end that has a successor
        self._before = array("i")  # for each end of an n-gram: the end before of the same n-gram, or -1

    def __len__(self) -> int:
        return len(self._ids)

    def extend(self, ids: Sequence[int]) -> None:
        """Append accepted ids."""
        for token in ids:
            at = len(self._ids)
            # An n-gram enters when its successor comes, so that it never proposes itself.
            key = tuple(self._ids[at - LEAST :]) if at >= LEAST else ()
            self._before.append(self._last.get(key, -1) if key else -1)
            if key:
                self._last[key] = at
            self._ids.append(token)

    def truncate(self, length: int) -> None:
        """Go back to the first `length` ids."""
        for at in range(len(self._ids) - 1, max(length, LEAST) - 1, -1):
            key, before = tuple(self._ids[at - LEAST : at]), self._before[at]
            if before >= 0:
                self._last[key] = before
            else:
                del self._last[key]
        del self._ids[length:], self._before[length:]

    def sync(self, ids: Sequence[int]) -> None:
        """Hold exactly `ids`; the common beginning is not indexed again."""
        have = self._ids
        most = min(len(have), len(ids))
        known = most if array("i", ids[:most]) == have[:most] else next(i for i in range(most) if have[i] != ids[i])
        self.truncate(known)
        self.extend(ids[known:])

    def propose(self, most: int) -> Proposal:
        """Up to `most` ids that followed the longest earlier match of the text's end.

        Where it occurred several times the most frequent continuation is taken, of equally frequent ones the most recent. A match
        that overlaps the text's end goes on in its own period.
        """
        at = self._last.get(tuple(self._ids[-LEAST:]), -1) if len(self._ids) >= LEAST else -1
        length, found = 0, list[int]()  # places with the longest match, most recent first
        for _ in range(_TRIED):
            if at < 0:
                break
            n = self._match(at)
            if n > length:
                length, found = n, []
            if n == length:
                found.append(at)
            at = self._before[at]
        if not found or most < 1:
            return NONE
        votes: dict[int, int] = {}
        for at in found:
            votes[self._ids[at]] = votes.get(self._ids[at], 0) + 1
        best = max(votes.values())
        start = next(at for at in found if votes[self._ids[at]] == best)
        period = len(self._ids) - start
        return Proposal(tuple(self._ids[start + i % period] for i in range(most)), length, len(votes) == 1)

    def _match(self, at: int) -> int:
        """Tokens before `at` that equal the text's end, up to the longest that counts."""
        ids, end = self._ids, len(self._ids)
        n = LEAST
        while n < LONGEST and n < at and ids[at - 1 - n] == ids[end - 1 - n]:
            n += 1
        return n
