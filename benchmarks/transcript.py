"""The transcript under load: what an update of a growing answer costs, and how a conversation of 200,000 tokens opens and scrolls.

Everything runs on one thread without a screen. Figures are milliseconds of that thread's own time: other work on the machine counts
little. A token is four characters. The conversation is Markdown of all kinds in the mixture of long technical chats.
"""

import os
import random
from collections.abc import Callable
from statistics import median
from time import perf_counter, thread_time
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.looks.theme import LIGHT
from app.transcript.turn import Turn
from app.transcript.view import TranscriptView

CHARACTERS = 4  # a token
LONG = 200_000  # tokens
GROWN = (0, 5_000, 20_000)
FRAMES = 120
TEXT = """the cache keeps experts that were used before and reads others from disk when a layer asks for them while its router names more
than fit into memory so each step waits for bytes that come late unless they were guessed in time which is measured and shown"""
WORDS = TEXT.split()
CODE = '''```python
def route(x: Array, gate: Array, k: int = 4) -> Array:
    """Pick the {n} best experts of each row."""
    scores = x @ gate.T  # [rows, experts]
    chosen = np.argpartition(-scores, k, axis=-1)[:, :k]
    for row, experts in enumerate(chosen):
        if len(set(experts)) != k:
            raise ValueError(f"row {{row}} has {{len(set(experts))}} experts")
    return np.sort(chosen, axis=-1)
```
'''
TABLE = "| Layer | Hit rate | Read |\n|---|---:|---:|\n| 0 | 91% | 1.2 GB |\n| 1 | `84%` | 1.9 GB |\n| {n} | 77% | 2.4 GB |\n"
LIST = "1. Ask the **router** of layer {n}\n2. Look them up\n   - hit: pin\n   - miss: `read`\n3. Sum in order\n"
FORMULA = "The expected time is $t = h c + (1-h) d$, with the hit rate $h_{{{n}}}$:\n\n$$\nh = \\frac{{\\sum_i w_i}}{{N}}\n$$\n"


def prose(rng: random.Random) -> str:
    words = [rng.choice(WORDS) for _ in range(rng.randint(30, 110))]
    words[3] = f"**{words[3]}**"
    words[9] = f"`{words[9]}`"
    return " ".join(words).capitalize() + ".\n"


def answer(rng: random.Random) -> str:
    """About 700 tokens."""
    parts = [f"## Part {rng.randint(1, 9)}\n", prose(rng), prose(rng)]
    parts += [piece.format(n=rng.randint(1, 12)) for piece in rng.sample([CODE, TABLE, LIST, FORMULA, CODE], 3)]
    parts += [prose(rng), "> " + prose(rng), prose(rng)]
    return "\n".join(parts)


def conversation(tokens: int) -> list[Turn]:
    rng, turns, size = random.Random(3), list[Any](), 0
    while size < tokens * CHARACTERS:
        question, text = prose(rng)[: rng.randint(20, 300)], answer(rng)
        turns.append(Turn(len(turns) + 1, True, question))
        turns.append(Turn(len(turns) + 1, False, text, "model", "12 tokens/s · 0.4 s to the first token"))
        size += len(question) + len(text)
    return turns


def shown() -> TranscriptView:
    view = TranscriptView(LIGHT)
    view.resize(1000, 700)
    view.show()
    QApplication.processEvents()
    return view


def settle(view: TranscriptView, each: Callable[[float], object] = lambda seconds: None) -> None:
    while not view.settled:
        start = thread_time()
        QApplication.processEvents()
        each(thread_time() - start)
    QApplication.processEvents()


def updates(view: TranscriptView, number: int) -> list[float]:
    """Seconds of each update while an answer grows by four tokens at a time."""
    text = answer(random.Random(number))
    found: list[float] = []
    view.begin_answer(number, "model")
    for at in range(0, len(text), 4 * CHARACTERS):
        piece = text[at : at + 4 * CHARACTERS]
        start = thread_time()
        view._edit(lambda piece=piece: view._chat.append(piece))  # append puts off what follows a slow update
        found.append(thread_time() - start)
        QApplication.processEvents()
    view.finish_answer(Turn(number, False, text, "model"))
    return found


def frames(view: TranscriptView) -> list[float]:
    """Seconds of each frame: from the end upwards by a quarter of the window, then in leaps through all of it."""
    bar, found = view.verticalScrollBar(), []
    step = view.viewport().height() // 4
    places = [bar.maximum() - n * step for n in range(FRAMES // 2)] + [bar.maximum() * n * 2 // FRAMES for n in range(FRAMES // 2)]
    for place in places:
        start = thread_time()
        bar.setValue(place)
        view.viewport().repaint()
        found.append(thread_time() - start)
        QApplication.processEvents()
    return found


def leaps(turns: list[Turn]) -> list[float]:
    """Seconds until a message is painted that was not built yet, in a conversation that was just opened: some far up, then the start."""
    found = []
    for share in (0.1, 0.3, 0.5, 0.7, 0.9, 0.0):
        view = shown()
        view.show_turns(turns)
        view.viewport().repaint()
        start = thread_time()
        if share:
            view.go_to(turns[int(share * len(turns))].number)
        else:
            QTest.keyClick(view, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
        view.viewport().repaint()
        found.append(thread_time() - start)
        view.deleteLater()
    return found


def measure() -> dict[str, Any]:
    app = QApplication.instance() or QApplication([])
    view = shown()
    view.show_turns(conversation(200))  # the first of a process loads fonts and parsers
    settle(view)
    result: dict[str, Any] = {"update_ms": {}, "update_worst_ms": {}}
    for tokens in (*GROWN, LONG):
        view = shown()
        view.show_turns(conversation(tokens))
        settle(view)
        updates(view, 10**6)
        found = updates(view, 10**6 + 1)
        result["update_ms"][str(tokens)] = median(found) * 1000
        result["update_worst_ms"][str(tokens)] = max(found) * 1000
        view.deleteLater()
    view, turns = shown(), conversation(LONG)
    start, at = perf_counter(), thread_time()
    view.show_turns(turns)
    view.viewport().repaint()
    result["first_paint_ms"] = (thread_time() - at) * 1000
    result["first_paint_wall_ms"] = (perf_counter() - start) * 1000
    slices: list[float] = []
    at = thread_time()
    settle(view, slices.append)
    result["fill_ms"], result["fill_slice_ms"] = (thread_time() - at) * 1000, max(slices) * 1000
    jumps = leaps(turns)
    result["jump_ms"], result["jump_worst_ms"] = median(jumps) * 1000, max(jumps) * 1000
    found = frames(view)
    result["frame_ms"], result["frame_worst_ms"] = median(found) * 1000, max(found) * 1000
    at = thread_time()
    view.resize(650, 700)
    view.fit()
    QApplication.processEvents()
    result["resize_ms"] = (thread_time() - at) * 1000
    result["characters"], result["blocks"] = view.document().characterCount(), view.document().blockCount()
    del app
    return result


def told(result: dict[str, Any]) -> str:
    lines = ["update of a growing answer, 4 tokens at a time, behind a conversation of so many tokens: median (worst)"]
    for tokens, ms in result["update_ms"].items():
        lines.append(f"  {int(tokens):>8,}  {ms:6.2f} ms  ({result['update_worst_ms'][tokens]:.1f} ms)")
    lines += [
        f"a conversation of {LONG:,} tokens ({result['characters']:,} characters, {result['blocks']:,} text blocks)",
        f"  first paint   {result['first_paint_ms']:7.0f} ms  (limit 1000)",
        f"  jump          {result['jump_ms']:7.0f} ms to a message that is not built yet, worst {result['jump_worst_ms']:.0f}  (limit 500)",
        f"  frame         {result['frame_ms']:7.1f} ms, worst {result['frame_worst_ms']:.1f}  (limit 33)",
        f"  filled after  {result['fill_ms']:7.0f} ms of work in idle slices, the longest {result['fill_slice_ms']:.0f} ms",
        f"  new width     {result['resize_ms']:7.0f} ms, once the window's edge rests",
    ]
    return "\n".join(lines)
