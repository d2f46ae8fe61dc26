"""Settings that reach the engine's requests, and how the window looks. Each change takes effect at once.

A number that is left at its lowest, named position means the model's or the machine's own value.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QSpinBox,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.settings import TEXT_SIZES, Settings
from app.views.parts import quiet
from engine.config import Sampling


class SettingsDialog(QDialog):
    """`changed` carries the whole new settings."""

    changed = Signal(object)

    def __init__(self, settings: Settings, defaults: Sampling, longest_context: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Settings"))
        self.settings, self._defaults, self._filling = settings, defaults, False
        self.fields: dict[str, QWidget] = {}
        self._setters: list[Callable[[Settings], None]] = []
        self.tabs = tabs = QTabWidget(self)
        tabs.setAccessibleName(self.tr("Groups of settings"))
        tabs.setDocumentMode(True)
        tabs.tabBar().setDrawBase(False)
        tabs.tabBar().setAccessibleName(self.tr("Groups of settings"))
        tabs.addTab(self._answers(), self.tr("Answers"))
        tabs.addTab(self._engine(longest_context), self.tr("Engine"))
        tabs.addTab(self._window(), self.tr("Window"))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close | QDialogButtonBox.StandardButton.RestoreDefaults, self)
        quiet(buttons)
        buttons.rejected.connect(self.reject)
        buttons.button(QDialogButtonBox.StandardButton.RestoreDefaults).clicked.connect(self._restore)
        column = QVBoxLayout(self)
        column.addWidget(tabs, 1)
        column.addWidget(buttons)
        self.resize(520, 520)
        self.show_settings(settings)

    def show_settings(self, settings: Settings) -> None:
        """Fill all fields."""
        self.settings, self._filling = settings, True
        for setter in self._setters:
            setter(settings)
        self._filling = False

    def _answers(self) -> QWidget:
        page, form = self._page()
        d, own = self._defaults, self.tr("The model's own ({0})")
        self._decimal(
            form,
            "temperature",
            self.tr("Temperature"),
            0.0,
            2.0,
            0.05,
            own.format(f"{d.temperature:g}"),
            self.tr("How freely words are drawn; 0 always takes the likeliest one"),
        )
        self._decimal(
            form,
            "top_p",
            self.tr("Top-p"),
            0.05,
            1.0,
            0.05,
            own.format(f"{d.top_p:g}"),
            self.tr("Draw from the likeliest tokens that together have this probability; 1 is off"),
        )
        self._whole(
            form, "top_k", self.tr("Top-k"), 0, 1000, own.format(d.top_k), self.tr("Draw from this many of the likeliest tokens; 0 is off")
        )
        self._decimal(
            form,
            "min_p",
            self.tr("Min-p"),
            0.0,
            1.0,
            0.01,
            own.format(f"{d.min_p:g}"),
            self.tr("Leave out tokens that are less likely than this share of the likeliest one; 0 is off"),
        )
        self._decimal(
            form,
            "repetition_penalty",
            self.tr("Repetition penalty"),
            0.5,
            2.0,
            0.05,
            own.format(f"{d.repetition_penalty:g}"),
            self.tr("Above 1, words that occurred already become less likely; 1 is off"),
        )
        self._whole(
            form,
            "max_tokens",
            self.tr("Longest answer"),
            1,
            1_000_000,
            self.tr("Until the answer ends"),
            self.tr("Tokens after which an answer is cut"),
            self.tr(" tokens"),
        )
        self._seed(form)
        self._system_prompt(form)
        return page

    def _engine(self, longest_context: int) -> QWidget:
        page, form = self._page()
        self._flag(
            form,
            "draft",
            self.tr("Draft ahead from what was written already"),
            self.tr("Faster where text repeats; the answer is the same"),
        )
        self._whole(
            form,
            "context",
            self.tr("Context"),
            256,
            max(longest_context, 1024),
            self.tr("What fits the memory limit"),
            self.tr("Tokens that a conversation can have"),
            self.tr(" tokens"),
        )
        kinds = (("auto", self.tr("In full")), ("q8", self.tr("In 8 bits: half the memory for the same context")))
        self._choice(form, "kv", self.tr("Memory of the conversation"), kinds)
        sizes = ((n * 1_000_000_000, self.tr("Up to {0} GB").format(n)) for n in (1, 2, 5, 20))
        self._choice(form, "states_bytes", self.tr("Chats ready to go on, on disk"), ((0, self.tr("None: read again")), *sizes))
        self._whole(form, "threads", self.tr("Threads"), 1, 256, self.tr("One per core"), self.tr("Threads that compute"))
        self._flag(form, "exact", self.tr("Exact arithmetic"), self.tr("Slower, and without rounding of activations to 8 bits"))
        hint = QLabel(self.tr("These take effect when the model is loaded again; the model bar says so."), page)
        hint.setObjectName("dim")
        hint.setWordWrap(True)
        form.addRow(hint)
        return page

    def _window(self) -> QWidget:
        page, form = self._page()
        themes = (("system", self.tr("As the system")), ("light", self.tr("Light")), ("dark", self.tr("Dark")))
        self._choice(form, "theme", self.tr("Theme"), themes)
        self._choice(form, "text_size", self.tr("Text size"), tuple((n, f"{n}%") for n in TEXT_SIZES))
        asleep = self.tr("Where the system lets it")
        self._flag(form, "keep_awake", self.tr("Keep the computer awake while the engine works"), asleep)
        seen = self.tr("Only where no window of Ouzel is in front")
        self._flag(form, "notify", self.tr("Tell me on the desktop when a long answer is ready"), seen)
        self._flag(form, "ask_quit", self.tr("Ask before quitting while something works"), self.tr("What is done is kept either way"))
        return page

    def _page(self) -> tuple[QWidget, QFormLayout]:
        page = QWidget(self)
        form = QFormLayout(page)
        form.setContentsMargins(14, 16, 14, 8)
        form.setVerticalSpacing(9)
        form.setHorizontalSpacing(16)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        return page, form

    def _add(self, form: QFormLayout, name: str, label: str, field: QWidget, tip: str, setter: Callable[[Settings], None]) -> None:
        field.setAccessibleName(label)
        field.setToolTip(tip)
        self.fields[name] = field
        self._setters.append(setter)
        if isinstance(field, QCheckBox):
            form.addRow("", field)
        else:
            form.addRow(label, field)

    def _decimal(self, form: QFormLayout, name: str, label: str, low: float, high: float, step: float, own: str, tip: str) -> None:
        box = QDoubleSpinBox(self)
        box.setDecimals(2)
        box.setRange(round(low - step, 2), high)
        box.setSingleStep(step)
        box.setSpecialValueText(own)
        box.setKeyboardTracking(False)
        box.lineEdit().setTextMargins(6, 0, 0, 0)

        def fill(settings: Settings) -> None:
            value = getattr(settings, name)
            box.setValue(box.minimum() if value is None else value)

        box.valueChanged.connect(lambda v: self._change(name, None if v == box.minimum() else round(v, 4)))
        self._add(form, name, label, box, tip, fill)

    def _whole(self, form: QFormLayout, name: str, label: str, low: int, high: int, own: str, tip: str, suffix: str = "") -> None:
        box = QSpinBox(self)
        box.setRange(low - 1, high)
        box.setSpecialValueText(own)
        box.setSuffix(suffix)
        box.setStepType(QSpinBox.StepType.AdaptiveDecimalStepType)
        box.setKeyboardTracking(False)
        box.lineEdit().setTextMargins(6, 0, 0, 0)

        def fill(settings: Settings) -> None:
            value = getattr(settings, name)
            box.setValue(box.minimum() if value is None else value)

        box.valueChanged.connect(lambda v: self._change(name, None if v == box.minimum() else v))
        self._add(form, name, label, box, tip, fill)

    def _flag(self, form: QFormLayout, name: str, label: str, tip: str) -> None:
        box = QCheckBox(label, self)
        box.toggled.connect(lambda on: self._change(name, on))
        self._add(form, name, label, box, tip, lambda s: box.setChecked(getattr(s, name)))

    def _choice(self, form: QFormLayout, name: str, label: str, entries: tuple[tuple[Any, str], ...]) -> None:
        box = QComboBox(self)
        box.view().setAccessibleName(label)
        for value, text in entries:
            box.addItem(text, value)
        box.activated.connect(lambda _: self._change(name, box.currentData()))
        self._add(form, name, label, box, "", lambda s: box.setCurrentIndex(max(box.findData(getattr(s, name)), 0)))

    def _seed(self, form: QFormLayout) -> None:
        field = QLineEdit(self)
        field.setPlaceholderText(self.tr("A new one for each answer"))

        def take() -> None:
            text = field.text().strip()
            if text.isdecimal() and int(text) < 1 << 63:
                self._change("seed", int(text))
            else:
                field.clear()
                self._change("seed", None)

        field.editingFinished.connect(take)
        tip = self.tr("The same seed, settings and conversation give the same answer")
        self._add(form, "seed", self.tr("Seed"), field, tip, lambda s: field.setText("" if s.seed is None else str(s.seed)))

    def _system_prompt(self, form: QFormLayout) -> None:
        field = QPlainTextEdit(self)
        field.setObjectName("system")
        field.setTabChangesFocus(True)
        field.setPlaceholderText(self.tr("What the model should know or how it should answer"))
        field.setMinimumHeight(70)

        def fill(settings: Settings) -> None:
            if field.toPlainText() != settings.system_prompt:
                field.setPlainText(settings.system_prompt)

        field.textChanged.connect(lambda: self._change("system_prompt", field.toPlainText()))
        self._add(form, "system_prompt", self.tr("System prompt"), field, "", fill)

    def _change(self, name: str, value: object) -> None:
        if self._filling or getattr(self.settings, name) == value:
            return
        self.settings = replace(self.settings, **{name: value})  # type: ignore[arg-type]
        self.changed.emit(self.settings)

    @Slot()
    def _restore(self) -> None:
        fresh, kept = Settings(), self.settings
        fresh = replace(fresh, sidebar=kept.sidebar, width=kept.width, height=kept.height, budget_bytes=kept.budget_bytes)
        self.show_settings(fresh)
        self.changed.emit(fresh)
