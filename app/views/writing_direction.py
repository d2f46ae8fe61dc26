"""A plain text field that begins on the side where its language does: Qt orders such letters rightly, and leaves them on the left."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from app.transcript.direction import right_to_left


def follow(field: QPlainTextEdit) -> None:
    """Put the text of `field` to the right as long as its first letter with a direction is of a language that runs from right to left."""

    def turn() -> None:
        text = field.toPlainText()
        right = right_to_left(text) if text.strip() else QApplication.layoutDirection() == Qt.LayoutDirection.RightToLeft
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        option = field.document().defaultTextOption()
        if option.alignment() != side | Qt.AlignmentFlag.AlignAbsolute:
            option.setAlignment(side | Qt.AlignmentFlag.AlignAbsolute)
            field.document().setDefaultTextOption(option)

    field.textChanged.connect(turn)
    turn()
