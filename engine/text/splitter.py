"""An answer's tokens to text in two kinds, reasoning and answer, as they come."""

import re
from collections.abc import Callable, Collection

from engine.text.channels import Channels, Harmony, Piece, Plain, Tags, ThinkTags, Thoughts
from engine.text.stream import StreamDecoder
from engine.text.vocabulary import Vocabulary
from engine.text.xtml import Xtml


def channels_of(vocabulary: Vocabulary, template: str) -> Callable[[], Channels]:
    """The channel format of a model, by the control tokens of its tokenizer and the text of its chat template ("" without one)."""
    controls = vocabulary.controls
    if Xtml.fits(controls):
        return Tags
    if {"<|start|>", "<|channel|>", "<|message|>"}.issubset(controls):
        return Harmony
    if Thoughts.takes.issubset(controls):
        return Thoughts
    if ThinkTags.CLOSE in controls or ThinkTags.CLOSE in template:
        return ThinkTags
    return Plain


class StreamSplitter:
    """push(id) gives (kind, text) pieces that this id completes; finish() gives what is left.

    The pieces, neighbours of one kind joined, do not depend on how the answer's text is cut into tokens. length: characters of `written`.
    """

    def __init__(self, vocabulary: Vocabulary, channels: Channels, prompt: str, begun: str = "", shown: Collection[str] = ()) -> None:
        """prompt: the rendered text that the answer continues, its contents guarded; it may have opened a channel.

        begun: what the model has written already, likewise guarded; it is in no piece. shown: control strings that are text here.
        """
        self._written: list[list[str]] = [[]]
        self.length = 0
        self._decoder = StreamDecoder(vocabulary)
        self._channels = channels
        self._names = {vocabulary.controls[name]: name for name in channels.takes if name in vocabulary.controls}
        self._shown = {vocabulary.controls[name]: name for name in shown if name in vocabulary.controls}
        self._follow(prompt, begun)

    @property
    def written(self) -> list[str]:
        """All that was written, in turn plain text and markers that are control tokens."""
        return ["".join(part) for part in self._written]

    def push(self, token: int) -> list[Piece]:
        """The pieces that `token` completes."""
        name = self._names.get(token)
        if name is None and token not in self._shown:
            return self._text(self._decoder.push(token))
        pieces = self._text(self._decoder.finish())
        text = name or self._shown[token]
        self._written += [text], []
        self.length += len(text)
        return pieces + (self._channels.control(text) if name else self._channels.text(text))

    def marks(self, token: int) -> bool:
        """Whether `token` is no text but structure."""
        return token in self._names or token in self._shown

    def finish(self) -> list[Piece]:
        """What is left when no id follows."""
        return self._text(self._decoder.finish()) + self._channels.finish()

    def _text(self, text: str) -> list[Piece]:
        self._written[-1].append(text)
        self.length += len(text)
        return self._channels.text(text) if text else []

    def _follow(self, prompt: str, begun: str) -> None:
        """Bring the channels to where the prompt and what follows it end."""
        if isinstance(self._channels, ThinkTags):  # its tags count only where the answer begins
            if prompt.rstrip("\n").endswith(ThinkTags.OPEN):
                self._channels.text(ThinkTags.OPEN)
            self._channels.text(begun)
            return
        prompt += begun
        at = prompt.rfind(self._channels.start) if self._channels.start else -1
        if at < 0:
            return
        for n, part in enumerate(re.split("(" + "|".join(map(re.escape, self._channels.takes)) + ")", prompt[at:])):
            _ = self._channels.control(part) if n % 2 else self._channels.text(part)
