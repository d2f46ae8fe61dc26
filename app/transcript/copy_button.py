"""A button over the code under the mouse that copies it, in sight also where the code's head is scrolled away."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QTextBlock
from PySide6.QtWidgets import QToolButton

from app.looks import icons
from app.looks.theme import Theme
from app.transcript.formats import CODE, CODE_HEAD, KIND, OWN
from app.transcript.ground import first_of, ground, last_of

if TYPE_CHECKING:
    from app.transcript.view import TranscriptView

ICON, SIZE = 15, QSize(28, 26)  # pixels of the icon's side and of the button, at the usual text size
INSET = 5  # pixels between the button and the code's edge


def target_of(head: QTextBlock) -> str:
    """The target of the copy link in the head of a code block, "" while the code is still being written."""
    pieces = head.begin()
    while not pieces.atEnd():
        name = pieces.fragment().charFormat().anchorHref()
        if name.startswith(f"{OWN}copy:"):
            return name.removeprefix(OWN)
        pieces += 1
    return ""


class CopyButton(QToolButton):
    """Out of the way of Tab: the link in the code's head does the same, and is reached by it."""

    asked = Signal(str)  # the target of a copy link

    def __init__(self, theme: Theme, view: "TranscriptView") -> None:
        super().__init__(view)
        self.setObjectName("copycode")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.clicked.connect(self._on_clicked)
        self._view = view
        self._target = ""
        self.set_theme(theme)
        self.retranslate()
        self.hide()

    def retranslate(self) -> None:
        """Say all in the language of the window."""
        self.setAccessibleName(self.tr("Copy this code"))
        self.setToolTip(self.tr("Copy this code"))

    def set_theme(self, theme: Theme) -> None:
        """Draw the icon in other colours, and as large as the text asks for."""
        icons.fit(self, ICON)
        self.setFixedSize(SIZE * icons.text_scale())
        self.setIcon(icons.icon("copy", theme.dim, theme.border, ICON))

    def hover(self, at: QPoint | None) -> None:
        """The mouse is at this place of the viewport, or left it."""
        view = self._view
        block = view.cursorForPosition(at).block() if at is not None else QTextBlock()
        if at is None or block.blockFormat().intProperty(KIND) not in (CODE, CODE_HEAD):
            self.hide()
            return
        head, top = first_of(block), view.verticalScrollBar().value()
        area = ground(view.document(), head, last_of(head)).translated(0, -top)
        self._target = target_of(head)
        if not self._target or not area.contains(at.toPointF()) or area.bottom() < self.height() + 2 * INSET:
            self.hide()
            return
        y = max(area.top(), 0) + INSET
        self.move(view.viewport().pos() + QPoint(round(area.right()) - self.width() - INSET, round(y)))
        self.show()

    @Slot()
    def _on_clicked(self) -> None:
        self.asked.emit(self._target)
