"""How wide a table's columns are: as wide as their text where there is room, else as wide as their longest words and a share of the rest.

The layout alone gives columns of a crowded table equal widths, so that short words break beside empty room. Where even the longest words
have no room, the table's text gets smaller; what is too long even for that breaks.
"""

from collections.abc import Iterator, Sequence

from PySide6.QtGui import (
    QFontMetricsF,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
    QTextFrame,
    QTextLayout,
    QTextLength,
    QTextOption,
    QTextTable,
)

from app.transcript import formulas

LEAST = QTextFormat.Property.UserProperty + 7  # of a table: for each column the width of what does not break, in pixels
WIDEST = QTextFormat.Property.UserProperty + 8  # and that of its longest line
WHOLE = QTextFormat.Property.UserProperty + 9  # what the columns need together so that no word breaks, in text of the usual size
SHORT = QTextFormat.Property.UserProperty + 10  # and so that none of up to LONG letters does
SCALE = QTextFormat.Property.UserProperty + 11  # how large its text is, of the usual size
SMALLEST = 0.8  # of the usual size, which is still well readable
SIDES = 8  # pixels of a table beside its columns
EDGES = 2 * 6 + 3  # pixels of a column beside its text: the padding, the border, and what is lost to whole pixels
LONG = 24  # letters; longer words are mostly names or addresses, and text is not made smaller in vain for them
FAR = 1e6
TRIES = 3


def measure(table: QTextTable, width: float) -> None:
    """Note how wide the columns' text is, and fit them to the document's width; 0: it has none yet."""
    _note(table)
    form = table.format()
    form.setProperty(WHOLE, sum(form.property(LEAST)))
    form.setProperty(SHORT, _short(table))
    form.setProperty(SCALE, 1.0)
    table.setFormat(form)
    fit(table, width)


def fit_all(root: QTextFrame, width: float) -> None:
    """Fit the columns of all tables to the document's width."""
    for frame in root.childFrames():
        if isinstance(frame, QTextTable):
            fit(frame, width)


def fit(table: QTextTable, width: float) -> None:
    """Fit the columns, and the size of the text, to the document's width."""
    form = table.format()
    if width <= 0 or not form.property(WHOLE):
        return
    room = width - form.leftMargin() - form.rightMargin() - SIDES
    text = max(room - EDGES * table.columns(), 1.0)
    all_fits = form.property(WHOLE) * SMALLEST <= text
    scale, had = scaled(form.property(WHOLE if all_fits else SHORT), text), form.property(SCALE)
    if abs(scale - had) > 0.01:
        _resize(table, scale / had)
        _note(table)
        for _ in range(TRIES):  # letters get smaller in whole pixels only
            over = (sum(table.format().property(LEAST)) if all_fits else _short(table)) / text
            if over <= 1.0 or scale <= SMALLEST:
                break
            smaller = max(scale / over * 0.99, SMALLEST)
            _resize(table, smaller / scale)
            _note(table)
            scale = smaller
        form = table.format()
        form.setProperty(SCALE, scale)
    least, widest = form.property(LEAST), form.property(WIDEST)
    if sum(widest) + EDGES * len(widest) <= room:
        form.clearColumnWidthConstraints()
    else:
        form.setColumnWidthConstraints([QTextLength(QTextLength.Type.FixedLength, w) for w in widths(least, widest, room)])
    if form != table.format():
        table.setFormat(form)


def scaled(whole: float, room: float) -> float:
    """How large text is, of the usual size, whose unbroken words take `whole` pixels, where there is so much room."""
    return 1.0 if whole <= room else max(0.99 * room / whole, SMALLEST)


def widths(least: Sequence[float], widest: Sequence[float], room: float) -> list[float]:
    """A width for each column, edges included; together at most `room`, or what they need.

    least, widest: of each column's text. What lacks little gets it first. Where the longest words have no room, those of the widest
    columns break.
    """
    room -= EDGES * len(least)
    if sum(least) > room:
        return [max(w, 1.0) + EDGES for w in _levelled(least, room)]
    more = _levelled([b - a for a, b in zip(least, widest, strict=True)], room - sum(least))
    return [a + m + EDGES for a, m in zip(least, more, strict=True)]


def _levelled(wanted: Sequence[float], room: float) -> list[float]:
    """Each what it wants, up to a level at which all together have room."""
    level, left = FAR, room
    for n, w in enumerate(sorted(wanted)):
        level = left / (len(wanted) - n)
        if w > level:
            return [min(w, level) for w in wanted]
        left -= w
    return list(wanted)


def _blocks(table: QTextTable, column: int) -> Iterator[QTextBlock]:
    for row in range(table.rows()):
        yield table.cellAt(row, column).firstCursorPosition().block()


def _note(table: QTextTable) -> None:
    form = table.format()
    for kind, line in ((LEAST, 1.0), (WIDEST, FAR)):
        form.setProperty(kind, [max(_width(block, line) for block in _blocks(table, n)) for n in range(table.columns())])
    table.setFormat(form)


def _short(table: QTextTable) -> float:
    """What the columns need so that no word of up to LONG letters breaks."""
    head = table.cellAt(0, 0).firstCursorPosition().block().textFormats()
    font = formulas.font_of_text(head[0].format) if head else table.cellAt(0, 0).format().font()
    long = LONG * QFontMetricsF(font).averageCharWidth()
    return float(sum(min(w, long) for w in table.format().property(LEAST)))


def _resize(table: QTextTable, factor: float) -> None:
    """Make all text so many times as large."""
    for column in range(table.columns()):
        for block in _blocks(table, column):
            for each in block.textFormats():
                larger = QTextCharFormat()
                larger.setFontPointSize(each.format.fontPointSize() * factor)
                cursor = QTextCursor(block)
                cursor.setPosition(block.position() + each.start)
                cursor.setPosition(block.position() + each.start + each.length, QTextCursor.MoveMode.KeepAnchor)
                cursor.mergeCharFormat(larger)


def _width(block: QTextBlock, line: float) -> float:
    """Of a block's longest line, where lines have so much room and nothing but words is kept together."""
    layout = QTextLayout(block.text(), block.charFormat().font())
    most = extra = 0.0
    for each in block.textFormats():
        form = QTextCharFormat(each.format)
        if form.objectType() == formulas.OBJECT:
            wide = formulas.width(form) * each.length
            most, extra = max(most, wide / each.length), extra + wide
    layout.setFormats(block.textFormats())
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WordWrap)
    layout.setTextOption(option)
    layout.beginLayout()
    while (found := layout.createLine()).isValid():
        found.setLineWidth(line)
        most = max(most, found.naturalTextWidth() + (extra if line == FAR else 0.0))
    layout.endLayout()
    return most
