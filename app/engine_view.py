"""Joins the Engine page with the window: the button that shows it, and maps of the experts, asked for only while somebody looks."""

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtWidgets import QToolButton

from app.engine_control import EngineControl
from app.heat import heat
from app.help.keys import TABLE, shown
from app.looks import icons
from app.rates import Rates
from app.views.engine_page import EnginePage
from app.views.main_window import MainWindow
from engine.events import Event, ExpertMap, Failed
from engine.requests import MapExperts

EVERY_MS = 1000  # from one map to the next question


class EngineView(QObject):
    """One a window."""

    def __init__(self, engine: EngineControl, main: MainWindow) -> None:
        super().__init__(main)
        self._engine, self._main = engine, main
        self.page = EnginePage(main.theme)
        self.button = self._made_button()
        self._asked: int | None = None  # the map that is under way
        self._messages = False
        self._next = QTimer(self, singleShot=True, interval=EVERY_MS)
        self._next.timeout.connect(self._ask)
        main.pages.addWidget(self.page)
        main.gauges.add_button(self.button)
        self.button.toggled.connect(self._show)
        main.engine_asked.connect(self.button.toggle)
        self.page.left.connect(self.leave)
        self.page.looking.connect(self._look)
        main.desk.shown.connect(self._on_chat)
        main.sidebar.new_asked.connect(self.leave)
        main.sidebar.chosen.connect(self.leave)
        main.restyled.connect(self._restyle)
        engine.changed.connect(self._on_engine)
        engine.rates_changed.connect(self._on_rates)
        engine.bridge.counters.connect(self.page.show_counters)
        engine.bridge.drives.connect(self.page.show_drives)
        engine.bridge.happened.connect(self._on_event)
        main.retranslated.connect(self._retranslate)
        self._restyle()
        self._retranslate()

    def _made_button(self) -> QToolButton:
        button = QToolButton(self._main.gauges)
        button.setCheckable(True)
        icons.fit(button, 20)
        return button

    @Slot()
    def leave(self) -> None:
        """Back to the chat."""
        self.button.setChecked(False)

    @Slot(bool)
    def _show(self, on: bool) -> None:
        main = self._main
        main.gauges.set_tall(on)
        main.pages.setCurrentWidget(self.page if on else main.transcript if self._messages else main.welcome)
        if on:
            self.page.take_focus()
        elif self.page.isAncestorOf(main.focusWidget()) or main.focusWidget() is None:
            main.composer.setFocus()

    @Slot(bool)
    def _on_chat(self, messages: bool) -> None:
        """A message was sent while the page is shown: it stays, and the chat waits behind it."""
        self._messages = messages
        if self.button.isChecked():
            self._main.pages.setCurrentWidget(self.page)

    @Slot()
    def _restyle(self) -> None:
        theme = self._main.theme
        self.page.set_theme(theme)
        self.button.setIcon(icons.icon("engine", theme.text))

    @Slot()
    def _retranslate(self) -> None:
        keys = next(k for k in TABLE if k.name == "engine")
        self.button.setAccessibleName(self.tr("Engine page"))
        self.button.setToolTip(self.tr("Show or hide the engine from inside ({0})").format(shown(keys)))
        self.page.retranslate()

    @Slot()
    def _on_engine(self) -> None:
        self.page.show_model(self._engine.state.info)
        self._look(self.page.isVisible())

    @Slot(object, bool, bool)
    def _on_rates(self, rates: Rates, _live: bool, _reading: bool) -> None:
        if rates.split is not None:
            self.page.show_split(rates.split)

    # Maps

    @Slot(bool)
    def _look(self, seen: bool) -> None:
        if not seen or self._engine.state.info is None:
            self._next.stop()
            self._asked = None
        elif self._asked is None and not self._next.isActive():
            self._ask()

    @Slot()
    def _ask(self) -> None:
        if self._main.isMinimized():
            self._next.start()
            return
        self._asked = self._engine.bridge.next_id()
        self._engine.bridge.post(MapExperts(self._asked))

    @Slot(object)
    def _on_event(self, event: Event) -> None:
        if not isinstance(event, ExpertMap | Failed) or event.id != self._asked:
            return
        self._asked = None
        if isinstance(event, ExpertMap):
            self.page.show_heat(heat(event))
        if self.page.isVisible() and self._engine.state.info is not None:
            self._next.start()
