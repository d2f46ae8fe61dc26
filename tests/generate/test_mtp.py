"""Drafts by a model's own layer for further tokens: whatever it drafts, the tokens are those of plain decoding."""

import random
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from engine.cancel import CancelToken
from engine.generate.drafter import F32, Drafted, Drafter, Outlook
from engine.generate.kept import KeptStates
from engine.generate.mtp import MtpDrafts
from engine.generate.session import Session
from engine.generate.width import Choice, WidthController
from tests.generate.conftest import GREEDY, Talk
from tests.generate.prompts import SAMPLINGS, WORDS, varied
from tests.oracle.further import FAMILIES

FEW_AND_MANY = [pytest.param(3, id="few"), pytest.param(20, id="many", marks=pytest.mark.long)]  # prompts


@pytest.mark.parametrize("prompts", FEW_AND_MANY)
@pytest.mark.parametrize("family", FAMILIES)
def test_that_its_drafts_change_no_token(
    family: str, prompts: int, tiny_further: Callable[[str], tuple[Path, Path]], talk: Callable[..., Talk], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The layer runs as it is; most of its drafts are then replaced by what plain decoding drew, so that steps of all widths pass."""
    rng = random.Random(family)
    _, path = tiny_further(family)
    plain, drafted = talk(path, threads=2), talk(path, threads=2, draft="mtp")
    own = MtpDrafts.logits

    def logits(self: MtpDrafts, cancel: CancelToken) -> F32:
        out, at = own(self, cancel).copy(), self._state.length + 1 + self._depth
        if rng.random() < 0.8 and at < len(plain.session.ids):
            out[plain.session.ids[at]] = 1000.0
        return out

    def outlook(self: Drafter, steps: object, otherwise: float, room: int, left: int) -> Outlook:
        self._trying = True
        return Outlook(1.0, min(room, self.source.room, rng.randint(0, 8)))

    def among(self: WidthController, text: Choice, drafted: Drafted) -> Choice:
        return Choice(drafted.proposal, rng.randint(0, len(drafted.proposal.ids)), (1.0,) * 9, (1.0,) * 9)

    monkeypatch.setattr(MtpDrafts, "logits", logits)
    monkeypatch.setattr(Drafter, "outlook", outlook)
    monkeypatch.setattr(WidthController, "among", among)
    accepted = proposed = 0
    for turn, prompt in enumerate(islice(varied(rng), prompts)):
        for sampling in SAMPLINGS:
            plain.ask(prompt, sampling=sampling, draft="off")
            c = drafted.ask(prompt, sampling=sampling, draft="mtp").counters
            assert (drafted.pieces, drafted.session.ids) == (plain.pieces, plain.session.ids), (turn, sampling)
            accepted, proposed = accepted + c.drafts_mtp_accepted, proposed + c.drafts_mtp_proposed
    assert proposed > accepted > 30


@pytest.mark.parametrize("family", ["deepseek_v3", "glm4_moe", "qwen3_next"])
def test_that_by_itself_it_changes_nothing_either(
    family: str, tiny_further: Callable[[str], tuple[Path, Path]], talk: Callable[..., Talk]
) -> None:
    _, path = tiny_further(family)
    plain, drafted = talk(path), talk(path, draft="auto")
    for turn in range(3):
        for sampling in SAMPLINGS:
            prompt = " ".join(WORDS[turn : turn + 3])
            plain.ask(prompt, sampling=sampling)
            drafted.ask(prompt, sampling=sampling, draft="auto")
            assert drafted.session.ids == plain.session.ids
    assert drafted.session.snapshot().seconds_drafting > 0


def test_that_a_restored_conversation_drafts_again(
    tiny_further: Callable[[str], tuple[Path, Path]], talk: Callable[..., Talk], tmp_path: Path
) -> None:
    """Its cache lies in the file of the state too; a session without the layer takes no such file."""
    _, path = tiny_further("glm4_moe")
    first = talk(path, draft="mtp")
    first.session = Session(first.model, first.text, KeptStates(tmp_path, 10**9, first.model))
    first.ask("one two three four five six seven one two three", conversation="a")
    answer, held = first.answer, np.array(first.session.lanes[0].state.further.values[:, :40])
    first.session.close()
    again, without = talk(path, draft="mtp"), talk(path, draft="off")
    again.session = Session(again.model, again.text, KeptStates(tmp_path, 10**9, again.model))
    without.session = Session(without.model, without.text, KeptStates(tmp_path, 10**9, without.model))
    turn = ("one two three four five six seven one two three", answer, "and then?")
    stats = again.ask(*turn, sampling=GREEDY, draft="mtp", conversation="a")
    assert stats.reused_tokens > 20
    n = min(stats.reused_tokens - 1, 40)
    assert np.array_equal(again.session.lanes[0].state.further.values[:, :n], held[:, :n]) and held[:, :n].any()
    assert without.ask(*turn, sampling=GREEDY, conversation="a").reused_tokens == 0
    whole = talk(path)
    whole.ask(turn[0])
    whole.ask(*turn)
    assert whole.session.ids == again.session.ids
