"""What has less room than it needs: texts, buttons, entries and painted parts of a page."""

from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QProgressBar,
    QRadioButton,
    QStyle,
    QStyleOptionComboBox,
    QTabBar,
    QToolButton,
    QWidget,
)

from app.views.parts import ElidedLabel

TARGET = 24  # logical pixels: the least side of what is to be hit
OWN_LINE = 18  # of a box with words, which can be hit too


def misfits(page: QWidget) -> list[str]:
    """What of a page is cut, or too small to be hit; a sentence each."""
    out = []
    for widget in [page, *page.findChildren(QWidget)]:
        if widget.isVisible() and not widget.objectName().startswith("qt_") and not widget.visibleRegion().isEmpty():
            out += [f"{type(widget).__name__} {widget.objectName()} “{name_of(widget)}”: {told}" for told in cut(widget)]
    return out


def name_of(widget: QWidget) -> str:
    """What a person would call it."""
    text = widget.text() if isinstance(widget, QLabel | QAbstractButton | QLineEdit) else ""
    return text or widget.accessibleName()


def cut(widget: QWidget) -> list[str]:
    """How one widget lacks room."""
    out, width, height = [], widget.width(), widget.height()
    parent = widget.parentWidget()
    if parent is not None and not widget.isWindow() and not scrolled(widget) and (widget.x() < 0 or widget.x() + width > parent.width()):
        out.append(f"from {widget.x()} to {widget.x() + width} of {parent.width()}")
    least = widget.minimumSizeHint()
    match widget:
        case ElidedLabel() | QAbstractScrollArea() | QProgressBar():
            return out
        case QLabel() if widget.wordWrap():
            if height < widget.heightForWidth(width) - 1:
                out.append(f"{height} high, but {widget.heightForWidth(width)} are needed at {width}")
        case QLineEdit():
            if not isinstance(parent, QAbstractSpinBox | QComboBox) and not widget.text():
                needed = widget.fontMetrics().horizontalAdvance(widget.placeholderText())
                if needed > width - 16:
                    out.append(f"hint: {width} wide, but {needed} are needed")
        case QComboBox() if not widget.toolTip():
            option = QStyleOptionComboBox()
            widget.initStyleOption(option)
            room = widget.style().subControlRect(
                QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, widget
            ).width()
            needed = widget.fontMetrics().horizontalAdvance(widget.currentText())
            if needed > room:
                out.append(f"{widget.currentText()}: {room} wide, but {needed} are needed")
        case QAbstractSpinBox():
            edit = widget.lineEdit()
            needed = edit.fontMetrics().horizontalAdvance(edit.text()) + edit.textMargins().left()
            if needed > edit.width():
                out.append(f"{edit.text()}: {edit.width()} wide, but {needed} are needed")
        case QTabBar():
            out += [
                f"tab {widget.tabText(i)}: {widget.tabRect(i).width()} wide, but {widget.minimumTabSizeHint(i).width()} are needed"
                for i in range(widget.count())
                if widget.tabRect(i).width() < widget.fontMetrics().horizontalAdvance(widget.tabText(i))
                or widget.tabRect(i).right() > width
            ]
        case QToolButton() if widget.objectName() == "send":
            pass  # a circle, as large as the style sheet says
        case QCheckBox() | QRadioButton() | QLabel() | QAbstractButton() if width < least.width() or height < least.height() - 1:
            out.append(f"{width} by {height}, but {least.width()} by {least.height()} are needed")
        case _ if paints_itself(widget) and (width < least.width() or height < least.height() - 1):
            out.append(f"{width} by {height}, but {least.width()} by {least.height()} are needed")
    if isinstance(widget, QAbstractButton) and not isinstance(parent, QLineEdit | QTabBar | QAbstractSpinBox):
        least_side = OWN_LINE if isinstance(widget, QCheckBox | QRadioButton) else TARGET
        if min(width, height) < least_side:
            out.append(f"{width} by {height} is hard to hit")
        if isinstance(widget, QToolButton) and not widget.icon().isNull() and not widget.text() and not widget.accessibleName():
            out.append("has no name")
    return out


def scrolled(widget: QWidget) -> bool:
    """Whether it moves inside of a scroll area."""
    parent = widget.parentWidget()
    return parent is not None and parent.objectName() == "qt_scrollarea_viewport"


def paints_itself(widget: QWidget) -> bool:
    """Whether it is a part of ours that draws texts."""
    return type(widget).__module__.startswith("app.") and widget.layout() is None and not widget.isWindow()
