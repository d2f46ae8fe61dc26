"""The model bar: which model, how much memory, load and unload, and what the engine is doing."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QColor, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.looks import icons
from app.looks.theme import Theme
from app.presentation import Presentation, key_name, needed, size
from app.views.memory_panel import MemoryPanel
from app.views.parts import ElidedLabel, Progress

SIDE = 12  # pixels of margin
OPEN_FOLDER, SET_UP, GET = "open folder", "set up", "get"


@dataclass(frozen=True, slots=True)
class LostModel:
    """An entry of the list whose drive is missing."""

    path: Path


class ModelBar(QFrame):
    """Emits what is asked; shows what it is told."""

    chosen = Signal(Path)
    folder_asked = Signal()
    setup_asked = Signal()
    get_asked = Signal()
    lost_asked = Signal(object)  # a model whose drive is missing
    budget_changed = Signal(object)  # bytes, None: automatic
    context_changed = Signal(object)  # tokens, None: automatic
    memory_shown = Signal()  # the memory panel was opened, or closed
    action_asked = Signal(str)  # Presentation.load_action
    work_asked = Signal(str)  # what the engine does beside the chat is to be shown: as in show_work
    sidebar_asked = Signal()
    settings_asked = Signal()

    def __init__(self, theme: Theme, possible_bytes: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("modelbar")
        self._possible, self._action = possible_bytes, "load"
        self.sidebar_button, self.settings_button = self._tool(), self._tool()
        self.choice = QComboBox(self)
        self.choice.setMinimumContentsLength(6)
        self.choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.choice.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.choice.setMaximumWidth(340)
        self.panel = MemoryPanel(possible_bytes, self)
        self.panel.hide()
        self.budget = self.panel.budget
        self.memory = QPushButton(self)
        self.memory.setCheckable(True)
        self.memory.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the arrow comes after the text
        icons.fit(self.memory, 16)
        self._budget_texts = ("", "")
        self.button = QPushButton(self)
        self.status = ElidedLabel(parent=self)
        self.status.setObjectName("dim")
        self.progress = Progress("", self)
        self.work = QPushButton(self)
        self.work.setObjectName("work")
        self.work.setProperty("flat", True)
        self.work.hide()
        self._status, self._rests = "", True
        self._fraction: float | None = None
        self._work: tuple[str, float, str] = ("", 0.0, "")  # text, how much is done, where it is shown
        self._lay_out()
        self.work.clicked.connect(lambda: self.work_asked.emit(self._work[2]))
        self.choice.activated.connect(self._on_choice)
        self.panel.budget_changed.connect(self.budget_changed)
        self.panel.context_changed.connect(self.context_changed)
        self.memory.toggled.connect(self._show_panel)
        self.button.clicked.connect(lambda: self.action_asked.emit(self._action))
        self.sidebar_button.clicked.connect(self.sidebar_asked)
        self.settings_button.clicked.connect(self.settings_asked)
        self._models: tuple[Path, ...] = ()
        self._chosen: Path | None = None
        self._limit: tuple[int | None, int] = (None, 0)
        self.set_theme(theme)
        self.retranslate()

    def _tool(self) -> QToolButton:
        button = QToolButton(self)
        icons.fit(button, 20)
        return button

    def _lay_out(self) -> None:
        self._row = row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.sidebar_button)
        row.addWidget(self.choice, 100)
        row.addStretch(1)
        row.addWidget(self.memory)
        row.addWidget(self.button)
        row.addWidget(self.settings_button)
        below = QHBoxLayout()
        below.setContentsMargins(6, 0, 6, 0)
        below.setSpacing(12)
        below.addWidget(self.status, 1)
        below.addWidget(self.work, 0, Qt.AlignmentFlag.AlignVCenter)
        below.addWidget(self.progress, 0, Qt.AlignmentFlag.AlignVCenter)
        column = QVBoxLayout(self)
        column.setContentsMargins(SIDE, 8, SIDE, 7)
        column.setSpacing(5)
        column.addLayout(row)
        column.addWidget(self.panel)
        column.addLayout(below)

    def set_theme(self, theme: Theme) -> None:
        """Draw the icons in other colours."""
        self._theme = theme
        self.sidebar_button.setIcon(icons.icon("sidebar", theme.text))
        self.settings_button.setIcon(icons.icon("settings", theme.text))
        self.memory.setIcon(icons.icon("up" if self.memory.isChecked() else "down", theme.text))
        self._fill()

    def retranslate(self) -> None:
        """Say all but what is presented in the language of the window."""
        tools = (
            (self.sidebar_button, self.tr("Show or hide the list of chats"), "Ctrl+B"),
            (self.settings_button, self.tr("Settings"), "Ctrl+,"),
        )
        for button, name, shortcut in tools:
            button.setAccessibleName(name)
            button.setToolTip(f"{name} ({key_name(shortcut)})")
        self.choice.setAccessibleName(self.tr("Model"))
        self.choice.view().setAccessibleName(self.tr("Models"))
        self.status.setAccessibleName(self.tr("Engine status"))
        self.progress.setAccessibleName(self.tr("Progress"))
        if not self._work[0]:
            self.work.setAccessibleName(self.tr("Other work"))
        self.panel.retranslate()
        self.show_budget(*self._limit)
        self._fill()

    def present(self, p: Presentation) -> None:
        """Show what can be done now."""
        self._action = p.load_action
        if self.button.text() != p.load_label:
            self.button.setText(p.load_label)
            self.button.setAccessibleName(p.load_label)
            self._fit()
        self.button.setEnabled(p.load_enabled)
        primary = p.load_action in ("load", "reload")
        if self.button.property("primary") != primary:
            self.button.setProperty("primary", primary)
            self.button.style().unpolish(self.button)
            self.button.style().polish(self.button)
        self.choice.setEnabled(p.choice_enabled)
        self.panel.set_free(p.choice_enabled)
        self._status, self._fraction, self._rests = p.status, p.progress, not p.shows_stop and p.progress is None
        self._show_status()

    def show_models(self, models: Sequence[Path], chosen: Path | None, offer_setup: bool, lost: Sequence[Path] = ()) -> None:
        """Show the containers on this disk, with one of them chosen; `lost` are those whose drive is missing."""
        self._models, self._chosen, self._offer_setup, self._lost = tuple(models), chosen, offer_setup, tuple(lost)
        self._fill()

    _offer_setup = False
    _lost: tuple[Path, ...] = ()

    def _fill(self) -> None:
        self.choice.clear()
        for path in self._models:
            self.choice.addItem(path.name.removesuffix(".ouzel"), path)
            self.choice.setItemData(self.choice.count() - 1, str(path), Qt.ItemDataRole.ToolTipRole)
            if path in self._lost:
                self._grey(path)
        for path in self._lost:
            if path not in self._models:
                self.choice.addItem("", LostModel(path))
                self._grey(path)
        if not self._models:
            self.choice.addItem(self.tr("No model yet"), None)
        self.choice.insertSeparator(self.choice.count())
        self.choice.addItem(icons.icon("download", self._theme.text), self.tr("Get a model…"), GET)
        if self._offer_setup:
            self.choice.addItem(icons.icon("plus", self._theme.text), self.tr("Set up the starter model"), SET_UP)
        self.choice.addItem(icons.icon("folder", self._theme.text), self.tr("Open folder…"), OPEN_FOLDER)
        self._select_chosen()

    def _grey(self, path: Path) -> None:
        at = self.choice.count() - 1
        self.choice.setItemData(at, LostModel(path))
        self.choice.setItemText(at, self.tr("{0}: drive missing, locate…").format(path.name.removesuffix(".ouzel")))
        self.choice.setItemData(at, QColor(self._theme.dim), Qt.ItemDataRole.ForegroundRole)
        self.choice.setItemData(at, str(path), Qt.ItemDataRole.ToolTipRole)

    def _select_chosen(self) -> None:
        gone = self._chosen is not None and bool(self._models) and self._chosen not in self._models
        self.choice.setPlaceholderText(self._chosen.name.removesuffix(".ouzel") if gone and self._chosen is not None else "")
        self.choice.setCurrentIndex(-1 if gone else self._models.index(self._chosen) if self._chosen in self._models else 0)

    def show_budget(self, budget_bytes: int | None, floor_bytes: int) -> None:
        """Show the limit that is set, and the least one that the chosen model takes (0: not known)."""
        self._limit = budget_bytes, floor_bytes
        tip = self.tr("Memory that the engine may take; this machine can give up to {0}.").format(size(self._possible))
        if floor_bytes:
            tip += " " + self.tr("This model needs at least {0}.").format(needed(floor_bytes))
        self.panel.show_budget(budget_bytes, floor_bytes, tip)
        short = self.tr("auto") if budget_bytes is None else size(budget_bytes)
        text = self.tr("Memory: auto") if budget_bytes is None else self.tr("Memory: {0}").format(short)
        if self._budget_texts != (text, short):
            self._budget_texts = (text, short)
            self.memory.setAccessibleName(self.tr("Memory: automatic") if budget_bytes is None else text)
            self._fit()
        press = self.tr("Press to choose another limit or context ({0}).").format(key_name("Ctrl+M"))
        self.memory.setToolTip(f"{tip} {press}")

    def show_work(self, text: str, label: str, fraction: float, place: str) -> None:
        """Say what the engine does beside the chat while that rests; "" for nothing. label: of the button that emits work_asked(place)."""
        self._work = (text, fraction, place)
        if text and self.work.text() != label:
            self.work.setText(label)
            self.work.setAccessibleName(label)
        self._show_status()

    def _show_status(self) -> None:
        text, fraction, _ = self._work
        beside = bool(text) and self._rests
        said = text if beside else self._status
        if self.status.text() != said:
            self.status.setText(said)
        self.work.setVisible(beside)
        self.progress.show_fraction(fraction if beside else self._fraction)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """See _fit."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Where there is no room, the memory button says the number alone, the tool tip the model's name, and the progress is short."""
        self.progress.setFixedWidth(min(max(self.width() // 8, 60), 150))
        parts = (self.sidebar_button, self.choice, self.memory, self.button, self.settings_button)
        for text in self._budget_texts:
            self.memory.setText(text)
            wanted = sum(p.minimumSizeHint().width() for p in parts) + self._row.spacing() * len(parts)
            if wanted <= self.width() - 2 * SIDE:
                break
        option = QStyleOptionComboBox()
        self.choice.initStyleOption(option)
        part = QStyle.SubControl.SC_ComboBoxEditField
        room = self.choice.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, part, self.choice).width()
        text = self.choice.currentText()
        self.choice.setToolTip(text if self.choice.fontMetrics().horizontalAdvance(text) > room else "")

    @Slot(bool)
    def _show_panel(self, on: bool) -> None:
        self.panel.setVisible(on)
        self.memory.setIcon(icons.icon("up" if on else "down", self._theme.text))
        self.memory_shown.emit()

    @Slot(int)
    def _on_choice(self, index: int) -> None:
        data = self.choice.itemData(index)
        if isinstance(data, Path):
            self._chosen = data
            self.chosen.emit(data)
            return
        self._select_chosen()
        if isinstance(data, LostModel):
            self.lost_asked.emit(data.path)
        elif data == OPEN_FOLDER:
            self.folder_asked.emit()
        elif data == SET_UP:
            self.setup_asked.emit()
        elif data == GET:
            self.get_asked.emit()
