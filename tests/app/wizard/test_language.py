"""The wizard's words are offered for translation, all of them."""

import pytest
from pytestqt.qtbot import QtBot

from app.wizard.state import Page
from tests.app.spoken import Bracketed, forgotten
from tests.app.wizard.driving import window
from tests.app.wizard.test_access import GATED, fill

DATA = (
    *("Good", "Huge", "tiny", "mixtral", "mit", "Apache-2.0", "owner/tiny", "a/good", "a/huge", "https://", "huggingface.co", str(GATED)),
    *("/m/a.ouzel", "/m/b.ouzel", "/m/c.ouzel", "MXFP4", "GGUF"),
)
OF_THE_ENGINE = (  # sentences with numbers of its own, in English
    *("About 6 to 9 tokens/s.", "A smaller model.", "trying again in 12 s: the server is busy (503)"),
    "/m needs 31 GB, but 3 GB are free. Free some space, or choose another folder.",
)


@pytest.mark.parametrize("page", list(Page))
def test_that_a_page_says_nothing_untranslated(qtbot: QtBot, brackets: Bracketed, page: Page) -> None:
    with window(qtbot) as d:
        d.open_wizard()
        fill(d, page)
        folders = [str(d.control.place.folder), *(str(p) for p in d.control.place.folder.parents)]
        why_awake = d.wizard.progress.sleep.toolTip()  # a library's words
        assert forgotten([*DATA, *OF_THE_ENGINE, *folders, why_awake], [d.wizard]) == []
