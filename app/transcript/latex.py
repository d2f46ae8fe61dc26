"""LaTeX set as a drawing, by ziamath: sized, with its baseline, in no colour yet. What is wrong is told apart, never half shown."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock, Thread
from typing import Any
from xml.etree import ElementTree

SIZE = 24.0  # pixels of the font that drawings are made in; they are scaled
INK = "#010203"  # stands for the text's colour in a drawing
KEPT = 2000  # drawings that are kept


@dataclass(frozen=True, slots=True)
class Drawing:
    """A formula as SVG. width, ascent and descent are in pixels at SIZE, measured from the baseline."""

    svg: str
    width: float
    ascent: float
    descent: float

    @property
    def height(self) -> float:
        """From the top to the bottom, in pixels at SIZE."""
        return self.ascent + self.descent


def balanced(latex: str) -> bool:
    """Whether each brace has its partner."""
    depth, escaped = 0, False
    for c in latex:
        if escaped:
            escaped = False
        elif c == "\\":
            escaped = True
        elif c in "{}":
            depth += 1 if c == "{" else -1
            if depth < 0:
                return False
    return depth == 0 and not escaped


def draw(latex: str, display: bool) -> Drawing | None:
    """The drawing, or None where the LaTeX is wrong or uses what is not known. Takes 5 to 100 ms, the first time 300."""
    if not balanced(latex):
        return None
    ziamath, convert = _libraries()
    # Both libraries raise errors of many kinds about what they cannot read, assertions and recursion among them.
    try:
        mathml = convert(latex, display="block" if display else "inline")
        tree = ElementTree.fromstring(ziamath.zmath.unescape(mathml))
        if any("\\" in (text or "") for node in tree.iter() for text in (node.text, node.tail)):
            return None  # an unknown command comes out as its name
        tree.set("mathcolor", INK)
        svg = ziamath.Math(tree, size=SIZE).svg()
        _, top, width, height = (float(n) for n in ElementTree.fromstring(svg).attrib["viewBox"].split())
    except Exception:
        return None
    return Drawing(svg, width, -top, height + top)


def _libraries() -> tuple[Any, Callable[..., str]]:
    # They take a third of a second to import, so only answers with formulas pay for them.
    import ziamath  # noqa: PLC0415
    from latex2mathml.converter import convert  # noqa: PLC0415
    from ziamath.config import config  # noqa: PLC0415

    config.svg2 = False  # Qt draws no glyphs that are used by reference
    return ziamath, convert


class Drawings:
    """Drawings that were made, and a thread that makes them ahead, so that the window needs not wait for them."""

    def __init__(self) -> None:
        self._made: OrderedDict[tuple[str, bool], Drawing | None] = OrderedDict()
        self._asked: list[tuple[str, bool]] = []
        self._thread: Thread | None = None  # lives while something is asked for
        self._lock, self._drawing = Lock(), Lock()

    def known(self, latex: str, display: bool) -> bool:
        """Whether the drawing is there; if not it is made in the background."""
        key = (latex, display)
        with self._lock:
            if key in self._made:
                return True
            if key not in self._asked:
                self._asked.append(key)
            if self._thread is None:
                self._thread = Thread(target=self._work, name="formulas", daemon=True)
                self._thread.start()
            return False

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._asked:
                    self._thread = None
                    return
                latex, display = self._asked[0]
            self.get(latex, display)
            with self._lock:
                self._asked.remove((latex, display))

    def get(self, latex: str, display: bool) -> Drawing | None:
        """The drawing, made now if need be; None where the LaTeX is wrong."""
        key = (latex, display)
        with self._lock:
            if key in self._made:
                self._made.move_to_end(key)
                return self._made[key]
        with self._drawing:  # the libraries keep state between their calls
            made = self._made[key] if key in self._made else draw(latex, display)
        with self._lock:
            self._made[key] = made
            while len(self._made) > KEPT:
                self._made.popitem(last=False)
        return made


DRAWINGS = Drawings()
