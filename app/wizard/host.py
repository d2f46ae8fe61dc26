"""Joins the wizard with the window: what it asks of the engine, what it tells when a model is ready, and its end."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot

from app.background import Background, remember
from app.desktop import Desktop
from app.engine_control import EngineControl
from app.language import told
from app.state import RESTING, Phase
from app.views.main_window import MainWindow
from app.wizard.bar import PullBar
from app.wizard.control import WizardControl
from app.wizard.fetching import Fetching
from app.wizard.locate import Locator
from app.wizard.mending import Mender
from app.wizard.pull_control import PullControl
from app.wizard.pulls import Item, PullView, Stage
from app.wizard.state import Page
from app.wizard.words import tr
from engine import paths
from engine.errors import EngineError
from engine.offers import KeptPull
from engine.requests import PullModel

if TYPE_CHECKING:
    from app.wizard.wizard import Wizard


PAGES = tuple(f"app.wizard.{page}" for page in ("folder_page", "model_page", "options_page", "progress_page", "chat_page", "wizard"))
PAUSE_MS = 100


class WizardHost(QObject):
    """One a window. Nothing is read or asked before `start`."""

    def __init__(self, engine: EngineControl, main: MainWindow, background: Background, desktop: Desktop) -> None:
        super().__init__(main)
        self._desktop = desktop
        self._engine, self._main, self._background = engine, main, background
        self.fetching = Fetching(paths.home(), self)
        self.pulls = PullControl(self.fetching, self)
        self.control = WizardControl(self.fetching, self.pulls, background, self)
        self.bar = PullBar(self.pulls, main.theme, main)
        self.wizard: Wizard | None = None
        self._building = False
        main.add_strip(self.bar)
        main.model_asked.connect(self.show)
        main.source_found.connect(self.show_source)
        main.restyled.connect(self._restyle)
        main.retranslated.connect(self._retranslate)
        main.closing.connect(self.close)
        self.bar.asked.connect(lambda: self.show_page(Page.PROGRESS))
        self.pulls.ended.connect(self._on_ended)
        self.pulls.startable.connect(self._on_startable)
        engine.changed.connect(self._on_engine)
        engine.trouble.connect(self._on_trouble)
        engine.models_moved.connect(lambda: self.control.change(folder=paths.models_dir()))
        self.locator = Locator(engine, main, self.control.errands, self)
        self.mender = Mender(engine, main, self.control.errands, self)

    def start(self) -> None:
        """Take up what an earlier run was fetching."""
        self.fetching.start()
        self.control.errands.run(self.fetching.take_up, self._on_taken_up)
        self.locator.start()

    def _on_taken_up(self, kept: tuple[tuple[KeptPull, ...], tuple[PullModel, ...]]) -> None:
        self.pulls.take_up(kept)
        self._read_in(PAGES)

    def _read_in(self, modules: tuple[str, ...]) -> None:
        """Import the wizard's pages one by one, so that its opening takes half as long and nothing waits for all of them."""
        if modules and self.wizard is None:
            import_module(modules[0])
            QTimer.singleShot(PAUSE_MS, self, lambda: self._read_in(modules[1:]))

    @Slot()
    def show(self) -> None:
        """Bring the wizard up where it was."""
        self._made().open()

    def _made(self) -> "Wizard":
        if self.wizard is None:
            from app.wizard.wizard import Wizard  # noqa: PLC0415  many pages, which the start does not need

            self.wizard = wizard = Wizard(self.control, self._main.theme, self._main)
            wizard.start_asked.connect(self.start_chat)
            wizard.open_asked.connect(self._open)
            wizard.starter_asked.connect(self._build_starter)
            wizard.starter_cancelled.connect(lambda: self._engine.act("cancel"))
            self._on_engine()
        return self.wizard

    def show_page(self, page: Page) -> None:
        """Bring the wizard up at a page."""
        self.control.change(page=page)
        self.show()

    @Slot(object)
    def show_source(self, source: Path) -> None:
        """Bring the wizard up with what can be made of a checkpoint's folder or a GGUF file."""
        self.control.change(tab="file", file=str(source), page=Page.OPTIONS)
        self.show()

    @Slot(object)
    def start_chat(self, target: Path) -> None:
        """Open a model and leave the person with the composer."""
        if self._engine.state.phase not in RESTING:
            return
        self.pulls.forget(target)
        self.control.change(page=Page.MODEL)
        self._leave()
        self._engine.refresh_models(target)
        self._engine.choose(target)

    def close(self) -> None:
        """End what is under way; what was fetched is kept."""
        if self.wizard is not None:
            self.wizard.hide()
        self.control.close()
        self.pulls.close()
        self.fetching.stop()

    def ended(self, seconds: float) -> bool:
        """Whether the fetcher's threads ended within that time."""
        return self.fetching.wait(seconds)

    def _leave(self) -> None:
        if self.wizard is not None:
            self.wizard.hide()
        self._main.activateWindow()
        self._main.composer.setFocus()

    @Slot(str)
    def _open(self, folder: str) -> None:
        self.control.change(page=Page.MODEL)
        self._leave()
        self._main.open_folder(Path(folder))

    @Slot()
    def _build_starter(self) -> None:
        if self._engine.state.phase in RESTING:
            self._building = True
            self._engine.set_up_starter()
            self.control.go(Page.PROGRESS)
        else:
            self.control.fail(EngineError(tr("The engine is busy. Wait until the answer is written, or stop it, then try again.")))

    @Slot()
    def _on_engine(self) -> None:
        state, wizard = self._engine.state, self.wizard
        if wizard is None:
            return
        wizard.chat.free = state.phase in RESTING
        p = self._engine.presentation()
        if self._building and state.phase is Phase.BUILDING:
            view = PullView(tr("Starter model"), p.progress, "", p.status, "plain", False, False, True, False)
            wizard.progress.show_starter((paths.starter_path(), view))
        elif self._building and state.phase in (Phase.LOADING, Phase.READY):
            self._end_starter(wizard)
            self._leave()
        elif wizard.progress.has_starter:
            self._end_starter(wizard)
        wizard.render_state()

    def _end_starter(self, wizard: "Wizard") -> None:
        wizard.progress.show_starter(None)
        self.control.change(page=Page.MODEL)
        QTimer.singleShot(0, self, self._forget_starter)  # why it failed is told after this

    @Slot()
    def _forget_starter(self) -> None:
        self._building = self._engine.state.phase is Phase.BUILDING and self._building

    @Slot(str, str, object)
    def _on_trouble(self, text: str, _label: str, _act: object) -> None:
        if self.wizard is not None and self.wizard.isVisible() and self._building:
            self.control.fail(EngineError(text))

    @Slot(object)
    def _on_startable(self, item: Item) -> None:
        self._engine.note_startable(item.target)
        self._tell(tr("You can chat with {0} already; the rest of it is still coming.").format(item.name), item.target)

    @Slot(object)
    def _on_ended(self, item: Item) -> None:
        if item.stage is Stage.READY:
            self._engine.startable.discard(item.target)
            self._engine.refresh_models(item.target)
            self._background.run(lambda: remember(item.target))
            self._engine.changed.emit()
            if self._engine.state.model == item.target and self._engine.state.info is not None:
                self.pulls.forget(item.target)
                self._main.notice.note(tr("All of {0} is here now.").format(item.name))
                return
            self._tell(tr("{0} is ready.").format(item.name), item.target)
        elif item.stage is Stage.FAILED and not (self.wizard is not None and self.wizard.isVisible()):
            self._main.notice.alarm(f"{item.name}: {told(item.error)}", tr("Show"), lambda: self.show_page(Page.PROGRESS))

    def _tell(self, text: str, target: Path) -> None:
        """Say that a model can be used: in the wizard where that is open, else in the window, and on the desktop where that is hidden."""
        if self.wizard is not None and self.wizard.isVisible():
            if self.control.place.page is Page.PROGRESS:
                self.control.go(Page.CHAT)
        else:
            self._main.notice.note(text, tr("Start chatting"), lambda: self.start_chat(target))
        self._desktop.tell(text)

    @Slot()
    def _retranslate(self) -> None:
        """The wizard is made anew, of what its control knows."""
        self.bar.retranslate()
        old, self.wizard = self.wizard, None
        if old is None:
            return
        place, shown = old.geometry(), old.isVisible()
        old.hide()
        old.deleteLater()
        if shown:
            self.show()
            self._made().setGeometry(place)

    @Slot()
    def _restyle(self) -> None:
        self.bar.set_theme(self._main.theme)
        if self.wizard is not None:
            self.wizard.set_theme(self._main.theme)
            self.wizard.fit_fonts()
