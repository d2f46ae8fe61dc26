"""The help: keys, versions and licences, and the log. Pages are made when they are first shown."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTabWidget, QVBoxLayout, QWidget

from app.help.about_page import AboutPage
from app.help.keys_page import KeysPage
from app.help.log_page import LogPage
from app.looks.theme import Theme
from app.views.fitting import resize_within
from app.views.parts import quiet

KEYS, ABOUT, LOG = range(3)
SIZE = (760, 560)


class HelpWindow(QDialog):
    """report: makes the diagnostics."""

    def __init__(self, theme: Theme, send_key: str, report: Callable[[], str], home: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Help"))
        self._theme = theme
        self.about: AboutPage | None = None
        self.keys, self.log = KeysPage(send_key, self), LogPage(report, home, self)
        self._about_place = QVBoxLayout()
        self._about_place.setContentsMargins(0, 0, 0, 0)
        place = QWidget(self)
        place.setLayout(self._about_place)
        self.tabs = tabs = QTabWidget(self)
        tabs.setAccessibleName(self.tr("Pages of the help"))
        tabs.tabBar().setAccessibleName(self.tr("Pages of the help"))
        tabs.setDocumentMode(True)
        tabs.tabBar().setDrawBase(False)
        for page, label in ((self.keys, self.tr("Keys")), (place, self.tr("About Ouzel")), (self.log, self.tr("Log"))):
            tabs.addTab(page, label)
        tabs.currentChanged.connect(self._on_page)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        quiet(buttons)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(tabs, 1)
        column.addWidget(buttons)
        resize_within(self, *SIZE)

    def show_page(self, page: int) -> None:
        """Come up with that page."""
        self.tabs.setCurrentIndex(page)
        self._on_page(page)
        self.show()
        self.raise_()
        self.activateWindow()

    @Slot(int)
    def _on_page(self, page: int) -> None:
        if page == LOG:
            self.log.refresh()
        elif page == ABOUT and self.about is None:
            self.about = AboutPage(self._theme, self)
            self._about_place.addWidget(self.about)
