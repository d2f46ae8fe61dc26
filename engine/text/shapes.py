"""Grammars of answers that must have a shape: JSON, JSON of a schema, or calls of tools in the format of the model's family.

A grammar is text in the Lark dialect of llguidance (docs/syntax.md there) and covers all that the model writes, its reasoning included,
which stays free. Control tokens are named by their ids, so that words which only spell them do not count as them.
"""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.errors import BadRequest
from engine.requests import Shape
from engine.text.bounded import ANNOTATIONS, terminal
from engine.text.channels import Channels, Harmony, Tags, ThinkTags, Thoughts
from engine.text.tagged_bodies import kinds_of
from engine.text.tool_calls import CALL_BEGIN, CALL_END, CALL_SEP, FORMATS, KIMI, TC_BEGIN, TC_END, CallFormat, Form, Tools
from engine.text.xtml import CLOSE, OPEN, SEP, escaped
from engine.unread import why_unread
from engine.words import say

# A model could go on with spaces for ever: one, or a line's indentation, is enough between two signs of JSON.
SPACES = {"whitespace_pattern": r"( |\n[ \t]{0,32})?"}
FREE = "/(?s:.*)/"
HELD = ANNOTATIONS | {  # of a value in Gemma's notation
    "type", "enum", "const", "properties", "required", "additionalProperties", "items", "minItems", "maxItems", "minLength", "maxLength",
    "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
}  # fmt: skip
FINAL = "<|channel|>final<|message|>"


class _Rules:
    """Rules of one grammar in the making."""

    def __init__(self, controls: Mapping[str, int], lenient: bool = False) -> None:
        self._controls, self._lenient = controls, lenient
        self._lines: list[str] = []
        names = sorted(controls, key=lambda c: (-len(c), c))
        self._split = re.compile("(" + "|".join(map(re.escape, names)) + ")") if names else None

    def is_control(self, text: str) -> bool:
        """Whether `text` is a token of its own that no other text makes."""
        return text in self._controls

    def literal(self, text: str) -> str:
        """`text` as it stands, control tokens in it as tokens."""
        parts = self._split.split(text) if self._split is not None else [text]
        return " ".join(f"<[{self._controls[p]}]>" if n % 2 else _quoted(p) for n, p in enumerate(parts) if p)

    def free_until(self, end: str) -> str:
        """Any text up to and with `end`."""
        if end in self._controls:
            return f"{self.rule(FREE)} {self.literal(end)}"
        return self.rule(FREE, f"[suffix={_quoted(end)}]")

    def free_without(self, barred: Collection[str], end: str = "", start: str = "") -> str:
        """Any text that has none of `barred` in it and does not begin with `start`; with `end`: up to and with the first of that."""
        no = [f"(?s:.*)({'|'.join(map(_pattern, barred))})(?s:.*)"] if barred else []
        no += [rf"\s*{_pattern(start)}(?s:.*)"] if start else []
        name = f"T{len(self._lines)}"
        self._lines.append(" & ".join([f"{name}: {FREE}", *(f"~/{n}/" for n in no)]))
        return self.rule(name, f"[suffix={_quoted(end)}]" if end else "")

    def bounded(self, schema: Mapping[str, Any], end: str, lines: bool = False) -> str:
        """A text that fits a schema, up to and with `end`. lines: line breaks at its ends would be taken for those of the tags."""
        wanted = terminal(schema, self._lenient)
        tag = end.strip()  # it may not stand in the text without the line's end either
        if not wanted and end.startswith(CLOSE):
            return f"{self.rule(FREE)} {self.literal(end)}"
        if not wanted:
            return " ".join([self.free_until(tag), *([self.literal(after)] if (after := end.partition(tag)[2]) else [])])
        no = [r"\n(?s:.*)", r"(?s:.*)\n"] if lines else []
        first = end[: end.index(tag)] + tag
        controls = self._split is not None and self._split.search(first) is not None
        no += [] if controls else [f"(?s:.*){_pattern(tag)}(?s:.*)"]
        name = f"T{len(self._lines)}"
        self._lines.append(" & ".join([f"{name}: {FREE}", *(f"/{w}/" for w in wanted), *(f"~/{n}/" for n in no)]))
        if controls:
            return f"{self.rule(name)} {self.literal(end)}"
        after = end.removeprefix(first)
        return " ".join([self.rule(name, f"[suffix={_quoted(first)}]"), *([self.literal(after)] if after else [])])

    def must_hold(self, schema: Mapping[str, Any]) -> None:
        """Raises BadRequest where a schema in Gemma's notation says what the rules do not, unless lenient."""
        unions = schema.keys() & {"anyOf", "oneOf"}
        unheld = schema.keys() - HELD if not unions else schema.keys() - ANNOTATIONS - {min(unions)}
        if unheld and not self._lenient:
            why = say("{key} cannot be kept to in arguments of this model's calls", key=repr(min(unheld)))
            raise BadRequest(say("The answer cannot be held to this shape: {why}.", why=why))

    def json(self, schema: Mapping[str, Any], strict: bool = False) -> str:
        """JSON that fits a schema; strict: wholly, also where calls need not."""
        return self.rule("%json " + json.dumps({**schema, "x-guidance": {**SPACES, "lenient": self._lenient and not strict}}))

    def rule(self, body: str, options: str = "") -> str:
        """A rule of its own; its name."""
        name = f"r{len(self._lines)}"
        self._lines.append(f"{name}{options}: {body}")
        return name

    def text(self, start: str) -> str:
        """The grammar."""
        return "\n".join(["%llguidance {}", f"start: {start}", *self._lines, ""])


def grammar(
    shape: Shape, form: Form | None, tools: Tools, channels: Callable[[], Channels], controls: Mapping[str, int], prompt: str, thinks: bool
) -> str:
    """The grammar of an answer to `prompt`. thinks: the model may think first. Raises BadRequest where there is none."""
    rules = _Rules(controls, not shape.strict)
    if shape.kind != "calls":
        return rules.text(_reasoning(rules, channels, prompt, thinks) + _json_answer(rules, shape, channels))
    if form is None:
        raise BadRequest(say("This model's chat template has no place for tools. Leave tools out, or choose another model."))
    names = [shape.name] if shape.name else list(tools.parameters)
    if not names or any(name not in tools.parameters for name in names):
        named = say("The tool {name} is to be called, but it is not among the tools.", name=repr(shape.name))
        raise BadRequest(named if names else say("A tool is to be called, but there are none."))
    wanted = {name: tools.parameters[name] for name in names}
    if channels is Tags:
        body = _in_tags(rules, _calls(rules, form, wanted, shape.several), shape.free)
    elif shape.free:
        thought = ThinkTags.OPEN if channels is ThinkTags and thinks and ThinkTags.OPEN not in controls else ""
        body = _or_text(rules, FORMATS[form], wanted, shape.several, thought)
    else:
        body = _calls(rules, form, wanted, shape.several)
    if shape.instead is not None:
        body = f"({body} | {_json_answer(rules, shape.instead, channels)})"
    return rules.text(_reasoning(rules, channels, prompt, thinks) + body)


def _json_answer(rules: _Rules, shape: Shape, channels: Callable[[], Channels]) -> str:
    """JSON, as the answer of a model with these channels."""
    try:
        schema = json.loads(shape.schema) if shape.kind == "schema" else {"type": "object"}
    except (ValueError, RecursionError) as e:
        raise BadRequest(say("The schema is no JSON ({why}).", why=why_unread(e))) from e
    if not isinstance(schema, dict):
        raise BadRequest(say("The schema is no JSON object."))
    body = rules.json(schema, strict=True)
    if channels is Tags:
        return f"{body} {rules.literal(CLOSE + 'response' + SEP + CLOSE + 'message' + SEP)}"
    return rules.literal(FINAL) + " " + body if channels is Harmony else body


def _or_text(rules: _Rules, form: CallFormat, tools: Mapping[str, dict[str, Any]], several: bool, thought: str) -> str:
    """Text, calls, or both. thought: what begins reasoning, where that is text too.

    What the parser takes for a call's beginning is never written within the text, but as the beginning of one that fits.
    """
    marks = {*form.opens, *form.drops}
    if form.form == "harmony":
        return f"({rules.literal(FINAL)} {rules.rule(FREE)} | {_calls(rules, form.form, tools, several)})"
    first = form.drops[0] if form.drops else form.opens[0]
    if rules.is_control(first):
        return f"{rules.free_without(marks, start=thought)} ({_calls(rules, form.form, tools, several)})?"
    begun = f"{rules.free_without(marks - {first}, first, thought)} {_calls(rules, form.form, tools, several, first)}"
    return f"({rules.free_without(marks, start=thought)} | {begun})"


def _calls(rules: _Rules, form: Form, tools: Mapping[str, dict[str, Any]], several: bool, begun: str = "") -> str:
    """One call, or several. begun: what is there already of what they begin with."""
    f = _CALLS[form]
    wrapped = bool(f.before)
    one = rules.rule(" | ".join(f.calls(rules, tools, "" if wrapped else begun)))
    found = one
    if several:
        other = one if wrapped or not begun else rules.rule(" | ".join(f.calls(rules, tools, "")))
        found = f"{one} ({rules.literal(f.between)} {other})*" if f.between else f"{one} {other}*"
    parts = (rules.literal(f.before.removeprefix(begun)), found, rules.literal(f.after))
    return " ".join(part for part in parts if part)


def _reasoning(rules: _Rules, channels: Callable[[], Channels], prompt: str, thinks: bool) -> str:
    """What may come before the answer."""
    if channels is ThinkTags:
        closed = f"{rules.free_until(ThinkTags.CLOSE)} /\\n{{0,2}}/ "
        if prompt.rstrip("\n").endswith(ThinkTags.OPEN):
            return closed
        return f"({rules.literal(ThinkTags.OPEN)} {closed})? " if thinks else ""
    if channels is Tags and prompt.endswith(f"{OPEN}think{SEP}"):
        return f"{rules.free_until(CLOSE)} {rules.literal(f'think{SEP}{OPEN}response{SEP}')} "
    if channels is Thoughts and thinks:
        return f"({rules.literal(Thoughts.OPEN + 'thought')} {rules.free_until(Thoughts.CLOSE)})? "
    if channels is Harmony and thinks:
        thought = rules.literal("<|channel|>analysis<|message|>")
        return f"({thought} {rules.free_until('<|end|>')} {rules.literal('<|start|>assistant')})? "
    return ""


def _in_tags(rules: _Rules, calls: str, free: bool) -> str:
    """Calls behind the response, which is empty unless text is free."""
    over, end = rules.literal(f"{CLOSE}response{SEP}"), rules.literal(f"{CLOSE}message{SEP}")
    tools = f"{rules.literal(f'{OPEN}tools{SEP}')} {calls} {rules.literal(f'{CLOSE}tools{SEP}')}"
    return f"{rules.rule(FREE)} {over} ({tools})? {end}" if free else f"{over} {tools} {end}"


def _xtml_calls(rules: _Rules, tools: Mapping[str, dict[str, Any]], begun: str) -> list[str]:
    calls = []
    for name, schema in tools.items():
        parts = [rules.literal(f'{OPEN}call tool="{name}" index="'), "/[1-9][0-9]?/", rules.literal(f'"{SEP}')]
        given = schema.get("properties")
        properties: dict[str, Any] = given if isinstance(given, dict) else {}
        required = _required(schema)
        for key in sorted(properties, key=lambda p: p not in required):
            value = properties[key] if isinstance(properties[key], dict) else {}
            kind = value.get("type")
            word = {"integer": "number"}.get(str(kind), kind if isinstance(kind, str) else "string" if _texts(value, False) else "object")
            start = rules.literal(f'{OPEN}argument key="{escaped(key)}" type="{word}"{SEP}')
            argument = f"{start} {_written(rules, value, schema, f'{CLOSE}argument{SEP}')}"
            parts.append(argument if key in required else f"({argument})?")
        calls.append(" ".join([*parts, rules.literal(f"{CLOSE}call{SEP}")]))
    return calls


def _json_calls(start: str, middle: str, end: str, before: str = "", after: str = "", between: str = "") -> "_Calls":
    """Calls whose arguments are JSON between texts. In `start` {} stands for the name, and \\0 at its end for a number."""

    def build(rules: _Rules, tools: Mapping[str, dict[str, Any]], begun: str) -> list[str]:
        calls = []
        for name, schema in tools.items():
            first, numbered, _ = (start.removeprefix(begun).replace("{}", name) + middle).partition("\0")
            head = rules.literal(first) + (f" /[0-9]{{1,2}}/ {rules.literal(middle)}" if numbered else "")
            calls.append(f"{head} {rules.json(_object(schema))}" + (f" {rules.literal(end)}" if end else ""))
        return calls

    return _Calls(build, before, after, between)


def _tagged_calls(start: str, key: tuple[str, str], end: str, before: str = "", after: str = "", between: str = "") -> "_Calls":
    """Calls whose parameters stand between tags, the required ones and then the others."""

    def build(rules: _Rules, tools: Mapping[str, dict[str, Any]], begun: str) -> list[str]:
        calls = []
        for name, schema in tools.items():
            parts = [rules.literal(start.removeprefix(begun).replace("{}", name))]
            given = schema.get("properties")
            properties: dict[str, Any] = given if isinstance(given, dict) else {}
            required = _required(schema)
            for each in sorted(properties, key=lambda p: p not in required):
                value = properties[each] if isinstance(properties[each], dict) else {}
                tag = f"{rules.literal(key[0].replace('{}', each))} {_written(rules, value, schema, key[1])}"
                parts.append(tag if each in required else f"({tag})?")
            calls.append(" ".join([*parts, rules.literal(end)]))
        return calls

    return _Calls(build, before, after, between)


def _written(rules: _Rules, schema: Mapping[str, Any], whole: Mapping[str, Any], close: str) -> str:
    """A value and its closing tag: texts as they stand, all else as JSON. Where a text may stand, all but null is taken for one."""
    tagged = not close.startswith(CLOSE)  # else the kind is told beside the value
    texts = _texts(schema, tagged)
    if texts:
        ways = [_text(rules, t, close, tagged) for t in texts]
        if tagged and "null" in kinds_of(schema):
            ways.append(rules.literal(f"null{close}"))
        return f"({' | '.join(ways)})"
    shared = {k: whole[k] for k in ("$defs", "definitions") if k in whole}
    return f"{rules.json({**schema, **shared})} {rules.literal(close)}"


def _texts(schema: Mapping[str, Any], unions: bool) -> list[Mapping[str, Any]]:
    """The texts among the values of a schema, each as a schema; unions: where it may be something else too."""
    kind, values = schema.get("type"), _values(schema)
    if values is not None and (kind in (None, "string") or (unions and isinstance(kind, list))):
        texts = [v for v in values if isinstance(v, str)]
        whole = len(texts) == len(values) or kind == "string" or (unions and isinstance(kind, list) and "string" in kind)
        return [{"enum": texts}] if texts and whole else []
    if kind == "string" or (unions and isinstance(kind, list) and "string" in kind):
        return [{**schema, "type": "string"}]
    if not unions or kind is not None:
        return []
    parts = [p for key in ("anyOf", "oneOf") for p in schema.get(key) or [] if isinstance(p, dict)]
    beside = {key: value for key, value in schema.items() if key not in ("anyOf", "oneOf")}  # holds for all of them
    return [text for part in parts for text in _texts({**beside, **part}, True)]


def _values(schema: Mapping[str, Any]) -> list[Any] | None:
    """The values that a schema names, None where it names none."""
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    return values if isinstance(values, list) and values else None


def _text(rules: _Rules, schema: Mapping[str, Any], close: str, lines: bool) -> str:
    """A text and what closes it."""
    if (values := _values(schema)) is not None:
        return f"({' | '.join(rules.literal(v) if v else '/(?:)/' for v in values if isinstance(v, str))}) {rules.literal(close)}"
    return rules.bounded(schema, close, lines)


def _gemma_calls(rules: _Rules, tools: Mapping[str, dict[str, Any]], begun: str) -> list[str]:
    start = "<|tool_call>call:".removeprefix(begun)
    return [
        f"{rules.literal(start + name)} {_gemma(rules, _object(schema))} {rules.literal('<tool_call|>')}" for name, schema in tools.items()
    ]


def _gemma(rules: _Rules, schema: Mapping[str, Any]) -> str:
    """A value in Gemma's notation."""
    quote = '<|"|>'
    kind = schema.get("type")
    rules.must_hold(schema)
    if (values := _values(schema)) is not None:
        return "(" + " | ".join(rules.literal(quote + v + quote if isinstance(v, str) else json.dumps(v)) for v in values) + ")"
    if kind == "object":
        given = schema.get("properties")
        properties: dict[str, Any] = given if isinstance(given, dict) else {}
        required = [name for name in properties if name in _required(schema)]
        known = {name: value if isinstance(value, dict) else {} for name, value in properties.items()}
        # Rules of their own: each is named several times below, and within another as often again.
        fields = {name: rules.rule(f"{rules.literal(name + ':')} {_gemma(rules, value)}") for name, value in known.items()}
        first = " \",\" ".join(fields[name] for name in required)
        others = [fields[name] for name in fields if name not in required]
        further = " ".join(f'("," {other})?' for other in others)
        if first:
            return f'"{{" {first} {further} "}}"'
        ways = [" ".join([o, *(f'("," {later})?' for later in others[n + 1 :])]) for n, o in enumerate(others)]
        return f'"{{" ({" | ".join(ways)})? "}}"' if ways else '"{}"'
    if kind == "array":
        items = schema.get("items")
        item = rules.rule(_gemma(rules, items if isinstance(items, dict) else {"type": "string"}))
        least, most = (n if isinstance(n := schema.get(key), int) and n >= 0 else None for key in ("minItems", "maxItems"))
        if most == 0:
            return '"[]"'
        further = f'("," {item}){{{max((least or 0) - 1, 0)},{"" if most is None else most - 1}}}'
        return f'"[" {item} {further} "]"' if least else f'"[" ({item} {further})? "]"'
    parts = [p for key in ("anyOf", "oneOf") for p in schema.get(key) or [] if isinstance(p, dict)]
    if isinstance(kind, list):
        parts = [{**schema, "type": k} for k in kind]
    if parts:
        return "(" + " | ".join(_gemma(rules, part) for part in parts) + ")"
    if kind in ("integer", "number", "boolean", "null"):
        return rules.json(dict(schema))
    return f"{rules.literal(quote)} {rules.bounded(schema if kind == 'string' else {}, quote)}"


def _required(schema: Mapping[str, Any]) -> list[Any]:
    given = schema.get("required")
    return given if isinstance(given, list) else []


def _object(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments are an object, and models that are free to add others do."""
    return {"additionalProperties": False, **schema, "type": "object"}


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _pattern(text: str) -> str:
    """A regular expression of this text alone."""
    return re.escape(text).replace("/", r"\/")


@dataclass(frozen=True, slots=True)
class _Calls:
    """calls: rules for a call of each tool, without what they begin with where that is there already; what stands around and between."""

    calls: Callable[[_Rules, Mapping[str, dict[str, Any]], str], Sequence[str]]
    before: str = ""
    after: str = ""
    between: str = ""


_HERMES = ('<tool_call>\n{"name": "{}", ', '"arguments": ', "}\n</tool_call>")
_CALLS: dict[Form, _Calls] = {
    "hermes": _json_calls(*_HERMES, between="\n"),
    "coder": _tagged_calls(
        "<tool_call>\n<function={}>\n", ("<parameter={}>\n", "\n</parameter>\n"), "</function>\n</tool_call>", between="\n"
    ),
    "minimax": _tagged_calls(
        '<invoke name="{}">\n', ('<parameter name="{}">', "</parameter>\n"), "</invoke>\n", "<minimax:tool_call>\n", "</minimax:tool_call>"
    ),
    "glm": _tagged_calls("<tool_call>{}\n", ("<arg_key>{}</arg_key>\n<arg_value>", "</arg_value>\n"), "</tool_call>", between="\n"),
    "deepseek": _json_calls(f"{CALL_BEGIN}{{}}", CALL_SEP, CALL_END, TC_BEGIN, TC_END),
    "deepseek_v3": _json_calls(f"{CALL_BEGIN}function{CALL_SEP}{{}}", "\n```json\n", f"\n```{CALL_END}", TC_BEGIN, TC_END, "\n"),
    "kimi": _json_calls(f"{KIMI[1]}functions.{{}}:\0", KIMI[2], KIMI[3], KIMI[0], KIMI[4]),
    "harmony": _json_calls("<|channel|>commentary to=functions.{} ", "<|constrain|>json<|message|>", ""),
    "gemma": _Calls(_gemma_calls),
    "xtml": _Calls(_xtml_calls),
    "mistral": _json_calls('{"name": "{}", ', '"arguments": ', "}", "[TOOL_CALLS][", "]", ", "),
    "mistral_args": _json_calls("[TOOL_CALLS]{}", "[ARGS]", ""),
}
