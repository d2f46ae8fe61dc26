"""The layer for further tokens against its reference, in every family that has one: logits and chosen experts, however the text came."""

from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from engine.arch import read_arch
from engine.arch.spec import ArchSpec
from engine.container.format import PAGE
from engine.container.reader import Container
from engine.errors import BadContainer
from tests.conftest import TinyFurther
from tests.container.damage import copied
from tests.model.conftest import Opened
from tests.oracle.further import FAMILIES, names
from tests.reference.mtp import further
from tests.reference.source import Checkpoint
from tests.reference.walk import walk

IDS = np.array([5, 17, 80, 3, 200, 41, 9, 120, 77, 31, 250, 6, 88, 19, 140, 55, 7, 301, 64, 12, 99, 23, 170, 45], np.int32)


class Seen:
    """A probe that keeps the chosen experts of the layer for further tokens."""

    def __init__(self, layer: int) -> None:
        self.layer, self.ids = layer, list[npt.NDArray[np.int32]]()

    def hidden(self, layer: int, x: npt.NDArray[np.float32]) -> None:
        pass

    def last(self, x: npt.NDArray[np.float32]) -> None:
        pass

    def routes(self, layer: int, logits: npt.NDArray[np.float32], ids: npt.NDArray[np.int32], weights: npt.NDArray[np.float32]) -> None:
        if layer == self.layer:
            self.ids.append(ids[0].copy())


@pytest.fixture
def opened(opened: Opened) -> Opened:
    """As of all tests of models, but in exact arithmetic, with drafts of the layer."""
    return partial(opened, exact=True, draft="mtp")


def described(path: Path) -> ArchSpec:
    import json

    return read_arch(json.loads((path / "config.json").read_text()))


def close_to(got: npt.NDArray[np.float32], want: npt.NDArray[np.float64], family: str) -> bool:
    loose = family.startswith("qwen3")  # delta-rule families
    relative = float(np.linalg.norm(got - want) / np.linalg.norm(want))
    return relative <= (2e-5 if loose else 5e-6) and float(np.abs(got - want).max()) <= (5e-4 if loose else 1e-4)


@pytest.mark.parametrize("family", FAMILIES)
def test_that_it_agrees_with_its_reference(family: str, tiny_further: TinyFurther, opened: Opened) -> None:
    source, path = tiny_further(family)
    spec, checkpoint = described(source), Checkpoint.open(source)
    walked = walk(spec, checkpoint, IDS)
    logits, _, experts = further(spec, checkpoint, IDS, walked, names(family), family.startswith("qwen"))
    model = opened(path)
    state, seen = model.new_state(), Seen(len(spec.layers))
    model.probe = seen
    # A prompt in chunks, one token, a step with a draft that is taken back, and steps of several rows.
    at = 0
    for count, wrong in ((5, 0), (1, 0), (2, 3), (1, 1), (7, 0), (1, 0), (3, 2)):
        step = np.concatenate([IDS[at : at + count], np.full(wrong, 11, np.int32)])
        model.forward(step, state, "all")
        state.truncate(at := at + count)
        for again in range(2):  # what it drafts beyond the text leaves its cache right for the next step
            got = model.further(int(IDS[at]), 0, state)
            assert got is not None and close_to(got, logits[at - 1], family), (at, again)
            assert sorted(seen.ids[-1].tolist() if seen.ids else []) == sorted(experts[at - 1].tolist())
            assert model.further(13, 1, state) is not None and model.further(14, 2, state) is not None
    assert state.length == at == 20


@pytest.mark.parametrize("family", FAMILIES)
def test_that_a_second_token_is_drafted_from_its_own_row(family: str, tiny_further: TinyFurther, opened: Opened) -> None:
    """Where its own row stands in for the model's: the reference with that row put in its place."""
    source, path = tiny_further(family)
    spec, checkpoint = described(source), Checkpoint.open(source)
    ids = IDS[:9]
    walked = walk(spec, checkpoint, ids)
    n, plus = 7, family.startswith("qwen")
    _, rows, _ = further(spec, checkpoint, ids[: n + 1], walk(spec, checkpoint, ids[: n + 1]), names(family), plus)
    walked.final[n] = rows[n - 1]
    logits, _, _ = further(spec, checkpoint, ids, walked, names(family), plus)
    model = opened(path)
    state = model.new_state()
    model.forward(ids[:n], state, "last")
    model.further(int(ids[n]), 0, state)
    got = model.further(int(ids[n + 1]), 1, state)
    assert got is not None and close_to(got, logits[n], family)


def test_that_it_runs_only_where_it_is_to_draft(tiny_further: TinyFurther, opened: Opened) -> None:
    _, path = tiny_further("glm4_moe")
    with_it, without = opened(path), opened(path, draft="ngram")
    assert with_it.spec.mtp is not None and without.spec.mtp is None
    assert with_it.plan.kv_bytes > without.plan.kv_bytes and with_it.plan.n_records > without.plan.n_records
    a, b = (m.forward(IDS[:9], m.new_state(), "all").copy() for m in (with_it, without))
    assert np.array_equal(a, b)
    assert without.further(3, 0, without.new_state()) is None
    for model in (with_it, without):
        there, p = model.allocated, model.plan
        assert there["kv"] == p.kv_bytes and there["scratch"] <= p.scratch_bytes and there["cache"] <= p.cache_bytes


def test_that_a_text_that_was_cut_or_emptied_has_nothing_to_draft_from(tiny_further: TinyFurther, opened: Opened) -> None:
    _, path = tiny_further("deepseek_v3")
    model = opened(path)
    state = model.new_state()
    assert model.further(3, 0, state) is None
    model.forward(IDS[:9], state, "last")
    assert model.further(3, 0, state) is not None
    state.truncate(4)
    assert model.further(3, 0, state) is not None  # its row is one of the last step
    model.forward(IDS[4:6], state, "last")
    state.truncate(2)
    assert model.further(3, 0, state) is None
    model.forward(IDS[2:5], state, "last")
    assert model.further(3, 0, state) is not None


@pytest.mark.parametrize("family", ["glm4_moe", "qwen3_next"])
def test_that_its_tensors_take_no_memory_where_it_does_not_draft(family: str, tiny_further: TinyFurther, opened: Opened) -> None:
    _, path = tiny_further(family)
    whole, without = opened(path), opened(path, draft="ngram")
    assert whole.spec.mtp is not None and without.spec.mtp is None
    for model in (whole, without):
        model.new_state()
        assert model.allocated["trunk"] == model.plan.trunk_bytes
    own = sum(without.container.tensors[t.name].nbytes for t in without.container.arch.mtp.tensors)
    saved = whole.plan.trunk_bytes - without.plan.trunk_bytes
    assert own - 4 * PAGE <= saved <= own  # pages at the edges hold other tensors too
    rows = [m.forward(IDS[:16], m.new_state(), "all").copy() for m in (whole, without)]
    assert np.array_equal(*rows)
    with pytest.raises(KeyError, match="left out"):
        without._weights.matrix("mtp.project")


def test_that_damage_in_what_stays_out_of_memory_is_found_too(tiny_further: TinyFurther, opened: Opened, tmp_path: Path) -> None:
    path = copied(tiny_further("glm4_moe")[1], tmp_path)
    container = Container.open(path)
    trunk = container.manifest.trunk
    at = trunk.data_start + trunk.tensors["mtp.project"].offset + trunk.tensors["mtp.project"].nbytes // 2
    container.close()
    file = path / trunk.file
    data = bytearray(file.read_bytes())
    data[at] ^= 1
    file.write_bytes(data)
    for draft in ("ngram", "mtp"):
        with pytest.raises(BadContainer, match="checksum differs"):
            opened(path, draft=draft)
