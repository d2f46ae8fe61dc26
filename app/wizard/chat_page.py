"""Page 5: the model is there; the first chat begins."""

from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QLabel, QWidget

from app.looks import icons
from app.looks.theme import Theme
from app.wizard.control import WizardControl
from app.wizard.page import PageView, plain
from app.wizard.pulls import Stage
from app.wizard.words import tr
from engine.paths import SUFFIX


class ChatPage(PageView):
    """start_asked: open this container and begin."""

    start_asked = Signal(object)

    def __init__(self, control: WizardControl, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(control, theme, tr("Ready for a first chat"), "", parent)
        self.about.hide()
        self.bird = QLabel(self)
        self.bird.setAccessibleName(tr("A water ouzel beside a stream"))
        self.text = plain(QLabel(self))
        self.hint = plain(QLabel(tr("The first answers are slower: what the model uses most comes into memory as you go."), self), "dim")
        for label in (self.bird, self.text, self.hint):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.body.addStretch(2)
        self.body.addWidget(self.bird)
        self.body.addWidget(self.text)
        self.body.addWidget(self.hint)
        self.body.addStretch(3)
        self.free = True
        self.set_theme(theme)
        control.pulls.changed.connect(self.render_state)

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        super().set_theme(theme)
        self.bird.setPixmap(icons.pixmap("ouzel", theme.text, 92))

    @property
    def target(self) -> Path | None:
        """The model that is there."""
        return self.control.ready()

    @Slot()
    def render_state(self) -> None:
        """Show what the control knows."""
        target = self.target
        if target is None:
            self.text.setText(tr("No model is ready yet."))
            return
        item = self.control.pulls.item(target)
        name = target.name.removesuffix(SUFFIX)
        if item is not None and item.stage is not Stage.READY:
            text = tr("{0} answers already. You can chat while the rest comes; what is missing is fetched when it is needed.")
        else:
            text = tr("{0} lies in {1}. Every part of it was checked.")
        self.text.setText(text.format(name, target.parent))

    def next_label(self) -> str:
        """The text of the wizard's button."""
        return tr("Start chatting")

    def can_next(self) -> bool:
        """Whether one can go on."""
        return self.target is not None and self.free

    def go_on(self) -> None:
        """Do what the wizard's button says."""
        if self.target is not None:
            self.start_asked.emit(self.target)
