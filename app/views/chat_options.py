"""Options of one chat: presets, system prompt, sampling, thinking. Each change takes effect with the next answer.

A field that is left empty shows, in grey, what the settings or else the model's publisher say.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QDoubleValidator, QIntValidator, QValidator
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QInputDialog,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.chats.options import MOST_STOPS, ChatOptions
from app.language import short
from app.settings import CHECKS, Settings
from app.views.fitting import resize_within
from app.views.parts import quiet
from engine.config import Sampling

NUMBERS: tuple[tuple[str, float, float, int], ...] = (  # name, least, most, decimals
    ("temperature", 0.0, 10.0, 3),
    ("top_p", 0.0, 1.0, 4),
    ("top_k", 0, 1 << 20, 0),
    ("min_p", 0.0, 1.0, 4),
    ("repetition_penalty", 0.1, 10.0, 3),
    ("max_tokens", 1, 1 << 30, 0),
)


class ChatOptionsDialog(QDialog):
    """`changed` carries the whole new options; `preset_saved` a name and options, `preset_removed` a name."""

    changed = Signal(object)
    preset_saved = Signal(str, object)
    preset_removed = Signal(str)

    def __init__(
        self,
        options: ChatOptions,
        settings: Settings,
        defaults: Sampling,
        can_think: bool,
        presets: Mapping[str, ChatOptions],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Options of this chat"))
        self.options, self._filling = options, False
        self._settings, self._defaults = settings, defaults
        self._usual = ChatOptions().sampling(settings, defaults)
        self._usual_prompt = settings.system_prompt.strip()
        self.fields: dict[str, QWidget] = {}
        self._fill: list[Callable[[ChatOptions], None]] = []
        self.presets = QComboBox(self)
        self.save_preset = QPushButton(self.tr("Save as…"), self)
        self.remove_preset = QPushButton(self.tr("Remove"), self)
        form = QFormLayout()
        form.setVerticalSpacing(9)
        form.setHorizontalSpacing(16)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self._preset_row(form)
        self._prompt(form)
        self._numbers(form)
        self._stops(form)
        if can_think:
            self._thinking(form)
        column = QVBoxLayout(self)
        column.addLayout(form, 1)
        column.addWidget(self._buttons())
        resize_within(self, 500, 560)
        self.show_presets(presets)
        self.show_options(options)

    def _buttons(self) -> QDialogButtonBox:
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close | QDialogButtonBox.StandardButton.Reset, self)
        quiet(buttons)
        buttons.rejected.connect(self.reject)
        buttons.button(QDialogButtonBox.StandardButton.Reset).clicked.connect(lambda: self._take(ChatOptions()))
        return buttons

    def _preset_row(self, form: QFormLayout) -> None:
        self.presets.setAccessibleName(self.tr("Preset"))
        self.presets.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.presets.view().setAccessibleName(self.tr("Presets"))
        for button in (self.save_preset, self.remove_preset):
            button.setAutoDefault(False)
        self.save_preset.setAccessibleName(self.tr("Save these options as a preset"))
        self.remove_preset.setAccessibleName(self.tr("Remove the chosen preset"))
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.presets, 1)
        row.addWidget(self.save_preset)
        row.addWidget(self.remove_preset)
        form.addRow(self.tr("Preset"), row)
        self.presets.activated.connect(self._on_preset)
        self.save_preset.clicked.connect(self._on_save)
        self.remove_preset.clicked.connect(self._on_remove)

    def _add(self, form: QFormLayout, name: str, label: str, field: QWidget, tip: str, fill: Callable[[ChatOptions], None]) -> None:
        field.setAccessibleName(label)
        field.setToolTip(tip)
        self.fields[name] = field
        self._fill.append(fill)
        form.addRow(label, field)

    def _prompt(self, form: QFormLayout) -> None:
        field = QPlainTextEdit(self)
        field.setObjectName("system")
        field.setTabChangesFocus(True)
        field.setMinimumHeight(70)
        field.setPlaceholderText(self._usual_prompt or self.tr("What the model should know or how it should answer"))

        def fill(options: ChatOptions) -> None:
            if field.toPlainText() != (options.system_prompt or ""):
                field.setPlainText(options.system_prompt or "")

        field.textChanged.connect(lambda: self._change("system_prompt", field.toPlainText() or None))
        self._add(form, "system_prompt", self.tr("System prompt"), field, "", fill)

    def _numbers(self, form: QFormLayout) -> None:
        labels = {
            "temperature": (self.tr("Temperature"), self.tr("How freely words are drawn; 0 always takes the likeliest one")),
            "top_p": (self.tr("Top-p"), self.tr("Draw from the likeliest tokens that together have this probability; 1 is off")),
            "top_k": (self.tr("Top-k"), self.tr("Draw from this many of the likeliest tokens; 0 is off")),
            "min_p": (self.tr("Min-p"), self.tr("Leave out tokens that are less likely than this share of the likeliest one; 0 is off")),
            "repetition_penalty": (
                self.tr("Repetition penalty"),
                self.tr("Above 1, words that occurred already become less likely; 1 is off"),
            ),
            "max_tokens": (self.tr("Longest answer"), self.tr("Tokens after which an answer is cut")),
        }
        for name, least, most, decimals in NUMBERS:
            usual = getattr(self._usual, name)
            shown = self.tr("until the answer ends") if usual is None else short(usual)
            validator: QValidator = QDoubleValidator(least, most, decimals) if decimals else QIntValidator(int(least), int(most))
            self._number(form, name, *labels[name], shown, validator)
        usual = self.tr("a new one for each answer") if self._usual.seed is None else str(self._usual.seed)
        tip = self.tr("The same seed, options and conversation give the same answer")
        self._number(form, "seed", self.tr("Seed"), tip, usual, None)

    def _number(self, form: QFormLayout, name: str, label: str, tip: str, usual: str, validator: QValidator | None) -> None:
        field = QLineEdit(self)
        field.setPlaceholderText(usual)
        if validator is not None:
            validator.setParent(field)
            validator.setLocale(validator.locale().c())
            field.setValidator(validator)

        def take() -> None:
            value = _number(field.text())
            if value is not None and not CHECKS[name](value):
                value = None
            self._change(name, value)
            field.setText("" if value is None else f"{value:.12g}" if isinstance(value, float) else str(value))

        def fill(options: ChatOptions) -> None:
            value = getattr(options, name)
            field.setText("" if value is None else f"{value:.12g}" if isinstance(value, float) else str(value))

        field.editingFinished.connect(take)
        self._add(form, name, label, field, tip, fill)

    def _stops(self, form: QFormLayout) -> None:
        field = QPlainTextEdit(self)
        field.setObjectName("system")
        field.setTabChangesFocus(True)
        field.setFixedHeight(54)
        field.setPlaceholderText(self.tr("none"))

        def take() -> None:
            lines = [line for line in field.toPlainText().split("\n") if line][:MOST_STOPS]
            self._change("stop", tuple(line.replace("\\n", "\n") for line in lines))

        def fill(options: ChatOptions) -> None:
            text = "\n".join(s.replace("\n", "\\n") for s in options.stop)
            if [line for line in field.toPlainText().split("\n") if line] != [line for line in text.split("\n") if line]:
                field.setPlainText(text)

        field.textChanged.connect(take)
        tip = self.tr("One a line; the answer ends where one of them would begin. \\n stands for a line break.")
        self._add(form, "stop", self.tr("Stop strings"), field, tip, fill)

    def _thinking(self, form: QFormLayout) -> None:
        box = QComboBox(self)
        box.view().setAccessibleName(self.tr("Thinking"))
        for label, value in ((self.tr("As the model does"), None), (self.tr("On"), True), (self.tr("Off"), False)):
            box.addItem(label, value)
        box.activated.connect(lambda _: self._change("thinking", box.currentData()))
        tip = self.tr("Whether the model thinks before it answers")
        self._add(form, "thinking", self.tr("Thinking"), box, tip, lambda o: box.setCurrentIndex((None, True, False).index(o.thinking)))

    def show_options(self, options: ChatOptions) -> None:
        """Fill all fields."""
        self.options, self._filling = options, True
        for fill in self._fill:
            fill(options)
        self._filling = False
        self._mark_preset()
        self._tell_penalty()

    def _tell_penalty(self) -> None:
        """The usual repetition penalty depends on the temperature."""
        field = self.fields["repetition_penalty"]
        assert isinstance(field, QLineEdit)
        usual = ChatOptions(temperature=self.options.temperature).sampling(self._settings, self._defaults)
        field.setPlaceholderText(short(usual.repetition_penalty))

    def show_presets(self, presets: Mapping[str, ChatOptions]) -> None:
        """Offer these."""
        self._presets = dict(presets)
        self.presets.clear()
        self.presets.addItem(self.tr("None"), None)
        for name in self._presets:
            self.presets.addItem(name, name)
        self._mark_preset()

    def _mark_preset(self) -> None:
        name = next((n for n, o in self._presets.items() if o == self.options), None)
        self.presets.setCurrentIndex(max(self.presets.findData(name), 0) if name is not None else 0)
        self.remove_preset.setEnabled(name is not None)

    def _change(self, name: str, value: object) -> None:
        if not self._filling and getattr(self.options, name) != value:
            self.options = replace(self.options, **{name: value})  # type: ignore[arg-type]
            self.changed.emit(self.options)
            self._mark_preset()
            self._tell_penalty()

    def _take(self, options: ChatOptions) -> None:
        self.show_options(options)
        self.changed.emit(options)

    @Slot()
    def _on_preset(self) -> None:
        name = self.presets.currentData()
        self._take(self._presets.get(name, ChatOptions()) if name is not None else ChatOptions())

    @Slot()
    def _on_save(self) -> None:
        name, good = QInputDialog.getText(self, self.tr("Save as a preset"), self.tr("Name"), text=self.presets.currentData() or "")
        if good and name.strip():
            self.keep_preset(" ".join(name.split())[:80])

    def keep_preset(self, name: str) -> None:
        """Keep the options under a name."""
        self.preset_saved.emit(name, self.options)

    @Slot()
    def _on_remove(self) -> None:
        name = self.presets.currentData()
        if name is not None:
            self.preset_removed.emit(name)


def _number(text: str) -> int | float | None:
    text = text.strip().replace(",", ".")
    try:
        return int(text)
    except ValueError:
        pass
    try:
        value = float(text)
    except ValueError:
        return None
    return value if value == value else None
