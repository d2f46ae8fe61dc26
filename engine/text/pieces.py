"""The bytes of a token, by the decoder that a tokenizer.json names.

Byte-level: each character of a token stands for one byte. Source: GPT-2's alphabet (A. Radford et al., 2019): printable Latin-1
characters stand for themselves, the other 68 bytes in ascending order for U+0100 and up. SentencePiece: "▁" is a space, "<0xNN>" a byte.
"""

import re
from collections.abc import Mapping
from typing import Any

from engine.errors import UnsupportedModel
from engine.words import say

_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")


def byte_alphabet() -> dict[str, int]:
    """Character to byte of byte-level tokenizers; 256 entries."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = sorted(set(range(256)) - set(plain))
    return {chr(b): b for b in plain} | {chr(0x100 + i): b for i, b in enumerate(others)}


class Pieces:
    """piece(token string) -> bytes. `drops_first_space`: decoding drops one space at the start. Raises UnsupportedModel."""

    def __init__(self, decoder: Mapping[str, Any] | None) -> None:
        steps = _steps(decoder)
        kinds = [str(s.get("type")) for s in steps]
        self._alphabet = byte_alphabet() if "ByteLevel" in kinds else None
        self._bytes = "ByteFallback" in kinds
        self._replaced: list[tuple[str, str]] = []
        self.drops_first_space = False
        for step, kind in zip(steps, kinds, strict=True):
            match kind:
                case "ByteLevel" | "ByteFallback" | "Fuse":
                    pass
                case "Replace" if isinstance(step.get("pattern"), dict) and "String" in step["pattern"]:
                    self._replaced.append((step["pattern"]["String"], step["content"]))
                case "Strip" if step.get("content") == " " and step.get("start") == 1 and not step.get("stop"):
                    self.drops_first_space = True
                case "Metaspace":
                    self._replaced.append((step["replacement"], " "))
                    self.drops_first_space = step.get("prepend_scheme", "always") != "never"
                case _:
                    raise UnsupportedModel(
                        say("The tokenizer decodes with a step that Ouzel does not know ({kind}). Choose another model.", kind=kind)
                    )

    def piece(self, token: str) -> bytes:
        """The bytes that `token` stands for."""
        if self._bytes and (m := _BYTE.fullmatch(token)):
            return bytes([int(m[1], 16)])
        for old, new in self._replaced:
            token = token.replace(old, new)
        if self._alphabet is not None:
            try:
                return bytes([self._alphabet[c] for c in token])
            except KeyError:  # an added token outside the alphabet stands for itself
                pass
        return token.encode()


def _steps(decoder: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    if decoder is None:
        raise UnsupportedModel(say("The tokenizer does not say how its tokens become text. Choose another model."))
    return list(decoder["decoders"]) if decoder.get("type") == "Sequence" else [decoder]
