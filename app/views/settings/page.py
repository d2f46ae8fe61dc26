"""What pages of settings are made of: fields that each stand for one setting, in a form that scrolls where there is no room."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFormLayout,
    QFrame,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.settings import Settings

Fill = Callable[[Settings], None]
SIDE = 14


class SettingsPage(QScrollArea):
    """`changed` carries a setting's name and its new value. A number at its lowest, named position means None: the usual value."""

    changed = Signal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fields: dict[str, QWidget] = {}
        self.expert_settings: set[str] = set()
        self._expert_rows: list[QWidget] = []
        self._fills: list[Fill] = []
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        inside = QWidget(self)
        inside.setBackgroundRole(QPalette.ColorRole.Window)
        column = QVBoxLayout(inside)
        column.setContentsMargins(SIDE, 16, SIDE, 8)
        self.form = QFormLayout()
        self.form.setVerticalSpacing(9)
        self.form.setHorizontalSpacing(16)
        self.form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        column.addLayout(self.form, 1)
        self.setWidget(inside)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """As wide as its fields, so that nothing is cut at the side."""
        inside = self.form.totalMinimumSize().width() + 2 * SIDE
        return QSize(inside + self.verticalScrollBar().sizeHint().width(), 200)

    def show_settings(self, settings: Settings) -> None:
        """Fill all fields."""
        for fill in self._fills:
            fill(settings)

    def show_expert(self, shown: bool) -> None:
        """Show what only some people need, or hide it."""
        for field in self._expert_rows:
            self.form.setRowVisible(field, shown)

    def add(self, name: str, label: str, field: QWidget, tip: str = "", fill: Fill | None = None, expert: bool = False) -> None:
        """A row of the form; `fill` shows the settings in the field."""
        field.setAccessibleName(label)
        field.setToolTip(tip)
        self.fields[name] = field
        if fill is not None:
            self._fills.append(fill)
        if expert:
            self.expert_settings.add(name)
        self.add_row("" if isinstance(field, QCheckBox) else label, field, expert)

    def add_row(self, label: str, row: QWidget, expert: bool = False) -> None:
        """A row that is no setting."""
        if expert:
            self._expert_rows.append(row)
        if label:
            told = QLabel(label, self)
            told.setBuddy(row)
            if row.sizePolicy().verticalPolicy() == QSizePolicy.Policy.Fixed:
                told.setMinimumHeight(row.sizeHint().height())  # beside the middle of its field
            self.form.addRow(told, row)
        else:
            self.form.addRow(row)

    def decimal(self, name: str, label: str, low: float, high: float, step: float, usual: str, tip: str, expert: bool = False) -> None:
        """A number with two decimals."""
        box = QDoubleSpinBox(self)
        box.setDecimals(2)
        box.setRange(round(low - step, 2), high)
        box.setSingleStep(step)
        self._number(name, label, box, usual, tip, expert)

    def whole(
        self, name: str, label: str, low: int, high: int, usual: str, tip: str, suffix: str = "", expert: bool = False
    ) -> None:
        """A whole number."""
        box = QSpinBox(self)
        box.setRange(low - 1, high)
        box.setSuffix(suffix)
        box.setGroupSeparatorShown(bool(suffix))  # as amounts are written elsewhere; without a suffix it is a number like a port
        box.setStepType(QSpinBox.StepType.AdaptiveDecimalStepType)
        self._number(name, label, box, usual, tip, expert)

    def _number(self, name: str, label: str, box: Any, usual: str, tip: str, expert: bool) -> None:
        box.setSpecialValueText(usual)
        box.setKeyboardTracking(False)
        box.lineEdit().setTextMargins(6, 0, 0, 0)
        _leave_the_wheel(box)

        def fill(settings: Settings) -> None:
            value = getattr(settings, name)
            with QSignalBlocker(box):
                box.setValue(box.minimum() if value is None else value)

        box.valueChanged.connect(lambda v: self.changed.emit(name, None if v == box.minimum() else round(v, 4)))
        self.add(name, label, box, tip, fill, expert)

    def flag(self, name: str, label: str, tip: str, expert: bool = False) -> None:
        """A box to tick."""
        box = QCheckBox(label, self)

        def fill(settings: Settings) -> None:
            with QSignalBlocker(box):
                box.setChecked(getattr(settings, name))

        box.toggled.connect(lambda on: self.changed.emit(name, on))
        self.add(name, label, box, tip, fill, expert)

    def choice(self, name: str, label: str, entries: tuple[tuple[Any, str], ...], tip: str = "", expert: bool = False) -> None:
        """One of several values."""
        box = QComboBox(self)
        box.view().setAccessibleName(label)
        for value, text in entries:
            box.addItem(text, value)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        _leave_the_wheel(box)
        box.activated.connect(lambda _: self.changed.emit(name, box.currentData()))
        self.add(name, label, box, tip, lambda s: box.setCurrentIndex(max(box.findData(getattr(s, name)), 0)), expert)

    def hint(self, text: str, expert: bool = False) -> QLabel:
        """A sentence below the fields above."""
        label = QLabel(text, self)
        label.setObjectName("dim")
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        self.add_row("", label, expert)
        return label

    def problem(self) -> QLabel:
        """A place for what is wrong with the field above; hidden while all is well."""
        label = self.hint("")
        label.setObjectName("")
        self.form.setRowVisible(label, False)
        return label


def _leave_the_wheel(field: QAbstractSpinBox | QComboBox) -> None:
    """Turning the wheel scrolls the page and changes no setting by the way."""
    field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    field.installEventFilter(_Wheel(field))


class _Wheel(QObject):
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() == QEvent.Type.Wheel and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()
            return True
        return False
