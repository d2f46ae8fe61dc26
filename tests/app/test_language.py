"""A text of the window that was forgotten is found; wizard/test_every_page.py looks at all of them."""

from pytestqt.qtbot import QtBot

from tests.app.spoken import Bracketed, forgotten
from tests.app.window import opened


def test_that_a_forgotten_text_is_found(qtbot: QtBot, brackets: Bracketed) -> None:
    with opened(qtbot) as d:
        d.main.composer.attach.setToolTip("Attach files")
        d.main.sidebar.new_button.setText("1⟦New⟧: chat")
        assert sorted(left for _, left in forgotten([], [d.main])) == ["Attach files", "chat"]
