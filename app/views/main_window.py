"""The main window: lays the parts out and connects them with the two controls."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QTimer, QUrl, Signal, Slot
from PySide6.QtGui import QCloseEvent, QDesktopServices, QFont, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QHBoxLayout, QMainWindow, QMessageBox, QStackedWidget, QVBoxLayout, QWidget

from app.chat_control import ChatControl
from app.engine_control import EngineControl, is_container
from app.looks.apply import apply
from app.looks.theme import Theme
from app.settings import Settings
from app.state import Phase
from app.transcript.view import TranscriptView
from app.views.chat_desk import ChatDesk
from app.views.composer import Composer
from app.views.context_bar import ContextBar
from app.views.fitting import resize_within
from app.views.gauges import GaugeStrip
from app.views.model_bar import ModelBar
from app.views.notice import Notice
from app.views.sidebar import Sidebar
from app.views.welcome import Welcome
from engine.config import Sampling

if TYPE_CHECKING:
    from app.views.settings.dialog import SettingsDialog

LEAST = (700, 520)
TITLE = 40  # pixels that a desktop takes at the top
LEAST_PAGE = 110
END_MS = 2000
OPENABLE = ("http", "https", "mailto")
STARTER_DOWNLOAD = "93 MB"


class MainWindow(QMainWindow):
    """Closing it ends the engine first: the window hides at once, and is gone when the engine thread has ended."""

    model_asked = Signal()  # a model is to be got
    engine_asked = Signal()  # the engine is to be shown from inside, or no longer
    source_found = Signal(object)  # a checkpoint's folder or a GGUF file, which the wizard is to convert
    jobs_asked = Signal()
    restyled = Signal()
    retranslated = Signal()  # everything is said in another language now
    settings_shown = Signal(object)  # the dialog
    closing = Signal()

    def __init__(self, engine: EngineControl, chats: ChatControl, base_font: QFont, possible_bytes: int) -> None:
        super().__init__()
        self.engine, self.chats, self._base_font = engine, chats, base_font
        self.may_close: Callable[[], bool] = lambda: True  # asked before the end begins
        self._dialog: SettingsDialog | None = None
        self._deadline = QTimer(self, singleShot=True, interval=END_MS)
        self._deadline.timeout.connect(self.close)
        self.setWindowTitle(self.tr("Ouzel"))
        self.theme: Theme = apply(engine.settings, base_font)
        self._fit_least()
        theme = self.theme
        self.sidebar, self.model_bar = Sidebar(theme), ModelBar(theme, possible_bytes)
        self.notice, self.transcript, self.welcome = Notice(theme), TranscriptView(theme), Welcome(theme)
        self.composer, self.gauges = Composer(theme), GaugeStrip(theme)
        self.context_bar = ContextBar()
        self.desk = ChatDesk(self, engine, chats, self.sidebar, self.transcript, self.composer, self.context_bar, self.notice)
        self.pages = QStackedWidget()
        self.pages.setMinimumHeight(LEAST_PAGE)  # a long message and a choice above it need the room of a small window
        self.desk.shown.connect(self._show_page)
        self._lay_out()
        self._connect_parts()
        self._connect_controls()
        self._show_models()
        self.present()
        resize_within(self, engine.settings.width, engine.settings.height)
        self.composer.setFocus()

    def _lay_out(self) -> None:
        self.pages.addWidget(self.welcome)
        self.pages.addWidget(self.transcript)
        margins = QVBoxLayout()
        margins.setContentsMargins(18, 4, 18, 12)
        margins.setSpacing(8)
        margins.addWidget(self.notice)
        margins.addWidget(self.context_bar)
        writing = QHBoxLayout()
        writing.addStretch(1)
        writing.addWidget(self.composer, 100)
        writing.addStretch(1)
        self.composer.setMaximumWidth(800)
        margins.addLayout(writing)
        self._column = column = QVBoxLayout()
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.model_bar)
        column.addWidget(self.pages, 1)
        column.addLayout(margins)
        column.addWidget(self.gauges)
        centre = QWidget(self)
        row = QHBoxLayout(centre)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.sidebar)
        row.addLayout(column, 1)
        self.setCentralWidget(centre)
        self.sidebar.setVisible(self.engine.settings.sidebar)
        for before, after in (
            (self.composer.field, self.composer.attach),
            (self.composer.attach, self.composer.thinking),
            (self.composer.thinking, self.composer.options),
            (self.composer.options, self.composer.button),
            (self.composer.button, self.sidebar.more_button),
            (self.sidebar.more_button, self.sidebar.new_button),
            (self.sidebar.new_button, self.sidebar.search),
            (self.sidebar.search, self.sidebar.list),
            (self.sidebar.list, self.model_bar.sidebar_button),
        ):
            QWidget.setTabOrder(before, after)

    def add_strip(self, strip: QWidget) -> None:
        """Put a strip of the window's width below the model bar."""
        self._column.insertWidget(1, strip)

    def _connect_parts(self) -> None:
        bar, welcome, engine = self.model_bar, self.welcome, self.engine
        bar.chosen.connect(self.notice.clear)  # it was about the other model
        bar.chosen.connect(engine.choose)
        bar.folder_asked.connect(self.ask_folder)
        bar.setup_asked.connect(engine.set_up_starter)
        bar.get_asked.connect(self.model_asked)
        bar.lost_asked.connect(engine.lost_asked)
        welcome.get_asked.connect(self.model_asked)
        bar.action_asked.connect(engine.act)
        bar.budget_changed.connect(lambda value: engine.change_settings(replace(engine.settings, budget_bytes=value)))
        bar.sidebar_asked.connect(self.toggle_sidebar)
        bar.settings_asked.connect(self.show_settings)
        welcome.setup_asked.connect(engine.set_up_starter)
        welcome.load_asked.connect(engine.load)
        welcome.folder_asked.connect(self.ask_folder)
        welcome.example_asked.connect(self.desk.send)
        self.transcript.link_asked.connect(self._ask_link)

    def _connect_controls(self) -> None:
        engine, chats = self.engine, self.chats
        engine.changed.connect(self.present)
        engine.changed.connect(self._show_models)
        engine.settings_changed.connect(self._on_settings)
        engine.trouble.connect(self._on_trouble)
        engine.rates_changed.connect(self.gauges.show_rates)
        engine.rates_cleared.connect(self.gauges.clear)
        engine.bridge.counters.connect(self.gauges.show_counters)
        engine.bridge.drives.connect(self.gauges.show_drives)
        engine.changed.connect(lambda: self.gauges.show_model(engine.state.info))
        engine.bridge.ended.connect(self._on_ended)
        chats.trouble.connect(self._on_trouble)
        chats.noted.connect(self._on_noted)

    # Showing

    @Slot()
    def present(self) -> None:
        """Show what the engine is doing."""
        p = self.engine.presentation()
        self.model_bar.present(p)
        self.composer.present(p)
        chosen = self.engine.chosen
        self.welcome.present(p, STARTER_DOWNLOAD, chosen.name.removesuffix(".ouzel") if chosen else "")

    @Slot()
    def _show_models(self) -> None:
        shown = (self.engine.models, self.engine.chosen, self.engine.starter_missing, tuple(self.engine.lost))
        if shown != self._models_shown:
            self._models_shown = shown
            self.model_bar.show_models(*shown)
        self.model_bar.show_budget(self.engine.settings.budget_bytes, self.engine.floor())

    _models_shown: tuple[tuple[Path, ...], Path | None, bool, tuple[Path, ...]] | None = None

    @Slot(bool)
    def _show_page(self, messages: bool) -> None:
        self.pages.setCurrentWidget(self.transcript if messages else self.welcome)

    @Slot(str, str, object)
    def _on_trouble(self, text: str, label: str, act: object) -> None:
        self.notice.alarm(text, label, act if callable(act) else None)

    @Slot(str, str, object)
    def _on_noted(self, text: str, label: str, act: object) -> None:
        self.notice.note(text, label, act if callable(act) else None)

    # Doing

    @Slot()
    def toggle_sidebar(self) -> None:
        """Show the side list, or hide it."""
        self.engine.change_settings(replace(self.engine.settings, sidebar=not self.engine.settings.sidebar))

    @Slot()
    def ask_folder(self) -> None:
        """Let a person pick a folder."""
        found = QFileDialog.getExistingDirectory(self, self.tr("Open a model folder"))
        if found:
            self.open_folder(Path(found))

    def open_folder(self, folder: Path) -> None:
        """Open a container; have the wizard convert a checkpoint; say what else a folder is."""
        if is_container(folder):
            self.engine.refresh_models(folder)
            self.engine.choose(folder)
        elif os.path.isfile(folder / "config.json"):  # noqa: PTH113  Path raises where a folder cannot be read
            self.source_found.emit(folder)
        elif files := sorted(f for f in folder.glob("*.[gG][gG][uU][fF]") if f.is_file()):
            text = self.tr("{0} holds GGUF files. One of them is converted once into Ouzel's own format before it can be opened.")
            self.notice.note(text.format(folder.name), self.tr("Choose one…"), lambda: self._ask_gguf(files))
        else:
            text = self.tr("{0} holds no model. Choose a folder NAME.ouzel, or a Hugging Face checkpoint with a config.json.")
            text += " " + self.tr("To ask about the files in it, drop the files themselves.")
            self.notice.alarm(text.format(folder))

    def _ask_gguf(self, files: list[Path]) -> None:
        chosen = str(files[0])
        if len(files) > 1:
            chosen, _ = QFileDialog.getOpenFileName(self, self.tr("A model's file"), chosen, self.tr("GGUF files (*.gguf)"))
        if chosen:
            self.source_found.emit(Path(chosen))

    @Slot(QUrl)
    def _ask_link(self, target: QUrl) -> None:
        if target.scheme().lower() not in OPENABLE:
            text = self.tr("This link is not opened: {0}. Only web and mail links are.")
            self.notice.alarm(text.format(target.toString()))
            return
        question = self.tr("Open this link in another program?")
        # As it goes over the wire, so that look-alike letters in a host's name show.
        text = f"{question}\n\n{bytes(target.toEncoded().data()).decode()}"
        buttons = QMessageBox.StandardButton.Yes | QMessageBox.StandardButton.No
        box = QMessageBox(QMessageBox.Icon.Question, self.tr("Open link"), text, buttons, self)
        box.setTextFormat(Qt.TextFormat.PlainText)
        if box.exec() == QMessageBox.StandardButton.Yes:
            QDesktopServices.openUrl(target)

    @Slot()
    def show_settings(self) -> None:
        """Open the settings, or bring them to the front."""
        if self._dialog is not None:
            self._dialog.raise_()
            self._dialog.activateWindow()
            return
        info = self.engine.state.info
        defaults = info.defaults if info else Sampling()
        from app.views.settings.dialog import SettingsDialog  # noqa: PLC0415  the first paint does not wait for it

        self._dialog = SettingsDialog(self.engine.settings, defaults, self)
        self._dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._dialog.changed.connect(self.engine.change_settings)
        self._dialog.models_folder_chosen.connect(self.engine.keep_models_in)
        self.engine.settings_changed.connect(self._dialog.follow)
        self.engine.models_moved.connect(self._dialog.folders.show_folders)
        self._dialog.finished.connect(self._forget_dialog)
        self.settings_shown.emit(self._dialog)
        self._dialog.show()

    @Slot()
    def _forget_dialog(self) -> None:
        self._dialog = None

    @property
    def dialog(self) -> "SettingsDialog | None":
        """The open settings."""
        return self._dialog

    @Slot(object, object)
    def _on_settings(self, old: Settings, new: Settings) -> None:
        if old.sidebar != new.sidebar:
            self.sidebar.setVisible(new.sidebar)
        if (old.theme, old.text_size) != (new.theme, new.text_size):
            self.restyle()

    def restyle(self) -> None:
        """Show everything in the colours and the text size of the settings."""
        self.theme = apply(self.engine.settings, self._base_font)
        self._fit_least()
        for part in (self.sidebar, self.model_bar, self.notice, self.composer, self.gauges, self.transcript):
            part.set_theme(self.theme)
        self.welcome.fit_fonts()
        self.restyled.emit()

    def _fit_least(self) -> None:
        """Larger text needs a larger window, as far as the screen has room: less so in width, where parts give way before text does."""
        room, scale = self.screen().availableSize(), max(self.engine.settings.text_size / 100, 1.0)
        wanted, most = (LEAST[0] * scale**0.5, LEAST[1] * scale), (room.width(), room.height() - TITLE)
        self.setMinimumSize(*(max(least, min(round(w), m)) for least, w, m in zip(LEAST, wanted, most, strict=True)))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """What no part takes for itself: Escape stops the answer wherever the keyboard is, and letters go to the message."""
        keys = Qt.KeyboardModifier
        held = event.modifiers() & ~(keys.ShiftModifier | keys.KeypadModifier | keys.GroupSwitchModifier)
        if held == keys.ControlModifier | keys.AltModifier:  # the right Alt key, as Windows tells it
            held = keys.NoModifier
        if event.key() == Qt.Key.Key_Escape:
            if not event.isAutoRepeat():  # held down over a menu or a dialog that it has closed
                self.composer.escape()
        elif not held and event.text().isprintable() and event.text().strip():
            self.composer.field.setFocus()
            self.composer.field.insertPlainText(event.text())
        else:
            super().keyPressEvent(event)

    # Ending

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Remember the size."""
        super().resizeEvent(event)
        if self.isVisible() and not (self.isMaximized() or self.isFullScreen()):
            self.engine.change_settings(replace(self.engine.settings, width=self.width(), height=self.height()))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Remember whether it fills the screen."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.WindowStateChange and self.isVisible() and not self.isMinimized():
            self.engine.change_settings(replace(self.engine.settings, maximized=self.isMaximized()))

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        """End the engine first; a drive that does not answer holds the end up for END_MS at most."""
        if self.engine.state.phase is not Phase.CLOSING:
            if not self.may_close():
                event.ignore()
                return
            self.chats.save_answer()
            self.closing.emit()
            self.composer.save_draft()
            self.engine.close()
            self._deadline.start()
            for dialog in (self._dialog, self.desk.dialog):
                if dialog is not None:
                    dialog.close()
            self.hide()
            event.ignore()
            if not self.engine.bridge.running:
                QTimer.singleShot(0, self.close)
        elif self.engine.bridge.running and self._deadline.isActive():
            event.ignore()
        else:
            self._deadline.stop()
            self.chats.close()
            event.accept()
            QApplication.quit()

    @Slot()
    def _on_ended(self) -> None:
        if self.engine.state.phase is Phase.CLOSING:
            self.close()
