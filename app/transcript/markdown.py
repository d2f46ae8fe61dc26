"""Markdown of an answer that is still growing: which part of it is final, and which may still change its shape.

CommonMark with tables, strikethrough and formulas through markdown-it. HTML is text. Underlined headings are off: an answer that puts a
rule under a line would turn that line into a heading and back while it streams.
"""

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from app.transcript import formula_rules

PIECE = 3000  # characters of a long text that are parsed at once

PARSER = MarkdownIt("commonmark", {"html": False, "linkify": True}).enable(["table", "strikethrough", "linkify"]).disable("lheading")
if PARSER.linkify is not None:
    PARSER.linkify.set({"fuzzy_link": False, "fuzzy_email": False, "fuzzy_ip": False})  # "setup.py" is no address
    PARSER.linkify.add("//", None).add("ftp:", None)
formula_rules.use(PARSER)
# A last line that may yet become the next item of a list, or more of the item before it.
FORMING_ITEM = re.compile(r"\n[ \t]*(?:\d{1,9}[.)]?|[-*+])?[ \t]*\Z")
FORMING_FENCE = re.compile(r"(?:^|\n)[ \t]{0,3}(?:`{1,2}|~{1,2}|`{3,}[^`\n]*|~{3,}[^\n]*)\Z")


def parse(text: str) -> list[Token]:
    """The token stream of `text`."""
    return PARSER.parse(text)


def settled(text: str) -> str:
    """`text` without a last line that is about to become a code fence, so that backticks never flash up."""
    return FORMING_FENCE.sub("", text)


def _last_start(tokens: Sequence[Token]) -> int:
    """The index of the token with which the part begins that may still change; 0: all of it may.

    What comes before the last block is final. Before a formula without an end it is not: without one it would be part of a paragraph.
    """
    starts = [n for n, t in enumerate(tokens) if t.level == 0 and t.map and t.nesting >= 0]
    if len(starts) > 1 and tokens[starts[-1]].type == "formula_open":
        starts.pop()
    return starts[-1] if len(starts) > 1 else 0


def parts(text: str) -> tuple[list[Token], list[Token], str]:
    """(closed, open, rest): blocks that cannot change any more, the last block, which may still grow, and the text of that one."""
    tokens = parse(text[: forming.start()] if (forming := FORMING_ITEM.search(text)) else text)
    at = _last_start(tokens)
    if not at:
        return [], tokens, text
    first = tokens[at].map
    return tokens[:at], tokens[at:], "\n".join(text.split("\n")[first[0] if first else 0 :])


def split(text: str) -> tuple[str, str]:
    """(closed, rest) of `parts` as texts."""
    rest = parts(text)[2]
    return text[: len(text) - len(rest)].removesuffix("\n"), rest


def pieces(text: str) -> Iterator[list[Token]]:
    """All blocks of a complete text, in groups of some thousand characters: as it comes out if it grows piece by piece."""
    rest, more = "", text.replace("\r", "")
    while more:
        cut = more.find("\n\n", PIECE)
        piece, more = (more, "") if cut < 0 else (more[: cut + 2], more[cut + 2 :])
        if not more:
            tokens = parse(rest + piece)
            if tokens:
                yield tokens
            return
        closed, _, rest = parts(rest + piece)
        if closed:
            yield closed


def only_fence(tokens: Sequence[Token]) -> Token | None:
    """The one fence that these tokens are, or None."""
    return tokens[0] if len(tokens) == 1 and tokens[0].type == "fence" else None
