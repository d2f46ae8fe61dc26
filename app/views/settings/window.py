"""Settings of the window: colours, text size, language, and the key that sends."""

from PySide6.QtWidgets import QLabel, QWidget

from app import language
from app.presentation import key_name
from app.settings import TEXT_SIZES, Settings
from app.views.settings.page import SettingsPage


class WindowPage(SettingsPage):
    """`spoken` is the language that the window speaks now: another one counts from the next start on, which is said."""

    def __init__(self, spoken: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Window"))
        self._spoken, self._told = spoken, ""
        system = self.tr("As the system")
        self.choice("theme", self.tr("Theme"), (("system", system), ("light", self.tr("Light")), ("dark", self.tr("Dark"))))
        self.choice("text_size", self.tr("Text size"), tuple((n, self.tr("{0}%").format(n)) for n in TEXT_SIZES))
        names = tuple(language.NAMES.items())
        self.choice("language", self.tr("Language"), (("system", system), *names))
        self.later: QLabel = self.hint("")
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

    def show_settings(self, settings: Settings) -> None:
        """Fill all fields, and say when another language counts, in both."""
        super().show_settings(settings)
        if settings.language == self._told:
            return
        self._told = settings.language
        wanted = language.resolve(settings.language, language.preferred())
        source = "The language changes when Ouzel starts again."
        said = [self.tr("The language changes when Ouzel starts again.")]
        said += [t for w in language.words(wanted) if (t := w.translate("WindowPage", source))]
        self.later.setText("\n".join(dict.fromkeys(said if wanted != "en" else [*said, source])))
        self.form.setRowVisible(self.later, wanted != self._spoken)
