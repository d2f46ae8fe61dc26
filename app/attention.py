"""While the engine works: the computer stays awake, and a person who went elsewhere is told when a long answer is ready."""

from collections.abc import Callable
from time import monotonic

from PySide6.QtCore import QObject, QTimer, Slot

from app.desktop import Desktop
from app.engine_control import EngineControl
from app.state import ANSWERING, Phase
from app.wizard.awake import Awake
from engine.events import Event, Failed, Finished

LONG_S = 10.0  # an answer that takes less is not waited for elsewhere
AWAKE_MS = 4000  # work that ends sooner needs no asking: no computer sleeps after seconds
WORK = (*ANSWERING, Phase.BUILDING)


class Attention(QObject):
    """One a window. shower: makes what shows the answer that has just ended."""

    def __init__(
        self, engine: EngineControl, desktop: Desktop, shower: Callable[[], Callable[[], None]], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._engine, self._desktop, self._shower = engine, desktop, shower
        self.awake = Awake(self)
        self._later = QTimer(self, singleShot=True, interval=AWAKE_MS)
        self._later.timeout.connect(self._stay_awake)
        self._begun: float | None = None
        engine.changed.connect(self._on_engine)
        engine.answered.connect(self._on_answered)

    def close(self) -> None:
        """Let the computer sleep again."""
        self._later.stop()
        self.awake.close()

    @Slot()
    def _on_engine(self) -> None:
        phase = self._engine.state.phase
        if phase in ANSWERING and self._begun is None:
            self._begun = monotonic()
        if phase in WORK and self._engine.settings.keep_awake:
            if not self._later.isActive() and not self.awake.wanted:
                self._later.start()
        else:
            self._later.stop()
            self.awake.want(False)

    @Slot()
    def _stay_awake(self) -> None:
        self.awake.want(True)

    @Slot(object)
    def _on_answered(self, event: Event) -> None:
        begun, self._begun = self._begun, None
        if begun is None or monotonic() - begun < LONG_S or not self._engine.settings.notify:
            return
        match event:
            case Finished(_, stats) if stats.reason != "cancelled":
                self._desktop.tell(self.tr("The answer is ready."), self._shower())
            case Failed():
                self._desktop.tell(self.tr("The answer could not be finished."), self._shower())
