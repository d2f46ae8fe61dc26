"""The conversation as it is shown, driven with real text and real mouse and key events."""

import random
from collections.abc import Iterator
from itertools import pairwise
from time import thread_time

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QColor, QGuiApplication, QTextBlock, QTextCharFormat, QTextCursor, QTextTable
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from app.looks.theme import DARK, LIGHT, Theme, contrast
from app.transcript.code import COLOURED, runs
from app.transcript.document import Turn
from app.transcript.formats import BUBBLE, CODE, CODE_HEAD, KIND, PAD, SHORT_BUBBLE, Formats
from app.transcript.ground import ground, last_of, wrapped
from app.transcript.view import TranscriptView
from tests.app.samples import SAMPLE


def stream(view: TranscriptView, text: str, seed: int = 1, longest: int = 9) -> None:
    rng, at = random.Random(seed), 0
    while at < len(text):
        n = rng.randint(1, longest)
        view.append(text[at : at + n])
        at += n


def answer(view: TranscriptView, text: str, number: int = 1, seed: int = 1) -> None:
    view.begin_answer(number, "model")
    stream(view, text, seed)
    finish(view, number, "note")


def finish(view: TranscriptView, number: int = 1, note: str = "") -> None:
    view.finish_answer(Turn(number, False, view.answer, "model", note))


def ask(view: TranscriptView, text: str, number: int = 0) -> None:
    view.add_user(Turn(number, True, text))


def settle(view: TranscriptView, qtbot: QtBot) -> None:
    """Wait for what a busy machine put off."""
    qtbot.waitUntil(lambda: view.settled, timeout=30_000)


def html(view: TranscriptView) -> str:
    return view.document().toHtml()


def blocks(view: TranscriptView) -> Iterator[QTextBlock]:
    block = view.document().begin()
    while block.isValid():
        yield block
        block = block.next()


def grounds(view: TranscriptView) -> list[int]:
    """The kinds of ground behind the blocks that have one."""
    return [kind for block in blocks(view) if (kind := block.blockFormat().intProperty(KIND))]


def scroll_range(view: TranscriptView) -> int:
    return view.verticalScrollBar().maximum()


def click_on(view: TranscriptView, word: str) -> None:
    found = view.document().find(word)
    assert not found.isNull()
    found.setPosition((found.selectionStart() + found.selectionEnd()) // 2)
    view.setTextCursor(found)
    view.ensureCursorVisible()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.cursorRect(found).center() + QPoint(1, 0))


@pytest.mark.parametrize("seed", range(6))
def test_that_a_streamed_answer_ends_up_as_one_shown_at_once(view: TranscriptView, qtbot: QtBot, seed: int) -> None:
    answer(view, SAMPLE, seed=seed)
    other = TranscriptView(LIGHT)
    qtbot.addWidget(other)
    other.show_turns([Turn(1, False, SAMPLE, "model", "note")])
    settle(other, qtbot)
    assert view.toPlainText() == other.toPlainText()
    assert view.document().blockCount() == other.document().blockCount()
    assert html(view) == html(other)


def test_that_every_kind_of_markdown_is_shown(view: TranscriptView) -> None:
    answer(view, SAMPLE)
    text = view.toPlainText()
    for piece in (
        "Here is how the cache works",
        "1.\u2002Ask the router",
        "3.\u2002Sum",
        "◦\u2002hit: pin",
        "a second paragraph",
        "deeper",
        "python",
        "return x @ gate.T",
        "<script>alert(1)</script>",
        "a picture",
        "plain <b>x</b>",
    ):
        assert piece in text, piece
    assert "**" not in text and "##" not in text and "```" not in text
    tables = [f for f in view.document().rootFrame().childFrames() if isinstance(f, QTextTable)]
    assert [(t.rows(), t.columns()) for t in tables] == [(3, 2)]
    assert grounds(view) == [CODE_HEAD, CODE, CODE_HEAD, CODE]


def test_that_formats_follow_the_markdown(view: TranscriptView) -> None:
    answer(view, SAMPLE)

    def form(word: str) -> QTextCharFormat:
        cursor = view.document().find(word)
        return cursor.charFormat()

    assert form("cache").fontWeight() >= 600 and form("short").fontItalic() and form("errors").fontStrikeOut()
    assert form("n_slots").fontFixedPitch() and form("the docs").anchorHref() == "https://example.org/docs"
    assert form("Steps").fontPointSize() > form("router").fontPointSize()
    assert form("def").foreground().color() != form("plain <b>").foreground().color()


def test_that_an_open_code_block_grows_without_being_written_again(view: TranscriptView, qtbot: QtBot) -> None:
    view.begin_answer(1, "model")
    view.append("```python\nfirst = 1\n")
    settle(view, qtbot)
    touched: list[int] = []
    head = view.document().find("python").block()
    view.document().contentsChange.connect(lambda at, *_: touched.append(at))
    for n in range(120):
        view._chat.append(f"line{n} = {n}\n")
    assert touched[-1] >= head.next().next().position() > head.next().position() + 80 * len("line1 = 1")
    assert "line119 = 119" in view.toPlainText()
    view.append("```\n\nafter")
    finish(view, 1, "")
    assert view.toPlainText().count("line7 = 7") == 1 and "after" in view.toPlainText() and "```" not in view.toPlainText()


def test_that_the_selection_survives_streaming_and_the_end_of_the_answer(view: TranscriptView, qtbot: QtBot) -> None:
    ask(view, "A question of several words")
    view.begin_answer(1, "model")
    view.append("The first paragraph is complete.\n\nThe second one ")
    settle(view, qtbot)
    cursor = view.textCursor()
    cursor.setPosition(view.document().find("question").selectionStart())
    cursor.setPosition(view.document().find("first paragraph").selectionEnd(), QTextCursor.MoveMode.KeepAnchor)
    view.setTextCursor(cursor)
    selected = cursor.selectedText()
    assert "question of several" in selected and selected.endswith("first paragraph")
    stream(view, SAMPLE)
    assert view.textCursor().selectedText() == selected
    finish(view, 1, "note")
    assert view.textCursor().selectedText() == selected
    view.copy()
    assert "several words" in QGuiApplication.clipboard().text()


def test_that_a_selection_within_the_growing_paragraph_stays(view: TranscriptView, qtbot: QtBot) -> None:
    view.begin_answer(1, "model")
    view.append("The growing paragraph has words")
    settle(view, qtbot)
    cursor = view.document().find("growing paragraph")
    view.setTextCursor(cursor)
    stream(view, " and more of them, one after the other")
    settle(view, qtbot)
    assert view.textCursor().selectedText() == "growing paragraph"


def test_that_the_view_follows_the_end_only_while_it_is_there(view: TranscriptView, qtbot: QtBot) -> None:
    view.begin_answer(1, "model")
    stream(view, SAMPLE * 3, longest=200)
    settle(view, qtbot)
    bar = view.verticalScrollBar()
    assert scroll_range(view) > 0 and bar.value() == scroll_range(view)
    QTest.keyClick(view, Qt.Key.Key_PageUp)
    held = bar.value()
    assert held < scroll_range(view)
    stream(view, "\n\n" + SAMPLE, longest=200)
    settle(view, qtbot)
    assert bar.value() == held
    finish(view, 1, "note")
    assert bar.value() == held
    button = view.findChild(QToolButton, "latest")
    assert button.isVisible()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert bar.value() == scroll_range(view) and not button.isVisible()


def test_that_a_code_block_is_copied_as_it_was_written(view: TranscriptView) -> None:
    view.begin_answer(1, "model")
    view.append('```python\ndef f():\n\treturn "é"\n\n\n# end\n```\n')
    finish(view, 1, "")
    QGuiApplication.clipboard().clear()
    click_on(view, "Copy")
    assert QGuiApplication.clipboard().text() == 'def f():\n\treturn "é"\n\n\n# end'


def test_that_an_answer_is_copied_as_markdown(view: TranscriptView, qtbot: QtBot) -> None:
    answer(view, "Some *text*.", number=41)
    with qtbot.waitSignal(view.copied):
        QTest.mouseClick(view.bar.buttons["copy"], Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "Some *text*."


def test_that_links_are_only_reported(view: TranscriptView, qtbot: QtBot) -> None:
    answer(view, "[site](https://example.org/a?b=c) and [bad](javascript:alert) and ![pic](file:///etc/passwd)")
    with qtbot.waitSignal(view.link_asked) as asked:
        click_on(view, "site")
    assert asked.args == [QUrl("https://example.org/a?b=c")]
    assert view.document().find("javascript").isNull() or "anchor" not in view.toPlainText()
    for kind in (1, 2, 3):
        assert view.loadResource(kind, QUrl("https://example.org/x.png")) is None


def test_that_an_answer_cannot_reach_other_copy_links_than_its_own(view: TranscriptView, qtbot: QtBot) -> None:
    QGuiApplication.clipboard().setText("untouched")
    answer(view, "[x](copy:0) and [y](answer:999)", number=5)
    click_on(view, "x")
    assert QGuiApplication.clipboard().text() == "untouched"


def test_that_what_the_user_wrote_is_shown_as_it_is(view: TranscriptView) -> None:
    ask(view, "**not bold** <b>x</b>\n\n  indented")
    assert "**not bold** <b>x</b>\n\n  indented" in view.toPlainText()
    ask(view, "short")
    assert grounds(view) == [BUBBLE, SHORT_BUBBLE]


def test_that_another_theme_shows_the_same_text(view: TranscriptView, qtbot: QtBot) -> None:
    ask(view, "q")
    answer(view, SAMPLE)
    view.begin_answer(1, "model")
    view.append("half")
    settle(view, qtbot)
    before = view.toPlainText()
    view.set_theme(DARK)
    settle(view, qtbot)
    assert view.toPlainText() == before
    view.append(" and more")
    finish(view, 2, "")
    assert "half and more" in view.toPlainText()


def test_that_all_text_of_an_answer_is_readable(theme: Theme, qtbot: QtBot) -> None:
    view = TranscriptView(theme)
    qtbot.addWidget(view)
    answer(view, SAMPLE)
    block = view.document().begin()
    while block.isValid():
        fragments = block.begin()
        while not fragments.atEnd():
            form = fragments.fragment().charFormat()
            ground = form.background().color().name() if form.hasProperty(form.Property.BackgroundBrush) else theme.code
            assert contrast(form.foreground().color().name(), ground) >= 4.5, fragments.fragment().text()
            fragments += 1
        block = block.next()


def test_that_code_of_an_unknown_language_is_plain(qtbot: QtBot) -> None:
    base = Formats(LIGHT, QGuiApplication.font()).mono()
    assert runs("a\nb", "no-such-language", LIGHT, base) == [("a\nb", base)]


def test_that_very_long_code_keeps_its_text_and_loses_only_colour(qtbot: QtBot) -> None:
    base = Formats(LIGHT, QGuiApplication.font()).mono()
    code = "x = 1\n" * (COLOURED // 4)
    made = runs(code, "python", LIGHT, base)
    assert "".join(text for text, _ in made) == code
    assert made[-1][1] == base and len(made[-1][0]) == len(code) - COLOURED


def test_that_a_long_conversation_is_built_in_steps_and_completely(view: TranscriptView, qtbot: QtBot) -> None:
    turns = [t for n in range(60) for t in (Turn(0, True, f"question {n}"), Turn(n, False, SAMPLE, "model", f"note {n}"))]
    view.show_turns(turns)
    assert "note 59" in view.toPlainText() and "note 2" not in view.toPlainText()
    settle(view, qtbot)
    qtbot.waitUntil(lambda: view.verticalScrollBar().value() == scroll_range(view) > 0)
    assert view.toPlainText().count("question ") == 60


def test_that_text_that_comes_while_a_conversation_is_built_is_in_its_place(view: TranscriptView, qtbot: QtBot) -> None:
    view.show_turns([Turn(n, False, SAMPLE, "model", f"note {n}") for n in range(30)])
    view.begin_answer(1, "model")
    view.append("late text")
    finish(view, 99, "last note")
    text = view.toPlainText()
    assert text.index("note 29") < text.index("late text") < text.index("last note")


def test_that_updates_stay_cheap_as_the_conversation_grows(view: TranscriptView) -> None:
    def cost() -> float:
        view.begin_answer(1, "model")
        times = []
        for n in range(0, len(SAMPLE), 16):
            start = thread_time()
            view.append(SAMPLE[n : n + 16])
            times.append(thread_time() - start)
        finish(view, 1, "")
        return sorted(times)[len(times) // 2]

    first = min(cost() for _ in range(3))
    for _ in range(40):
        view._chat.add(Turn(1, False, SAMPLE, "model", ""))
    assert min(cost() for _ in range(3)) < 6 * first + 0.002


def test_that_grounds_are_painted_behind_bubbles_and_code(view: TranscriptView, qtbot: QtBot) -> None:
    ask(view, "short")
    answer(view, "```\ncode\n```")
    image = view.viewport().grab().toImage()
    colours = {image.pixelColor(x, y).name() for x in range(0, image.width(), 3) for y in range(0, min(image.height(), 200), 2)}
    assert {QColor(LIGHT.bubble).name(), QColor(LIGHT.code).name(), QColor(LIGHT.window).name()} <= colours


@pytest.mark.parametrize("text", ["short", "several words, " * 12])
def test_that_a_bubble_has_as_much_room_left_as_right(view: TranscriptView, qtbot: QtBot, text: str) -> None:
    ask(view, text)
    settle(view, qtbot)
    first = next(iter(blocks(view)))
    area, line = ground(view.document(), first, first), first.layout().lineAt(0)
    at = view.document().documentLayout().blockBoundingRect(first).left()
    left, right = line.x() + at - area.left(), area.right() - (line.x() + at + line.width())
    if text == "short":
        left, right = line.naturalTextRect().left() + at - area.left(), area.right() - line.naturalTextRect().right() - at
    assert abs(left - right) <= 1 and left >= PAD, (left, right)


def test_that_rows_of_code_that_go_on_are_marked(view: TranscriptView, qtbot: QtBot) -> None:
    assert wrapped("ab\u2028cd", [0, 1, 3, 4]) == [1, 3]

    def dark_in_the_edge() -> bool:
        image = view.viewport().grab().toImage()
        block = view.document().find("x =").block()
        rect = view.document().documentLayout().blockBoundingRect(block).translated(0, -view.verticalScrollBar().value())
        places = [(x, y) for x in range(2, PAD - 1) for y in range(round(rect.top()), round(rect.bottom()))]
        return any(contrast(image.pixelColor(x, y).name(), LIGHT.code) > 3 for x, y in places)

    answer(view, "```\nx = 1\n```", 1)
    assert not dark_in_the_edge()
    view.show_turns([Turn(2, False, "```\nx = " + "1 + " * 80 + "1\n```", "model")])
    settle(view, qtbot)
    assert dark_in_the_edge()


def test_that_grounds_keep_apart_from_each_other_and_from_tables(view: TranscriptView, qtbot: QtBot) -> None:
    table, code = "| a |\n|---|\n| 1 |", "```\na\n```"
    answer(view, "\n\n".join(["Text", code, code, table, code, table, "- x\n\n  ```\n  b\n  ```", "## H", code, "Text", table, "Text"]))
    layout = view.document().documentLayout()
    areas = [ground(view.document(), block, last_of(block)) for block in blocks(view) if block.blockFormat().intProperty(KIND) == CODE_HEAD]
    tables = []
    for found in view.document().rootFrame().childFrames():
        assert isinstance(found, QTextTable)
        cells = [layout.blockBoundingRect(found.cellAt(n, 0).firstCursorPosition().block()) for n in range(2)]
        tables.append(cells[0].united(cells[1]).adjusted(0, -found.format().cellPadding(), 0, found.format().cellPadding()))
    texts = [layout.blockBoundingRect(b) for b in blocks(view) if b.text() in ("Text", "H", "note")]
    assert len(areas) == 5 and len(tables) == 3
    rows = sorted([*areas, *tables, *texts], key=lambda area: area.top())
    gaps = [below.top() - above.bottom() for above, below in pairwise(rows)]
    assert min(gaps) >= 3, gaps


def test_that_the_conversation_as_markdown_names_who_spoke(view: TranscriptView) -> None:
    ask(view, "q")
    answer(view, "*a*")
    assert view.markdown() == "**You**\n\nq\n\n**model**\n\n*a*\n"
