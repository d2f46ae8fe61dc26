"""Time to the first token of a late turn: with the state that is held, read back from disk, and computed from nothing.

    python -m benchmarks sessions [--json]
    python -m benchmarks.sessions [--model MODEL] [--share 1.0] [--turns 10] [--rounds 5] [--json]

A conversation of short questions with answers of 48 tokens grows turn by turn. Its last question is then asked in turn by a session that
holds all before it ("held"), by one that reads its state from a file ("restored", as after a restart), and by one that holds nothing
("computed"); all answers must be equal. Milliseconds are medians over the rounds.
"""

import argparse
import json
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from engine.cancel import CancelToken
from engine.config import EngineConfig, Sampling
from engine.container.reader import Container
from engine.generate.kept import KeptStates
from engine.generate.session import Session
from engine.model.model import Model
from engine.model.plan import Planner, plan
from engine.requests import Message
from engine.stats import AnswerStats
from engine.text.text import Text
from tests.starter_cache import built_starter

CONTEXT, CHUNK, TURNS, ROUNDS, TOKENS = 2048, 256, 10, 5, 48
QUESTIONS = ("Tell me about rivers.", "And about the sea?", "Which birds live there?", "What do they eat?", "Where do they sleep?")


def asked(session: Session, messages: list[Message], key: str = "") -> tuple[str, AnswerStats]:
    """The likeliest answer."""
    out: list[str] = []
    sampling = Sampling(0, max_tokens=TOKENS)
    stats = session.generate(messages, sampling, CancelToken(), out.append, lambda done, total: None, conversation=key)
    return "".join(out), stats


def measure(model: Path | None = None, share: float = 1.0, turns: int = TURNS, rounds: int = ROUNDS) -> dict[str, Any]:
    """first_token_ms and reused tokens by kind; prompt: tokens of the last turn's prompt."""
    path = model or built_starter()
    with ExitStack() as stack, tempfile.TemporaryDirectory(prefix="ouzel-") as folder:
        container = Container.open(path)
        stack.callback(container.close)
        config = EngineConfig(path, context=CONTEXT, chunk=CHUNK)
        planner = Planner(container, config)
        slots = max(planner.least_slots, round(planner.n_records * share))
        config = replace(config, budget_bytes=planner.fixed(CONTEXT, CHUNK) + planner.cache(slots) + 4_000_000)
        opened = Model(container, config, plan(container, config), lambda fraction: None, CancelToken())
        stack.callback(opened.close)
        text, talk = Text.open(path), Session(opened, Text.open(path))
        messages: list[Message] = []
        for turn in range(turns - 1):
            messages.append(Message("user", QUESTIONS[turn % len(QUESTIONS)]))
            messages.append(Message("assistant", asked(talk, messages)[0].strip()))
        last = [*messages, Message("user", "Thank you. What have we talked about?")]
        ms: dict[str, list[float]] = {"held": [], "restored": [], "computed": []}
        reused: dict[str, int] = {}
        prompt = 0
        for turn in range(rounds + 1):  # the first round warms the cache of experts
            answers = set()
            for kind in ms:
                kept = KeptStates(Path(folder) / str(turn), 1 << 40, opened) if kind == "restored" else None
                session = Session(opened, text, kept)
                if kind != "computed":
                    asked(session, messages[:-1], "talk")
                if kept is not None:
                    session.close()
                    session = Session(opened, text, KeptStates(Path(folder) / str(turn), 1 << 40, opened))
                answer, stats = asked(session, last, "talk")
                answers.add(answer)
                session.close()
                reused[kind], prompt = stats.reused_tokens, stats.prompt_tokens
                if turn:
                    ms[kind].append(1e3 * stats.seconds_to_first_token)
            if len(answers) != 1:
                raise AssertionError("the ways to the last turn gave other answers")
        return {"first_token_ms": {k: median(v) for k, v in ms.items()}, "reused": reused, "prompt": prompt}


def told(result: dict[str, Any]) -> str:
    """A line for each kind."""
    lines = [f"a prompt of {result['prompt']} tokens; first token after"]
    lines += [f"  {kind:<9} {ms:7.1f} ms, {result['reused'][kind]} tokens reused" for kind, ms in result["first_token_ms"].items()]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sessions")
    parser.add_argument("--model", type=Path)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--json", action="store_true")
    o = parser.parse_args()
    result = measure(o.model, o.share, o.turns, o.rounds)
    print(json.dumps(result) if o.json else told(result))


if __name__ == "__main__":
    main()
