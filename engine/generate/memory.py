"""The last conversation as text and as ids, so that ids survive where encoding their text again would give others.

A model may spell a word with other tokens than the tokenizer; its state belongs to the tokens that it drew.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any


class Memory:
    """Rendered text, its ids, and cuts: places where a prefix of the text is exactly a prefix of the ids."""

    def __init__(self) -> None:
        self._text, self._mark = "", ""
        self._ids: list[int] = []
        self._cuts: list[tuple[int, int]] = []  # (characters, ids), ascending
        self._prompt = 0  # characters of the text that were the last prompt

    def encode(self, rendered: str, mark: str, encode: Callable[[str, str, bool], list[int]]) -> list[int]:
        """Ids of `rendered`: those remembered as far as the text is the same, `encode(text, mark, continued)` of the rest."""
        for chars, count in reversed(self._cuts if mark == self._mark else []):
            if rendered.startswith(self._text[:chars]):
                return self._ids[:count] + encode(rendered[chars:], mark, True)
        return encode(rendered, mark, False)

    def reaches(self, rendered: str, mark: str) -> int:
        """How many characters of `rendered` are those that are remembered, as far as its last prompt or a cut."""
        ends = [self._prompt, *(n for n, _ in self._cuts)] if mark == self._mark else []
        return max((n for n in ends if rendered.startswith(self._text[:n])), default=0)

    def written(self) -> dict[str, Any]:
        """As JSON."""
        return {"text": self._text, "mark": self._mark, "ids": self._ids, "cuts": self._cuts, "prompt": self._prompt}

    @classmethod
    def read(cls, value: Any) -> "Memory":
        """From what `written` gave. Raises ValueError, TypeError, KeyError for anything else."""
        memory = cls()
        memory._text, memory._mark = str(value["text"]), str(value["mark"])
        memory._ids = [int(i) for i in value["ids"]]
        memory._cuts = [(int(chars), int(count)) for chars, count in value["cuts"]]
        memory._prompt = int(value["prompt"])
        if any(chars > len(memory._text) or count > len(memory._ids) for chars, count in memory._cuts):
            raise ValueError("a cut lies beyond its text")
        return memory

    def keep(self, rendered: str, mark: str, prompt: Sequence[int], answer: Sequence[tuple[str, int]], ids: Sequence[int]) -> None:
        """Remember a turn: `prompt` is what `encode` gave for `rendered`; each of `answer` is a text and how many of `ids` it is.

        Earlier cuts stay where their text does: the ids up to them are those that `encode` took over.
        """
        known = [c for c in self._cuts if mark == self._mark and rendered.startswith(self._text[: c[0]])]
        answer = sorted(answer, key=lambda a: len(a[0]))
        self._text, self._mark = rendered + (answer[-1][0] if answer else ""), mark
        self._ids, self._prompt = [*prompt, *ids], len(rendered)
        cuts = [(len(rendered) + len(t), len(prompt) + n) for t, n in answer if self._text.startswith(rendered + t)]
        self._cuts = known + cuts


def tokens_of(length: int, ends: Sequence[int]) -> int | None:
    """The least number of tokens that make exactly `length` > 0 characters; ends[i]: the length after token i; None: no number does."""
    at = bisect_left(ends, length)
    return at + 1 if at < len(ends) and ends[at] == length else None
