"""Everything that widgets say, and a language in which every translated text can be told from one that was forgotten."""

import re
from collections.abc import Iterable, Iterator

from PySide6.QtCore import QLibraryInfo, QObject, Qt, QTranslator
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QDialog,
    QGroupBox,
    QLabel,
    QLineEdit,
    QMainWindow,
    QMenu,
    QPlainTextEdit,
    QSpinBox,
    QTabBar,
    QTextEdit,
    QWidget,
)

OPEN, CLOSE = "⟦", "⟧"


class Bracketed(QTranslator):
    """Puts every text that the source offers for translation in brackets, and every text of Qt that German has words for."""

    def __init__(self, texts: set[tuple[str, str]]) -> None:
        super().__init__()
        self.texts = texts
        self.asked: set[tuple[str, str]] = set()
        self._qt = QTranslator()
        assert self._qt.load("qtbase_de", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))

    def translate(self, context: str, source: str, comment: str | None = None, n: int = -1) -> str | None:  # type: ignore[override]
        if (context, source) in self.texts:
            self.asked.add((context, source))
            return f"{OPEN}{source}{CLOSE}".replace("%n", str(n))
        if self._qt.translate(context, source, comment or None, n):
            return f"{OPEN}{source}{CLOSE}"
        return None

    def isEmpty(self) -> bool:  # noqa: N802
        return False


def forgotten(data: Iterable[str], roots: list[QWidget]) -> list[tuple[str, str]]:
    """What is said in no language but the source's; `data`: words that are no words of the window, as names of models."""
    names = sorted({"Ouzel", "OUZEL", "ouzel", "English", "Deutsch", *data} - {""}, key=len, reverse=True)
    out = []
    for where, text in everything_said(roots):
        for name in names:
            text = text.replace(name, " ")
        if left := untranslated(text):
            out.append((where, left))
    return out


def untranslated(text: str) -> str:
    """The words of a text that lie outside of brackets."""
    before = None
    while before != text:
        before, text = text, re.sub(rf"{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}", " ", text)
    return " ".join(re.findall(r"[^\W\d_]{2,}", text))


def said(widget: QWidget) -> Iterator[tuple[str, str]]:
    """(what, text) of one widget."""
    yield "tool tip", widget.toolTip()
    yield "accessible name", widget.accessibleName()
    yield "accessible description", widget.accessibleDescription()
    yield "status tip", widget.statusTip()
    yield "what is this", widget.whatsThis()
    match widget:
        case QLabel() | QAbstractButton():
            yield "text", widget.text()
        case QLineEdit() | QPlainTextEdit() | QTextEdit():
            yield "placeholder", widget.placeholderText()
        case QComboBox():
            yield from (("entry", widget.itemText(i)) for i in range(widget.count()))
        case QTabBar():
            yield from ((what, f(i)) for i in range(widget.count()) for what, f in (("tab", widget.tabText), ("tip", widget.tabToolTip)))
        case QAbstractItemView() if (model := widget.model()) is not None and not isinstance(widget.parent(), QComboBox):
            named = {"row": Qt.ItemDataRole.DisplayRole, "row's tip": Qt.ItemDataRole.ToolTipRole}
            roles = [*named.items(), ("row's spoken text", Qt.ItemDataRole.AccessibleTextRole)]
            for row in range(model.rowCount()):
                yield from ((what, str(model.index(row, 0).data(role) or "")) for what, role in roles)
        case QGroupBox() | QMenu():
            yield "title", widget.title()
        case QMainWindow() | QDialog():
            yield "title", widget.windowTitle()
    if isinstance(widget, QAbstractSpinBox):
        yield "special value", widget.specialValueText()
    if isinstance(widget, QSpinBox):
        yield "suffix", widget.suffix()


def everything_said(roots: list[QWidget]) -> list[tuple[str, str]]:
    """(where, text) of all widgets, their actions and menus, without those of Qt's own parts."""
    out = []
    for root in roots:
        for thing in [root, *root.findChildren(QObject)]:
            if isinstance(thing, QAction):
                out += [(f"action of {type(root).__name__}", t) for t in (thing.text(), thing.toolTip(), thing.statusTip())]
            elif isinstance(thing, QWidget) and not thing.objectName().startswith("qt_"):
                out += [(f"{what} of {type(thing).__name__} {thing.objectName()} in {type(root).__name__}", t) for what, t in said(thing)]
    return [(where, text) for where, text in out if text]
