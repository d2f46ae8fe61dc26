"""Contract 1 with several drives: their number, rates, stalls and failures never change a bit of the result."""

from pathlib import Path

import numpy as np
import pytest

from engine.cancel import CancelToken
from engine.config import EngineConfig
from engine.container.reader import Container
from engine.container.volumes import mirror, spread
from engine.model.model import Model
from engine.model.plan import plan
from engine.setup.moving import Mover
from tests.conftest import Tiny
from tests.container.damage import copied, flip

IDS = np.array([3, 17, 255, 4, 9, 200, 31, 8, 77, 120, 5, 64, 99, 1, 250, 13, 2, 90, 41, 7, 66, 180, 20, 11], np.int32)


def logits(path: Path, limits: tuple[float, ...] = (), exact: bool = False) -> np.ndarray:
    """Of a prompt in two chunks and six greedy steps, under the least budget."""
    container = Container.open(path)
    config = EngineConfig(path, context=64, chunk=16, threads=2, exact=exact)
    least = plan(container, config).floor_bytes
    config = EngineConfig(path, least, 64, 2, exact, 16)
    model = Model(container, config, plan(container, config), lambda fraction: None, CancelToken())
    try:
        for volume, rate in enumerate(limits):
            model.streamer.limit(volume, rate)
        state, out = model.new_state(), []
        model.forward(IDS[:16], state, "none")
        row = model.forward(IDS[16:], state, "last")[-1]
        for _ in range(6):
            out.append(row.copy())
            row = model.forward(np.array([row.argmax()], np.int32), state, "all")[-1]
        assert model.streamer.counters().misses
        return np.array(out)
    finally:
        model.close()
        container.close()


@pytest.mark.parametrize("formats", ["f32", "q4"])
def test_that_drives_never_change_a_bit(formats: str, tiny: Tiny, tmp_path: Path) -> None:
    path = copied(tiny("qwen2_moe", formats), tmp_path)
    exact = formats == "f32"
    alone = logits(path, exact=exact)
    drives = [tmp_path / "b", tmp_path / "c"]
    for drive in drives:
        drive.mkdir()
    for weights in ([1, 1, 1], [1, 3], None):
        with Mover(path) as mover:
            volumes = [0, *(mover.volume(d) for d in drives[: len(weights) - 1 if weights else 2])]
            mover.move(spread(volumes, weights) if weights else mirror(volumes), lambda *event: None, CancelToken())
        for limits in ((), (40e6, 400e6), (400e6, 40e6, 400e6)):
            assert np.array_equal(logits(path, limits[: len(volumes)], exact), alone)
    assert np.array_equal(logits(path, (400e6, 10, 400e6), exact), alone)  # one stalls for good
    for file in (drives[0] / f"{path.stem}.volume" / "full").iterdir():  # one lies
        flip(file, 100)
    assert np.array_equal(logits(path, exact=exact), alone)
    drives[1].rename(tmp_path / "unplugged")  # one is gone
    assert np.array_equal(logits(path, exact=exact), alone)
