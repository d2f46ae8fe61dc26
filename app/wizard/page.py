"""What all pages of the wizard have: a heading, a sentence, a body."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QVBoxLayout, QWidget

from app.looks.theme import Theme
from app.wizard.control import WizardControl
from app.wizard.scrolled import Scrolled
from app.wizard.words import tr

HEADING = 1.35


class PageView(QFrame):
    """`body` takes the page's parts. `next_asked` follows Return in a list."""

    next_asked = Signal()

    def __init__(self, control: WizardControl, theme: Theme, heading: str, about: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.control, self.theme = control, theme
        self.setObjectName("page")
        self.heading = QLabel(heading, self)
        self.heading.setObjectName("heading")
        self.about = plain(QLabel(about, self), "dim")
        self.body = QVBoxLayout()
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.setSpacing(10)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 18, 24, 14)
        column.setSpacing(6)
        column.addWidget(self.heading)
        column.addWidget(self.about)
        column.addSpacing(6)
        column.addWidget(Scrolled(self.body, heading, self), 1)
        self.fit_fonts()

    def fit_fonts(self) -> None:
        """Follow the application's text size."""
        font = QApplication.font()
        font.setPointSizeF(font.pointSizeF() * HEADING)
        font.setWeight(font.Weight.DemiBold)
        self.heading.setFont(font)

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self.theme = theme

    def render_state(self) -> None:
        """Show what the control knows."""

    def start(self) -> None:
        """Put the focus where a person begins."""

    def next_label(self) -> str:
        """The text of the wizard's button."""
        return tr("Next")

    def can_next(self) -> bool:
        """Whether one can go on."""
        return True

    def doubt(self) -> str:
        """Why going on leads nowhere, which is asked about first; "" where it does."""
        return ""

    def go_on(self) -> None:
        """Do what the wizard's button says."""


def plain(label: QLabel, name: str = "") -> QLabel:
    """A label of several lines of plain text."""
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    if name:
        label.setObjectName(name)
    return label


def say(label: QLabel, text: str, tone: str = "") -> None:
    """Show a text, in a tone of the style sheet; an empty one hides the label."""
    label.setText(text)
    label.setVisible(bool(text))
    if label.property("tone") != tone:
        label.setProperty("tone", tone)
        label.style().unpolish(label)
        label.style().polish(label)
