"""The language of the window: which one is meant, and its words and numbers put on the application.

Words come from resources/i18n/ouzel_LANGUAGE.qm, those of Qt's own dialogs from Qt. English is in the source; its file holds plural
forms alone. What the engine says comes as English sentences that can be said again (`engine.words`): `told` does that where they are shown.
"""

from collections.abc import Sequence
from importlib.resources import as_file, files

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from engine.words import spoken as spoken_words

ENGINE = "Engine"  # the context of the engine's sentences
NAMES = {"en": "English", "de": "Deutsch"}  # each in its own words
_installed: list[QTranslator] = []
_spoken = ["en"]


def resolve(choice: str, system: Sequence[str]) -> str:
    """The language that `choice` means ("system" or one of NAMES) where the system prefers `system`, as "de-AT", the best first."""
    if choice in NAMES:
        return choice
    wanted = (name.replace("_", "-").split("-")[0] for name in system)
    return next((name for name in wanted if name in NAMES), "en")


def preferred() -> list[str]:
    """The system's languages, the best first."""
    return QLocale.system().uiLanguages()


def words(language: str) -> list[QTranslator]:
    """The translators of a language, the one that is asked first last."""
    qt, own = QTranslator(), QTranslator()
    dialogs = qt.load(f"qtbase_{language}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
    with as_file(files("resources") / "i18n") as folder:
        read = own.load(str(folder / f"ouzel_{language}.qm"))
    return [*([qt] if dialogs else []), *([own] if read else [])]


def install(choice: str) -> str:
    """Speak a language from now on, in what is made after this; the language that `choice` meant."""
    language = resolve(choice, preferred())
    for translator in _installed:
        QCoreApplication.removeTranslator(translator)
    _installed[:] = words(language)
    for translator in _installed:
        QCoreApplication.installTranslator(translator)
    _spoken[:] = [language]
    system = QLocale.system()
    QLocale.setDefault(QLocale(system.name() if system.language() == QLocale(language).language() else language))
    return language


def told(said: object) -> str:
    """What the engine says, an error or a text, in the language of the window; other text as it is."""
    return spoken_words(said, lambda template: QCoreApplication.translate(ENGINE, template), _written)


def _written(number: str) -> str:
    """A number as English has it, in the way of the language: "1,5" and "35 %"."""
    locale = QLocale()
    if locale.decimalPoint() == ".":
        return number
    return number.translate(str.maketrans(",.", locale.groupSeparator() + locale.decimalPoint())).replace("%", " %")


def number(value: float, digits: int = 0) -> str:
    """A number as the language writes it: "1,234" and "0.5", or "1.234" and "0,5"."""
    return QLocale().toString(float(value), "f", digits)


def short(value: float) -> str:
    """A setting as it is typed: "0.8", "40", or "0,8"."""
    return QLocale().toString(float(value), "g", 12)


def spoken() -> str:
    """The language that was put on the application last."""
    return _spoken[0]
