"""What text needs of a tokenizer, whatever file it comes from."""

from collections.abc import Mapping, Sequence
from typing import Protocol


class Vocabulary(Protocol):
    """Ids and text of one tokenizer. `controls` are the strings that structure a conversation, with their ids."""

    @property
    def controls(self) -> Mapping[str, int]:
        """Every control string, marked special by the tokenizer or written by the chat template, and its id."""

    @property
    def drops_first_space(self) -> bool:
        """Whether decoding drops one space at the start of a text."""

    def encode(self, text: str, mark: str, continued: bool) -> list[int]:
        """Ids of `text`: an intact control string is its token; one with `mark` inside is plain text, without the mark.

        continued: the text follows other tokens, so it gets no space of a text's start.
        """

    def piece(self, token: int) -> bytes:
        """The UTF-8 bytes that an id stands for, maybe a part of a character; none for special and unknown ids."""

    def pieces(self, tokens: Sequence[int]) -> bytes:
        """The bytes of several ids in a row."""

    def all_pieces(self, n: int, first: int = 0) -> list[bytes]:
        """The bytes of ids first to n - 1, none of which is kept here."""

    def starts_with(self) -> list[int]:
        """Ids that the tokenizer puts before every plain text, such as the beginning of a sequence."""

    def spelled(self, token: int) -> bytes | None:
        """What the tokenizer's file calls an id; None for ids that it does not name."""
