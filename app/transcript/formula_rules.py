r"""Formulas in Markdown: `$...$`, `\(...\)`, `$$...$$` and `\[...\]` as tokens of markdown-it, and amounts of money that are none.

A token "formula" (in a line) or "formula_block" (lines of its own) has the LaTeX as `content`, the text as it was written in
`meta["source"]`, and in `meta["display"]` whether it is set large. An opened block that has no end yet is "formula_open".
"""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

LONGEST = 1500  # characters; what is longer is shown as it was written
ENDS = {"$$": "$$", "\\[": "\\]", "\\(": "\\)"}
AFTER = re.compile(r"\s*[.,;:!?]?\s*\Z")  # what may follow a block's end in its line
WORDS = re.compile(r"[^\W\d_]{2,}[,;:]?\s+[^\W\d_]{2,}")
AMOUNT = re.compile(r"\d[\d.,]*\s*(?:[^\W\d_]|[-–/(]|\Z)")


def use(parser: MarkdownIt) -> None:
    """Teach a parser formulas."""
    parser.inline.ruler.before("escape", "formula", _inline)
    parser.block.ruler.before("fence", "formula_block", _block, {"alt": ["paragraph", "reference", "blockquote", "list"]})


def _inline(state: StateInline, silent: bool) -> bool:
    text, at = state.src, state.pos
    opening = next((o for o in ("$$", "\\[", "\\(", "$") if text.startswith(o, at)), "")
    if not opening or at >= state.posMax:
        return False
    end = _dollar_end(text, at, state.posMax) if opening == "$" else _end(text, at + 2, ENDS[opening], state.posMax)
    if end < 0:
        return False
    size = len(opening)
    content = text[at + size : end]
    if not content.strip() or len(content) > LONGEST or "`" in content:
        return False
    if not silent:
        token = state.push("formula", "", 0)
        token.content = content.strip()
        token.meta = {"source": text[at : end + size], "display": opening in ("$$", "\\[")}
    state.pos = end + size
    return True


def _end(text: str, at: int, closing: str, limit: int) -> int:
    found = text.find(closing, at, limit)
    while closing == "$$" and found > 0 and text[found - 1] == "\\":
        found = text.find(closing, found + 1, limit)
    return found


def _dollar_end(text: str, at: int, limit: int) -> int:
    """Where `$...$` ends, or -1: no blank inside the dollars, no digit or letter around them, and no sum of money."""
    if (at > 0 and (text[at - 1].isalnum() or text[at - 1] == "$")) or at + 1 >= limit or text[at + 1].isspace():
        return -1
    end = at + 1
    while True:
        end = text.find("$", end, min(limit, at + LONGEST))
        if end < 0:
            return -1
        if text[end - 1] == "\\":
            end += 1
            continue
        break
    behind = text[end + 1 : end + 2]
    content = text[at + 1 : end]
    if text[end - 1].isspace() or behind.isalnum() or behind == "$" or not content or money(content):
        return -1
    return end


def money(content: str) -> bool:
    """Whether the text between two dollar signs is prose between two amounts, as in "$5/month or 6$"."""
    if any(mark in content for mark in "\\^_{}="):
        return False
    return bool(WORDS.search(content)) or (bool(AMOUNT.match(content)) and " " in content)


def _block(state: StateBlock, start: int, last: int, silent: bool) -> bool:
    if state.is_code_block(start):
        return False
    begin = state.bMarks[start] + state.tShift[start]
    opening = state.src[begin : begin + 2]
    if opening not in ("$$", "\\["):
        return False
    closing = ENDS[opening]
    lines: list[str] = []
    line, done, more, rest = start, False, True, ""
    while line < last and not done:
        text = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
        if line > start and (not text.strip() or state.sCount[line] < state.blkIndent or text.startswith(("```", "~~~"))):
            more = False
            break
        offset = 2 if line == start else 0
        end = _end(text, offset, closing, len(text))
        if end >= 0:
            if not AFTER.match(text[end + 2 :]):
                return False
            done, lines = True, [*lines, text[: end + 2]]
            rest = text[end + 2 :].strip()
        else:
            lines.append(text)
        line += 1
    source = "\n".join(lines)
    content = source[2:-2].strip() if done else ""
    if done and (not content or len(content) > LONGEST):
        return False
    # Without an end it is a formula only while it may still get one: nothing comes behind it.
    if not done and (not more or line < state.lineMax or len(source) > LONGEST):
        return False
    if silent:
        return True
    token = state.push("formula_block" if done else "formula_open", "", 0)
    token.content, token.map, token.block = content, [start, line], True
    token.meta = {"source": source, "display": True, "after": rest}
    state.line = line
    return True
