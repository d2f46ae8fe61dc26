"""Token ids to text as they come: whole characters only, control tokens left out."""

from tokenizers import Tokenizer

_REPLACEMENT = "\ufffd"
_LONGEST = 16  # a character has at most 4 bytes, each at most one token; more pending ids are text that is no UTF-8


class StreamDecoder:
    """push(id) gives the text that this id completes, "" while a character is unfinished; finish() gives what is left.

    The pieces join to the decoding of all ids. Work per token is bounded: only ids since the last whole character are decoded,
    after the ids of the piece before, whose text a decoder may need for its spacing.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._ids: list[int] = []
        self._shown = 0  # ids of _ids whose text was given out

    def push(self, token: int) -> str:
        """The text that `token` completes."""
        self._ids.append(token)
        before = self._decode(self._ids[: self._shown])
        now = self._decode(self._ids)
        if now.endswith(_REPLACEMENT) and len(self._ids) - self._shown < _LONGEST:
            return ""
        return self._give(before, now)

    def finish(self) -> str:
        """What is left when no id follows; unfinished characters come as U+FFFD."""
        return self._give(self._decode(self._ids[: self._shown]), self._decode(self._ids))

    def _give(self, before: str, now: str) -> str:
        self._ids = self._ids[self._shown :]
        self._shown = len(self._ids)
        return now[len(before) :]

    def _decode(self, ids: list[int]) -> str:
        return self._tokenizer.decode(ids, skip_special_tokens=True) if ids else ""
