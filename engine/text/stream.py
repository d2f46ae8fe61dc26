"""Token ids to text as they come: whole characters only, control tokens left out."""

import codecs
from collections.abc import Sequence

from engine.text.vocabulary import Vocabulary


class StreamDecoder:
    """push(id) gives the text that this id completes, "" while a character is unfinished; finish() gives what is left.

    The pieces join to `decode` of all ids, however they are split; work per id does not grow with the answer. Bytes that are no
    UTF-8 become U+FFFD, one for each maximal part of a character (Unicode 16, section 3.9).
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._drop = vocabulary.drops_first_space

    def push(self, token: int) -> str:
        """The text that `token` completes."""
        piece = self._vocabulary.piece(token)
        if self._drop and piece:
            self._drop = False
            piece = piece.removeprefix(b" ")
        return self._decoder.decode(piece)

    def finish(self) -> str:
        """What is left when no id follows: an unfinished character comes as U+FFFD."""
        return self._decoder.decode(b"", final=True)


def decode(vocabulary: Vocabulary, tokens: Sequence[int]) -> str:
    """The text of all `tokens`, control tokens left out."""
    data = vocabulary.pieces(tokens)
    return (data.removeprefix(b" ") if vocabulary.drops_first_space else data).decode("utf-8", "replace")
