"""Tokenizers that come as tiktoken.model: a rank file, run by the `tiktoken` library.

Published with Kimi models: lines of "base64-token rank", and above the ranks a range of control tokens, named by the
added_tokens_decoder of tokenizer_config.json, else <|reserved_token_ID|>. The file has no pattern of its own; theirs is in their code.
"""

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import tiktoken

from engine.errors import BadContainer
from engine.unread import why_unread
from engine.words import say

# Where a text is cut into pieces before merging; `&&` intersects two character classes.
_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]"
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]"
_ENDING = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
PATTERN = "|".join([
    r"[\p{Han}]+",
    rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_ENDING}",
    rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_ENDING}",
    r"\p{N}{1,3}",
    r" ?[^\s\p{L}\p{N}]+[\r\n]*",
    r"\s*[\r\n]+",
    r"\s+(?!\S)",
    r"\s+",
])  # fmt: skip
SLICE, RUN = 400_000, 25_000  # characters that are encoded at once, and the longest run of spaces or of others in them
_RUNS = re.compile(r"\s+|\S+")
_SHAPE = re.compile(r"<\|.*\|>|\[.*\]", re.DOTALL)
_MOST_CONTROLS = 65536


class RankVocabulary:
    """A Vocabulary over one rank file. Every id above the ranks is a control token."""

    drops_first_space = False

    def __init__(self, ranks: dict[bytes, int], named: Mapping[int, tuple[str, bool]]) -> None:
        """ranks: token bytes to id, ids 0 to n - 1; named: control id, at least n, to its string and whether it is marked special."""
        n, end = len(ranks), max(named, default=-1) + 1
        names = {i: named[i][0] if i in named else f"<|reserved_token_{i}|>" for i in range(n, end)}
        self.controls: Mapping[str, int] = {name: i for i, name in names.items()}
        # What is neither marked special nor of a marker's shape, such as </think>, is text that shows.
        shown = {i for i, (name, special) in named.items() if not special and _SHAPE.fullmatch(name) is None}
        self._bytes = {i: data for data, i in ranks.items()} | {i: names[i].encode() for i in shown}
        self._names = names
        self._encoding = tiktoken.Encoding("ranks", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={})
        strings = sorted(self.controls, key=lambda s: (-len(s), s))
        self._split = re.compile("(" + "|".join(map(re.escape, strings)) + ")") if strings else None

    @classmethod
    def open(cls, path: Path, config: Mapping[str, Any]) -> "RankVocabulary":
        """config: tokenizer_config.json. Raises BadContainer where either is damaged."""
        try:
            ranks = _ranks(path.read_bytes())
            return cls(ranks, _named(config.get("added_tokens_decoder", {}), len(ranks)))
        except (OSError, ValueError) as e:
            why = why_unread(e)
            raise BadContainer(say("{path} is missing or damaged ({why}). Fetch or convert the model again.", path=path, why=why)) from e

    def encode(self, text: str, mark: str, continued: bool) -> list[int]:
        """See Vocabulary; `continued` changes nothing here. The library works without the interpreter's lock."""
        ids: list[int] = []
        for n, part in enumerate(self._split.split(text) if self._split is not None else [text]):
            if n % 2:
                ids.append(self.controls[part])
            else:
                for piece in _cut(part.replace(mark, "") if mark else part):
                    ids += self._encoding.encode_ordinary(piece)
        return ids

    def piece(self, token: int) -> bytes:
        """See Vocabulary."""
        return self._bytes.get(token, b"")

    def all_pieces(self, n: int, first: int = 0) -> list[bytes]:
        """See Vocabulary."""
        return [self.piece(token) for token in range(first, n)]

    def pieces(self, tokens: Sequence[int]) -> bytes:
        """See Vocabulary."""
        return b"".join(map(self.piece, tokens))

    def starts_with(self) -> list[int]:
        """See Vocabulary: nothing."""
        return []

    def spelled(self, token: int) -> bytes | None:
        """See Vocabulary."""
        return self._names[token].encode() if token in self._names else self._bytes.get(token)


def _cut(text: str) -> Iterator[str]:
    """Pieces that are encoded apart, as the published tokenizer does to bound the library's work; a short text is one piece."""
    for start in range(0, len(text), SLICE):
        part = text[start : start + SLICE]
        at = 0
        for run in _RUNS.finditer(part) if len(part) > RUN else ():
            for cut in range(run.start() + RUN, run.end(), RUN):
                yield part[at:cut]
                at = cut
        yield part[at:]


def _ranks(data: bytes) -> dict[bytes, int]:
    ranks: dict[bytes, int] = {}
    lines = [line for line in data.splitlines() if line]
    for line in lines:
        token, _, rank = line.partition(b" ")
        ranks[base64.b64decode(token, validate=True)] = int(rank)
    if len(ranks) != len(lines) or set(ranks.values()) != set(range(len(ranks))):
        raise ValueError(say("its ranks have gaps or repeat"))
    if lacking := [b for b in range(256) if bytes([b]) not in ranks]:
        raise ValueError(say("it has no token for byte {lacking}", lacking=lacking[0]))
    return ranks


def _named(decoder: object, first: int) -> dict[int, tuple[str, bool]]:
    """Control ids and their names, of an added_tokens_decoder."""
    named: dict[int, tuple[str, bool]] = {}
    for key, value in decoder.items() if isinstance(decoder, dict) else ():
        name = value.get("content") if isinstance(value, dict) else None
        if not (isinstance(name, str) and name) or not first <= int(key) < first + _MOST_CONTROLS:
            raise ValueError(
                say("the control token {key} of tokenizer_config.json has no name, or an id that is a word's", key=str(key)[:40])
            )
        named[int(key)] = name, value.get("special") is not False
    if len({name for name, _ in named.values()}) != len(named):
        raise ValueError(say("two control tokens of tokenizer_config.json have one name"))
    return named
