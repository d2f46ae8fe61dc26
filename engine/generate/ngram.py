"""N-gram drafts (prompt lookup): what followed the last time that the text's end occurred before. No model, little memory.

Source: the idea of prompt lookup decoding (A. Saxena, 2023) and LLMA (arXiv 2304.04487). Matches of fewer than three tokens are not
used: replayed on chats they halve the speed.
"""

_SIZES = (12, 8, 5, 3)  # longest first


class NgramSpeculator:
    """An index of n-grams over prompt and answer, extended in O(1) a token."""

    def __init__(self) -> None:
        self._ids: list[int] = []
        # Where the n-gram was followed most recently; the last n-gram enters when its successor is known.
        self._after: dict[tuple[int, ...], int] = {}

    def extend(self, ids: list[int]) -> None:
        """Append accepted ids."""
        for token in ids:
            at = len(self._ids)
            for n in _SIZES:
                if at >= n:
                    self._after[tuple(self._ids[at - n :])] = at
            self._ids.append(token)

    def propose(self, most: int) -> list[int]:
        """Up to `most` ids that followed the longest earlier occurrence of the text's end; empty without one."""
        for n in _SIZES:
            if len(self._ids) >= n and (at := self._after.get(tuple(self._ids[-n:]))) is not None:
                return self._ids[at : at + most]
        return []
