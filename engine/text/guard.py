"""Marks that keep a person's or a document's words from becoming control tokens.

A mark is a character that occurs nowhere in the conversation. It is put inside every control string in a message, and at an edge of a
message that could form a control string together with the template's words. The tokenizer drops marks after it found control
strings, so that everything else is encoded as if no mark were there: tokens over the border of structure and content are the
ecosystem's own.
"""

import re
from collections.abc import Iterable
from itertools import chain

from engine.errors import BadRequest
from engine.words import say

# Noncharacters are for a program's own use (Unicode 16, section 23.7); a text that holds all of them meets a private-use plane.
_MARKS = (range(0xFDD0, 0xFDF0), range(0x10_0000, 0x10_FFFE))
_LONE = re.compile("[\ud800-\udfff]")


def free_mark(texts: Iterable[str]) -> str:
    """A mark that occurs in none of `texts`. Raises BadRequest where they hold every candidate."""
    used = set[str]().union(*texts)
    mark = next((c for c in map(chr, chain.from_iterable(_MARKS)) if c not in used), None)
    if mark is not None:
        return mark
    raise BadRequest(say("The message holds every private-use character of Unicode. Remove some of them."))


def clean(text: str) -> str:
    """`text` as valid Unicode: lone surrogates, which no tokenizer takes, become U+FFFD."""
    return _LONE.sub("\ufffd", text)


class Guard:
    """Marks the control strings of `controls` in text. A string of one character cannot be broken and is not taken."""

    def __init__(self, controls: Iterable[str]) -> None:
        strings = sorted(controls, key=lambda c: (-len(c), c))
        # A lookahead finds overlapping occurrences too; the mark goes after the first character of each.
        self._starts = re.compile("(?=" + "|".join(map(re.escape, strings)) + ")(.)", re.DOTALL) if strings else None
        self._longest = len(strings[0]) if strings else 0
        self._joined = "\0" + "\0".join(strings) + "\0"

    def __call__(self, text: str, mark: str) -> str:
        """`text` with marks: no control string is intact in it, and none can form at its edges."""
        if self._starts is None:
            return text
        marked = self._starts.sub(rf"\g<1>{mark}", text)
        core = marked.strip()  # templates trim; marks stay inside the spaces that they would trim
        at = marked.find(core)
        before, after = self._open_edges(text.strip())
        return marked[:at] + mark * before + core + mark * after + marked[at + len(core) :]

    def _open_edges(self, core: str) -> tuple[bool, bool]:
        """Whether the start and the end of a message could be the rest of a control string."""
        sizes = range(1, min(self._longest, len(core)) + 1)
        inside = 0 < len(core) < self._longest and core in self._joined
        before = inside or any(core[:n] + "\0" in self._joined for n in sizes)
        after = inside or any("\0" + core[-n:] in self._joined for n in sizes)
        return before, after
