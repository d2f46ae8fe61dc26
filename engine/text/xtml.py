"""XTML: prompts as a tree of tags whose brackets are control tokens. Kimi K3's format, published as code instead of a template.

    <|open|>message role="user"<|sep|>Hi<|close|>message<|sep|><|end_of_msg|>

An assistant's message holds `think` (always there when thinking is on, empty in turns whose reasoning is not kept) and `response`.
Each name, attribute part, value and content is encoded by itself: tokens never span two of them.
"""

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
_TAG = re.compile(re.escape(OPEN) + "(.*?)" + re.escape(SEP), re.DOTALL)
_ATTRIBUTE = re.compile(r'( [^ ="]+)(=")([^"]*)(")')


class Xtml:
    """Renders conversations as a ChatTemplate does; `parts` then tells what is encoded together."""

    can_think = efforts = True
    takes_tools = folds_results = False

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
        """The prompt's text, up to where the model answers. thinking None: on; effort "": the most. Tools are not rendered."""
        thinks = thinking is not False
        out = [_message("system", _EFFORT_NOTE.format(effort or EFFORT), type="thinking-effort")] if thinks else []
        for m in messages:
            content = m["content"]
            if m["role"] == "assistant":
                reasoning = m.get("reasoning_content", "")
                thought = _element("think", reasoning if reasoning.strip() else "") if thinks else ""
                content = thought + _element("response", content)
            out.append(_message(m["role"], content))
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


def _open(name: str, **attributes: str) -> str:
    written = "".join(f' {k}="{_escape(v)}"' for k, v in attributes.items())
    return f"{OPEN}{name}{written}{SEP}"


def _escape(value: str) -> str:
    return value.replace("&", "&amp;").replace('"', "&quot;")


def _element(name: str, content: str) -> str:
    return f"{_open(name)}{content}{CLOSE}{name}{SEP}"


def _message(role: str, content: str, **attributes: str) -> str:
    return f"{_open('message', role=role, **attributes)}{content}{CLOSE}message{SEP}{END}"
