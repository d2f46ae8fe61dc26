"""Going back: rejected rows, edited prompts and stopped steps leave every kind of layer as if they had not been."""

import numpy as np
import pytest

from engine.cancel import CancelToken
from engine.errors import Cancelled
from engine.model.model import Model
from tests.conftest import Tiny
from tests.model.conftest import Opened

IDS = np.array([3, 17, 255, 4, 9, 200, 31, 8, 77, 120, 5, 64, 99, 1, 250, 13, 2, 90, 41, 7, 66, 180, 20, 11], np.int32)
WRONG = np.full(8, 300, np.int32)
FAMILIES = ["deepseek_v3", "gemma4", "kimi_k3", "qwen3_next"]  # latent, ring, streams and recurrences, recurrence with shared key heads


@pytest.fixture(params=[(family, "auto") for family in FAMILIES] + [("deepseek_v3", "q8"), ("gemma4", "q8")], ids="-".join)
def model(request: pytest.FixtureRequest, tiny: Tiny, opened: Opened) -> Model:
    family, kv = request.param
    return opened(tiny(family, "f32"), exact=True, kv=kv)


def whole(model: Model) -> np.ndarray:
    state = model.new_state()
    return np.concatenate([model.forward(IDS[i : i + 16], state, "all").copy() for i in (0, 16)])


def test_that_rejected_drafts_leave_no_trace(model: Model) -> None:
    want, state = whole(model), model.new_state()
    model.forward(IDS[:12], state, "none")
    for at, right, wrong in ((12, 1, 3), (13, 3, 1), (16, 1, 0), (17, 2, 6), (19, 4, 1), (23, 1, 2)):
        rows = model.forward(np.concatenate([IDS[at : at + right], WRONG[:wrong]]), state, "all")
        assert np.array_equal(rows[:right], want[at : at + right])
        assert state.truncate(at + right)
    assert state.length == len(IDS)


def test_that_an_edited_prompt_starts_anew_where_it_must(model: Model) -> None:
    want, state = whole(model), model.new_state()
    model.forward(WRONG, state, "none")
    model.forward(IDS[:16], state, "none")
    kept = 4 if state.truncate(4) else 0
    assert state.length == kept
    if kept == 0:
        got = model.forward(IDS[:16], state, "all")
        assert np.array_equal(got, want[:16])
    else:
        again = model.forward(WRONG[:4], state, "all").copy()
        fresh = model.new_state()
        assert np.array_equal(model.forward(WRONG, fresh, "all")[4:], again)


def test_that_an_empty_state_is_a_fresh_one(model: Model) -> None:
    want, state = whole(model), model.new_state()
    model.forward(WRONG, state, "none")
    assert state.truncate(0)
    assert np.array_equal(model.forward(IDS[:16], state, "all"), want[:16])


@pytest.mark.parametrize("rows", [16, 3])
def test_that_a_stopped_step_leaves_the_state_usable(model: Model, rows: int) -> None:
    want, state = whole(model), model.new_state()
    model.forward(IDS[:8], state, "none")

    class StopInside:
        """Stops after the second layer, when earlier layers have moved on."""

        def __init__(self, token: CancelToken) -> None:
            self.token = token

        def hidden(self, layer: int, x: np.ndarray) -> None:
            if layer == 1:
                self.token.cancel()

        def last(self, x: np.ndarray) -> None: ...
        def routes(self, layer: int, logits: np.ndarray, ids: np.ndarray, weights: np.ndarray) -> None: ...

    token = CancelToken()
    model.probe = StopInside(token)
    with pytest.raises(Cancelled):
        model.forward(IDS[8 : 8 + rows], state, "none", token)
    model.probe = None
    assert state.length in (0, 8)
    if rows == 3:
        assert state.length == 8  # a short step can always be taken back
    at = state.length
    assert np.array_equal(model.forward(IDS[at : at + 16], state, "all"), want[at : at + 16])
