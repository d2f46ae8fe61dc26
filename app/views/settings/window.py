"""Settings of the window: colours, text size, language, and the key that sends."""

from PySide6.QtWidgets import QWidget

from app import language
from app.presentation import key_name
from app.settings import TEXT_SIZES
from app.views.settings.page import SettingsPage


class WindowPage(SettingsPage):
    """Another language, too, counts at once (app.speaking)."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Window"))
        system = self.tr("As the system")
        self.choice("theme", self.tr("Theme"), (("system", system), ("light", self.tr("Light")), ("dark", self.tr("Dark"))))
        self.choice("text_size", self.tr("Text size"), tuple((n, self.tr("{0}%").format(n)) for n in TEXT_SIZES))
        names = tuple(language.NAMES.items())
        self.choice("language", self.tr("Language"), (("system", system), *names))
        enter, with_control = key_name("Return"), key_name("Ctrl+Return")
        keys = (
            ("return", self.tr("{0}; {1} breaks the line").format(enter, key_name("Shift+Return"))),
            ("ctrl", self.tr("{0}; {1} breaks the line").format(with_control, enter)),
        )
        self.choice("send_key", self.tr("Send messages with"), keys)
        seen, asleep = self.tr("Only where no window of Ouzel is in front"), self.tr("Where the system lets it")
        self.flag("notify", self.tr("Tell me on the desktop when a long answer is ready"), seen)
        self.flag("keep_awake", self.tr("Keep the computer awake while the engine works"), asleep)
        self.flag("ask_quit", self.tr("Ask before quitting while something works"), self.tr("What is done is kept either way"))
