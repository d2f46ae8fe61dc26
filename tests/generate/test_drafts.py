"""Contract 1 with drafts in every family: whatever is drafted and however wide, the tokens are those of plain decoding."""

import random
from collections.abc import Callable
from itertools import islice

import pytest

from engine.generate.ngram import NgramSpeculator
from engine.generate.proposal import Proposal
from engine.generate.width import Choice, WidthController
from tests.generate.conftest import EACH_FAMILY, Talk
from tests.generate.prompts import SAMPLINGS, varied


@pytest.mark.parametrize("family", EACH_FAMILY)
def test_that_drafts_of_any_width_change_no_token(
    family: str, tiny: Callable[..., object], talk: Callable[..., Talk], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Drafts are made of the tokens that plain decoding drew, some of them spoiled, in steps of all widths."""
    rng = random.Random(family)
    path = tiny(family)
    plain, drafted = talk(path, threads=2), talk(path, threads=2)
    widths: list[int] = []

    def propose(self: NgramSpeculator, most: int) -> Proposal:
        right = plain.session.ids[len(self) : len(self) + most]
        return Proposal(tuple(t if rng.random() < 0.8 else 7 for t in right), 3)

    def choose(self: WidthController, proposal: Proposal) -> Choice:
        widths.append(rng.randint(0, len(proposal.ids)))
        return Choice(proposal, widths[-1], (), ())

    monkeypatch.setattr(NgramSpeculator, "propose", propose)
    monkeypatch.setattr(WidthController, "choose", choose)
    accepted = 0
    for turn, prompt in enumerate(islice(varied(rng), 20)):
        for sampling in SAMPLINGS:
            plain.ask(prompt, sampling=sampling, draft="off")
            stats = drafted.ask(prompt, sampling=sampling, draft="ngram")
            assert (drafted.pieces, drafted.session.ids) == (plain.pieces, plain.session.ids), (turn, sampling)
            accepted += stats.counters.drafts_accepted
    assert set(widths) == set(range(9)) and sum(widths) > accepted > 150
