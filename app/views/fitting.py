"""Windows that are never larger than their screen."""

from PySide6.QtWidgets import QWidget

FRAME = (8, 40)  # pixels beside and over a window's inside for its border and title, which no system tells before it is shown


def resize_within(window: QWidget, width: int, height: int) -> None:
    """Give a window this size, or as much of it as its screen has room for: what lies below the screen's edge cannot be reached."""
    room = window.screen().availableSize()
    window.resize(min(width, room.width() - FRAME[0]), min(height, room.height() - FRAME[1]))
