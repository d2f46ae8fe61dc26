"""What can be done with one message: a bar of buttons in the line under it.

There is one bar. It lies at the message under the mouse, else at the one that the keyboard went to, else at the last one.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QAction, QContextMenuEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QMenu, QToolButton, QWidget

from app.looks import icons
from app.looks.theme import Theme
from app.transcript.formats import row_height

if TYPE_CHECKING:
    from app.transcript.document import Turn
    from app.transcript.view import TranscriptView

ICONS = {"copy": "copy", "edit": "pencil", "again": "again", "continue": "continue", "delete": "trash"}
SIDE = 2  # pixels between what is written in the line and the bar
ICON, WIDTH = 15, 28  # pixels of an icon's side and of its button, at the usual text size
LOWER = 4  # pixels, for what is written sits low in its line


def possible(turn: "Turn", last: bool) -> list[str]:
    """The actions of a message, by name."""
    found = ["copy"]
    if turn.user:
        found.append("edit")
    if not turn.user or last:
        found.append("again")
    if turn.cut and last:
        found.append("continue")
    return [*found, "delete"]


class MessageBar(QFrame):
    """`asked` carries an action's name. Left and Right go from button to button, Escape goes back to the text."""

    asked = Signal(str)
    left = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("messagebar")
        self.buttons: dict[str, QToolButton] = {}
        self._free = True
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for name in ICONS:
            button = QToolButton(self)
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.clicked.connect(lambda _=False, n=name: self.asked.emit(n))
            button.installEventFilter(self)
            row.addWidget(button)
            self.buttons[name] = button
        self.set_theme(theme)
        self.retranslate()
        self.hide()

    def retranslate(self) -> None:
        """Say all in the language of the window."""
        self.labels = {
            "copy": self.tr("Copy message as Markdown"),
            "edit": self.tr("Edit and send again"),
            "again": self.tr("Answer again"),
            "continue": self.tr("Continue the answer"),
            "delete": self.tr("Delete message and what follows"),
        }
        for name, label in self.labels.items():
            self.buttons[name].setAccessibleName(label)
            self.buttons[name].setToolTip(label)

    def set_theme(self, theme: Theme) -> None:
        """Draw the icons in other colours, and as large as the text asks for."""
        for name, button in self.buttons.items():
            icons.fit(button, ICON)
            button.setFixedSize(round(WIDTH * icons.text_scale()), row_height())
            button.setIcon(icons.icon(ICONS[name], theme.dim, theme.border, ICON))

    @property
    def inset(self) -> int:
        """Pixels around the first icon: it stands under the text, not its button."""
        button = self.buttons["copy"]
        return (button.width() - button.iconSize().width()) // 2

    def show_actions(self, names: list[str], free: bool) -> None:
        """Show these; all but copying wait for `free`."""
        self._free = free
        for name, button in self.buttons.items():
            if button.hasFocus() and (name not in names or not (free or name == "copy")):
                self.buttons["copy"].setFocus(Qt.FocusReason.TabFocusReason)
            button.setVisible(name in names)
            button.setEnabled(free or name == "copy")
        self.adjustSize()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Arrow keys and Escape on the buttons."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            shown = [b for b in self.buttons.values() if b.isVisible() and b.isEnabled()]
            step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
            if step and watched in shown:
                shown[(shown.index(watched) + step) % len(shown)].setFocus(Qt.FocusReason.TabFocusReason)
                return True
            if event.key() == Qt.Key.Key_Escape and self._free:  # else it stops the answer
                self.left.emit()
                return True
        return super().eventFilter(watched, event)


class MessageActions(QObject):
    """Puts the bar where it belongs and says what was asked of which message."""

    def __init__(self, view: "TranscriptView", bar: MessageBar) -> None:
        super().__init__(view)
        self._view, self._bar = view, bar
        self._hovered: int | None = None
        self._chosen: int | None = None  # by the keyboard
        self.free = True
        bar.asked.connect(self._on_asked)
        bar.left.connect(self._on_left)

    def set_free(self, free: bool) -> None:
        """Whether messages can be changed now: nothing is being written."""
        self.free = free
        self.place()

    @property
    def number(self) -> int | None:
        """The message that the bar belongs to."""
        numbers = [t.number for t in self._view.turns]
        for wanted in (self._hovered, self._chosen):
            if wanted in numbers:
                return wanted
        return numbers[-1] if numbers and not self._view.writing else None

    def place(self) -> None:
        """Put the bar in the line under its message."""
        view, bar, number = self._view, self._bar, self.number
        rect = view.row_rect(number) if number is not None else None
        if number is None or rect is None or rect.bottom() < 0 or rect.top() > view.viewport().height():
            self._hide()
            return
        turn = next(t for t in view.turns if t.number == number)
        bar.show_actions(possible(turn, turn == view.turns[-1]), self.free)
        written = view.row_text_width(number)
        offset = written + SIDE if written > 2 else -bar.inset
        x = rect.right() - offset - bar.width() if turn.user else rect.left() + offset
        corner = view.viewport().pos()
        bar.move(corner + QPoint(round(x), round(rect.top() + LOWER * icons.text_scale())))
        bar.show()

    def _hide(self) -> None:
        # A focus that is lost with its button would go to the next link and choose it.
        focus = QApplication.focusWidget()
        if focus is not None and self._bar.isAncestorOf(focus):
            self._view.setFocus()
        self._bar.hide()

    def menu(self, number: int) -> list[QAction]:
        """The same actions for a context menu."""
        turn = next((t for t in self._view.turns if t.number == number), None)
        actions = []
        for name in possible(turn, turn == self._view.turns[-1]) if turn is not None else []:
            action = QAction(self._bar.labels[name], self)
            action.setEnabled(self.free or name == "copy")
            action.triggered.connect(lambda _=False, n=name: self._do(n, number))
            actions.append(action)
        return actions

    def hover(self, number: int | None) -> None:
        """The mouse is over this message."""
        if number != self._hovered:
            self._hovered = number
            self.place()

    def step(self, by: int) -> None:
        """Go to the message before or after, with the keyboard on its first button."""
        numbers = [t.number for t in self._view.turns]
        if not numbers:
            return
        self._hovered = None
        at = numbers.index(self._chosen) + by if self._chosen in numbers else len(numbers) - 1
        self._chosen = numbers[max(0, min(at, len(numbers) - 1))]
        self._view.go_to(self._chosen)
        self.place()
        self._bar.buttons["copy"].setFocus(Qt.FocusReason.TabFocusReason)

    def show_menu(self, event: QContextMenuEvent) -> None:
        """The menu of the text under the mouse, with the message's actions before it."""
        view = self._view
        menu: QMenu = view.createStandardContextMenu(event.pos())
        number = view.message_at(event.pos().y())
        if number is not None and (actions := self.menu(number)):
            if menu.actions():
                menu.insertActions(menu.insertSeparator(menu.actions()[0]), actions)
            else:
                menu.addActions(actions)
            for action in actions:
                action.setParent(menu)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    @Slot(str)
    def _on_asked(self, name: str) -> None:
        number = self.number
        if number is not None:
            self._do(name, number)

    def _do(self, name: str, number: int) -> None:
        if name == "copy":
            self._view.copy_message(number)
        else:
            self._view.action_asked.emit(name, number)

    @Slot()
    def _on_left(self) -> None:
        self._chosen = None
        self._view.setFocus()
        self.place()
