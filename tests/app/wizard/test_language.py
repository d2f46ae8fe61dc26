"""The wizard's words are offered for translation, all of them."""

import pytest
from pytestqt.qtbot import QtBot

from app.wizard.state import Page
from tests.app.spoken import Bracketed, forgotten
from tests.app.wizard.driving import window
from tests.app.wizard.test_access import fill

DATA = (
    *("Good", "Huge", "tiny", "mixtral", "mit", "Apache-2.0", "owner/tiny", "a/good", "a/huge", "https://", "huggingface.co"),
    *("/m/a.ouzel", "/m/b.ouzel", "/m/c.ouzel", "MXFP4", "GGUF"),
)


@pytest.mark.parametrize("page", list(Page))
def test_that_a_page_says_nothing_untranslated(qtbot: QtBot, brackets: Bracketed, page: Page) -> None:
    with window(qtbot) as d:
        d.open_wizard()
        fill(d, page)
        folders = [str(d.control.place.folder), *(str(p) for p in d.control.place.folder.parents)]
        why_awake = d.wizard.progress.sleep.toolTip()  # a library's words
        assert forgotten([*DATA, *folders, why_awake], [d.wizard]) == []
