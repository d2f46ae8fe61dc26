"""What is known of one model of the catalogue: how it would run here and why, what would help, its numbers, its licence."""

from PySide6.QtCore import QUrl, Signal, Slot
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QVBoxLayout, QWidget

from app.wizard.catalogue_view import Details, details
from app.wizard.page import plain, say
from app.wizard.scrolled import Scrolled
from app.wizard.words import tr
from engine.events import Surveyed


class DetailsView(QFrame):
    """Follows the row that is current."""

    link_asked = Signal(QUrl)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.title, self.about, self.why = QLabel(self), plain(QLabel(self)), plain(QLabel(self))
        self.title.setObjectName("heading")
        self.helps, self.facts = plain(QLabel(self)), plain(QLabel(self), "dim")
        self.licence = QPushButton(self)
        self.licence.setAutoDefault(False)
        column = QVBoxLayout()
        column.setContentsMargins(14, 12, 14, 12)
        column.setSpacing(8)
        for part in (self.title, self.about, self.why, self.helps, self.facts, self.licence):
            column.addWidget(part)
        column.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(Scrolled(column, tr("About the model"), self))
        self.licence.clicked.connect(self._on_licence)
        self._shown: Details | None = None
        self._show(None)

    def show_details(self, key: str, survey: Surveyed | None) -> None:
        """Show the model of that key."""
        found = details(key, survey)
        if found != self._shown:
            self._show(found)

    def _show(self, d: Details | None) -> None:
        self._shown = d
        say(self.title, d.title if d else tr("Choose a model"))
        say(self.about, d.about if d else "")
        say(self.why, "\n".join(d.why) if d else "")
        say(self.helps, tr("What would help:\n{0}").format("\n".join(d.helps)) if d and d.helps else "")
        say(self.facts, "\n".join(d.facts) if d else "")
        self.licence.setVisible(bool(d and d.link))
        self.licence.setText(tr("Licence: {0}…").format(d.licence) if d else "")
        self.licence.setAccessibleName(tr("Open the licence {0}").format(d.licence) if d else "")

    @Slot()
    def _on_licence(self) -> None:
        if self._shown is not None:
            self.link_asked.emit(QUrl(self._shown.link))
