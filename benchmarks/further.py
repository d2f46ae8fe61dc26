"""What a layer for further tokens is worth, whatever it costs: `python -m benchmarks.further MODEL [--drafted 1 2 3] [--json]`.

The model drafts so many tokens before each step and verifies them all; answers are its likeliest ones, and must equal those of plain
decoding. Kept: of drafted tokens, those that it drew; of first tokens: the same of each draft's first. No second is measured, so a busy
machine changes no figure.
"""

import argparse
import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.draft_prompts import PROMPTS
from benchmarks.drafts import answered, opened
from engine.generate.drafter import Drafted, Drafter, Outlook, Speculator
from engine.generate.proposal import Proposal, compared
from engine.generate.width import Choice, WidthController


class Always(Drafter):
    """Asked before each step, for as many tokens."""

    def __init__(self, source: Speculator, drafted: int) -> None:
        super().__init__(source)
        self.drafted = drafted
        self.firsts = self.first_right = self.steps = 0

    def outlook(self, *given: Any, **options: Any) -> Outlook:
        self._trying = True
        return Outlook(1.0, min(self.drafted, self.source.room))

    def judge(self, proposal: Proposal, drawn: Any) -> None:
        self.firsts += 1
        self.first_right += compared(proposal, drawn)[0] > 0
        super().judge(proposal, drawn)

    def passed(self, seconds: float) -> None:
        self.steps += 1


class All(WidthController):
    """All that is drafted is verified."""

    def among(self, text: Choice, drafted: Drafted) -> Choice:
        n = len(drafted.proposal.ids)
        return Choice(drafted.proposal, n, (1.0,) * (n + 1), (1.0,) * (n + 1))


def measured(path: Path, drafted: list[int], tokens: int, exact: bool = False, most: int = 99) -> dict[str, dict[str, dict[str, float]]]:
    """By tokens drafted and kind of prompt, of which `most` are asked: kept, first_kept, tokens_per_step."""
    out: dict[str, dict[str, dict[str, float]]] = {}
    with ExitStack() as stack:
        plain, session = (opened(path, 1.0, draft, stack, exact=exact) for draft in ("off", "mtp"))
        drafts = session._drafts
        if not drafts._all:
            raise SystemExit(f"{path} has no layer for further tokens.")
        answers = {prompt: answered(plain, prompt, "off", tokens)[0] for prompts in PROMPTS.values() for prompt in prompts[:most]}
        for n in drafted:
            by_kind: dict[str, dict[str, float]] = {}
            for kind, prompts in PROMPTS.items():
                drafts._all, drafts._controller = [always := Always(drafts._all[0].source, n)], All()
                proposed = accepted = drawn = 0
                for prompt in prompts[:most]:
                    answer, stats = answered(session, prompt, "mtp", tokens)
                    if answer != answers[prompt]:
                        raise AssertionError(f"drafts changed the answer to {prompt!r}")
                    proposed, accepted = proposed + stats.counters.drafts_mtp_proposed, accepted + stats.counters.drafts_mtp_accepted
                    drawn += stats.answer_tokens - 1
                by_kind[kind] = {
                    "kept": accepted / proposed, "first_kept": always.first_right / always.firsts, "tokens_per_step": drawn / always.steps,
                }  # fmt: skip
            out[str(n)] = by_kind
    return out


def told(result: dict[str, dict[str, dict[str, float]]]) -> str:
    """A table."""
    lines = ["drafted  kind      of first tokens kept  of all kept  tokens a step"]
    for n, by_kind in result.items():
        lines += [f"{n:<8} {k:<9} {f['first_kept']:20.1%} {f['kept']:12.1%} {f['tokens_per_step']:14.2f}" for k, f in by_kind.items()]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--drafted", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--exact", action="store_true", help="in exact arithmetic")
    parser.add_argument("--most", type=int, default=99, help="prompts of a kind")
    parser.add_argument("--json", action="store_true")
    a = parser.parse_args()
    result = measured(a.model, a.drafted, a.tokens, a.exact, a.most)
    print(json.dumps(result) if a.json else told(result))


if __name__ == "__main__":
    main()
