"""The cache of built starters: what anybody uses stays, else the latest few do."""

import os
from contextlib import closing
from pathlib import Path

import pytest

from engine.container.storage import Hold
from tests import starter_cache


def test_that_only_old_starters_go_and_none_while_the_cache_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUZEL_TEST_CACHE", str(tmp_path))
    for age in range(starter_cache.KEEP + 2):
        (tmp_path / f"{age}" / starter_cache.STARTER).mkdir(parents=True)
        os.utime(tmp_path / f"{age}", (1e9 - age, 1e9 - age))
    (tmp_path / ".draft-x").mkdir()
    os.utime(tmp_path / ".draft-x", (0, 0))
    (tmp_path / "cache").mkdir()
    before = set(tmp_path.iterdir())
    with closing(Hold(starter_cache.in_use(), alone=False, words="")):
        starter_cache.remove_old()
        assert set(tmp_path.iterdir()) == before | {starter_cache.in_use()}
    starter_cache.remove_old()
    left = {p.name for p in tmp_path.iterdir()}
    assert left == {*map(str, range(starter_cache.KEEP)), "cache", "in use"}
