"""Tokenizers that come as tokenizer.json, run by the `tokenizers` library.

Control tokens are those that the file marks special, those that the chat template or the settings name, and those in brackets. Other
added tokens (runs of spaces, words, HTML tags) are ordinary text and are encoded as the library does.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from tokenizers import AddedToken, Tokenizer, normalizers

from engine.errors import UnsupportedModel
from engine.text.guard import Guard, free_mark
from engine.text.load import load
from engine.text.pieces import Pieces
from engine.words import say

_BRACKETS = re.compile(r"[<\[{|｜].*[>\]}|｜]", re.DOTALL)
# Gemma's tokenizers have these as tokens of their own.
_HTML = re.compile(
    r"</?(table|caption|thead|tbody|tfoot|tr|th|td|h[1-6]|blockquote|strong|em|b|i|u|s|sub|sup|code|pre|p|a|ul|ol|li|br|hr|div|span|img)>"
)


class HfVocabulary:
    """A Vocabulary over one tokenizer.json; `naming` is text in which control strings are named. Not for several threads at once."""

    def __init__(self, tokenizer: Tokenizer, naming: str) -> None:
        self._tokenizer = tokenizer
        added = tokenizer.get_added_tokens_decoder()
        taken = {i: t for i, t in added.items() if _is_control(t, naming)}
        self.controls: Mapping[str, int] = {t.content: i for i, t in taken.items()}
        self._silent = {i for i, t in added.items() if t.special}
        self._pieces = Pieces(json.loads(tokenizer.decoder.__getstate__()) if tokenizer.decoder is not None else None)
        self.drops_first_space = self._pieces.drops_first_space
        self._bytes: dict[int, bytes] = {}
        self._match_before_normalizing(list(taken.values()))
        # A control token before a continued text keeps the text from counting as a start; it must leave the spaces after it alone.
        self._anchor = next((t.content for t in taken.values() if not (t.rstrip or t.single_word)), "")
        self._normalizer, self._mark = tokenizer.normalizer, ""
        self._check()

    @classmethod
    def open(cls, path: Path, naming: str) -> "HfVocabulary":
        """Raises BadContainer where the file is missing or damaged, UnsupportedModel where its decoder is not known."""
        return cls(load(path), naming)

    def encode(self, text: str, mark: str, continued: bool) -> list[int]:
        """See Vocabulary. The library works without the interpreter's lock here."""
        text = text.lstrip(mark)  # nothing is before a text's start; there a mark would hide the start from the library
        if not text:
            return []
        self._drop(mark)
        anchored = bool(continued and self._anchor)
        text = self._anchor + text if anchored else text
        # encode() holds the interpreter's lock, encode_batch_fast() does not.
        ids = self._tokenizer.encode_batch_fast([text], add_special_tokens=False)[0].ids
        return ids[1:] if anchored else ids

    def piece(self, token: int) -> bytes:
        """See Vocabulary."""
        if (known := self._bytes.get(token)) is None:
            known = self._bytes[token] = self._piece(token)
        return known

    def all_pieces(self, n: int, first: int = 0) -> list[bytes]:
        """See Vocabulary."""
        return [self._piece(token) for token in range(first, n)]

    def _piece(self, token: int) -> bytes:
        text = None if token in self._silent else self._tokenizer.id_to_token(token)
        return b"" if text is None else self._pieces.piece(text)

    def pieces(self, tokens: Sequence[int]) -> bytes:
        """See Vocabulary."""
        return b"".join(map(self.piece, tokens))

    def starts_with(self) -> list[int]:
        """See Vocabulary."""
        plain = self._tokenizer.encode("a", add_special_tokens=False).ids
        ids: list[int] = self._tokenizer.encode("a", add_special_tokens=True).ids
        return ids[: next((n for n in range(len(ids)) if ids[n : n + len(plain)] == plain), 0)]

    def spelled(self, token: int) -> bytes | None:
        """See Vocabulary."""
        text = self._tokenizer.id_to_token(token)
        return None if text is None else text.encode("utf-8", "surrogatepass")

    def _drop(self, mark: str) -> None:
        """Have the library drop `mark` after it looked for control tokens."""
        if mark != self._mark:
            drop = normalizers.Replace(mark, "")
            self._tokenizer.normalizer = normalizers.Sequence([drop, self._normalizer] if self._normalizer is not None else [drop])
            self._mark = mark

    def _match_before_normalizing(self, tokens: Sequence[AddedToken]) -> None:
        """Have the library look for control tokens before marks are dropped, also for those that it would look for after."""
        for t in (t for t in tokens if t.normalized):
            early = AddedToken(t.content, single_word=t.single_word, lstrip=t.lstrip, rstrip=t.rstrip, normalized=False, special=t.special)
            (self._tokenizer.add_special_tokens if t.special else self._tokenizer.add_tokens)([early])

    def _check(self) -> None:
        """Every control string must be its token where it is intact, and plain text where it is guarded."""
        guard, mark = Guard(self.controls), free_mark(self.controls)
        self._drop(mark)
        batch = [*self.controls, *(guard(text, mark) for text in self.controls)]
        ids = [e.ids for e in self._tokenizer.encode_batch_fast(batch, add_special_tokens=False)]
        for n, (text, token) in enumerate(self.controls.items()):
            if ids[n] != [token] or token in ids[len(self.controls) + n]:
                raise UnsupportedModel(
                    say("The tokenizer's control token {text} cannot be kept apart from text. Choose another model.", text=repr(text))
                )


def _is_control(token: AddedToken, naming: str) -> bool:
    text = token.content
    if token.special or not text.strip(" \t\r\n▁"):
        return bool(token.special)
    return text in naming or bool(_BRACKETS.fullmatch(text) and not _HTML.fullmatch(text))
