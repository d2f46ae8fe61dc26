"""A draft model and a layer for further tokens beside each other: the one that makes more tokens a second is asked, and all can be read."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.generate.proposal import SOURCES
from tests.generate.test_drafter import PLAIN, RIGHT, WRONG, play


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("model, further, better", [
    ((RIGHT, 0.05), (0.5, 0.05), "model"), ((0.5, 0.05), (RIGHT, 0.05), "mtp"),  # the one that is right more often
    ((RIGHT, 0.3), (RIGHT, 0.05), "mtp"), ((RIGHT, 0.02), (RIGHT, 0.2), "model"),  # the cheaper one
    ((WRONG, 0.05), (0.6, 0.1), "mtp"), ((0.7, 0.05), (0.6, 1.0), "model"),  # the only one that pays
])  # fmt: skip
def test_that_the_one_that_brings_more_is_asked(model: tuple[float, float], further: tuple[float, float], better: str) -> None:
    gains, alone, proposed = list[float](), list[float](), dict.fromkeys(SOURCES, 0)
    (chance, each), (own, price) = model, further
    best = model if better == "model" else further
    for seed in range(3):
        got, _, drafts, _ = play(lambda at: chance, each, n=500, seed=seed, further=(lambda at: own, price))
        gains.append(PLAIN / got)
        alone.append(PLAIN / play(lambda at: best[0], best[1], n=500, seed=seed)[0])
        proposed = {name: n + drafts.proposed[name] for name, n in proposed.items()}
    assert proposed[better] > 4 * (sum(proposed.values()) - proposed[better]), proposed
    assert sum(gains) > 0.85 * sum(alone) and sum(gains) > 3.6


def test_that_the_other_one_is_found_when_it_becomes_better() -> None:
    """Both pay all the time; after 400 tokens the worse one is the better one."""
    for seed in range(3):
        further = (lambda at: 0.4 if at < 450 else RIGHT), 0.05
        got, source, _, _ = play(lambda at: RIGHT if at < 450 else 0.4, 0.05, n=900, seed=seed, further=further)
        alone, _, _, _ = play(lambda at: RIGHT, 0.05, n=900, seed=seed)
        assert alone / got > 0.8
        assert sum(at < 450 for at in source.calls) > 3 * sum(at >= 570 for at in source.calls)


def test_that_the_record_explains_each_choice_and_adds_up_to_the_gauges(tmp_path: Path) -> None:
    _, _, drafts, steps = play(
        lambda at: RIGHT if at < 250 else WRONG, 0.05, n=400, seed=1, further=(lambda at: 0.6, 0.1), record=tmp_path / "a.jsonl"
    )
    _, _, repeating, _ = play(lambda at: 0.5, 0.2, n=200, repeated=True, further=(lambda at: 0.4, 0.2), record=tmp_path / "b.jsonl")
    lines = read(tmp_path / "a.jsonl")
    assert [line["width"] + 1 for line in lines] == [rows for _, rows in steps]
    for some, those in ((lines, drafts), (read(tmp_path / "b.jsonl"), repeating)):
        for source in SOURCES:
            own = [line for line in some if line["source"] == source]
            assert sum(line["width"] for line in own) == those.proposed[source]
            assert sum(min(line["right"], line["width"]) for line in own) == those.accepted[source]
        assert sum(line["drafting"] for line in some) == pytest.approx(those.seconds_drafting, abs=1e-3)
        gained = sum(line["drawn"] * line["expected_seconds"][0] - line["seconds"] for line in some if line["width"])
        assert gained - those.seconds_drafting == pytest.approx(those.seconds_saved, abs=1e-3)
        for line in some:
            explained(line)
    assert repeating.proposed["ngram"] and drafts.proposed["model"] and drafts.proposed["mtp"]


def explained(line: dict[str, Any]) -> None:
    """What was asked, and how many tokens were verified, follows from the numbers beside it."""
    looks, text = line["sources"], line["text"]
    tries = [name for name, look in looks.items() if look["trying"]]
    paying = {name: look["rate"] for name, look in looks.items() if look["most"] and not look["trying"]}
    if line["asked"] is None:
        assert not tries and not paying and line["drafting"] == 0
    else:
        assert line["asked"] in tries or (not tries and paying[line["asked"]] == max(paying.values()) > text["rate"])
    if not line["expected_seconds"] or not line["expected_seconds"][0]:
        assert line["width"] == 0  # nothing is known before the first step
        return
    rates = [t / (line["drafting"] + s) for t, s in zip(line["expected_tokens"], line["expected_seconds"], strict=True)]
    if line["source"] not in (None, "ngram"):
        best = max(range(len(rates)), key=rates.__getitem__)
        assert line["width"] in (0, min(best, 2), best)  # none where the text is better, two in the first steps with drafts
    elif text["width"]:
        assert (line["match"], line["width"]) == (text["match"], text["width"])
