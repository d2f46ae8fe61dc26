"""Markdown of an answer that is still growing: which part of it is final, and which may still change its shape.

CommonMark with tables and strikethrough through markdown-it. HTML is text. Underlined headings are off: an answer that puts a
rule under a line would turn that line into a heading and back while it streams.
"""

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

PARSER = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("lheading")
FORMING_FENCE = re.compile(r"(?:^|\n)[ \t]{0,3}(?:`{1,2}|~{1,2}|`{3,}[^`\n]*|~{3,}[^\n]*)\Z")


def parse(text: str) -> list[Token]:
    """The token stream of `text`."""
    return PARSER.parse(text)


def settled(text: str) -> str:
    """`text` without a last line that is about to become a code fence, so that backticks never flash up."""
    return FORMING_FENCE.sub("", text)


def split(text: str) -> tuple[str, str]:
    """(closed, open): the last top-level block may still grow and is open; what lies before it cannot change any more."""
    starts = [t.map[0] for t in parse(text) if t.level == 0 and t.map and t.nesting >= 0]
    if len(starts) < 2:
        return "", text
    lines = text.split("\n")
    return "\n".join(lines[: starts[-1]]), "\n".join(lines[starts[-1] :])


def only_fence(tokens: Sequence[Token]) -> Token | None:
    """The one fence that these tokens are, or None."""
    return tokens[0] if len(tokens) == 1 and tokens[0].type == "fence" else None
