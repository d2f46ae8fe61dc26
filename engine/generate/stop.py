"""Stop strings: text that may still become one is held back, and nothing of one is ever shown."""

from collections.abc import Iterable


class StopFilter:
    """push(piece) gives the text that is safe to show; after `stopped` nothing follows. flush() gives what was held at the end.

    The stop string that is complete first ends the text; of several that end at one place, the longest. So the result depends on
    the text alone, not on how it is cut into pieces.
    """

    def __init__(self, stops: Iterable[str]) -> None:
        self._stops = tuple({s for s in stops if s})
        self._held = ""
        self.stopped = False

    def push(self, piece: str) -> str:
        """Text to show now."""
        if self.stopped:
            return ""
        text = self._held + piece
        found = [(at + len(s), at) for s in self._stops if (at := text.find(s)) >= 0]
        if found:
            self.stopped, self._held = True, ""
            return text[: min(found)[1]]
        held = max((_overlap(text, s) for s in self._stops), default=0)
        self._held = text[len(text) - held :]
        return text[: len(text) - held]

    def flush(self) -> str:
        """What was held back, when the answer ends without a stop string."""
        text, self._held = self._held, ""
        return text


def _overlap(text: str, stop: str) -> int:
    """Characters at the end of `text` that `stop` begins with, at most all but one of `stop`."""
    longest = min(len(text), len(stop) - 1)
    return next((n for n in range(longest, 0, -1) if text.endswith(stop[:n])), 0)
