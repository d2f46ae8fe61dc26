"""The draft model in the settings, chosen with keys."""

from pathlib import Path

from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from tests.app.test_settings_dialog import choose, shown, tick
from tests.app.window import opened


def test_that_a_draft_model_is_chosen_among_those_that_are_there(qtbot: QtBot, ouzel_home: Path) -> None:
    for name in ("large", "small"):
        folder = ouzel_home / "models" / f"{name}.ouzel"
        folder.mkdir(parents=True)
        (folder / "manifest.json").write_text("{}")
    with opened(qtbot) as d:
        dialog = shown(d, 1)
        tick(dialog.expert)
        box = dialog.fields["draft_model"]
        assert isinstance(box, QComboBox) and [box.itemText(i) for i in range(box.count())] == ["None", "large", "small"]
        choose(box, str(ouzel_home / "models" / "small.ouzel"))
        assert d.engine.settings.engine(Path("/m.ouzel")).draft_model == ouzel_home / "models" / "small.ouzel"
        choose(box, "")
        assert d.engine.settings.engine(Path("/m.ouzel")).draft_model is None
