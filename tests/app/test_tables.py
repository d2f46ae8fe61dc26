"""Tables in answers: no word breaks where there is room for it, and none of a short column for the sake of a long one."""

import pytest
from PySide6.QtGui import QTextCursor, QTextTable
from pytestqt.qtbot import QtBot

from app.looks.theme import LIGHT
from app.transcript.tables import EDGES, SIDES, SMALLEST, fit, scaled, widths
from app.transcript.turn import Turn
from app.transcript.view import TranscriptView
from tests.app.test_transcript import settle

EIGHT = """| Model | Parameters | Active | Experts | Context length | Quantization | Disk | Recommended configuration |
|---|--:|--:|--:|--:|---|--:|---|
| Qwen3-235B-A22B-Instruct-2507 | 235B | 22B | 128 | 262,144 | `MXFP4_MOE` | 132 GB | `--budget 16GB --context 32768` |
| gpt-oss-120b | 117B | 5.1B | 128 | 131,072 | `MXFP4` | 63 GB | fits in memory |
"""
TWO = "| a | b |\n|---|---|\n| one | " + "word " * 60 + "|\n| `--lookahead auto` | $x$ |\n"


def test_that_columns_have_what_they_need() -> None:
    edge = widths([0.0], [0.0], 100.0)[0]
    assert widths([10, 20], [30, 40], 200) == [30 + edge, 40 + edge]  # all there is
    assert widths([10, 20], [15, 400], 100 + 2 * edge) == [15 + edge, 85 + edge]  # what lacks little gets it first
    assert widths([10, 300, 300], [10, 300, 300], 110 + 3 * edge) == [10 + edge, 50 + edge, 50 + edge]  # the longest words break
    for room in range(100, 900, 50):
        found = widths([5, 80, 160], [40, 90, 1000], room)
        assert sum(found) <= room + 1e-6 and all(w > edge for w in found)
    assert scaled(100, 100) == 1.0 and SMALLEST < scaled(100, 90) < 0.9 and scaled(100, 10) == SMALLEST


def table_of(view: TranscriptView) -> QTextTable:
    return next(f for f in view.document().rootFrame().childFrames() if isinstance(f, QTextTable))


def broken(view: TranscriptView) -> list[str]:
    """Words of tables that go over a line's end."""
    table, found = table_of(view), []
    for row in range(table.rows()):
        for column in range(table.columns()):
            block = table.cellAt(row, column).firstCursorPosition().block()
            view.document().documentLayout().blockBoundingRect(block)  # lay it out
            layout, text = block.layout(), block.text()
            for n in range(1, layout.lineCount()):
                at = layout.lineAt(n).textStart()
                if text[at - 1].isalnum() and text[at].isalnum():
                    found.append(text)
    return found


def size_of(table: QTextTable) -> float:
    cursor = QTextCursor(table.cellAt(1, 1).firstCursorPosition())
    cursor.movePosition(QTextCursor.MoveOperation.NextCharacter)
    return float(cursor.charFormat().fontPointSize())


@pytest.mark.parametrize("width", [1000, 760])
def test_that_words_of_eight_columns_stay_whole_and_the_table_in_the_column(view: TranscriptView, qtbot: QtBot, width: int) -> None:
    view.resize(width, 600)
    view.show_turns([Turn(1, False, EIGHT, "model")])
    settle(view, qtbot)
    table = table_of(view)
    assert broken(view) == []
    assert view.document().documentLayout().frameBoundingRect(table).width() <= view.viewport().width()
    whole = size_of(table)
    view.resize(560, 600)
    qtbot.waitUntil(lambda: view.document().textWidth() == view.viewport().width())
    assert SMALLEST * whole * 0.99 <= size_of(table_of(view)) < whole
    assert view.document().documentLayout().frameBoundingRect(table_of(view)).width() <= view.viewport().width()
    view.resize(width, 600)
    qtbot.waitUntil(lambda: view.document().textWidth() in (view.viewport().width(), 760))
    assert size_of(table_of(view)) == pytest.approx(whole) and broken(view) == []


def test_that_a_short_column_is_not_broken_for_a_long_one(view: TranscriptView, qtbot: QtBot) -> None:
    view.show_turns([Turn(1, False, TWO, "model")])
    settle(view, qtbot)
    block = table_of(view).cellAt(2, 0).firstCursorPosition().block()
    view.document().documentLayout().blockBoundingRect(block)
    assert block.text() == "--lookahead auto" and block.layout().lineCount() == 1
    long = table_of(view).cellAt(1, 1).firstCursorPosition().block()
    assert long.layout().lineCount() > 1 and broken(view) == []


def test_that_a_table_comes_out_the_same_streamed(view: TranscriptView, qtbot: QtBot) -> None:
    view.resize(560, 600)
    view.show_turns([Turn(1, True, "q")])
    view.begin_answer(2, "model")
    for at in range(0, len(EIGHT), 37):
        view.append(EIGHT[at : at + 37])
    settle(view, qtbot)
    view.finish_answer(Turn(2, False, EIGHT, "model"))
    other = TranscriptView(LIGHT)
    qtbot.addWidget(other)
    other.resize(560, 600)
    other.show()
    other.show_turns([Turn(1, True, "q"), Turn(2, False, EIGHT, "model")])
    settle(other, qtbot)
    ours, theirs = table_of(view), table_of(other)
    columns = [[w.rawValue() for w in table.format().columnWidthConstraints()] for table in (ours, theirs)]
    assert columns[0] == columns[1] and len(columns[0]) == 8
    assert size_of(ours) == size_of(theirs)


def test_that_a_table_with_no_room_at_all_is_as_small_as_it_gets(view: TranscriptView, qtbot: QtBot) -> None:
    view.resize(1000, 600)
    view.show_turns([Turn(1, False, EIGHT, "model")])
    settle(view, qtbot)
    table, whole = table_of(view), size_of(table_of(view))
    form = table.format()
    fit(table, form.leftMargin() + form.rightMargin() + SIDES + EDGES * table.columns())
    assert size_of(table_of(view)) < whole
