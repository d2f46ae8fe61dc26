"""A column that follows its end while text is added there, and stays where it is while text is put before or behind what is seen."""

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt, Slot
from PySide6.QtGui import QMouseEvent, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QTextEdit, QToolButton, QWidget

from app.looks import icons
from app.looks.theme import Theme
from app.transcript.column import Column

NEAR = 4  # pixels from the bottom that still count as being there


class Following(Column):
    """Follows the end if it was in sight; else a button leads there."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._pinned, self._editing, self._pressed = True, False, False
        self._to_top = self._all_chosen = False  # what a key asked for while messages were missing
        self._from_end, self._place = 0.0, (0, 0.0)  # the distance that was kept last, and where: the bar's value, the document's height
        self._latest = self._make_latest()
        self._name_latest()
        bar = self.verticalScrollBar()
        bar.rangeChanged.connect(self._on_range)
        bar.valueChanged.connect(self._on_scrolled)

    def _make_latest(self) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName("latest")
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setIcon(icons.icon("latest", self._theme.text))
        icons.fit(button, 16)
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.clicked.connect(self.jump_to_latest)
        button.hide()
        return button

    def _name_latest(self) -> None:
        self._latest.setText(self.tr("Latest"))
        self._latest.setAccessibleName(self.tr("Jump to the latest text"))
        self._place_latest()

    @property
    def _follows(self) -> bool:
        return self._pinned and not self._pressed  # what is being selected must not move away under the mouse

    @property
    def at_end(self) -> bool:
        """Whether the end is in sight."""
        return self.verticalScrollBar().value() >= self.verticalScrollBar().maximum() - NEAR

    def set_latest_icon(self, theme: Theme) -> None:
        """Draw the button's icon in other colours."""
        self._latest.setIcon(icons.icon("latest", theme.text))
        self._place_latest()

    def _edit(self, change: Callable[[], None]) -> None:
        """Change the document at its end, keep the selection, and follow the end if it was in sight."""
        bar, chosen = self.verticalScrollBar(), self.textCursor()
        anchor, position, value = chosen.anchor(), chosen.position(), bar.value()
        layout = self.document().documentLayout()
        height = layout.documentSize().height()
        touched = anchor != position and max(anchor, position) >= self._chat.tail_at
        self._editing = True
        change()
        if touched:
            last = self.document().characterCount() - 1
            chosen.setPosition(min(anchor, last))
            chosen.setPosition(min(position, last), QTextCursor.MoveMode.KeepAnchor)
            self.setTextCursor(chosen)
        bar.setValue(bar.maximum() if self._follows else min(value, bar.maximum()))
        self._editing = False
        if (value, height) == self._place and bar.value() == value:  # what is known exactly of the distance to the end stays so
            longer = layout.documentSize().height()
            self._from_end += longer - height
            self._place = (value, longer)
        self._show_latest()

    def _edit_before(self, change: Callable[[], None]) -> None:
        """Change the document at its beginning; what is seen stays where it is."""
        bar, layout = self.verticalScrollBar(), self.document().documentLayout()
        value, height = bar.value(), layout.documentSize().height()
        if (value, height) != self._place:  # else it is known more exactly than by the bar's whole pixels
            self._from_end = height - value
        self._editing = True
        change()
        # The layout tells the scroll bar later, but the next painting may come before.
        layout.documentSizeChanged.emit(layout.documentSize())
        if self._follows:
            bar.setValue(bar.maximum())
        else:
            bar.setValue(0 if self._to_top else round(layout.documentSize().height() - self._from_end))
        self._place = (bar.value(), layout.documentSize().height())
        self._editing = False
        if self._all_chosen:
            self.selectAll()
        self._show_latest()

    def _stay_at(self, value: int) -> None:
        """Go back to a place that was out of reach while the document was shorter."""
        layout = self.document().documentLayout()
        layout.documentSizeChanged.emit(layout.documentSize())
        self._editing = True
        if not self._follows:
            self.verticalScrollBar().setValue(value)
        self._editing = False
        self._show_latest()

    @Slot()
    def jump_to_latest(self) -> None:
        """Go to the end and follow it again."""
        self._pinned = True
        self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())
        self._show_latest()

    def _on_range(self, _low: int, high: int) -> None:
        if self._follows:
            self.verticalScrollBar().setValue(high)
        self._show_latest()

    def _on_scrolled(self, _value: int) -> None:
        if not self._editing:
            self._pinned, self._to_top = self.at_end, False
            self._show_latest()

    def _show_latest(self) -> None:
        self._latest.setVisible(not self._pinned and self.verticalScrollBar().maximum() > 0)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Hold still while something is selected."""
        self._pressed = event.button() == Qt.MouseButton.LeftButton
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Follow the end again, unless something was selected and the end went out of sight."""
        super().mouseReleaseEvent(event)
        self._pressed = False
        if self._pinned and not self.at_end:
            if self.textCursor().hasSelection():
                self._pinned = False
            else:
                self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())
        self._show_latest()

    def focusNextPrevChild(self, forwards: bool) -> bool:  # noqa: N802
        """Tab goes through the links in sight and then on: a long conversation has hundreds."""
        bar, size = self.verticalScrollBar(), self.viewport().size()
        value, chosen = bar.value(), self.textCursor()
        first = self.cursorForPosition(QPoint(0, 0)).position()
        last = self.cursorForPosition(QPoint(size.width() - 1, size.height() - 1)).position()
        if not first <= chosen.position() <= last:
            start = QTextCursor(self.document())
            start.setPosition(first if forwards else last)
            self.setTextCursor(start)
        moved = super().focusNextPrevChild(forwards)
        if not moved or not self.hasFocus() or first <= self.textCursor().selectionStart() <= last:
            return moved
        self.setTextCursor(chosen)
        bar.setValue(value)
        return QTextEdit.focusNextPrevChild(self, forwards)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Keep the button over the text in its place."""
        super().resizeEvent(event)
        self._place_latest()

    def _place_latest(self) -> None:
        size = self._latest.sizeHint()
        self._latest.resize(size)
        self._latest.move((self.width() - size.width()) // 2, self.height() - size.height() - 12)
