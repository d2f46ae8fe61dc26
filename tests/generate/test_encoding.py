"""Long prompts: stopped while they are encoded, refused without being encoded whole, and the same ids as at once."""

import threading
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.errors import Cancelled, ContextFull
from engine.generate.encoding import SHORT, WIDE, Encoder
from engine.text.text import Text


@pytest.fixture(scope="module")
def text(starter: Path) -> Text:
    return Text.open(starter)


WORDS = "The water ouzel walks into the stream, and the stream is cold. "


def test_that_a_long_text_has_the_ids_that_it_has_at_once(text: Text) -> None:
    long = WORDS * (SHORT // 20)
    encoder = Encoder(text, len(long))
    assert encoder.encode(long, "\0", False, CancelToken()) == text.encode_rendered(long, "\0")
    assert encoder.encode(WORDS, "\0", True, CancelToken()) == text.encode_rendered(WORDS, "\0", True)


class Slow:
    """A tokenizer that goes on until it is let go, and notes what it is asked."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.begun, self.go = threading.Event(), threading.Event()

    def encode_rendered(self, text: str, mark: str, continued: bool = False) -> list[int]:
        self.asked.append(len(text))
        self.begun.set()
        assert self.go.wait(20)
        return [1] * (len(text) // 4)


def test_that_a_stop_leaves_the_tokenizer_behind_and_the_next_text_waits_for_it() -> None:
    slow, token = Slow(), CancelToken()
    encoder = Encoder(slow, 10**6)  # type: ignore[arg-type]
    threading.Thread(target=lambda: (slow.begun.wait(20), token.cancel())).start()
    with pytest.raises(Cancelled):
        encoder.encode("a" * (SHORT + 1), "\0", False, token)
    with pytest.raises(Cancelled):
        encoder.encode("b", "\0", False, token)
    assert slow.asked == [SHORT + 1]
    slow.go.set()
    assert encoder.encode("b" * 8, "\0", False, CancelToken()) == [1, 1]


def test_that_an_error_of_the_tokenizer_comes_to_who_asked() -> None:
    class Broken:
        def encode_rendered(self, text: str, mark: str, continued: bool = False) -> list[int]:
            raise ValueError("no such text")

    with pytest.raises(ValueError, match="no such text"):
        Encoder(Broken(), 10**6).encode("a" * (SHORT + 1), "\0", False, CancelToken())  # type: ignore[arg-type]


def test_that_only_the_start_of_a_text_that_cannot_fit_is_encoded() -> None:
    slow = Slow()
    slow.go.set()
    encoder = Encoder(slow, 256)  # type: ignore[arg-type]
    with pytest.raises(ContextFull, match="256 that the context holds"):
        encoder.encode("a" * 10**6, "\0", False, CancelToken())
    assert slow.asked == [WIDE * 256]
