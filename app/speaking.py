"""Another language takes effect at once: every part says its texts again, while engine, answers, drafts and jobs go on.

The window's parts live as long as it does and say their texts again in their places. Dialogs show what controls and stores know, so they
are made anew. A message that was shown already stays as it was said.
"""

from PySide6.QtCore import QLocale, QObject, QTimer, Slot

from app import language
from app.settings import Settings
from app.state import Phase
from app.views.main_window import MainWindow


class Speaking(QObject):
    """One a window. Follows the language of the settings."""

    def __init__(self, main: MainWindow) -> None:
        super().__init__(main)
        self._main = main
        main.engine.settings_changed.connect(self._on_settings)

    @Slot(object, object)
    def _on_settings(self, old: Settings, new: Settings) -> None:
        if old.language != new.language and language.resolve(new.language, language.preferred()) != language.spoken():
            QTimer.singleShot(0, self, self.retranslate)  # the dialog that it was chosen in is made anew, and may be busy with that still

    @Slot()
    def retranslate(self) -> None:
        """Say everything in the language of the settings."""
        main = self._main
        if main.engine.state.phase is Phase.CLOSING:
            return
        language.install(main.engine.settings.language)
        main.setLocale(QLocale())  # of fields that are there already
        for part in (main.sidebar, main.model_bar, main.notice, main.composer, main.gauges, main.welcome, main.context_bar):
            part.retranslate()
        main.present()
        main.desk.retranslate()
        main.retranslated.emit()
        self._renew_settings()

    def _renew_settings(self) -> None:
        old = self._main.dialog
        if old is None:
            return
        place, page = old.geometry(), old.tabs.currentIndex()
        focused = next((name for name, field in old.fields.items() if field is old.focusWidget()), "")
        old.close()
        self._main.show_settings()
        new = self._main.dialog
        if new is not None:
            new.setGeometry(place)
            new.network.take_typed(old.network)
            new.tabs.setCurrentIndex(page)
            if focused:
                new.fields[focused].setFocus()
