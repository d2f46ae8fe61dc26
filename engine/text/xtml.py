"""XTML: prompts as a tree of tags whose brackets are control tokens. Kimi K3's format, published as code instead of a template.

    <|open|>message role="user"<|sep|>Hi<|close|>message<|sep|><|end_of_msg|>

An assistant's message holds `think` (always there when thinking is on, empty in turns whose reasoning is not kept), `response`, and,
where it calls tools, `tools` with a `call tool="NAME" index="1"` each, which holds an `argument key="KEY" type="string"` for each
argument. A result is a message of the role "tool".
Each name, attribute part, value and content is encoded by itself: tokens never span two of them.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

OPEN, CLOSE, SEP, END = "<|open|>", "<|close|>", "<|sep|>", "<|end_of_msg|>"
BRACKETS = frozenset({OPEN, CLOSE, SEP, END})
EFFORT = "max"  # the published default
# Part of the format: the model has learned this sentence.
_EFFORT_NOTE = (
    "`thinking_effort` guides on how much to think in your thinking channel (not including the response channel), "
    "supported values include `low`, `medium`, `high`, and `max`.\nNow the system is invoked with `thinking_effort={}`."
)
TOOLS = "# Tools\nHere are the available tools, described in JSONSchema.\n\n```json\n{}\n```"
_TAG = re.compile(re.escape(OPEN) + "(.*?)" + re.escape(SEP), re.DOTALL)
_ATTRIBUTE = re.compile(r'( [^ ="]+)(=")([^"]*)(")')


class Xtml:
    """Renders conversations as a ChatTemplate does; `parts` then tells what is encoded together."""

    can_think = efforts = takes_tools = True
    folds_results = False

    @staticmethod
    def fits(controls: Collection[str]) -> bool:
        """Whether a tokenizer has the format's brackets."""
        return BRACKETS.issubset(controls)

    def render(
        self,
        messages: Sequence[Mapping[str, Any]],
        thinking: bool | None = None,
        tools: Sequence[Mapping[str, Any]] = (),
        effort: str = "",
    ) -> str:
        """The prompt's text, up to where the model answers. thinking None: on; effort "": the most."""
        thinks = thinking is not False
        out = [_message("system", TOOLS.format(_sorted(list(tools))), type="tool-declare")] if tools else []
        out += [_message("system", _EFFORT_NOTE.format(effort or EFFORT), type="thinking-effort")] if thinks else []
        for m in _in_order(messages):
            content = m["content"]
            if m["role"] == "assistant":
                reasoning = m.get("reasoning_content", "")
                thought = _element("think", reasoning if reasoning.strip() else "") if thinks else ""
                content = thought + _element("response", content) + _calls(m.get("tool_calls", ()))
            about = {"tool": m["name"], "index": m["index"]} if m["role"] == "tool" else {}
            out.append(_message(m["role"], content, **about))
        return "".join(out) + _open("message", role="assistant") + _open("think" if thinks else "response")

    def parts(self, text: str) -> Iterator[str]:
        """`text` in pieces that are encoded apart from each other; they join to it."""
        at = 0
        for tag in _TAG.finditer(text):
            yield text[at : tag.start()] + OPEN
            inner, done = tag[1], 0
            for attribute in _ATTRIBUTE.finditer(inner):
                yield inner[done : attribute.start()]
                yield from attribute.groups()
                done = attribute.end()
            yield inner[done:]
            at = tag.end() - len(SEP)
        yield text[at:]


def _in_order(messages: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Results of tools in the order of their calls, each with its tool's name and number."""
    out: list[Mapping[str, Any]] = []
    calls: list[Mapping[str, Any]] = []
    results: list[tuple[int, Mapping[str, Any]]] = []
    for m in [*messages, None]:
        if m is not None and m["role"] == "tool":
            found = [n for n, c in enumerate(calls) if c["id"] == m.get("tool_call_id")]
            at = found[0] if found else len(results)
            name = calls[at]["function"]["name"] if at < len(calls) else m.get("name", "")
            results.append((at, {**m, "name": name, "index": str(at + 1)}))
            continue
        out += [result for _, result in sorted(results, key=lambda r: r[0])]
        results = []
        if m is not None:
            calls = list(m.get("tool_calls", ()))
            out.append(m)
    return out


def _calls(calls: Sequence[Mapping[str, Any]]) -> str:
    """An assistant's calls of tools."""
    out = ""
    for n, call in enumerate(calls, 1):
        arguments = "".join(
            _open("argument", key=key, type=kind_of(value)) + (value if isinstance(value, str) else _json(value)) + _close("argument")
            for key, value in call["function"]["arguments"].items()
        )
        out += _open("call", tool=call["function"]["name"], index=str(n)) + arguments + _close("call")
    return _element("tools", out) if out else ""


def kind_of(value: Any) -> str:
    """The word for a value of JSON."""
    kinds: tuple[tuple[Any, str], ...] = (
        (bool, "boolean"), (type(None), "null"), (int | float, "number"), (str, "string"), (dict, "object"),
    )  # fmt: skip
    return next((word for kind, word in kinds if isinstance(value, kind)), "array")


def unescaped(value: str) -> str:
    """An attribute's value as it was meant."""
    return value.replace("&quot;", '"').replace("&amp;", "&")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _sorted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _close(name: str) -> str:
    return f"{CLOSE}{name}{SEP}"


def _open(name: str, **attributes: str) -> str:
    written = "".join(f' {k}="{escaped(v)}"' for k, v in attributes.items())
    return f"{OPEN}{name}{written}{SEP}"


def escaped(value: str) -> str:
    """A value as it stands in an attribute."""
    return value.replace("&", "&amp;").replace('"', "&quot;")


def _element(name: str, content: str) -> str:
    return f"{_open(name)}{content}{_close(name)}"


def _message(role: str, content: str, **attributes: str) -> str:
    return f"{_open('message', role=role, **attributes)}{content}{CLOSE}message{SEP}{END}"
