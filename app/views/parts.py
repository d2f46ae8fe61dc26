"""Small parts that several views use."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPaintEvent
from PySide6.QtWidgets import QDialogButtonBox, QLabel, QProgressBar, QPushButton, QSizePolicy, QWidget


class ElidedLabel(QLabel):
    """One line of text that is shortened with an ellipsis where there is no room; the tool tip has all of it."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """As narrow as need be."""
        return QSize(20, super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Draw what fits."""
        painter = QPainter(self)
        painter.setPen(self.palette().windowText().color())
        shown = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
        self.setToolTip(self.text() if shown != self.text() else "")


class Progress(QProgressBar):
    """A thin bar; None hides it, a negative fraction is a bar without an end."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextVisible(False)
        self.setAccessibleName(name)
        self.setFixedHeight(6)
        self.hide()

    def show_fraction(self, fraction: float | None) -> None:
        """Show how much is done."""
        self.setVisible(fraction is not None)
        if fraction is not None:
            self.setRange(0, 0 if fraction < 0 else 1000)
            if fraction >= 0:
                self.setValue(round(fraction * 1000))


def quiet(buttons: QDialogButtonBox) -> None:
    """Buttons without pictures, with names, and such that Return in a field of the dialog does not press one."""
    for button in buttons.buttons():
        button.setIcon(QIcon())
        if isinstance(button, QPushButton):
            button.setAutoDefault(False)
            button.setDefault(False)
        button.setAccessibleName(button.text().replace("&", ""))
