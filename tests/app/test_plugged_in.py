"""Whether the computer is on battery."""

from types import SimpleNamespace

import psutil
import pytest

from app.jobs.shown import plugged_in


@pytest.mark.parametrize(("plugged", "expected"), [(True, True), (False, False), (None, True)])
def test_that_a_battery_in_use_is_known(plugged: bool | None, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psutil, "sensors_battery", lambda: SimpleNamespace(power_plugged=plugged))
    assert plugged_in() is expected


def test_that_a_system_without_batteries_or_without_an_answer_is_plugged_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psutil, "sensors_battery", lambda: None)
    assert plugged_in()

    def missing() -> None:
        raise FileNotFoundError("/sys/class/power_supply")

    monkeypatch.setattr(psutil, "sensors_battery", missing)
    assert plugged_in()
