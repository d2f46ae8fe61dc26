"""Calls of tools in an answer, in the format of each family: which format a model writes, and a parser fed with text as it comes.

    hermes       <tool_call>\\n{"name": ..., "arguments": {...}}\\n</tool_call> (Qwen 2 and 3, and models trained on Hermes)
    qwen coder   <tool_call>\\n<function=NAME>\\n<parameter=KEY>\\nVALUE\\n</parameter>\\n</function>\\n</tool_call> (also Qwen 3.5)
    minimax      <minimax:tool_call>\\n<invoke name="NAME">\\n<parameter name="KEY">VALUE</parameter>\\n</invoke>\\n</minimax:tool_call>
    glm          <tool_call>NAME\\n<arg_key>KEY</arg_key>\\n<arg_value>VALUE</arg_value>\\n</tool_call>
    deepseek     <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>NAME<｜tool▁sep｜>{...}<｜tool▁call▁end｜><｜tool▁calls▁end｜> (V3.1; before it
                 "function<｜tool▁sep｜>NAME\\n```json\\n{...}\\n```")
    kimi         <|tool_calls_section_begin|><|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{...}<|tool_call_end|>...
    harmony      <|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{...}<|call|> (gpt-oss)
    gemma        <|tool_call>call:NAME{key:<|"|>text<|"|>,other:1}<tool_call|>
    xtml         tags as in xtml (Kimi K3)
    mistral      [TOOL_CALLS][{"name": ..., "arguments": {...}}], later [TOOL_CALLS]NAME[ARGS]{...}
Sources: the families' published chat templates.
"""

import json
import secrets
import string
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from engine.text.call_bodies import Body, Piece
from engine.text.gemma_body import GemmaBody
from engine.text.json_bodies import JsonBody, ListBody
from engine.text.tagged_bodies import TaggedBody, XtmlBody
from engine.text.xtml import OPEN

Form = Literal[
    "hermes", "coder", "minimax", "glm", "deepseek", "deepseek_v3", "kimi", "harmony", "gemma", "mistral", "mistral_args", "xtml"
]  # fmt: skip
KEYED = frozenset[Form]({"coder", "minimax", "glm", "gemma", "xtml"})  # those that write each argument by its key
_LETTERS = string.ascii_letters + string.digits
TC_BEGIN, TC_END = "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"
CALL_BEGIN, CALL_SEP, CALL_END = "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"
KIMI = tuple(f"<|tool_{name}|>" for name in ("calls_section_begin", "call_begin", "call_argument_begin", "call_end", "calls_section_end"))


@dataclass(frozen=True, slots=True)
class CallPart:
    """See events.Called."""

    index: int
    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class CallFormat:
    """opens: what begins a call, drops: what may stand around calls; takes: control strings that are part of calls."""

    form: Form
    opens: tuple[str, ...]
    drops: tuple[str, ...]
    takes: frozenset[str]
    body: Callable[["Tools"], Body]


class Tools:
    """Definitions of tools by name, as the values of OpenAI's JSON objects. Raises ValueError for what is none."""

    def __init__(self, definitions: Sequence[str]) -> None:
        self.parameters: dict[str, dict[str, Any]] = {}
        for text in definitions:
            function = json.loads(text).get("function")
            if not isinstance(function, dict) or not isinstance(function.get("name"), str):
                raise ValueError("a tool has no function with a name")
            schema = function.get("parameters")
            self.parameters[function["name"]] = schema if isinstance(schema, dict) else {"type": "object", "properties": {}}

    def schema(self, tool: str, key: str) -> dict[str, Any]:
        """The schema of a parameter; {} where it is not known."""
        properties = self.parameters.get(tool, {}).get("properties")
        found = properties.get(key) if isinstance(properties, dict) else None
        return found if isinstance(found, dict) else {}


_HERMES_HEAD = r'\s*\{\s*"name"\s*:\s*(?P<quoted>"(?:[^"\\]|\\.)*")\s*,\s*"(?:arguments|parameters)"\s*:\s*(?=[{\[])'
_TAGS = frozenset({"<tool_call>", "</tool_call>"})

FORMATS: dict[Form, CallFormat] = {
    f.form: f
    for f in (
        CallFormat("hermes", ("<tool_call>",), (), _TAGS, lambda tools: JsonBody(_HERMES_HEAD, "</tool_call>")),
        CallFormat(
            "coder",
            ("<tool_call>",),
            (),
            _TAGS,
            lambda tools: TaggedBody(
                tools.schema,
                r"\s*<function=(?P<name>[^>\n]+)>",
                r"<parameter=(?P<key>[^>\n]+)>",
                "</parameter>",
                r"</function>\s*</tool_call>",
            ),
        ),
        CallFormat(
            "minimax",
            ("<invoke ",),
            ("<minimax:tool_call>", "</minimax:tool_call>"),
            frozenset({"<minimax:tool_call>", "</minimax:tool_call>"}),
            lambda tools: TaggedBody(
                tools.schema, r'\s*name="(?P<name>[^"]+)"\s*>', r'<parameter name="(?P<key>[^"]+)">', "</parameter>", r"</invoke>"
            ),
        ),
        CallFormat(
            "glm",
            ("<tool_call>",),
            (),
            _TAGS | {"<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"},
            lambda tools: TaggedBody(
                tools.schema,
                r"\s*(?P<name>[^<\s]+)\s*(?=<)",
                r"<arg_key>(?P<key>.*?)</arg_key>\s*<arg_value>",
                "</arg_value>",
                r"</tool_call>",
            ),
        ),
        CallFormat(
            "deepseek",
            (CALL_BEGIN,),
            (TC_BEGIN, TC_END),
            frozenset({TC_BEGIN, TC_END, CALL_BEGIN, CALL_SEP, CALL_END}),
            lambda tools: JsonBody(rf"\s*(?P<name>[^\s<]+?){CALL_SEP}\s*(?=[{{\[])", CALL_END),
        ),
        CallFormat(
            "deepseek_v3",
            (CALL_BEGIN,),
            (TC_BEGIN, TC_END),
            frozenset({TC_BEGIN, TC_END, CALL_BEGIN, CALL_SEP, CALL_END}),
            lambda tools: JsonBody(rf"\s*\w*{CALL_SEP}\s*(?P<name>[^\s<]+)\s*(?:```json)?\s*(?=[{{\[])", CALL_END),
        ),
        CallFormat(
            "kimi",
            (KIMI[1],),
            (KIMI[0], KIMI[4]),
            frozenset(KIMI),
            lambda tools: JsonBody(
                r"\s*(?P<id>(?:functions\.)?(?P<name>[^\s<:]+)(?::\d+)?)\s*<\|tool_call_argument_begin\|>\s*(?=[{\[])", KIMI[3]
            ),
        ),
        CallFormat(
            "harmony",
            ("<|channel|>",),
            (),
            frozenset(),
            lambda tools: JsonBody(r"[^{]*?to=(?:functions\.)?(?P<name>[^\s<]+).*?<\|message\|>\s*(?=[{\[])", "<|call|>"),
        ),
        CallFormat(
            "gemma", ("<|tool_call>",), (), frozenset({"<|tool_call>", "<tool_call|>", '<|"|>'}), lambda tools: GemmaBody("<tool_call|>")
        ),
        CallFormat("xtml", (f"{OPEN}call ",), (), frozenset(), lambda tools: XtmlBody()),
        CallFormat("mistral", ("[TOOL_CALLS]",), (), frozenset({"[TOOL_CALLS]"}), lambda tools: ListBody(_HERMES_HEAD)),
        CallFormat(
            "mistral_args",
            ("[TOOL_CALLS]",),
            (),
            frozenset({"[TOOL_CALLS]", "[ARGS]", "[CALL_ID]"}),
            lambda tools: JsonBody(r"\s*(?P<name>[\w.-]+)(?:\[CALL_ID\](?P<id>\w+))?(?:\[ARGS\])?\s*(?=\{)", ""),
        ),
    )
}


def form_of(controls: Collection[str], template: str) -> Form | None:
    """The format in which a model calls tools, by its template's text; None where that has no place for tools."""
    if "tools" not in template:
        return None
    if {"<|start|>", "<|channel|>", "<|message|>"}.issubset(controls):
        return "harmony"
    marks: tuple[tuple[str, Form], ...] = (
        ("<arg_key>", "glm"),
        ("<function=", "coder"),
        ("<minimax:tool_call>", "minimax"),
        ("<|tool_call>", "gemma"),
        ("[ARGS]", "mistral_args"),
        ("[TOOL_CALLS]", "mistral"),
        ("<tool_call>", "hermes"),
    )
    if KIMI[0] in template or KIMI[0] in controls:
        return "kimi"
    if CALL_BEGIN in template:
        return "deepseek_v3" if "```json" in template else "deepseek"
    return next((form for mark, form in marks if mark in template), None)


def new_id() -> str:
    """A name for a call; nine letters and digits, which is all that Mistral's templates take."""
    return "".join(secrets.choice(_LETTERS) for _ in range(9))


class CallParser:
    """push(text) gives the text that is no call, and the calls, as they come; finish() what is left when the answer ends.

    What cannot be read as a call is text, and nothing that the model wrote is lost. alone: an answer that begins with anything but a call
    has none.
    """

    def __init__(self, form: CallFormat, tools: Tools, alone: bool = False) -> None:
        self._format, self._tools, self._alone = form, tools, alone
        self._held, self._opened = "", ""
        self._body: Body | None = None
        self._count = 0  # calls so far
        self._plain = False  # there will be none

    def push(self, text: str) -> list[str | CallPart]:
        """Text to show, and pieces of calls."""
        out: list[str | CallPart] = []
        self._held += text
        while self._body is not None or self._held:
            if self._body is None:
                if not self._look(out):
                    break
            elif not self._read(self._body, out):
                break
        return out

    def finish(self) -> list[str | CallPart]:
        """What is left."""
        out: list[str | CallPart] = []
        if self._body is not None:
            left = self._opened + self._body.left()
            out += self._named(self._body.finish())
            if not self._body.begun:
                out.append(left)
        elif self._held.strip() or not self._count:
            out.append(self._held)
        self._body, self._held = None, ""
        return [part for part in out if part != ""]

    def _look(self, out: list[str | CallPart]) -> bool:
        """Look for a call's beginning in what is held; whether to go on."""
        markers = (*self._format.opens, *self._format.drops)
        found = [(at, marker) for marker in markers if (at := self._held.find(marker)) >= 0]
        if self._alone and not self._count and (start := self._held.lstrip()):
            self._plain = self._plain or not any(m.startswith(start[: len(m)]) for m in markers)
        if self._plain:
            out.append(self._held)
            self._held = ""
            return False
        if found:
            at, marker = min(found, key=lambda f: (f[0], -len(f[1])))
            if before := self._held[:at].rstrip() if marker in self._format.opens or self._count else self._held[:at].rstrip("\n"):
                out.append(before)
            self._held = self._held[at + len(marker) :]
            if marker in self._format.opens:
                self._opened, self._body = marker, self._format.body(self._tools)
            return True
        keep = max(_overlap(self._held, marker) for marker in markers)
        safe = self._held[: len(self._held) - keep].rstrip()  # spaces before a call are not part of the answer
        if safe:
            out.append(safe)
            self._held = self._held[len(safe) :]
        return False

    def _read(self, body: Body, out: list[str | CallPart]) -> bool:
        parts = body.push(self._held)
        self._held = ""
        out += self._named(parts)
        if body.rest is None:
            return False
        if not body.begun:
            out.append(self._opened + body.left())
        self._held, self._body = body.rest, None
        return True

    def _named(self, pieces: list[Piece]) -> list[str | CallPart]:
        parts: list[str | CallPart] = []
        for call_id, name, arguments in pieces:
            self._count += bool(name)
            parts.append(CallPart(self._count - 1, (call_id or new_id()) if name else "", name, arguments))
        return parts


def _overlap(text: str, marker: str) -> int:
    """Characters at the end of `text` that `marker` begins with, not all of it."""
    return next((n for n in range(min(len(text), len(marker) - 1), 0, -1) if text.endswith(marker[:n])), 0)
