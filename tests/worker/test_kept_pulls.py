"""The list of pulls that have not ended, as an earlier version wrote it."""

import json
from pathlib import Path

from engine.offers import KeptPull
from engine.words import say, spoken
from engine.worker.kept import KeptPulls

ENTRY = {
    "source": "owner/a", "target": "/m/a.ouzel", "experts": "q4", "trunk": "q4", "revision": None, "start_now": False, "paused": True,
    "problem": "",
}  # fmt: skip


def written(home: Path, *entries: dict[str, object]) -> KeptPulls:
    (home / "pulls.json").write_text(json.dumps({"version": 1, "pulls": entries}))
    return KeptPulls(home)


def test_that_pulls_of_a_version_without_the_choice_go_on_as_usual(tmp_path: Path) -> None:
    pulls = written(tmp_path, ENTRY, {**ENTRY, "target": "/m/b.ouzel", "mtp": "drop"}, {**ENTRY, "mtp": 3}, {**ENTRY, "other": 1})
    assert pulls.all() == (
        KeptPull("owner/a", Path("/m/a.ouzel"), paused=True),
        KeptPull("owner/a", Path("/m/b.ouzel"), paused=True, mtp="drop"),
    )


def test_that_what_a_pull_ended_with_can_be_said_in_another_language_after_a_restart(tmp_path: Path) -> None:
    problem = say("{where} cannot be reached ({why}). Check the network and try again.", where="h", why=say("no connection"))
    KeptPulls(tmp_path).put(KeptPull("owner/a", Path("/m/a.ouzel"), problem=problem))
    (kept,) = KeptPulls(tmp_path).all()
    assert kept.problem == problem and spoken(kept.problem, lambda text: text.replace("no", "kein"), str).startswith("h cankeint")
    pulls = written(tmp_path, {**ENTRY, "problem": "Of an earlier version."}, {**ENTRY, "target": "/m/b.ouzel", "problem": {"template": 3}})
    assert [k.problem for k in pulls.all()] == ["Of an earlier version."]
