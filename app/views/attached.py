"""The files that go with the message: one chip each, with its name, its tokens and a button that takes it off."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QToolButton, QWidget

from app.chats.records import Attached
from app.language import number
from app.looks import icons
from app.looks.theme import Theme


class Chips(QScrollArea):
    """A row that scrolls sideways when there are many."""

    removed = Signal(object)  # Attached

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("chips")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._theme = theme
        self._files: tuple[Attached, ...] = ()
        self._costs: Mapping[Attached, int] = {}
        self.retranslate()
        self.hide()

    def show_files(self, files: Sequence[Attached], costs: Mapping[Attached, int]) -> None:
        """Show these with what is known of their tokens."""
        shown = [costs.get(f) for f in files]
        if (tuple(files), shown) == (self._files, [self._costs.get(f) for f in self._files]) and self.widget() is not None:
            self._costs = dict(costs)
            return
        self._files, self._costs = tuple(files), dict(costs)
        self._fill()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        self._fill()

    def retranslate(self) -> None:
        """Say all in the language of the window."""
        self.setAccessibleName(self.tr("Attached files"))
        self._fill()

    def _fill(self) -> None:
        holder = QWidget()
        holder.setObjectName("chipholder")
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for file in self._files:
            row.addWidget(self._chip(file, holder))
        row.addStretch(1)
        self.setWidget(holder)
        self.setFixedHeight(holder.sizeHint().height())
        self.setVisible(bool(self._files))

    def _chip(self, file: Attached, parent: QWidget) -> QFrame:
        chip = QFrame(parent)
        chip.setObjectName("chip")
        tokens = self._costs.get(file)
        told = self.tr("counting…") if tokens is None else self.tr("{0} tokens").format(number(tokens))
        label = QLabel(f"{file.name} · {told}", chip)
        label.setTextFormat(Qt.TextFormat.PlainText)
        remove = QToolButton(chip)
        remove.setIcon(icons.icon("close", self._theme.dim))
        icons.fit(remove, 16)
        remove.setAccessibleName(self.tr("Take {0} off").format(file.name))
        remove.setToolTip(remove.accessibleName())
        remove.clicked.connect(lambda: self.removed.emit(file))
        row = QHBoxLayout(chip)
        row.setContentsMargins(10, 1, 2, 1)
        row.setSpacing(4)
        row.addWidget(label)
        row.addWidget(remove)
        return chip
