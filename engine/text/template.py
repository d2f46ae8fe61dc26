"""Chat templates, rendered in jinja2's sandbox the way the ecosystem does.

Source: transformers 5 `chat_template_utils`: trim_blocks, lstrip_blocks, loop controls, tojson, raise_exception, strftime_now.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NoReturn

from jinja2 import TemplateError
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

from engine.errors import BadContainer, BadRequest


class _Refused(Exception):
    """raise_exception was called by the template."""


def _raise(message: str) -> NoReturn:
    raise _Refused(message)


def _tojson(value: Any, ensure_ascii: bool = False, indent: int | None = None, separators: Any = None, sort_keys: bool = False) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


class ChatTemplate:
    """A compiled template. Raises BadContainer where its text is no valid template."""

    def __init__(self, source: str, variables: Mapping[str, Any]) -> None:
        env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
        env.filters["tojson"] = _tojson
        env.globals["raise_exception"] = _raise
        env.globals["strftime_now"] = lambda form: datetime.now().strftime(form)
        self._variables = dict(variables)
        try:
            self._template = env.from_string(source)
        except TemplateError as e:
            raise BadContainer(f"The model's chat template is not valid ({e}). Fetch or convert the model again.") from e

    def render(self, messages: Sequence[Mapping[str, str]], add_generation_prompt: bool) -> str:
        """The prompt's text. Raises BadRequest where the template refuses these messages, with its words."""
        try:
            return self._template.render(messages=messages, add_generation_prompt=add_generation_prompt, **self._variables)
        except _Refused as e:
            raise BadRequest(f"The model's chat template does not take this conversation: {e}.") from e
        except (TemplateError, TypeError, ValueError, KeyError, OverflowError) as e:
            raise BadRequest(f"The model's chat template failed on this conversation ({e}).") from e
