"""A draft model beside another: whatever it drafts, the tokens are those of plain decoding, and its state follows the text."""

import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.cancel import CancelToken
from engine.config import EngineConfig
from engine.container.reader import Container
from engine.errors import Cancelled
from engine.generate.draft_model import DraftModel
from engine.generate.drafter import Drafted, Drafter, Outlook
from engine.generate.session import Session
from engine.generate.width import Choice, WidthController
from engine.model.model import Model
from engine.model.plan import plan
from engine.model.resident import resident_bytes, resident_plan
from engine.text.text import Text
from tests.generate.conftest import Talk
from tests.generate.prompts import SAMPLINGS, varied
from tests.oracle.checkpoint import DATA

RARER = ("gemma3_text", "gemma4_unified", "granite", "llama", "mistral", "olmo2", "qwen2")  # made of blocks that others have too
FAMILIES = [pytest.param(p.name, marks=pytest.mark.long if p.name in RARER else ()) for p in sorted(DATA.iterdir())]
FEW_AND_MANY = [pytest.param(2, id="few"), pytest.param(20, id="many", marks=pytest.mark.long)]  # prompts


def small(path: Path, context: int, stack: ExitStack) -> Model:
    """A model as it is opened to draft."""
    config = EngineConfig(path, threads=1, lookahead="off", warm_start=False)
    container = Container.open(path)
    stack.callback(container.close)
    model = Model(container, config, resident_plan(container, config, context), lambda fraction: None, CancelToken())
    stack.callback(model.close)
    return model


@pytest.fixture
def pair() -> Iterator[Callable[..., Talk]]:
    """pair(target, draft): a session with a draft model beside it."""
    with ExitStack() as stack:

        def start(path: Path, draft: Path, **options: Any) -> Talk:
            config = EngineConfig(path, **({"context": 512, "chunk": 32, "threads": 1, "exact": True, "draft": "auto"} | options))
            container = Container.open(path)
            stack.callback(container.close)
            model = Model(container, config, plan(container, config), lambda fraction: None, CancelToken())
            stack.callback(model.close)
            text = Text.open(path)
            session = Session(model, text, draft_model=small(draft, model.plan.context, stack))
            stack.callback(session.close)
            return Talk(session, model, text)

        yield start


def draft_often(monkeypatch: pytest.MonkeyPatch, rng: random.Random) -> None:
    """Let the source be asked for any number of tokens, and any number of them be verified."""

    def outlook(self: Drafter, steps: object, otherwise: float, room: int, left: int) -> Outlook:
        self._trying, most = True, min(room, self.source.room, rng.randint(0, 8))
        return Outlook(1.0, most)

    def among(self: WidthController, text: Choice, drafted: Drafted) -> Choice:
        width = rng.randint(0, len(drafted.proposal.ids))
        return Choice(drafted.proposal, width, (1.0,) * 9, (1.0,) * 9)

    monkeypatch.setattr(Drafter, "outlook", outlook)
    monkeypatch.setattr(WidthController, "among", among)


@pytest.mark.parametrize("prompts", FEW_AND_MANY)
@pytest.mark.parametrize("family", FAMILIES)
def test_that_a_draft_model_changes_no_token(
    family: str, prompts: int, tiny: Callable[..., Path], talk: Callable[..., Talk], pair: Callable[..., Talk],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The family drafts for itself: alike, so that whole drafts are right, and with another seed's weights, so that most are wrong."""
    rng = random.Random(family)
    path = tiny(family)
    draft_often(monkeypatch, rng)
    plain = talk(path)
    for seed, turns, least in ((0, prompts, 0.6), (1, prompts // 2, 0.0)):
        drafted = pair(path, tiny(family, seed=seed))
        accepted = proposed = 0
        for turn, prompt in enumerate(islice(varied(rng), turns)):
            for sampling in SAMPLINGS:
                plain.ask(prompt, sampling=sampling, draft="off")
                c = drafted.ask(prompt, sampling=sampling, draft="auto").counters
                assert (drafted.pieces, drafted.session.ids) == (plain.pieces, plain.session.ids), (seed, turn, sampling)
                accepted, proposed = accepted + c.drafts_model_accepted, proposed + c.drafts_model_proposed
        assert proposed > 15 and accepted >= least * proposed, (accepted, proposed)


@pytest.mark.parametrize(("family", "small_one"), [("qwen3_moe", "qwen3"), ("mixtral", "mistral"), ("qwen3_5_moe", "qwen3_5")])
def test_that_a_dense_model_drafts_for_one_with_experts(
    family: str, small_one: str, tiny: Callable[..., Path], talk: Callable[..., Talk], pair: Callable[..., Talk],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    draft_often(monkeypatch, random.Random(family))
    plain, drafted = talk(tiny(family)), pair(tiny(family), tiny(small_one))
    for sampling in SAMPLINGS:
        plain.ask("one two three", sampling=sampling, draft="off")
        c = drafted.ask("one two three", sampling=sampling, draft="auto").counters
        assert (drafted.pieces, drafted.session.ids) == (plain.pieces, plain.session.ids), sampling
        assert c.drafts_model_proposed > 0


@pytest.mark.parametrize("family", ["qwen3_moe", "qwen3_next", "kimi_linear", "gemma4", "gpt_oss", "qwen3", "qwen3_5"])
def test_that_its_state_follows_the_text(family: str, tiny: Callable[..., Path]) -> None:
    """Edits, rejected drafts, another conversation, a stop: its logits are those of a model that reads the text anew."""
    rng = random.Random(family)
    with ExitStack() as stack:
        model, fresh = small(tiny(family), 256, stack), small(tiny(family), 256, stack)
        draft = DraftModel(model, model.spec.vocab_size)
        text = [rng.randrange(3, 200) for _ in range(40)]
        draft.begin(text)
        for turn in range(12):
            for _ in range(rng.randint(0, 5)):
                draft.logits(CancelToken())
                draft.push(rng.randrange(3, 200))
            if turn == 5:
                draft.begin(text := [*text[:21], 7, 8, 9])  # an edited message
            elif turn == 8:
                cancel = CancelToken()
                cancel.cancel()
                draft.extend(more := [11, 12, 13])
                text += more
                with pytest.raises(Cancelled):
                    draft.logits(cancel)
            else:
                draft.extend(more := [*draft._drafted[: rng.randint(0, 3)], 5])  # a part of the draft was right
                text += more
            got = draft.logits(CancelToken()).copy()
            state = fresh.new_state()
            want = np.empty((0, 0), np.float32)
            for at in range(0, len(text), fresh.plan.chunk):
                part = np.asarray(text[at : at + fresh.plan.chunk], np.int32)
                want = fresh.forward(part, state, "last")
            assert got.argmax() == want[-1].argmax() and np.allclose(got, want[-1], atol=1e-4), turn
        assert draft.lag == 1


def test_that_vocabularies_of_other_lengths_are_met(tiny: Callable[..., Path]) -> None:
    with ExitStack() as stack:
        model = small(tiny("qwen3_moe"), 64, stack)
        own = model.spec.vocab_size
        wide, narrow = DraftModel(model, own + 64), DraftModel(model, own - 8)
        wide.begin([3, 4, 5])
        logits = wide.logits(CancelToken())
        assert logits.shape == (own + 64,) and np.isneginf(logits[own:]).all() and np.isfinite(logits[:own]).all()
        wide.extend([own + 3])  # a token that it does not know
        assert wide.room == 0
        wide.begin([3, 4])
        assert wide.room == 64 - 1
        narrow.begin([3, 4, 5])
        assert narrow.logits(CancelToken()).shape == (own - 8,)


def test_that_it_drafts_no_further_than_its_context(tiny: Callable[..., Path], pair: Callable[..., Talk]) -> None:
    with ExitStack() as stack:
        draft = DraftModel(small(tiny("qwen3_moe"), 32, stack), 512)
        draft.begin(list(range(3, 33)))
        assert draft.room == 3
        draft.extend([40, 41, 42])
        assert draft.room == 0


@pytest.mark.parametrize("family", ["qwen3_moe", "qwen3_next", "gpt_oss", "qwen3"])
def test_that_its_memory_is_planned(family: str, tiny: Callable[..., Path]) -> None:
    path = tiny(family)
    with ExitStack() as stack:
        model = small(path, 200, stack)
        model.new_state()
        p, there = model.plan, model.allocated
        assert there["trunk"] <= p.trunk_bytes and there["kv"] == p.kv_bytes
        assert there["scratch"] <= p.scratch_bytes and there["cache"] <= p.cache_bytes
        assert p.n_slots == p.n_records
        container, config = model.container, EngineConfig(path, context=200, chunk=16, exact=True)
        alone, both = plan(container, config), plan(container, config, resident_bytes(container, model.config))
        assert both.draft_bytes == p.total_bytes > 0 and alone.draft_bytes == 0
        assert both.floor_bytes == alone.floor_bytes + p.total_bytes
        assert both.total_bytes <= both.budget_bytes
