"""Formulas in messages: what is one, how it is set, what is shown of wrong ones, and what copying gives."""

import random

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFont, QFontInfo, QFontMetricsF, QGuiApplication, QImage, QPainter, QTextTable
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.looks.theme import DARK, LIGHT, Theme, contrast
from app.transcript import formulas, latex, markdown
from app.transcript.formulas import CHARACTER, SOURCE
from app.transcript.turn import Turn
from app.transcript.view import TranscriptView
from tests.app.test_transcript import answer, blocks, html, settle, stream

MATHS = r"""The root is $x = \frac{-b \pm \sqrt{b^2-4ac}}{2a}$ for \(a \neq 0\), at $5 and $10.

$$
E = mc^2
- 1
$$

1. Ask \[s = W x\] first:
   \[
   \sum_{i=1}^n x_i
   \]
2. Then $\undefinedmacro{x}$ and $\frac{a}$ stay.

| a | b |
|---|---|
| $y_1$ | $2 |

$$x^{2}$$
"""
DRAWN = [r"$x = \frac{-b \pm \sqrt{b^2-4ac}}{2a}$", r"\(a \neq 0\)", "$$\nE = mc^2\n- 1\n$$", r"\[s = W x\]"]
DRAWN += ["\\[\n\\sum_{i=1}^n x_i\n\\]", "$y_1$", "$$x^{2}$$"]


def sources(view: TranscriptView) -> list[str]:
    """What the formulas that are drawn were written as, in their order."""
    found = []
    for block in blocks(view):
        pieces = block.begin()
        while not pieces.atEnd():
            piece = pieces.fragment()
            found += [piece.charFormat().stringProperty(SOURCE)] * piece.text().count(CHARACTER)
            pieces += 1
    return found


def kinds(text: str) -> list[str]:
    return [t.content for token in markdown.parse(text) for t in [token, *(token.children or [])] if t.type.startswith("formula")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("$x$ and $y_1$.", ["x", "y_1"]),
        (r"(\(a\), \[b\])", ["a", "b"]),
        ("$5x+3=2$, $n$-th, $-5$", ["5x+3=2", "n", "-5"]),
        ("$$a$$ in a line", ["a"]),
        ("Text:\n\\[\nx\n\\]\nmore", ["x"]),
        ("> $$\n> x\n> $$", ["x"]),
        ("- item\n  $$\n  x\n  $$", ["x"]),
        ("It costs $5 and $10.", []),
        ("from $10/month to $20/month", []),
        ("US$5 or 6$, $3-$4 (US$), $1M–$2M", []),
        ("$10 (ten dollars) and $20 (twenty)", []),
        ("between $1 and 2$ euro", []),
        ("$HOME and $PATH, a$b$c", []),
        (r"\$5 and \$6, \$x$", []),
        ("`$x$` $a `b` c$", []),
        ("```\n$x$\n```", []),
        ("prices: $5, $6; $x=2$", ["x=2"]),
        ("$$\na\n\nb$$", []),
    ],
)
def test_what_is_a_formula(text: str, found: list[str]) -> None:
    assert kinds(text) == found


@hypothesis_settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(1, 30), min_size=1, max_size=60))
def test_that_closed_parts_with_formulas_parse_the_same_alone(sizes: list[int]) -> None:
    found, tail, at = [], "", 0
    for n in [*sizes, len(MATHS)]:
        tail, at = tail + MATHS[at : at + n], at + n
        closed, _, tail = markdown.parts(tail)
        found += [(t.type, t.content) for t in closed]
    found += [(t.type, t.content) for t in markdown.parse(tail)]
    assert found == [(t.type, t.content) for t in markdown.parse(MATHS)]


WRONG = ["", "{a", "a}", "x^", r"\frac{a}", r"\undefinedmacro", r"\left( a", "a & b", "{" * 600 + "}" * 600, "\\"]


@pytest.mark.parametrize("wrong", WRONG)
def test_that_wrong_latex_is_told_apart(wrong: str) -> None:
    assert latex.draw(wrong, False) is None


def test_that_nothing_is_loaded_by_a_formula() -> None:
    assert latex.draw(r"\includegraphics{http://evil.example/x.png}", True) is None
    linked = latex.draw(r"\href{http://evil.example}{x}", True)
    assert linked is None or "evil" not in linked.svg


def test_that_formulas_are_drawn_and_all_else_stays_as_it_was_written(view: TranscriptView, qtbot: QtBot) -> None:
    answer(view, MATHS)
    settle(view, qtbot)
    assert sources(view) == DRAWN
    text = view.toPlainText()
    for piece in ("at $5 and $10.", r"$\undefinedmacro{x}$ and $\frac{a}$ stay", "$2"):
        assert piece in text
    assert r"\sqrt" not in text and "$$" not in text


@pytest.mark.parametrize("seed", range(3))
def test_that_formulas_appear_while_text_streams_and_end_as_shown_at_once(view: TranscriptView, qtbot: QtBot, seed: int) -> None:
    view.begin_answer(1, "model")
    stream(view, MATHS[: MATHS.index("1. Ask")], seed)
    settle(view, qtbot)
    assert sources(view) == DRAWN[:3], "before the answer ends"
    stream(view, MATHS[MATHS.index("1. Ask") :], seed)
    view.finish_answer(Turn(1, False, view.answer, "model", "note"))
    settle(view, qtbot)
    other = TranscriptView(LIGHT)
    qtbot.addWidget(other)
    other.show_turns([Turn(1, False, MATHS, "model", "note")])
    settle(other, qtbot)
    assert html(view) == html(other) and sources(other) == DRAWN


def test_that_an_unfinished_formula_shows_its_source(view: TranscriptView, qtbot: QtBot) -> None:
    view.begin_answer(1, "model")
    view.append("So\n\n$$\n\\frac{a}")
    settle(view, qtbot)
    assert "$$\n\\frac{a}" in view.toPlainText()
    view.append("{b}\n$$\n")
    settle(view, qtbot)
    assert sources(view) == ["$$\n\\frac{a}{b}\n$$"] and "frac" not in view.toPlainText()


def test_that_an_answer_that_ends_with_a_new_formula_does_not_wait_for_it(view: TranscriptView, qtbot: QtBot) -> None:
    view.add_user(Turn(1, True, "q"))
    for number, latex_text in ((2, "fresh_{1}"), (4, "fresh_{2}"), (6, "fresh_{3}")):
        view.begin_answer(number, "model")
        view.append("So ")
        view.append(f"${latex_text}$")
        view.finish_answer(Turn(number, False, view.answer, "model", "note"))
        if number == 2:
            settle(view, qtbot)  # else the next message comes before it is drawn
        view.add_user(Turn(number + 1, True, "more"))
    settle(view, qtbot)
    assert sources(view) == ["$fresh_{1}$", "$fresh_{2}$", "$fresh_{3}$"]
    assert view.toPlainText().count("So ") == 3 and list(view._chat.rows) and view.row_rect(6) is not None


def test_that_a_copied_formula_is_its_source(view: TranscriptView, qtbot: QtBot) -> None:
    answer(view, "Take $a_1$ and $b$.\n\n$$\nc\n$$\n\n```python\nx = 1\n\ny = 2\n```\n\n| h | i |\n|---|---|\n| $d$ | e |\n\n- end")
    settle(view, qtbot)
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = QGuiApplication.clipboard().text()
    assert copied == "model\nTake $a_1$ and $b$.\n$$\nc\n$$\nx = 1\n\ny = 2\nh\ti\n$d$\te\n•\u2002end\nnote"


def test_that_formulas_follow_theme_and_text_size(view: TranscriptView, qtbot: QtBot) -> None:
    answer(view, "$$\nx + y\n$$")

    def width(theme: Theme) -> float:
        settle(view, qtbot)
        place = view.document().find(CHARACTER)
        form = place.charFormat()
        assert form.foreground().color().name() == theme.text
        at = view.cursorRect(place)
        image = view.viewport().grab(QRect(at.left() - 60, at.top(), 60, at.height())).toImage()
        seen = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
        nearest = max(contrast(theme.window, colour) for colour in seen)
        assert nearest > 0.7 * contrast(theme.window, theme.text)
        return view._chat._object.intrinsicSize(view.document(), place.position(), form).width()

    small = width(LIGHT)
    view.set_theme(DARK)
    assert width(DARK) == small
    font = QFont(view.font())
    font.setPointSizeF(font.pointSizeF() * 2)
    view.setFont(font)
    assert width(DARK) > 1.7 * small


@pytest.mark.parametrize("ratio", [1.0, 1.25, 2.0])
def test_that_a_formula_stands_on_the_baseline_sharp_on_every_screen(view: TranscriptView, qtbot: QtBot, ratio: float) -> None:
    answer(view, r"H $\mathrm{H}$")
    settle(view, qtbot)
    place = view.document().find(CHARACTER)
    block, form = place.block(), place.charFormat()
    line = block.layout().lineForTextPosition(2)
    left, right = line.cursorToX(2)[0], line.cursorToX(3)[0]  # type: ignore[index]
    image = QImage(round(60 * ratio), round(60 * ratio), QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    block.layout().draw(painter, -block.layout().position())
    painter.end()

    def lowest(x0: float, x1: float) -> int:
        columns = range(round(x0 * ratio), round(x1 * ratio))
        return max(y for y in range(image.height()) for x in columns if image.pixelColor(x, y).lightness() < 128)

    assert abs(lowest(0, left) - lowest(left, right)) <= 1
    font = formulas.font_of_text(form)
    size = QFontInfo(font).pixelSize()
    drawn = latex.DRAWINGS.get(r"\mathrm{H}", False)
    assert drawn is not None
    assert 0.6 * size < drawn.ascent * size / latex.SIZE * formulas.GROWN < 1.4 * QFontMetricsF(font).capHeight()


def test_that_a_row_with_a_formula_is_as_high_as_what_is_in_it(view: TranscriptView, qtbot: QtBot) -> None:
    answer(view, "| a | b |\n|---|---|\n| plain | words |\n| $x$ | words |\n| $b^2 > 4ac$ | words |\n| $x_1^2$ | $y$ and $z^2$ |\n")
    settle(view, qtbot)
    table = next(f for f in view.document().rootFrame().childFrames() if isinstance(f, QTextTable))
    layout = view.document().documentLayout()
    blocks = [[table.cellAt(row, column).firstCursorPosition().block() for column in range(2)] for row in range(5)]
    plain, *others = [max(layout.blockBoundingRect(b).height() for b in row) for row in blocks[1:]]
    assert all(plain - 1 <= height <= 1.3 * plain for height in others), (plain, others)
    for row in blocks[2:]:  # and both columns stand on one baseline
        left, right = (layout.blockBoundingRect(b).top() + b.layout().lineAt(0).ascent() for b in row)
        assert abs(left - right) <= 2.5


def test_that_a_wide_formula_is_made_to_fit(view: TranscriptView, qtbot: QtBot) -> None:
    view.resize(360, 400)
    answer(view, "$$\n" + " + ".join(f"x_{{{n}}}" for n in range(18)) + "\n$$")
    settle(view, qtbot)
    place = view.document().find(CHARACTER)
    width = view._chat._object.intrinsicSize(view.document(), place.position(), place.charFormat()).width()
    assert 0.9 * view.document().textWidth() < width <= view.document().textWidth() + 1


def test_that_drawings_are_kept_and_only_so_many() -> None:
    kept = latex.Drawings()
    first = kept.get("q_1", False)
    assert kept.get("q_1", False) is first and kept.known("q_1", False)
    rng = random.Random(1)
    for _ in range(latex.KEPT + 5):
        kept._made[str(rng.random()), False] = None
    kept.get("q_2", False)
    assert len(kept._made) == latex.KEPT and not kept.known("q_1", False)
