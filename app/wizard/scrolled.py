"""A part that scrolls where there is no room for it."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLayout, QScrollArea, QWidget


class Scrolled(QScrollArea):
    """`layout` fills it, at its preferred height for the width that there is, or more."""

    def __init__(self, layout: QLayout, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("plainarea")
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidgetResizable(True)
        inside = QWidget(self)
        inside.setObjectName("plain")
        inside.setLayout(layout)
        self.setWidget(inside)
