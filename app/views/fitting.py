"""Windows that are never larger than their screen, and questions that are not narrower than their title."""

from PySide6.QtWidgets import QGridLayout, QMessageBox, QSpacerItem, QWidget

TITLE = 40  # pixels over a window for its title, which no system tells before it is shown


def resize_within(window: QWidget, width: int, height: int) -> None:
    """Give a window this size, or as much of it as its screen has room for: what lies below the screen's edge cannot be reached."""
    room = (window.parentWidget() or window).screen().availableSize()  # a window that was not shown yet does not know its screen
    window.resize(min(width, room.width()), min(height, room.height() - TITLE))


def widen(box: QMessageBox, width: int = 380) -> None:
    """Give a question room for its title and for sentences of more than a few words a line; after its texts, which lay it out anew."""
    grid = box.layout()
    if isinstance(grid, QGridLayout):
        grid.addItem(QSpacerItem(width, 0), grid.rowCount(), 0, 1, grid.columnCount())
