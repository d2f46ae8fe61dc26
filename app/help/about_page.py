"""Versions and licences: ours, the notice, and those of every library."""

from collections.abc import Callable

from PySide6 import __version__ as pyside_version
from PySide6.QtCore import Qt, Slot, qVersion
from PySide6.QtWidgets import QHBoxLayout, QLabel, QListWidget, QListWidgetItem, QPlainTextEdit, QVBoxLayout, QWidget

from app.help import licences
from app.help.licences import Library
from app.looks import icons
from app.looks.theme import Theme
from engine import __version__

QT = ("PySide6_Essentials", "shiboken6")


class AboutPage(QWidget):
    """A list of works, and the licence of the chosen one."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        bird = QLabel(self)
        bird.setPixmap(icons.pixmap("ouzel", theme.text, 56))
        bird.setAccessibleName(self.tr("Ouzel"))
        name = QLabel(self.tr("Ouzel {0}").format(__version__), self)
        name.setObjectName("heading")
        about = QLabel(self.tr("Qt {0}, PySide6 {1}").format(qVersion(), pyside_version), self)
        about.setObjectName("dim")
        promise = QLabel(self.tr("Nothing leaves this computer: no telemetry, and no request that you did not ask for."), self)
        promise.setWordWrap(True)
        for label in (name, about, promise):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.works = QListWidget(self)
        self.works.setAccessibleName(self.tr("Works that Ouzel is made of"))
        self.works.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.works.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.text = QPlainTextEdit(self)
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName(self.tr("Licence"))
        self._add(self.tr("Ouzel: Apache-2.0"), lambda: licences.own_text("LICENSE"))
        self._add(self.tr("Works of others"), lambda: licences.own_text("NOTICE"))
        for library in licences.libraries():
            qt = library.name in QT
            licence = library.licence or ("LGPL-3.0" if qt else "")
            text = licences.qt_texts if qt else self._reader(library)
            self._add(f"{library.name} {library.version}".strip() + (f": {licence}" if licence else ""), text)
        self._lay_out(bird, name, about, promise)
        self.works.currentItemChanged.connect(self._show_text)
        self.works.setCurrentRow(0)

    def _lay_out(self, bird: QLabel, name: QLabel, about: QLabel, promise: QLabel) -> None:
        words = QVBoxLayout()
        words.setSpacing(2)
        for label in (name, about, promise):
            words.addWidget(label)
        head = QHBoxLayout()
        head.setSpacing(14)
        head.addWidget(bird)
        head.addLayout(words, 1)
        below = QHBoxLayout()
        below.addWidget(self.works, 2)
        below.addWidget(self.text, 3)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 14, 14, 8)
        column.setSpacing(10)
        column.addLayout(head)
        column.addLayout(below, 1)

    def _add(self, label: str, text: Callable[[], str]) -> None:
        item = QListWidgetItem(label, self.works)
        item.setToolTip(label)
        item.setData(Qt.ItemDataRole.UserRole, text)

    def _reader(self, library: Library) -> Callable[[], str]:
        def read() -> str:
            return licences.text(library) or self.tr("The package brings no text of its licence. Its home: {0}").format(library.home)

        return read

    @Slot()
    def _show_text(self) -> None:
        item = self.works.currentItem()
        if item is not None:
            read: Callable[[], str] = item.data(Qt.ItemDataRole.UserRole)
            self.text.setPlainText(read())
