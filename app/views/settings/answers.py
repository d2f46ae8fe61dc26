"""Settings of answers: how tokens are drawn, how long an answer is, and what each chat begins with."""

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QDoubleSpinBox, QLineEdit, QPlainTextEdit, QWidget

from app.language import short
from app.settings import Settings
from app.views.settings.page import SettingsPage
from engine.config import Sampling


class AnswersPage(SettingsPage):
    """defaults: how the open model's publisher draws tokens."""

    def __init__(self, defaults: Sampling, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Answers"))
        self._defaults = defaults
        self._drawing()
        self._length()
        self._penalty()
        self._seed()
        self._system_prompt()

    def _own(self, value: float) -> str:
        return self.tr("The model's own ({0})").format(short(value))

    def _drawing(self) -> None:
        d = self._defaults
        tip = self.tr("How freely words are drawn; 0 always takes the likeliest one")
        self.decimal("temperature", self.tr("Temperature"), 0.0, 2.0, 0.05, self._own(d.temperature), tip)
        tip = self.tr("Draw from the likeliest tokens that together have this probability; 1 is off")
        self.decimal("top_p", self.tr("Top-p"), 0.05, 1.0, 0.05, self._own(d.top_p), tip, expert=True)
        tip = self.tr("Draw from this many of the likeliest tokens; 0 is off")
        self.whole("top_k", self.tr("Top-k"), 0, 1000, self._own(d.top_k), tip, expert=True)
        tip = self.tr("Leave out tokens that are less likely than this share of the likeliest one; 0 is off")
        self.decimal("min_p", self.tr("Min-p"), 0.0, 1.0, 0.01, self._own(d.min_p), tip, expert=True)

    def _penalty(self) -> None:
        tip = self.tr("Above 1, words that occurred already become less likely; 1 is off")
        usual = self._own(self._defaults.repetition_penalty)
        self.decimal("repetition_penalty", self.tr("Repetition penalty"), 0.5, 2.0, 0.05, usual, tip, expert=True)

    def show_settings(self, settings: Settings) -> None:
        """Fill all fields; what the usual repetition penalty is depends on the temperature."""
        box, d = self.fields["repetition_penalty"], self._defaults
        assert isinstance(box, QDoubleSpinBox)
        usual = d.given({"temperature": settings.temperature}).repetition_penalty
        box.setSpecialValueText(self._own(usual) if usual == d.repetition_penalty else self.tr("1, since the temperature is 0"))
        super().show_settings(settings)

    def _length(self) -> None:
        tip, usual = self.tr("Tokens after which an answer is cut"), self.tr("Until the answer ends")
        self.whole("max_tokens", self.tr("Longest answer"), 1, 1_000_000, usual, tip, self.tr(" tokens"))

    def _seed(self) -> None:
        field = QLineEdit(self)
        field.setPlaceholderText(self.tr("A new one for each answer"))

        def take() -> None:
            text = field.text().strip()
            value = int(text) if text.isascii() and text.isdecimal() and int(text) < 1 << 63 else None
            if value is None:
                field.clear()
            self.changed.emit("seed", value)

        field.editingFinished.connect(take)
        tip = self.tr("The same seed, settings and conversation give the same answer")
        self.add("seed", self.tr("Seed"), field, tip, lambda s: field.setText("" if s.seed is None else str(s.seed)), expert=True)

    def _system_prompt(self) -> None:
        field = QPlainTextEdit(self)
        field.setObjectName("system")
        field.setTabChangesFocus(True)
        field.setPlaceholderText(self.tr("What the model should know or how it should answer"))
        field.setMinimumHeight(70)

        def fill(settings: Settings) -> None:
            if field.toPlainText() != settings.system_prompt:
                with QSignalBlocker(field):
                    field.setPlainText(settings.system_prompt)

        field.textChanged.connect(lambda: self.changed.emit("system_prompt", field.toPlainText()))
        self.add("system_prompt", self.tr("System prompt"), field, fill=fill)
