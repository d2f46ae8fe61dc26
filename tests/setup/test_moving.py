"""Experts on other drives: moved in any order, killed at any moment, and never lost."""

import json
import os
import random
import shutil
import subprocess
import sys
from collections import namedtuple
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.container.reader import Container
from engine.container.storage import InUse
from engine.container.verify import verify
from engine.container.volumes import HOME, MARK, TABLE, cuts, mirror, spread
from engine.errors import BadContainer, BadRequest, Cancelled, StorageError
from engine.setup.moving import Mover
from tests.container.damage import copied, flip
from tests.setup.shards import tree

Tiny = Callable[..., Path]
ROOT = Path(__file__).parents[2]


@pytest.fixture
def container(tiny: Tiny, tmp_path: Path) -> Path:
    return copied(tiny("qwen2_moe", "q4"), tmp_path)


@pytest.fixture
def drives(tmp_path: Path) -> list[Path]:
    out = [tmp_path / "drive b", tmp_path / "c ü"]
    for drive in out:
        drive.mkdir()
    return out


def silent(phase: str, done: int, total: int) -> None: ...


def move(path: Path, drives: list[Path], weights: list[int] | None = None) -> None:
    """Spread by weights; mirror without; gather without drives."""
    with Mover(path) as mover:
        volumes = [0, *(mover.volume(d) for d in drives)]
        mover.move(spread(volumes, weights) if weights else mirror(volumes), silent, CancelToken())


def problems(path: Path) -> list[str]:
    return [f"{p.file} {p.what}" for p in verify(path, silent, CancelToken())]


def open_names(path: Path) -> list[list[str]]:
    container = Container.open(path)
    container.close()
    return [[c.path.parent.parent.name for c in f.copies] for f in container.experts]


def test_that_records_are_cut_into_pages_by_weight() -> None:
    assert cuts([1, 1], 8192) == [0, 4096, 8192]
    assert cuts([1], 4096) == [0, 4096]
    for weights in ([1, 2, 4], [1000, 1], [3, 3, 1, 9]):
        for pages in (1, 2, 7, 100, 4321):
            at = cuts(weights, pages * 4096)
            assert at[0] == 0 and at[-1] == pages * 4096 and at == sorted(at) and not any(a % 4096 for a in at)
            for got, weight in zip([b - a for a, b in pairwise(at)], weights, strict=True):
                assert abs(got - pages * 4096 * weight / sum(weights)) <= 4096


def test_that_experts_move_anywhere_and_back_without_a_change(container: Path, drives: list[Path]) -> None:
    before = tree(container)
    nbytes = sum(f.stat().st_size for f in (container / "experts").glob("L*"))
    for where, weights in [
        (drives[:1], [1, 1]), (drives, [1, 2, 3]), (drives[:1], None), (drives, [0, 1, 1]), (drives, None), (drives[1:], [0, 1]),
    ]:  # fmt: skip
        move(container, where, weights)
        assert problems(container) == []
        held = sum(f.stat().st_size for root in (container, *drives) for f in root.rglob("L*.bin"))
        assert held == nbytes * (1 if weights else len(where) + 1)
        assert {f.name for d in drives if d not in where for f in d.rglob("*")} == set()
        table = json.loads((container / TABLE).read_text())
        assert len(table["folders"]) == len(where) and len(table["placements"]) == 1
    move(container, [])
    assert tree(container) == before and not any(f for d in drives for f in d.iterdir())


def test_that_each_volume_has_its_piece_of_each_record(tiny: Tiny, tmp_path: Path, drives: list[Path]) -> None:
    container = copied(tiny("qwen2_moe", "f32"), tmp_path)
    whole = [f.read_bytes() for f in sorted((container / "experts").glob("L*"))]
    move(container, drives, [1, 1, 2])
    opened = Container.open(container)
    for file, before in zip(opened.experts, whole, strict=True):
        stride = file.layout.stride
        for e in (0, file.n_experts - 1):
            pieces = [c.path.read_bytes()[e * c.nbytes : (e + 1) * c.nbytes] for c in file.copies]
            assert b"".join(pieces) == before[e * stride : (e + 1) * stride] and len(pieces) == 3
    opened.close()


MOVE = """
import os, sys
from pathlib import Path
from engine.cancel import CancelToken
from engine.container.volumes import mirror, spread
from engine.setup.moving import Mover
seen, last = 0, int(sys.argv[1])
def hook(name, args):
    global seen
    if name in ("open", "os.rename", "os.mkdir", "os.remove", "os.rmdir") and any(s in str(args[0]) for s in (".ouzel/", ".volume")):
        seen += 1
        if seen == last:
            os._exit(9)
with Mover(Path(sys.argv[2])) as mover:
    sys.addaudithook(hook)
    volumes = [0, *(mover.volume(Path(d)) for d in sys.argv[4:])]
    weights = [int(w) for w in sys.argv[3].split(",") if w]
    mover.move(spread(volumes, weights) if weights else mirror(volumes), lambda *event: None, CancelToken())
print(seen)
"""


def run(at: int, path: Path, drives: list[Path], weights: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", MOVE, str(at), str(path), weights, *map(str, drives)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


def test_that_a_kill_at_any_system_call_leaves_a_whole_model_and_the_move_goes_on(container: Path, drives: list[Path]) -> None:
    before, rng = tree(container), random.Random(7)
    goals = [(drives[:1], "1,1"), (drives, ""), (drives, "0,2,1"), ([], "")]
    killed = 0
    for where, weights in goals:
        for at in sorted(rng.sample(range(1, 60), 5)):
            done = run(at, container, where, weights)
            assert done.returncode in (0, 9), done.stderr
            killed += done.returncode == 9
            assert problems(container) == []
            open_names(container)
        done = run(0, container, where, weights)
        assert done.returncode == 0, done.stderr
        assert problems(container) == []
    assert killed >= 10
    assert tree(container) == before and not any(f for d in drives for f in d.iterdir())


def test_that_an_open_model_is_not_moved_and_a_moving_one_not_opened(container: Path, drives: list[Path]) -> None:
    opened = Container.open(container)
    with pytest.raises(InUse, match=r"is open in an Ouzel right now\. Close the model there"):
        Mover(container)
    opened.close()
    with Mover(container):
        with pytest.raises(InUse, match="being moved to other drives, or removed"):
            Container.open(container)
        with pytest.raises(InUse):
            verify(container, silent, CancelToken())
    Container.open(container).close()


def test_that_too_little_space_is_told_with_numbers_before_anything_is_done(
    container: Path, drives: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tree(container)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: namedtuple("U", "free")(1000))
    with pytest.raises(StorageError, match=r"needs 0\.00 GB on the drive of .*, and 0\.00 GB are free.*nothing was changed"):
        move(container, drives, [1, 1, 1])
    assert tree(container) == before and not any(f for d in drives for f in d.iterdir())


def test_that_layers_leave_before_others_come(container: Path, drives: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    # Spreading to one drive needs room for what stays there and one layer, not for the whole model twice.
    nbytes = sum(f.stat().st_size for f in (container / "experts").glob("L*"))
    layer = max(f.stat().st_size for f in (container / "experts").glob("L*"))
    monkeypatch.setattr(shutil, "disk_usage", lambda path: namedtuple("U", "free")(layer + 8192))
    assert layer + 8192 < nbytes / 2
    move(container, drives[:1], [1, 1])  # both folders lie on one drive here
    assert problems(container) == []


def test_that_a_cancelled_move_leaves_a_whole_model(container: Path, drives: list[Path]) -> None:
    cancel = CancelToken()
    with Mover(container) as mover, pytest.raises(Cancelled):
        goal = spread([0, mover.volume(drives[0])], [1, 1])
        mover.move(goal, lambda phase, done, total: cancel.cancel() if done * 2 > total else None, cancel)
    assert problems(container) == []
    assert len(json.loads((container / TABLE).read_text())["placements"]) == 2
    move(container, drives[:1], [1, 1])
    assert len(json.loads((container / TABLE).read_text())["placements"]) == 1


def test_that_a_missing_volume_stops_the_opening_unless_all_its_records_lie_elsewhere(container: Path, drives: list[Path]) -> None:
    move(container, drives[:1], [1, 1])
    lost = drives[0].rename(drives[0].with_name("unplugged"))
    with pytest.raises(StorageError, match=r"drive b.* is missing\. Connect its drive, or say .* ouzel volumes .* --locate"):
        Container.open(container)
    assert len(problems(container)) == 1
    with pytest.raises(StorageError, match="is missing"):
        move(container, [])
    lost.rename(drives[0])
    move(container, drives[:1])
    drives[0].rename(lost)
    opened = Container.open(container)
    assert ["" if not v.problem else "missing" for v in opened.volumes] == ["", "missing"]
    assert all([c.volume for c in f.copies] == [0] for f in opened.experts)
    opened.close()
    move(container, [])
    assert not (container / TABLE).exists() and problems(container) == []


def test_that_a_volume_is_found_where_it_lies_now(container: Path, drives: list[Path]) -> None:
    move(container, drives[:1], [1, 1])
    now = drives[0].rename(drives[0].with_name("e"))
    with Mover(container) as mover:
        with pytest.raises(BadRequest, match="is no volume of"):
            mover.locate(drives[1], now)
        with pytest.raises(StorageError, match="is missing"):
            mover.locate(drives[0], drives[1])
        mover.locate(drives[0], now)
    assert problems(container) == []
    with Mover(container) as mover:
        mover.locate(now / "qwen2_moe-q4.volume", now)
    move(container, [])


def test_that_a_wrong_folder_is_refused(container: Path, tiny: Tiny, drives: list[Path]) -> None:
    move(container, drives[:1], [1, 1])
    other = copied(tiny("olmoe", "q4"), drives[1])
    shutil.move(drives[0] / "qwen2_moe-q4.volume", drives[0] / "olmoe-q4.volume")
    with pytest.raises(StorageError, match="belongs to another model"):
        move(other, drives[:1], [1, 1])
    shutil.move(drives[0] / "olmoe-q4.volume", drives[0] / "qwen2_moe-q4.volume")
    move(other, drives[:1], [1, 1])
    shutil.copy(drives[0] / "olmoe-q4.volume" / MARK, drives[0] / "qwen2_moe-q4.volume" / MARK)
    with pytest.raises(StorageError, match="belongs to another model"):
        Container.open(container)
    with pytest.raises(StorageError, match="no folder"):
        move(container, [drives[0] / "none"])
    with pytest.raises(BadRequest, match="in the model itself"):
        move(container, [container / "experts"])
    (drives[1] / "qwen2_moe-q4.volume").mkdir()
    (drives[1] / "qwen2_moe-q4.volume" / "mine.txt").touch()
    with pytest.raises(StorageError, match="is there already"):
        move(copied(tiny("qwen2_moe", "q4"), drives[1]), drives[1:])


def test_that_damage_is_not_copied_and_a_good_copy_never_goes_before_a_bad_one(container: Path, drives: list[Path]) -> None:
    before = tree(container)
    move(container, drives[:1])
    flip(container / "experts" / "L01.bin", 5000)
    move(container, [])
    assert tree(container) == before
    flip(container / "experts" / "L01.bin", 5000)
    with pytest.raises(BadContainer, match=r"Expert \d+ of layer 1 is damaged in .*L01.bin\. Nothing was removed"):
        move(container, drives[:1], [1, 1])
    assert [p for p in problems(container) if "damaged" not in p] == []


def test_that_a_damaged_or_foreign_table_is_refused(container: Path, drives: list[Path]) -> None:
    move(container, drives[:1], [1, 1])
    file = container / TABLE
    whole = file.read_bytes()
    for at in range(0, len(whole), 7):
        flipped = bytearray(whole)
        flipped[at] ^= 1
        file.write_bytes(flipped)
        with pytest.raises(BadContainer, match=r"volumes\.json"):
            Container.open(container)
    for data in (b"", b"{}", b"[]", b"[" * 100_000, b"x" * 2**21, whole[:-9]):
        file.write_bytes(data)
        with pytest.raises(BadContainer, match=r"volumes\.json"):
            Container.open(container)
        assert len(problems(container)) == 1
    file.write_bytes(whole)
    Container.open(container).close()


@pytest.mark.parametrize(
    "change",
    [
        {"folders": [{"path": "relative", "id": "0" * 32}]}, {"folders": [{"path": "/a", "id": "x"}]}, {"folders": []}, {"layers": [0]},
        {"layers": [1, 1, 1, 1]}, {"layers": [0, 0, 0, True]}, {"placements": []},
        {"placements": [{"mode": "raid", "volumes": [0], "weights": []}]}, {"model": "0" * 32}, {"version": 2}, {"extra": 1},
        {"placements": [{"mode": "spread", "volumes": [0, 1], "weights": [1]}]},
        {"placements": [{"mode": "mirror", "volumes": [1, 0], "weights": []}]},
        {"placements": [{"mode": "spread", "volumes": [0, 1], "weights": [1, 10**9]}]},
    ],
)  # fmt: skip
def test_that_a_table_with_a_right_checksum_is_not_trusted_either(change: dict[str, object], container: Path, drives: list[Path]) -> None:
    from engine.container.volumes import _signed

    move(container, drives[:1], [1, 1])
    value = json.loads((container / TABLE).read_text()) | change
    del value["checksum"]
    (container / TABLE).write_bytes(_signed(value))
    with pytest.raises(BadContainer, match=r"volumes\.json"):
        Container.open(container)


@pytest.mark.skipif(sys.platform == "win32" or os.getuid() == 0, reason="root may write anywhere")
def test_that_a_folder_that_cannot_be_written_is_told(container: Path, drives: list[Path]) -> None:
    drives[0].chmod(0o555)
    with pytest.raises(StorageError, match="cannot be written"):
        move(container, drives[:1], [1, 1])


def test_that_removing_a_model_removes_its_volumes(container: Path, drives: list[Path]) -> None:
    from engine.setup.installed import remove

    move(container, drives, [1, 1, 1])
    nbytes = sum(f.stat().st_size for d in (container, *drives) for f in d.rglob("*") if f.is_file())
    (drives[1] / "mine.txt").touch()
    assert remove(container).nbytes == nbytes
    assert not container.exists() and not any(drives[0].iterdir()) and [f.name for f in drives[1].iterdir()] == ["mine.txt"]


def test_that_home_is_a_mirror_of_one() -> None:
    assert mirror([0]) == HOME == spread([0, 1], [3, 0])
