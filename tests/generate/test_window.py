"""Sessions over a model with a sliding window, whose state cannot always go back."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.setup.convert import convert
from tests.conftest import Tiny
from tests.generate.conftest import Talk

PROMPT = "one two three four, " * 6


@pytest.fixture(scope="module")
def windowed(tiny_checkpoint: Tiny, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny mixtral with a window of 24 tokens."""
    folder = tmp_path_factory.mktemp("windowed")
    source = Path(shutil.copytree(tiny_checkpoint("mixtral"), folder / "source"))
    config = json.loads((source / "config.json").read_text()) | {"sliding_window": 24}
    (source / "config.json").write_text(json.dumps(config))
    convert(source, folder / "windowed.ouzel", "f32", "f32", lambda phase, done, total: None, CancelToken())
    return folder / "windowed.ouzel"


@pytest.mark.parametrize("draft", ["off", "ngram"])
def test_that_a_turn_goes_on_and_a_step_too_far_back_starts_again(draft: str, windowed: Path, talk: Callable[..., Talk]) -> None:
    one, other = talk(windowed, chunk=16), talk(windowed, chunk=5)
    one.ask(PROMPT, draft=draft)
    other.ask(PROMPT)
    first, ids = one.answer, one.session.ids
    assert (other.answer, other.session.ids) == (first, ids)
    stats = one.ask(PROMPT, first, "go on", draft=draft)
    assert stats.reused_tokens == len(ids)
    other.ask(PROMPT, first, "go on")
    assert (other.answer, other.session.ids) == (one.answer, one.session.ids)
    stats = one.ask(PROMPT, draft=draft)
    assert stats.reused_tokens == 0  # the ring has overwritten what the end of the first prompt needs
    assert (one.answer, one.session.ids) == (first, ids)
