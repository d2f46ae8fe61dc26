"""All pages of the program: nothing is cut where room is scarce, and nothing is said in one language alone."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from app import language, settings
from app.help.about_page import AboutPage
from app.help.window import HelpWindow
from app.main import SETTINGS
from app.settings import Settings
from tests.app.everywhere import NAMES, Seen, drawn, first_pages, pages
from tests.app.fitting import misfits
from tests.app.spoken import Bracketed, forgotten
from tests.app.wizard.driving import WizardDriver, window

NARROW = (760, 560)
DATA = (
    *("Good", "Huge", "tiny", "mixtral", "mit", "Apache-2.0", "owner/tiny", "a/good", "a/huge", "https://", "huggingface.co"),
    *("/m/a.ouzel", "/m/b.ouzel", "/m/c.ouzel", "MXFP4", "GGUF"),
)


def all_pages(d: WizardDriver, model: Path) -> Seen:
    """Those without a model, then those with one."""
    yield from drawn(first_pages(d))
    d.engine.refresh_models(model)
    d.engine.choose(model)
    d.wait_ready()
    yield from drawn(pages(d))


def licences(page: QWidget) -> list[str]:
    """The works of others that the help lists, which have one name everywhere."""
    about = page.findChild(AboutPage) if isinstance(page, HelpWindow) else None
    return [item.text() for n in range(2, about.works.count()) if (item := about.works.item(n)) is not None] if about else []


def told(found: dict[str, str]) -> str:
    """What was found and on which page, a line each."""
    return "\n".join(f"{name}: {what}" for what, name in found.items())


@pytest.mark.long
@pytest.mark.parametrize(("text_size", "spoken"), [(150, "de")])
def test_that_nothing_is_cut_where_room_is_scarce(qtbot: QtBot, ouzel_home: Path, starter: Path, text_size: int, spoken: str) -> None:
    settings.save(ouzel_home / SETTINGS, Settings(language=spoken, text_size=text_size, temperature=0.0))
    found: dict[str, str] = {}
    try:
        with window(qtbot) as d:
            for name, page in all_pages(d, starter):
                if isinstance(page, QMainWindow):
                    page.resize(*NARROW)
                found.update((misfit, name) for misfit in misfits(page))
            d.engine.change_settings(Settings())  # the font is the application's, also in the next test
    finally:
        language.install("en")
    assert not found, told(found)


def test_that_nothing_is_said_in_one_language_alone(qtbot: QtBot, brackets: Bracketed, starter: Path) -> None:
    found: dict[str, str] = {}
    with window(qtbot) as d:
        for name, page in all_pages(d, starter):
            folders = [str(d.control.place.folder), *(str(p) for p in d.control.place.folder.parents), str(starter), str(starter.parent)]
            awake = [d.host.wizard.progress.sleep.toolTip()] if d.host.wizard else []  # a library's words
            said = [t.text for t in d.main.transcript.turns]
            data = [*DATA, *NAMES, *folders, *awake, *said, *licences(page)]
            found.update((f"{where}: {left}", name) for where, left in forgotten(data, [page]))
    assert not found, told(found)
