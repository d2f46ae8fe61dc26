"""The settings: what most people need, or all of it. Each change takes effect at once."""

from dataclasses import replace

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox, QDialog, QDialogButtonBox, QHBoxLayout, QLabel, QMessageBox, QTabWidget, QVBoxLayout, QWidget

from app.settings import Settings
from app.views.fitting import resize_within
from app.views.parts import quiet
from app.views.settings.answers import AnswersPage
from app.views.settings.engine import EnginePage
from app.views.settings.folders import FoldersPage
from app.views.settings.network import NetworkPage
from app.views.settings.page import SettingsPage
from app.views.settings.programs import ProgramsPage
from app.views.settings.window import WindowPage
from engine.config import Sampling

SIZE = (600, 560)
KEPT = ("sidebar", "width", "height", "maximized", "budget_bytes", "expert")  # what the reset leaves: it is set elsewhere


class SettingsDialog(QDialog):
    """`changed` carries the whole new settings, `models_folder_chosen` a folder or None for the usual one."""

    changed = Signal(object)
    models_folder_chosen = Signal(object)

    def __init__(self, settings: Settings, defaults: Sampling, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Settings"))
        self.settings = settings
        self.folders, self.network = FoldersPage(self), NetworkPage(self)
        usual = AnswersPage(defaults, self), EnginePage(self), WindowPage(self)
        self.programs = ProgramsPage(self)
        self.pages: tuple[SettingsPage, ...] = (*usual, self.folders, self.network, self.programs)
        self.fields: dict[str, QWidget] = {}
        self.tabs = QTabWidget(self)
        self.tabs.setAccessibleName(self.tr("Groups of settings"))
        self.tabs.setDocumentMode(True)
        self.tabs.setUsesScrollButtons(False)  # the dialog is as wide as all names take
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.tabBar().setAccessibleName(self.tr("Groups of settings"))
        for page in self.pages:
            self.tabs.addTab(page, page.accessibleName())
            self.fields |= page.fields
            page.changed.connect(self._change)
        self.folders.models_folder_chosen.connect(self.models_folder_chosen)
        self.expert = QCheckBox(self.tr("Show all settings"), self)
        self.expert.setAccessibleName(self.expert.text())
        self.expert.toggled.connect(lambda on: self._change("expert", on))
        self.hidden = QLabel(self)
        self.hidden.setObjectName("dim")
        self.hidden.setWordWrap(True)
        self._lay_out()
        self.show_settings(settings)

    def _lay_out(self) -> None:
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self.restore = buttons.addButton(self.tr("Reset…"), QDialogButtonBox.ButtonRole.ResetRole)
        quiet(buttons)
        buttons.rejected.connect(self.reject)
        self.restore.clicked.connect(self._ask_restore)
        foot = QHBoxLayout()
        foot.setSpacing(12)
        foot.addWidget(self.expert)
        foot.addStretch(1)
        foot.addWidget(buttons)
        column = QVBoxLayout(self)
        column.addWidget(self.tabs, 1)
        column.addWidget(self.hidden)
        column.addLayout(foot)
        resize_within(self, *SIZE)

    def show_settings(self, settings: Settings) -> None:
        """Fill all fields."""
        self.settings = settings
        for page in self.pages:
            page.show_settings(settings)
            page.show_expert(settings.expert)
        self.expert.setChecked(settings.expert)
        usual = Settings()
        changed = [n for p in self.pages for n in p.expert_settings if getattr(settings, n) != getattr(usual, n)]
        self.hidden.setText(self.tr("%n setting(s) that are not shown differ from the usual.", "", len(changed)))
        self.hidden.setVisible(bool(changed) and not settings.expert)

    @Slot(object, object)
    def follow(self, _old: Settings, new: Settings) -> None:
        """Take up what is changed elsewhere while the dialog is open."""
        if new != self.settings:
            self.show_settings(new)

    @Slot(str, object)
    def _change(self, name: str, value: object) -> None:
        if getattr(self.settings, name) != value:
            settings = replace(self.settings, **{name: value})  # type: ignore[arg-type]
            self.show_settings(settings)
            self.changed.emit(settings)

    @Slot()
    def _ask_restore(self) -> None:
        question = self.tr("Set everything here back to how it was at first? Chats, models, folders and access tokens stay.")
        yes, no = QMessageBox.StandardButton.Yes, QMessageBox.StandardButton.No
        if QMessageBox.question(self, self.tr("Reset"), question, yes | no, no) == yes:
            fresh = replace(Settings(), **{name: getattr(self.settings, name) for name in KEPT})
            self.show_settings(fresh)
            self.changed.emit(fresh)
            self.network.restore()

    def done(self, result: int) -> None:
        """Nobody waits for answers any more."""
        self.network.close_errands()
        super().done(result)
