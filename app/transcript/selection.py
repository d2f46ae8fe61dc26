"""What is selected in the transcript, as text to paste elsewhere."""

from PySide6.QtGui import QTextBlock, QTextCursor, QTextDocument

from app.transcript.code import LINE
from app.transcript.formats import CODE_HEAD, KIND, ROW
from app.transcript.formulas import CHARACTER, SOURCE
from app.transcript.writer import BLANK


def plain(document: QTextDocument, start: int, end: int) -> str:
    """The text between two positions: formulas as their source, cells of a row with tabs between them.

    The heads of code blocks and the lines for the messages' actions are left out: they belong to the window.
    """
    lines: list[str] = []
    row: tuple[int, int] | None = None  # of the table cell before: the table's beginning and the row
    block = document.findBlock(start)
    while block.isValid() and (block.position() < end or block.position() == start):
        form = block.blockFormat()
        table = QTextCursor(block).currentTable()
        here = (table.firstPosition(), table.cellAt(block.position()).row()) if table is not None else None
        if form.intProperty(KIND) != CODE_HEAD and not form.intProperty(ROW):
            text = _text(block, start, end)
            if here is not None and here == row and lines:
                lines[-1] += "\t" + text
            else:
                lines.append(text)
        elif form.intProperty(ROW) and lines:
            lines.append("")
        row = here
        block = block.next()
    return "\n".join(lines).removesuffix("\n")


def _text(block: QTextBlock, start: int, end: int) -> str:
    pieces = []
    fragments = block.begin()
    while not fragments.atEnd():
        fragment = fragments.fragment()
        first = max(start - fragment.position(), 0)
        text = fragment.text()[first : max(end - fragment.position(), 0)]
        # Equal formulas side by side are one fragment.
        pieces.append(text.replace(CHARACTER, fragment.charFormat().stringProperty(SOURCE)))
        fragments += 1
    return "".join(pieces).replace(LINE, "\n").replace(BLANK, "")
