"""Sessions over the tiny checkpoints, closed after each test."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from engine.cancel import CancelToken
from engine.config import EngineConfig, Sampling
from engine.container.reader import Container
from engine.generate.session import Session
from engine.model.model import Model
from engine.model.plan import plan
from engine.requests import Message
from engine.stats import AnswerStats
from engine.text.text import Text
from tests.oracle.checkpoint import DATA

GREEDY = Sampling(0, max_tokens=24)
SOME = ("deepseek_v3", "gemma4", "gpt_oss", "kimi_linear", "olmoe", "qwen3_next")  # one of each kind of attention and of drafts
EACH_FAMILY = [pytest.param(p.name, marks=() if p.name in SOME else pytest.mark.long) for p in sorted(DATA.iterdir())]


@dataclass
class Talk:
    """A session, and what its last answer looked like from outside."""

    session: Session
    model: Model
    text: Text
    pieces: list[str] = field(default_factory=list)
    prefills: list[tuple[int, int]] = field(default_factory=list)
    cancel: CancelToken = field(default_factory=CancelToken)

    @property
    def answer(self) -> str:
        return "".join(self.pieces)

    def ask(
        self,
        *contents: str,
        sampling: Sampling = GREEDY,
        draft: str = "off",
        conversation: str = "",
        on_text: Callable[[str], None] = lambda piece: None,
        on_prefill: Callable[[int, int], None] = lambda done, total: None,
    ) -> AnswerStats:
        """Contents are turns of user, assistant, user ...; the callbacks run after the piece was noted."""
        self.pieces, self.prefills, self.cancel = [], [], CancelToken()
        messages = [Message(("user", "assistant")[i % 2], c) for i, c in enumerate(contents)]

        def text(piece: str) -> None:
            self.pieces.append(piece)
            on_text(piece)

        def prefill(done: int, total: int) -> None:
            self.prefills.append((done, total))
            on_prefill(done, total)

        return self.session.generate(messages, sampling, self.cancel, text, prefill, draft, conversation=conversation)


@pytest.fixture
def talk() -> Iterator[Callable[..., Talk]]:
    """talk(container, **config): a fresh session."""
    with ExitStack() as stack:

        def start(path: Path, **options: Any) -> Talk:
            config = EngineConfig(path, **({"context": 512, "chunk": 32, "threads": 1, "exact": True} | options))
            container = Container.open(path)
            stack.callback(container.close)
            model = Model(container, config, plan(container, config), lambda fraction: None, CancelToken())
            stack.callback(model.close)
            text = Text.open(path)
            return Talk(Session(model, text), model, text)

        yield start
