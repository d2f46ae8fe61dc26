"""The list of pulls that have not ended, as an earlier version wrote it."""

import json
from pathlib import Path

from engine.offers import KeptPull
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
