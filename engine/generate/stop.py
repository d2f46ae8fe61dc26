"""Stop strings: text that may still become one is held back, and nothing of one is ever shown."""

from collections.abc import Sequence


class StopFilter:
    """push(piece) gives the text that is safe to show; after `stopped` nothing follows. flush() gives what was held at the end."""

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = tuple(s for s in stops if s)
        self._held = ""
        self.stopped = False

    def push(self, piece: str) -> str:
        """Text to show now. The earliest stop string wins, of several at one place the longest is the same cut."""
        if self.stopped:
            return ""
        text = self._held + piece
        cuts = [at for s in self._stops if (at := text.find(s)) >= 0]
        if cuts:
            self.stopped, self._held = True, ""
            return text[: min(cuts)]
        keep = max((n for s in self._stops for n in range(1, min(len(s), len(text)) + 1) if text.endswith(s[:n])), default=0)
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep]

    def flush(self) -> str:
        """What was held back, when the answer ends without a stop string."""
        text, self._held = self._held, ""
        return text
