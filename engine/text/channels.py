"""Formats in which a model tells its reasoning from its answer: parsers of one answer, fed with text and control tokens as they come.

    think tags   <think>...</think>answer (Qwen, DeepSeek, GLM, MiniMax, Kimi K2); the tags may be control tokens or plain text
    thoughts     <|channel>thought\\n...<channel|>answer (Gemma 4)
    harmony      <|channel|>analysis<|message|>...<|end|><|start|>assistant<|channel|>final<|message|>answer (gpt-oss)
    XTML         <|open|>think<|sep|>...<|close|>think<|sep|><|open|>response<|sep|>answer (Kimi K3)
"""

from collections.abc import Mapping
from typing import Literal, Protocol

from engine.text.xtml import CLOSE, OPEN, SEP

Kind = Literal["reasoning", "answer"]
Piece = tuple[Kind, str]


class Channels(Protocol):
    """The state of one answer. What it is given joins to what it returns, markers and newlines around reasoning left out."""

    takes: frozenset[str]
    start: str  # where the turn that is to be answered begins in a prompt

    def control(self, name: str) -> list[Piece]:
        """A control token of `takes` has come."""

    def text(self, text: str) -> list[Piece]:
        """Text has come."""

    def finish(self) -> list[Piece]:
        """Nothing more comes: what was held back."""


class Plain:
    """All is answer."""

    takes: frozenset[str] = frozenset()
    start = ""

    def control(self, name: str) -> list[Piece]:
        """See Channels."""
        return []

    def text(self, text: str) -> list[Piece]:
        """See Channels."""
        return [("answer", text)]

    def finish(self) -> list[Piece]:
        """See Channels."""
        return []


class ThinkTags:
    """Reasoning stands in tags at the answer's start; tags further on are text. Source: the chat templates of the families."""

    OPEN, CLOSE = "<think>", "</think>"
    takes = frozenset({OPEN, CLOSE})
    start = ""

    def __init__(self) -> None:
        self._state: Literal["start", "think", "answer"] = "start"
        self._held = ""
        self._empty = True  # nothing of the reasoning has come
        self._after = False  # reasoning was closed, so newlines before the answer are not its own

    def control(self, name: str) -> list[Piece]:
        """See Channels."""
        return self.text(name)

    def text(self, text: str) -> list[Piece]:
        """See Channels."""
        self._held += text
        out: list[Piece] = []
        while True:
            before = self._state
            out += getattr(self, f"_{before}")()
            if self._state == before:
                return out

    def finish(self) -> list[Piece]:
        """See Channels."""
        rest, self._held = self._held, ""
        if self._state == "think":
            return [("reasoning", rest)] if rest.strip("\n") else []
        return [("answer", rest)] if rest else []

    def _start(self) -> list[Piece]:
        core = self._held.lstrip("\n" if self._after else None)
        if self._after:
            self._held = core
        if core.startswith(self.OPEN):
            self._state, self._empty, self._held = "think", True, core[len(self.OPEN) :]
        elif not self.OPEN.startswith(core):
            self._state = "answer"
        return []

    def _think(self) -> list[Piece]:
        if self._empty:
            self._held = self._held.lstrip("\n")
        thought, closed, rest = self._held.partition(self.CLOSE)
        if closed:
            self._state, self._after = "start", True
        else:  # newlines and a beginning of the closing tag may turn out not to be reasoning
            thought = thought[: len(thought) - _overlap(thought, self.CLOSE)]
        thought = thought.rstrip("\n")
        self._held = rest if closed else self._held[len(thought) :]
        self._empty = self._empty and not thought
        return [("reasoning", thought)] if thought else []

    def _answer(self) -> list[Piece]:
        text, self._held = self._held, ""
        return [("answer", text)] if text else []


def split_content(content: str) -> tuple[str, str]:
    """(reasoning, answer) of an answer that was kept as one text, with think tags or without."""
    tags = ThinkTags()
    pieces = [*tags.text(content), *tags.finish()]
    reasoning, answer = ("".join(t for kind, t in pieces if kind == k) for k in ("reasoning", "answer"))
    return reasoning, answer


class Thoughts:
    """A named channel between two control tokens, its name ended by a newline. Source: Gemma 4's chat template."""

    OPEN, CLOSE = "<|channel>", "<channel|>"
    takes = frozenset({OPEN, CLOSE})
    start = "<|turn>"

    def __init__(self) -> None:
        self._in: Literal["name", "thought", "answer"] = "answer"
        self._edge = False  # newlines that come now are not shown: they separate name, thought and answer
        self._held = ""  # newlines that are shown if more of the thought comes

    def control(self, name: str) -> list[Piece]:
        """See Channels."""
        self._in, self._edge, self._held = "name" if name == self.OPEN else "answer", True, ""
        return []

    def text(self, text: str) -> list[Piece]:
        """See Channels."""
        if self._in == "name":
            _, newline, text = text.partition("\n")
            self._in = "thought" if newline else "name"
        if self._in == "name" or not (text := text.lstrip("\n") if self._edge else text):
            return []
        self._edge = False
        if self._in == "answer":
            return [("answer", text)]
        text = self._held + text
        core = text.rstrip("\n")
        self._held = text[len(core) :]
        return [("reasoning", core)] if core else []

    def finish(self) -> list[Piece]:
        """See Channels."""
        return []


class Harmony:
    """Messages with a head (role, channel, receiver) and a body. Source: OpenAI's description of the harmony format."""

    HEADS = frozenset({"<|start|>", "<|channel|>"})
    takes = HEADS | {"<|message|>", "<|end|>", "<|return|>", "<|call|>", "<|constrain|>"}
    start = "<|start|>"

    def __init__(self) -> None:
        self._head = ""  # the channel's name and what follows it
        self._in: Literal["role", "channel", "body", "between"] = "body"

    def control(self, name: str) -> list[Piece]:
        """See Channels."""
        match name:
            case "<|start|>":
                self._in, self._head = "role", ""
            case "<|channel|>":
                self._in, self._head = "channel", ""
            case "<|message|>":
                self._in = "body"
            case "<|end|>" | "<|return|>" | "<|call|>":
                self._in = "between"
        return []

    def text(self, text: str) -> list[Piece]:
        """See Channels."""
        if self._in == "channel":
            self._head += text
        if self._in != "body" or not text:
            return []
        # Commentary without a receiver is written to the user; with one it is a call of a tool.
        told = self._head.split()[:1] in ([], ["final"], ["commentary"]) and " to=" not in self._head
        return [("answer" if told else "reasoning", text)]

    def finish(self) -> list[Piece]:
        """See Channels."""
        return []


class HarmonyCalls(Harmony):
    """Messages to tools come, with their heads, as parts of the answer; see tool_calls for what reads them."""

    def __init__(self) -> None:
        super().__init__()
        self._role, self._calls = "", False

    def control(self, name: str) -> list[Piece]:
        """See Channels."""
        if name == "<|start|>":
            self._role = ""
        pieces = super().control(name)
        if name == "<|message|>" and " to=" in (head := f"{self._role} {self._head}"):
            self._calls = True
            return [*pieces, ("answer", f"<|channel|>{head}<|message|>")]
        if self._calls and self._in != "body":
            self._calls = False
            return [*pieces, ("answer", "<|call|>")]
        return pieces

    def text(self, text: str) -> list[Piece]:
        """See Channels."""
        if self._in == "role":
            self._role += text
        return [("answer", text)] if self._calls and text else super().text(text)


class Tags:
    """XTML: text belongs to the innermost open tag; only `think`, `response` and the message itself are shown. Source: see xtml."""

    KINDS: Mapping[str, Kind] = {"think": "reasoning", "response": "answer", "message": "answer"}
    takes = frozenset({OPEN, CLOSE, SEP})
    start = OPEN + "message"

    def __init__(self) -> None:
        self._open = ["message"]
        self._head: str | None = None
        self._closing = False

    def control(self, name: str) -> list[Piece]:
        """See Channels."""
        if name != SEP:
            self._head, self._closing = "", name == CLOSE
            return []
        tag = (self._head or "").partition(" ")[0]
        if self._head is not None and not self._closing:
            self._open = [tag] if tag == "message" else [*self._open, tag]
        elif self._closing and tag in self._open:  # also closes what was left open in it
            del self._open[len(self._open) - 1 - self._open[::-1].index(tag) :]
        self._head, self._closing = None, False
        return []

    def text(self, text: str) -> list[Piece]:
        """See Channels."""
        if self._head is not None:
            self._head += text
            return []
        kind = self.KINDS.get(self._open[-1]) if self._open else None
        return [(kind, text)] if kind is not None and text else []

    def finish(self) -> list[Piece]:
        """See Channels."""
        return []


class TagsCalls(Tags):
    """Calls of tools come, with their tags, as parts of the answer; see tool_calls for what reads them."""

    def control(self, name: str) -> list[Piece]:
        """See Channels."""
        head, mark = self._head, CLOSE if self._closing else OPEN
        pieces = super().control(name)
        if name == SEP and head is not None and head.partition(" ")[0] in ("call", "argument", "json") and "tools" in self._open:
            return [*pieces, ("answer", f"{mark}{head}{SEP}")]
        return pieces

    def text(self, text: str) -> list[Piece]:
        """See Channels."""
        inside = self._head is None and bool(self._open) and self._open[-1] in ("argument", "json")
        return [("answer", text)] if inside and text else super().text(text)


def _overlap(text: str, marker: str) -> int:
    """Characters at the end of `text` that `marker` begins with, not all of it."""
    return next((n for n in range(min(len(text), len(marker) - 1), 0, -1) if text.endswith(marker[:n])), 0)
