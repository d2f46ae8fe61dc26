"""Going back to a checkpoint gives what a fresh start gives, in layers that cannot go back by themselves."""


import numpy as np
import pytest

from engine.config import EngineConfig
from engine.model.checkpoints import MOST, Checkpoints
from engine.model.model import Model
from engine.model.plan import plan
from engine.model.state import State
from tests.conftest import Tiny
from tests.model.conftest import Opened

FAMILIES = ["kimi_linear", "kimi_k3", "qwen3_next", "qwen3_5_moe", "gemma4", "gpt_oss"]  # recurrences, and rings
RNG = np.random.default_rng(3)
IDS, OTHER = RNG.integers(0, 256, (2, 96)).astype(np.int32)


@pytest.fixture(params=FAMILIES)
def model(request: pytest.FixtureRequest, tiny: Tiny, opened: Opened) -> Model:
    return opened(tiny(request.param, "f32"), exact=True, chunk=8, context=128)


def run(model: Model, ids: np.ndarray, keep_at: tuple[int, ...] = ()) -> np.ndarray:
    """Logits after the last of ids, appended in steps of at most 8."""
    state, out = model.new_state(), np.empty(0)
    return advance(model, state, ids, keep_at, out)


def advance(model: Model, state: State, ids: np.ndarray, keep_at: tuple[int, ...] = (), out: np.ndarray | None = None) -> np.ndarray:
    for at in range(0, len(ids), 8):
        out = model.forward(ids[at : at + 8], state, "last").copy()
        if state.length in keep_at:
            state.keep()
    assert out is not None
    return out


def test_that_going_back_gives_what_a_fresh_start_gives(model: Model) -> None:
    want = run(model, np.concatenate([IDS[:48], OTHER[:32]]))
    state = model.new_state()
    assert model.plan.checkpoints == MOST
    advance(model, state, IDS, keep_at=(16, 48, 80))
    assert not state.truncate(53) and state.length == 48
    assert np.array_equal(advance(model, state, OTHER[:32]), want)
    # What was kept after the place is of tokens that are gone.
    assert not state.truncate(50) and state.length == 48
    assert not state.truncate(20) and state.length == 16
    assert np.array_equal(advance(model, state, np.concatenate([IDS[16:48], OTHER[:32]])), want)
    assert not state.truncate(9) and state.length == 0


def test_that_a_short_way_back_needs_no_checkpoint(model: Model) -> None:
    state = model.new_state()
    advance(model, state, IDS[:64], keep_at=(16,))
    assert state.truncate(60) and state.length == 60


def test_that_checkpoints_count_in_the_plan(model: Model) -> None:
    assert model.allocated["kv"] == model.plan.kv_bytes
    tight = EngineConfig(model.container.path, model.plan.floor_bytes, 128, 2, True, 8)
    assert plan(model.container, tight).checkpoints == 0


def test_that_the_narrowest_gap_is_given_up() -> None:
    part = np.zeros(3, np.float32)
    c = Checkpoints([part], np.zeros((3, 64), np.uint8))
    for length in (512, 1024, 1100, 1612):
        part[:] = length
        c.keep(length, length)
    for length, want in ((1611, 1024), (1023, 512), (511, None)):
        place = c.back_to(length)
        assert (place.length if place else None) == want
        assert want is None or part.tolist() == [want] * 3
