"""The transcript: shows a ChatDocument, follows it while it grows, and lets people select, copy and open links."""

from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Any

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer, QUrl, Signal, Slot
from PySide6.QtGui import QColor, QGuiApplication, QPainter, QPaintEvent, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QTextBrowser, QToolButton, QWidget

from app.looks import icons
from app.looks.theme import Theme
from app.transcript.document import ChatDocument, Turn
from app.transcript.formats import Formats
from app.transcript.ground import paint_grounds

WIDEST = 760  # logical pixels of text
EDGE = 24
NEAR = 4  # pixels from the bottom that still count as being there
SLICE = 0.012  # seconds of building a long conversation per turn of the event loop
SLOW = 0.015  # an update that takes longer makes the next one wait


class TranscriptView(QTextBrowser):
    """One conversation. `link_asked` carries a target that a person clicked; nothing is ever opened or loaded by itself."""

    link_asked = Signal(QUrl)
    copied = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("transcript")
        self.setAccessibleName(self.tr("Conversation"))
        self.setOpenLinks(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction | Qt.TextInteractionFlag.TextSelectableByKeyboard)
        self._theme = theme
        self._turns: list[Turn] = []
        self._writing: tuple[str, list[str]] | None = None  # name and pieces of the answer that is being written
        self._chat = ChatDocument(self.document(), Formats(theme, self.font()))
        self._building: Iterator[None] | None = None
        self._builder = QTimer(self, interval=0)
        self._builder.timeout.connect(self._build_some)
        self._held = ""
        self._flush = QTimer(self, singleShot=True)
        self._flush.timeout.connect(self._write_held)
        self._pinned, self._editing = True, False
        self._latest = self._make_latest()
        bar = self.verticalScrollBar()
        bar.rangeChanged.connect(self._on_range)
        bar.valueChanged.connect(self._on_scrolled)
        self.anchorClicked.connect(self._on_anchor)

    def _make_latest(self) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName("latest")
        button.setText(self.tr("Latest"))
        button.setAccessibleName(self.tr("Jump to the latest text"))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setIcon(icons.icon("latest", self._theme.text))
        button.setIconSize(QSize(16, 16))
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.clicked.connect(self.jump_to_latest)
        button.hide()
        return button

    # What is shown

    def show_turns(self, turns: Sequence[Turn]) -> None:
        """Replace the conversation; a long one is built over several turns of the event loop."""
        self._turns, self._writing, self._held = list(turns), None, ""
        self._flush.stop()
        self._rebuild()

    def add_user(self, text: str) -> None:
        """Append what the user wrote and go to the bottom."""
        self._complete_build()
        self._turns.append(Turn(0, True, text))
        self._pinned = True
        self._edit(lambda: self._chat.add_user(text))

    def begin_answer(self, name: str) -> None:
        """Start an answer under a model's name."""
        self._complete_build()
        self._writing = (name, [])
        self._edit(lambda: self._chat.begin(name))

    def append(self, piece: str) -> None:
        """Add to the answer that is being written."""
        if self._writing is None or not piece:
            return
        self._complete_build()
        self._writing[1].append(piece)
        self._held += piece
        if not self._flush.isActive():
            self._write_held()

    def finish_answer(self, number: int, note: str) -> None:
        """End the answer that is being written."""
        if self._writing is None:
            return
        self._complete_build()
        self._flush.stop()
        self._write_held()
        name, pieces = self._writing
        self._writing = None
        self._turns.append(Turn(number, False, "".join(pieces), name, note))
        self._edit(lambda: self._chat.finish(number, note))

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The complete turns that are shown."""
        return tuple(self._turns)

    @property
    def settled(self) -> bool:
        """Whether the document holds everything that was given to the view."""
        return self._building is None and not self._held

    @property
    def answer(self) -> str:
        """The answer that is being written, so far."""
        return "".join(self._writing[1]) if self._writing else ""

    def markdown(self) -> str:
        """The whole conversation as Markdown."""
        parts = [f"**{self.tr('You') if t.user else t.name or self.tr('Answer')}**\n\n{t.text.strip()}\n" for t in self._turns]
        return "\n".join(parts)

    def set_theme(self, theme: Theme) -> None:
        """Show the same conversation in other colours or another text size."""
        self._theme = theme
        self._latest.setIcon(icons.icon("latest", theme.text))
        self._chat.formats = Formats(theme, self.font())
        self._rebuild()

    # Building and editing

    def _rebuild(self) -> None:
        self._building = None
        self._editing = True
        self._chat.clear()
        self._editing = False
        self._pinned = True
        self._building = self._steps()
        self._build_some()

    def _steps(self) -> Iterator[None]:
        for turn in list(self._turns):
            yield from self._chat.build(turn)
            yield
        if self._writing is not None:
            self._chat.begin(self._writing[0])
            yield
            self._chat.append("".join(self._writing[1]))

    @Slot()
    def _build_some(self) -> None:
        end = perf_counter() + SLICE
        while self._building is not None and perf_counter() < end:
            self._edit(self._build_step)
        if self._building is None:
            self._builder.stop()
        elif not self._builder.isActive():
            self._builder.start()

    def _build_step(self) -> None:
        if self._building is not None and next(self._building, "end") == "end":
            self._building = None

    def _complete_build(self) -> None:
        while self._building is not None:
            self._edit(self._build_step)
        self._builder.stop()

    @Slot()
    def _write_held(self) -> None:
        if not self._held:
            return
        held, self._held = self._held, ""
        start = perf_counter()
        self._edit(lambda: self._chat.append(held))
        seconds = perf_counter() - start
        if seconds > SLOW:
            self._flush.start(min(round(seconds * 4000), 500))

    def _edit(self, change: Any) -> None:
        """Change the document, keep the selection, and follow the end if it was in sight."""
        bar, chosen = self.verticalScrollBar(), self.textCursor()
        anchor, position, value = chosen.anchor(), chosen.position(), bar.value()
        touched = anchor != position and max(anchor, position) >= self._chat.tail_at
        self._editing = True
        change()
        if touched:
            last = self.document().characterCount() - 1
            chosen.setPosition(min(anchor, last))
            chosen.setPosition(min(position, last), QTextCursor.MoveMode.KeepAnchor)
            self.setTextCursor(chosen)
        bar.setValue(bar.maximum() if self._pinned else min(value, bar.maximum()))
        self._editing = False
        self._show_latest()

    # Scrolling

    @Slot()
    def jump_to_latest(self) -> None:
        """Go to the end and follow it again."""
        self._pinned = True
        self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())
        self._show_latest()

    def _on_range(self, _low: int, high: int) -> None:
        if self._pinned:
            self.verticalScrollBar().setValue(high)
        self._show_latest()

    def _on_scrolled(self, value: int) -> None:
        if not self._editing:
            self._pinned = value >= self.verticalScrollBar().maximum() - NEAR
            self._show_latest()

    def _show_latest(self) -> None:
        self._latest.setVisible(not self._pinned and self.verticalScrollBar().maximum() > 0)

    # Links

    def loadResource(self, _kind: int, _name: QUrl | str) -> Any:  # noqa: N802
        """Nothing: what an answer refers to is never loaded."""
        return None

    @Slot(QUrl)
    def _on_anchor(self, target: QUrl) -> None:
        kind, _, number = target.toString().partition(":")
        if kind == "copy" and number.isdigit() and int(number) < len(self._chat.codes):
            self._copy(self._chat.codes[int(number)])
        elif kind == "answer" and number.isdigit():
            self._copy(next((t.text for t in self._turns if t.number == int(number) and not t.user), ""))
        else:
            self.link_asked.emit(target)

    def _copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.copied.emit()

    # Geometry and painting

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Keep the text in a column in the middle."""
        side = max(EDGE, (self.width() - WIDEST) // 2)
        self.setViewportMargins(side, 8, max(side - self.verticalScrollBar().sizeHint().width(), 8), 8)
        super().resizeEvent(event)
        self._place_latest()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follow another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_chat"):
            self.set_theme(self._theme)

    def _place_latest(self) -> None:
        size = self._latest.sizeHint()
        self._latest.resize(size)
        self._latest.move((self.width() - size.width()) // 2, self.height() - size.height() - 12)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Paint the grounds of bubbles and code, then the text."""
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(event.rect(), QColor(self._theme.window))
        top = self.verticalScrollBar().value()
        painter.translate(0, -top)
        paint_grounds(painter, self.document(), QRectF(event.rect()).translated(0, top), self._theme)
        painter.end()
        super().paintEvent(event)
