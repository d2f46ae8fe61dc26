"""Joins keys, help and reports of what went wrong with the window."""

import logging
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Slot

from app.help import keys
from app.help.log import tail
from app.help.redaction import unquoted, words
from app.views.main_window import MainWindow
from engine.errors import Cancelled
from engine.events import Event, Failed, Finished, Loaded
from engine.stats import Snapshot, VolumeCounters

if TYPE_CHECKING:
    from app.help.crash_dialog import CrashDialog
    from app.help.window import HelpWindow

log = logging.getLogger("app")


class HelpHost(QObject):
    """One a window. What it shows is imported when it is asked for, which keeps the start short."""

    def __init__(self, main: MainWindow, home: Path) -> None:
        super().__init__(main)
        self._main, self._home, engine = main, home, main.engine
        self._snapshot: Snapshot | None = None
        self._drives: Sequence[VolumeCounters] = ()
        self.window: HelpWindow | None = None
        self.crash: CrashDialog | None = None
        self._crash_of = ("", "")  # the sentence and the traceback that it shows
        engine.bridge.counters.connect(self._on_counters)
        engine.bridge.drives.connect(self._on_drives)
        engine.bridge.happened.connect(self._on_event)
        engine.trouble.connect(self._on_trouble)
        main.closing.connect(self.close)
        main.retranslated.connect(self._retranslate)
        desk, side = main.desk, main.sidebar
        side.help_asked.connect(self.show)
        self.shortcuts = keys.attach(
            main,
            {
                "write": lambda: main.composer.field.setFocus(Qt.FocusReason.ShortcutFocusReason),
                "new": side.new_asked.emit,
                "find": side.focus_search,
                "attach": desk.ask_files,
                "open": main.ask_folder,
                "get": main.model_asked.emit,
                "sidebar": main.toggle_sidebar,
                "engine": main.engine_asked.emit,
                "memory": main.model_bar.memory.toggle,
                "jobs": main.jobs_asked.emit,
                "settings": main.show_settings,
                "options": desk.show_options,
                "keys": partial(self.show, 0),
                "quit": main.close,
            },
        )

    @Slot(int)
    def show(self, page: int) -> None:
        """Bring the help up at a page."""
        from app.help.window import HelpWindow  # noqa: PLC0415

        if self.window is None:
            self.window = HelpWindow(self._main.theme, self._main.engine.settings.send_key, self.report, self._home, self._main)
            self.window.finished.connect(self._forget)
        self.window.show_page(page)

    @Slot()
    def _retranslate(self) -> None:
        """What is open is made anew."""
        if (old := self.window) is not None:
            place, page = old.geometry(), old.tabs.currentIndex()
            old.close()
            self.show(page)
            if (new := self.window) is not None:
                new.setGeometry(place)
        if self.crash is not None:
            self.show_crash(*self._crash_of)

    def report(self) -> str:
        """The diagnostics with the log's end."""
        from app.help.diagnostics import report  # noqa: PLC0415

        engine = self._main.engine
        return report(engine.settings, engine.state, self._snapshot, self._drives, tail(self._home))

    def close(self) -> None:
        """Close what is open."""
        for dialog in (self.window, self.crash):
            if dialog is not None:
                dialog.close()

    @Slot(str, str)
    def on_surprise(self, name: str, trace: str) -> None:
        """Say that something failed which nobody foresaw."""
        text = self.tr("Something unexpected went wrong ({0}). Your chats are saved; if it happens again, restart Ouzel.").format(name)
        self._main.notice.alarm(text, self.tr("Details…"), lambda: self.show_crash(text, trace))

    def tell_fault(self, trace: str) -> None:
        """Say that the run before crashed below Python."""
        text = self.tr("Ouzel crashed the last time that it ran. Your chats are saved.")
        self._main.notice.alarm(text, self.tr("Details…"), lambda: self.show_crash(text, trace))

    def show_crash(self, text: str, trace: str) -> None:
        """Show a report."""
        from app.help.crash_dialog import CrashDialog  # noqa: PLC0415

        if self.crash is not None:
            self.crash.close()
        self._crash_of = text, trace
        self.crash = CrashDialog(text, lambda: f"{trace}\n\n{self.report()}", self._home, self._main)
        self.crash.finished.connect(self._forget_crash)
        self.crash.show()

    @Slot()
    def _forget(self) -> None:
        if self.window is not None:
            self.window.deleteLater()
        self.window = None

    @Slot()
    def _forget_crash(self) -> None:
        if self.crash is not None:
            self.crash.deleteLater()
        self.crash = None

    @Slot(object)
    def _on_counters(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    @Slot(object)
    def _on_drives(self, drives: Sequence[VolumeCounters]) -> None:
        self._drives = drives

    @Slot(object)
    def _on_event(self, event: Event) -> None:
        match event:
            case Loaded(_, info):
                log.info(
                    "Opened %s: %s, %d slots, %d tokens of context, %d of %d bytes, %s",
                    info.name, info.model_type, info.n_slots, info.context, info.memory_bytes, info.budget_bytes, info.isa,
                )  # fmt: skip
            case Finished(_, s):
                log.info(
                    "Answer: %s, %d prompt tokens (%d held), %d answered, first after %.2f s, %.1f tokens/s",
                    s.reason, s.prompt_tokens, s.reused_tokens, s.answer_tokens, s.seconds_to_first_token, s.tokens_per_second,
                )  # fmt: skip
            case Failed(_, error) if not isinstance(error, Cancelled):
                details = f" ({unquoted(error.details)})" if error.details else ""
                log.warning("%s: %s%s", type(error).__name__, words(error), details)

    @Slot(str, str, object)
    def _on_trouble(self, text: str, _label: str, _act: object) -> None:
        log.info("Told: %s", unquoted(text))
