"""Chat templates, rendered in jinja2's sandbox the way the ecosystem does.

Source: transformers 5 `chat_template_utils`: trim_blocks, lstrip_blocks, loop controls, the generation tag, tojson, raise_exception,
strftime_now; documents are None.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NoReturn

from jinja2 import meta, nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

from engine.errors import BadContainer, BadRequest
from engine.text.cut_json import Written
from engine.words import say

_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"')
EFFORT = "reasoning_effort"
SWITCHES = frozenset({"enable_thinking", "thinking"})  # names of the variable that switches thinking


class _Refused(Exception):
    """raise_exception was called by the template."""


class _Generation(Extension):
    """{% generation %}...{% endgeneration %} marks answers for training; here its content is rendered as it stands."""

    tags = {"generation"}  # noqa: RUF012 (jinja2's own declaration)

    def parse(self, parser: Parser) -> list[nodes.Node]:
        """The statements between the tags."""
        next(parser.stream)
        return list(parser.parse_statements(("name:endgeneration",), drop_needle=True))


def _raise(message: str) -> NoReturn:
    raise _Refused(message)


def _tojson(value: Any, ensure_ascii: bool = False, indent: int | None = None, separators: Any = None, sort_keys: bool = False) -> str:
    text = json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)
    if not (written := list(_written(value))):
        return text
    as_they_are = {json.dumps(w, ensure_ascii=ensure_ascii): w for w in written}
    return _STRING.sub(lambda m: as_they_are.get(m[0], m[0]), text)


def _written(value: Any) -> Iterator[Written]:
    """Arguments of a cut call: by themselves, in a function, in a call, or in a list of calls."""
    if isinstance(value, Written):
        yield value
    elif isinstance(value, Mapping):
        for key in ("arguments", "function"):
            yield from _written(value.get(key))
    elif isinstance(value, list):
        for each in value:
            yield from _written(each)


class ChatTemplate:
    """A compiled template with the model's special strings as variables. Raises BadContainer where its text is no valid template."""

    def __init__(self, source: str, variables: Mapping[str, str]) -> None:
        env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, loopcontrols])
        env.filters["tojson"] = _tojson
        env.globals["raise_exception"] = _raise
        env.globals["strftime_now"] = lambda form: datetime.now().strftime(form)
        self._variables = dict(variables)
        try:
            self._template = env.from_string(source)
            names = meta.find_undeclared_variables(env.parse(source))
            # A template with tool_responses that looks at no call's id leaves it to its caller to put results there.
            self.folds_results = "tool_responses" in source and "tool_call_id" not in source
            self.can_think, self.efforts, self.takes_tools = bool(SWITCHES & names), EFFORT in names, "tools" in names
        except Exception as e:  # also what the compiler stumbles over, such as expressions nested too deeply
            raise BadContainer(say("The model's chat template is not valid ({why}). Fetch or convert the model again.", why=e)) from e

    def parts(self, text: str) -> Iterable[str]:
        """What of a prompt is encoded together: all of it."""
        return [text]

    def render(
        self,
        messages: Sequence[Mapping[str, Any]],
        thinking: bool | None = None,
        tools: Sequence[Mapping[str, Any]] = (),
        effort: str = "",
    ) -> str:
        """The prompt's text, up to where the model answers; thinking None and effort "": as the template does by itself.

        Raises BadRequest where the template refuses, with its words.
        """
        variables: dict[str, object] = {**self._variables, "tools": list(tools) or None, "documents": None, "add_generation_prompt": True}
        if thinking is not None:  # the switch has two names in published templates
            variables |= dict.fromkeys(SWITCHES, thinking)
        if effort:
            variables[EFFORT] = effort
        try:
            return self._template.render(messages=messages, **variables)
        except _Refused as e:
            raise BadRequest(say("The model's chat template does not take this conversation: {why}.", why=str(e).rstrip("."))) from e
        except Exception as e:  # a template is a program: whatever it stumbles over ends here
            why = f"{type(e).__name__}: {e}"
            raise BadRequest(say("The model's chat template failed on this conversation ({why}). Start a new chat.", why=why)) from e
