"""A prompt's text to ids: a stop need not wait for a long one, and what cannot fit the context is not encoded whole."""

from threading import Thread

from engine.cancel import CancelToken
from engine.errors import ContextFull
from engine.text.text import Text
from engine.words import say

SHORT = 20_000  # characters that are encoded at once, in some milliseconds
WIDE = 8  # characters a token, more than text has; a run of spaces may have more
SLACK = 64  # tokens that a cut may change
WAIT_S = 0.02  # a wait for the tokenizer looks at the cancel token this often


class Encoder:
    """Encodes for one session, one text at a time. A long text is encoded on a thread of its own, which a stop leaves behind."""

    def __init__(self, text: Text, context: int) -> None:
        self._text, self._context = text, context
        self._running: Thread | None = None

    def encode(self, text: str, mark: str, continued: bool, cancel: CancelToken, whole: bool = False) -> list[int]:
        """Ids of rendered text, see Text.encode_rendered.

        Raises Cancelled within 100 ms, and ContextFull where its start alone is too long, unless the whole is asked for.
        """
        self._wait(cancel)  # the tokenizer takes one text at a time
        start = text[: WIDE * self._context]
        if len(start) < len(text) and not whole and len(self._aside(start, mark, continued, cancel)) > self._context + SLACK:
            raise ContextFull(
                say(
                    "This conversation has many more tokens than the {context:,} that the context holds. Shorten it, start "
                    "a new chat, or open the model with a longer context.",
                    context=self._context,
                ),
                self._context,
            )
        return self._aside(text, mark, continued, cancel)

    def _aside(self, text: str, mark: str, continued: bool, cancel: CancelToken) -> list[int]:
        if len(text) <= SHORT:
            return self._text.encode_rendered(text, mark, continued)
        done: list[list[int]] = []
        failed: list[Exception] = []

        def run() -> None:
            try:
                done.append(self._text.encode_rendered(text, mark, continued))
            except Exception as e:  # it is raised where it is waited for
                failed.append(e)

        self._running = Thread(target=run, name="encode", daemon=True)
        self._running.start()
        self._wait(cancel)
        if failed:
            raise failed[0]
        return done[0]

    def _wait(self, cancel: CancelToken) -> None:
        while self._running is not None:
            cancel.check()
            self._running.join(WAIT_S)
            if not self._running.is_alive():
                self._running = None
