"""The memory panel: a slider over the limits that can work, what each costs and brings, and the context's length."""

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QFrame, QGridLayout, QHBoxLayout, QLabel, QSlider, QWidget

from app.limits import LimitsView
from app.views.parts import Progress

GB = 1_000_000_000
LEAST_SLIDER = 120  # pixels


class MemoryPanel(QFrame):
    """Emits what is asked; shows what it is told."""

    budget_changed = Signal(object)  # bytes, None: automatic
    context_changed = Signal(object)  # tokens, None: automatic

    def __init__(self, possible_bytes: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("memorypanel")
        self._possible, self._floor = possible_bytes, 0
        self._steps: tuple[int, ...] = ()
        self._contexts: tuple[tuple[int | None, str], ...] = ()
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setPageStep(4)
        self.budget = self._budget_box()
        self.automatic = QCheckBox(self)
        self.context = QComboBox(self)
        self.context.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.headline, self.brings, self.note = self._text("heading"), self._text("dim"), self._text("dim")
        self.progress = Progress("", self)
        self._names = QLabel(self), QLabel(self)  # of the limit and of the context
        self.retranslate()
        self._lay_out()
        self.slider.valueChanged.connect(self._on_slider)
        self.budget.valueChanged.connect(self._on_budget)
        self.automatic.toggled.connect(self._on_automatic)
        self.context.activated.connect(self._on_context)

    def _text(self, name: str) -> QLabel:
        label = QLabel(self)
        label.setObjectName(name)
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        return label

    def _budget_box(self) -> QDoubleSpinBox:
        box = QDoubleSpinBox(self)
        box.setRange(0.0, max(self._possible / GB, 0.1))
        box.setDecimals(2)
        box.setStepType(QDoubleSpinBox.StepType.AdaptiveDecimalStepType)
        box.setKeyboardTracking(False)
        box.lineEdit().setTextMargins(6, 0, 0, 0)
        return box

    def retranslate(self) -> None:
        """Say all but what is rendered in the language of the window."""
        self.setAccessibleName(self.tr("Memory and context"))
        self.slider.setAccessibleName(self.tr("Memory limit"))
        self.automatic.setText(self.tr("Automatic"))
        self.automatic.setAccessibleName(self.tr("Automatic memory limit"))
        self.context.setAccessibleName(self.tr("Context length"))
        self.context.view().setAccessibleName(self.tr("Context lengths"))
        self.progress.setAccessibleName(self.tr("Measuring memory and drive"))
        self.budget.setAccessibleName(self.tr("Memory limit in gigabytes"))
        self.budget.setSuffix(self.tr(" GB"))
        self.budget.setSpecialValueText(self.tr("Automatic"))
        self.budget.setMinimumWidth(self.budget.sizeHint().width())
        for label, name in zip(self._names, (self.tr("Memory limit"), self.tr("Context")), strict=True):
            label.setText(name)

    def _lay_out(self) -> None:
        memory, context = self._names
        memory.setBuddy(self.slider)
        context.setBuddy(self.context)
        self._choices = choices = QHBoxLayout()
        choices.setSpacing(10)
        choices.addWidget(self.slider, 1)
        choices.addWidget(self.budget)
        choices.addWidget(self.automatic)
        lengths = QHBoxLayout()
        lengths.setSpacing(10)
        lengths.addWidget(self.context)
        lengths.addWidget(self.progress, 1)
        lengths.addStretch(1)
        self._grid = grid = QGridLayout(self)
        grid.setContentsMargins(6, 6, 6, 4)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(4)
        grid.addWidget(memory, 0, 0)
        grid.addLayout(choices, 0, 1)
        grid.addWidget(self.headline, 2, 1)
        grid.addWidget(self.brings, 3, 1)
        grid.addWidget(context, 4, 0)
        grid.addLayout(lengths, 4, 1)
        grid.addWidget(self.note, 5, 1)
        grid.setColumnStretch(1, 1)
        self._beside = True  # the box for the automatic limit is in the slider's line

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Where the slider would be short, the box goes below it."""
        super().resizeEvent(event)
        room = self._choices.geometry().width()
        beside = room >= LEAST_SLIDER + self.budget.sizeHint().width() + self.automatic.sizeHint().width() + 20
        if beside != self._beside and room:
            self._beside = beside
            (self._grid if beside else self._choices).removeWidget(self.automatic)
            self._choices.addWidget(self.automatic) if beside else self._grid.addWidget(self.automatic, 1, 1)

    def render_view(self, v: LimitsView, budget: int | None, context: int | None, free: bool) -> None:
        """Show what can be chosen and what is; free: whether it can be changed now."""
        self._steps = v.steps
        with QSignalBlocker(self.slider), QSignalBlocker(self.automatic):
            self.slider.setRange(0, max(len(v.steps) - 1, 0))
            self.slider.setValue(v.at)
            self.automatic.setChecked(v.automatic)
        self.slider.setAccessibleDescription(v.spoken)
        if v.contexts != self._contexts:
            self._contexts = v.contexts
            self.context.clear()
            for tokens, text in v.contexts:
                self.context.addItem(text, tokens)
        self.context.setCurrentIndex(next((n for n, (tokens, _) in enumerate(v.contexts) if tokens == context), 0))
        self.set_free(free)
        self._say(self.headline, f"{v.headline}. {v.measured}" if v.headline and v.measured else v.headline)
        self._say(self.brings, v.brings)
        self._say(self.note, v.note)
        self.progress.show_fraction(v.progress)
        self._show_budget(budget)

    def set_free(self, free: bool) -> None:
        """Whether anything can be changed now."""
        self.slider.setEnabled(free and len(self._steps) > 1)
        for control in (self.automatic, self.budget, self.context):
            control.setEnabled(free)

    @staticmethod
    def _say(label: QLabel, text: str) -> None:
        if label.text() != text:
            label.setText(text)
        label.setVisible(bool(text))

    def show_budget(self, budget_bytes: int | None, floor_bytes: int, tip: str) -> None:
        """Show the limit that is set; floor: the least one that the chosen model takes (0: not known)."""
        self._floor = floor_bytes
        self._show_budget(budget_bytes)
        self.budget.setToolTip(tip)
        self.slider.setToolTip(tip)

    def _show_budget(self, budget_bytes: int | None) -> None:
        with QSignalBlocker(self.budget):
            self.budget.setValue((budget_bytes or 0) / GB)

    # What a person does

    @Slot(int)
    def _on_slider(self, at: int) -> None:
        if 0 <= at < len(self._steps):
            self.budget_changed.emit(self._steps[at])

    @Slot(float)
    def _on_budget(self, gigabytes: float) -> None:
        if gigabytes <= 0:
            self.budget_changed.emit(None)
            return
        # Two decimals are shown; a limit under the floor cannot work, so the floor itself is taken, rounded up.
        wanted = max(round(gigabytes * GB), -(-self._floor // (GB // 100)) * (GB // 100))
        if self._steps:
            wanted = min(wanted, self._steps[-1])
        self._show_budget(wanted)
        self.budget_changed.emit(wanted)

    @Slot(bool)
    def _on_automatic(self, on: bool) -> None:
        if on:
            self.budget_changed.emit(None)
        elif self._steps:
            self.budget_changed.emit(self._steps[self.slider.value()])
        else:
            with QSignalBlocker(self.automatic):
                self.automatic.setChecked(True)  # nothing is known yet that could be chosen instead

    @Slot(int)
    def _on_context(self, at: int) -> None:
        self.context_changed.emit(self.context.itemData(at))
