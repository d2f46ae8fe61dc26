"""Contract 1 with drafts in every family: whatever is drafted and however wide, the tokens are those of plain decoding."""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from app.rates import over
from engine.config import Sampling
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
    # A tiny dense model's limit is too near to its floor for the logits of nine rows.
    assert set(widths) == set(range(drafted.model.plan.logit_rows)) and sum(widths) > accepted > 150
    assert drafted.model.plan.logit_rows == 9 or not drafted.model.plan.n_records


def test_that_the_window_shows_what_the_record_adds_up_to(
    starter: Path, talk: Callable[..., Talk], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kept drafts and gain of answers with real text, as app/rates.py reckons them of the engine's counters."""
    own, record = WidthController.choose, tmp_path / "drafts.jsonl"

    def choose(self: WidthController, proposal: Proposal) -> Choice:  # whatever this machine's seconds say
        return replace(own(self, proposal), width=min(2, len(proposal.ids)))

    monkeypatch.setattr(WidthController, "choose", choose)
    speaker = talk(starter, exact=False, record_drafts=record)
    turns = ["one two three four, one two three four, one two three"]
    for _ in range(2):
        before = len(record.read_text().splitlines()) if record.exists() else 0
        stats = speaker.ask(*turns, sampling=Sampling(0, max_tokens=40), draft="ngram")
        turns += [speaker.answer, "again"]
        speaker.session._drafts._file.flush()
        lines = [json.loads(line) for line in record.read_text().splitlines()][before:]
        shown = over(stats)
        proposed = sum(line["width"] for line in lines)
        assert proposed and shown.accepted == sum(min(line["right"], line["width"]) for line in lines) / proposed
        saved = sum(line["drawn"] * line["expected_seconds"][0] - line["seconds"] for line in lines if line["width"])
        assert shown.gain == pytest.approx(saved / stats.counters.seconds_decode, abs=1e-3)
    speaker.session.close()
