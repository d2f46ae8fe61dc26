"""What an empty conversation shows: how to get a model, how far that is, and then some first messages to try."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QGridLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.looks import icons
from app.looks.theme import Theme
from app.presentation import Presentation
from app.views.parts import Progress

EXAMPLES = 4


class Welcome(QScrollArea):
    """Follows Presentation.welcome."""

    setup_asked = Signal()
    get_asked = Signal()
    load_asked = Signal()
    folder_asked = Signal()
    example_asked = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("plainpage")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # its parts are what can be reached
        self._inside = QWidget(self)
        self._inside.setObjectName("plainpage")
        self._scales: list[tuple[QLabel, float]] = []
        self._bird = QLabel(self._inside)
        self._bird.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._bird.setPixmap(icons.pixmap("ouzel", theme.text, 92))
        self.title = self._text(1.6)
        self.title.setObjectName("heading")
        self.text = self._text(1.0)
        self.text.setObjectName("dim")
        self.primary = QPushButton(self)
        self.primary.setProperty("primary", True)
        self.get, self.folder = QPushButton(self), QPushButton(self)
        self.folder.setProperty("flat", True)
        self.progress = Progress("", self)
        self.hint = self._text(0.9)
        self.hint.setObjectName("dim")
        self.examples = QWidget(self)
        self._add_examples()
        self._mode = ""
        self._fitted: tuple[QSize, str, str, float] | None = None
        self.retranslate()
        self._lay_out()
        self.fit_fonts()
        self.primary.clicked.connect(self._on_primary)
        self.get.clicked.connect(self.get_asked)
        self.folder.clicked.connect(self.folder_asked)

    def _text(self, scale: float) -> QLabel:
        label = QLabel(self._inside)
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        self._scales.append((label, scale))
        return label

    def fit_fonts(self) -> None:
        """Follow the application's text size."""
        for label, scale in self._scales:
            font = QApplication.font()
            font.setPointSizeF(font.pointSizeF() * scale)
            if label is self.title:
                font.setWeight(font.Weight.DemiBold)
            label.setFont(font)
        self._fit()

    def retranslate(self) -> None:
        """Say all but what is presented in the language of the window."""
        self.setAccessibleName(self.tr("What can be done now"))
        self._bird.setAccessibleName(self.tr("A water ouzel beside a stream"))
        self.get.setAccessibleName(self.tr("Get another model"))
        self.folder.setText(self.tr("Open a model folder…"))
        self.folder.setAccessibleName(self.tr("Open a model folder"))
        self.progress.setAccessibleName(self.tr("Progress of the set-up"))
        self.hint.setText(
            self.tr(
                "A model that you have already can be dropped here: a folder NAME.ouzel, a checkpoint's folder, or a .gguf file. "
                "F1 lists all keys."
            )
        )
        texts = (
            self.tr("Explain how a rainbow forms"),
            self.tr("A short poem about a river"),
            self.tr("Three tips for better sleep"),
            self.tr("What makes bread rise?"),
        )
        for button, text in zip(self._examples, texts, strict=True):
            button.setText(text)
            button.setAccessibleName(text)

    def _add_examples(self) -> None:
        self._grid = grid = QGridLayout(self.examples)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(8)
        self._examples = [QPushButton(self.examples) for _ in range(EXAMPLES)]
        for n, button in enumerate(self._examples):
            button.setProperty("example", True)
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            button.clicked.connect(lambda _=False, b=button: self.example_asked.emit(b.text()))
            grid.addWidget(button, n // 2, n % 2)

    def _lay_out(self) -> None:
        self._column = column = QVBoxLayout(self._inside)
        column.setContentsMargins(28, 16, 28, 16)
        column.setSpacing(10)
        column.addStretch(2)
        column.addWidget(self._bird)
        column.addWidget(self.title)
        column.addWidget(self.text)
        column.addSpacing(8)
        column.addWidget(self.progress, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self.primary, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self.get, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self.folder, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self.examples, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self.hint)
        column.addStretch(3)
        self.progress.setFixedWidth(280)
        self.title.setMinimumWidth(200)
        self.examples.setMaximumWidth(640)
        self.setWidget(self._inside)

    def present(self, p: Presentation, starter_size: str, model: str) -> None:
        """Show the page that fits."""
        self._mode = p.welcome
        setup, load, wait, chat = (p.welcome == mode for mode in ("setup", "load", "wait", "chat"))
        self.title.setText(self.tr("What shall we talk about?") if chat else self.tr("Models larger than memory, on this computer"))
        self.text.setText(self._explanation(p, starter_size, model))
        self.primary.setText(self.tr("Set up the starter model") if setup else self.tr("Load {0}").format(model))
        self.primary.setAccessibleName(self.primary.text())
        self.primary.setVisible(setup or load)
        self.primary.setEnabled(p.setup_enabled if setup else p.load_enabled)
        self.get.setText(self.tr("Choose a larger model…") if setup else self.tr("Get another model…"))
        self.get.setAccessibleName(self.get.text())
        self.get.setVisible(setup or load)
        self.folder.setVisible(setup or load)
        self.folder.setEnabled(p.setup_enabled)
        self.progress.show_fraction(p.progress if wait else None)
        self.examples.setVisible(chat)
        for button in self._examples:
            button.setEnabled(p.can_send)
        self._fit()

    def _explanation(self, p: Presentation, starter_size: str, model: str) -> str:
        match p.welcome:
            case "setup":
                return self.tr(
                    "Ouzel runs models that are larger than memory: what is always needed stays in memory, and the rest is read from the "
                    "drive in time. A small starter model is made in about a minute from a public download of {0}. Nothing that you write "
                    "leaves this computer."
                ).format(starter_size)
            case "load":
                return self.tr("Load a model, or open a folder with another one. Nothing that you write leaves this computer.")
            case "wait":
                return p.status
            case _:
                return self.tr("{0} answers on this computer; nothing that you write leaves it.").format(model)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """A style sheet takes the sizes of fonts away when the page gets its place in the window."""
        super().showEvent(event)
        self.fit_fonts()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """See _fit."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """The bird, then the hint, then the title give way where the rest needs the room; examples of two columns become two."""
        room = self.maximumViewportSize()  # without the scroll bar
        state = room, self._mode, self.text.text(), self.text.font().pointSizeF()
        if state == self._fitted:
            return
        self._fitted = state
        column, examples = self._column, self._examples
        inner = room.width() - column.contentsMargins().left() - column.contentsMargins().right()
        narrow = max((b.sizeHint().width() for b in examples), default=0) * 2 + self._grid.spacing() > inner
        for n, button in enumerate(examples):
            self._grid.addWidget(button, *((n, 0) if narrow else (n // 2, n % 2)))
            button.setVisible(n < 2 or not narrow)
        wanted = (self._bird, True), (self.hint, self._mode in ("setup", "load")), (self.title, True)
        for part, shown in wanted:
            part.setVisible(shown)
        for part, _ in wanted:
            if column.totalHeightForWidth(room.width()) > room.height():
                part.hide()
                column.invalidate()

    def _on_primary(self) -> None:
        if self._mode == "setup":
            self.setup_asked.emit()
        else:
            self.load_asked.emit()
