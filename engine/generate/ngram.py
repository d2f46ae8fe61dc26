"""N-gram drafts (prompt lookup): what followed the last time that the text's end occurred before. No model, little memory.

Source: the idea of prompt lookup decoding (A. Saxena, 2023) and LLMA (arXiv 2304.04487). Matches of fewer than three tokens are not
used: replayed on chats they halve the speed.
"""

from array import array
from collections.abc import Sequence

LEAST = 3  # tokens of a match
_LONGEST = 32  # beyond it matches count as equally long
_TRIED = 16  # earlier occurrences that are compared, most recent first


class NgramSpeculator:
    """An index of the text's n-grams, extended in O(1) a token; about 200 bytes a token."""

    def __init__(self) -> None:
        self._ids = array("i")
        self._last: dict[tuple[int, ...], int] = {}  # an n-gram's most recent end that has a successor
        self._before = array("i")  # for each end of an n-gram: the end before of the same n-gram, or -1

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

    def propose(self, most: int) -> list[int]:
        """Up to `most` ids that followed the longest earlier match of the text's end, of equal ones the most recent; or none.

        A match that overlaps the text's end goes on in its own period.
        """
        at = self._last.get(tuple(self._ids[-LEAST:]), -1) if len(self._ids) >= LEAST else -1
        best, length = -1, 0
        for _ in range(_TRIED):
            if at < 0 or length >= _LONGEST:
                break
            if (n := self._match(at)) > length:
                best, length = at, n
            at = self._before[at]
        if best < 0:
            return []
        period = len(self._ids) - best
        return [self._ids[best + i % period] for i in range(most)]

    def _match(self, at: int) -> int:
        """Tokens before `at` that equal the text's end, up to the longest that counts."""
        ids, end = self._ids, len(self._ids)
        n = LEAST
        while n < _LONGEST and n < at and ids[at - 1 - n] == ids[end - 1 - n]:
            n += 1
        return n
