"""A tokenizer in a process of its own: what AskedVocabulary asks."""

from array import array
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.machine import bound_heap, trim_heap
from engine.text.files import open_vocabulary

if TYPE_CHECKING:
    from engine.text.matching import Matcher, TokenTree

LONG = 20_000  # characters
BLOCK = 256  # ids whose bytes or names are told together


class Served:
    """The tokenizer of the container or checkpoint at `folder`; see open_vocabulary."""

    def __init__(self, folder: Path, config: Mapping[str, Any], naming: str) -> None:
        bound_heap()
        self._vocabulary = open_vocabulary(folder, config, naming)
        trim_heap()
        self._tree: TokenTree | None = None
        self._matchers: dict[int, Matcher] = {}
        self._begun = 0

    def facts(self) -> tuple[dict[str, int], bool, list[int]]:
        """(controls, drops_first_space, starts_with()), see Vocabulary."""
        v = self._vocabulary
        return dict(v.controls), v.drops_first_space, v.starts_with()

    def encode(self, text: str, mark: str, continued: bool) -> "array[int]":
        """See Vocabulary."""
        ids = array("I", self._vocabulary.encode(text, mark, continued))
        if len(text) > LONG:
            trim_heap()  # the library's own account of a text takes many times its length
        return ids

    def block(self, n: int) -> tuple[bytes, "array[int]"]:
        """The bytes of ids n * BLOCK up to the next block's, joined, and where each ends."""
        return _joined(self._vocabulary.all_pieces((n + 1) * BLOCK, n * BLOCK))

    def names(self, n: int) -> list[bytes | None]:
        """What ids n * BLOCK up to the next block's are called, see Vocabulary.spelled."""
        return [self._vocabulary.spelled(token) for token in range(n * BLOCK, (n + 1) * BLOCK)]

    def follow(self, grammar: str, n: int, ends: frozenset[int], over: list[int]) -> tuple[int, str]:
        """Begin an answer in this grammar: (its number, what is wrong with the grammar or ""). over: numbers of answers that are.

        Raises as TokenTree.
        """
        from engine.text.matching import Matcher, TokenTree  # noqa: PLC0415  megabytes that chats do without

        if self._tree is None:
            self._tree = TokenTree(self._vocabulary, n, ends)
        for number in over:
            self._matchers.pop(number, None)
        matcher = Matcher(self._tree, grammar)
        self._begun += 1
        self._matchers[self._begun] = matcher
        return self._begun, matcher.error

    def mask(self, number: int) -> tuple[bytes, str]:
        """See Following."""
        return self._matchers[number].mask()

    def take(self, number: int, token: int) -> tuple[bool, str]:
        """See Following."""
        return self._matchers[number].take(token)


def _joined(parts: list[bytes]) -> tuple[bytes, "array[int]"]:
    ends, at = array("I"), 0
    for part in parts:
        at += len(part)
        ends.append(at)
    return b"".join(parts), ends
