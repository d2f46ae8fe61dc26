"""What a pull waits for, and why it failed, is German in the German window, also after a restart."""

from pytestqt.qtbot import QtBot

from app.wizard.pulls import Stage
from engine import paths
from engine.worker.kept import KeptPulls
from tests.app.wizard.driving import window
from tests.hub.server import Hub


def test_that_a_pull_waits_and_fails_in_german(qtbot: QtBot, german: None, hub: Hub) -> None:
    hub.faults.statuses["/cdn/"] = [(503, {"Retry-After": "300"})] * 99
    with window(qtbot) as d:
        d.to_progress()
        d.wait(lambda: d.item.progress is not None and d.item.progress.state == "waiting")
        said = d.card.state.text()
        assert said.startswith("Warten: neuer Versuch in ") and said.endswith(" s: der Server ist ausgelastet (503)")
        d.click(d.card.pause)
        d.wait_stage(Stage.PAUSED)
        hub.faults.statuses = {"/api/models": [(500, {})] * 99}
        d.click(d.card.resume)
        d.wait_stage(Stage.FAILED)
        failed = d.card.state.text()
        assert failed == f"{hub.url} ist nicht erreichbar (Antwort 500). Bitte das Netzwerk prüfen und es erneut versuchen."
    assert [k.problem for k in KeptPulls(paths.home()).all()] == [
        f"{hub.url} cannot be reached (it answered 500). Check the network and try again."
    ]
    with window(qtbot) as d:
        d.wait(lambda: bool(d.host.pulls.items))
        assert d.item.stage is Stage.FAILED
        d.click(d.host.bar.button)
        assert d.card.state.text() == failed
