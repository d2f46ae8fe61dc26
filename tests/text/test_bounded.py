"""Texts that stand as they are between a call's tags are held to what their schema says, or strict tools are refused."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from llguidance import LLMatcher

from engine.errors import BadRequest
from engine.requests import Shape
from engine.text.bounded import FORMATS, searched, terminal
from engine.text.text import Text
from tests.text.test_tool_calls import ASK, ORACLE, follow, walk
from tests.text.tool_families import CALLERS, CHATML, write

TEXTS: dict[str, dict[str, Any]] = {
    "short": {"type": "string", "minLength": 2, "maxLength": 4.0},
    "plate": {"type": "string", "pattern": "^[A-Z]{2}-\\d{1,3}$"},
    "day": {"type": "string", "format": "date"},
    "name": {"type": "string", "maxLength": 5, "pattern": "a|^b"},
    "maybe": {"anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}]},
    "either": {"enum": ["x", "yy", None]},
}
SCHEMA = {"type": "object", "properties": TEXTS, "required": list(TEXTS), "additionalProperties": False}


def tools(schema: dict[str, Any]) -> tuple[str, ...]:
    return (json.dumps({"type": "function", "function": {"name": "f", "description": "It helps.", "parameters": schema}}),)


def fits(values: dict[str, Any]) -> None:
    assert list(values) and set(values) == set(TEXTS)
    assert 2 <= len(values["short"]) <= 4
    assert re.fullmatch("[A-Z]{2}-[0-9]{1,3}", values["plate"]), values
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", values["day"]), values
    assert len(values["name"]) <= 5 and re.search("a|^b", values["name"]), values
    assert values["maybe"] is None or len(values["maybe"]) <= 3
    assert values["either"] in ("x", "yy", None)


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Text]:
    callers = {c.form: c for c in CALLERS if c.form in ("coder", "minimax", "glm", "gemma")}
    # A model that writes its tags letter by letter.
    callers["letters"] = replace(callers["coder"], family=replace(callers["coder"].family, controls=CHATML))  # type: ignore[index]
    made = {form: Text.open(write(tmp_path_factory.mktemp("caller"), c)) for form, c in callers.items()}
    return made | {"xtml": Text.open(ORACLE / "kimi_k3")}


@pytest.mark.parametrize("form", ["coder", "minimax", "glm", "gemma", "letters", "xtml"])
def test_that_texts_between_tags_fit_their_schema(form: str, texts: dict[str, Text]) -> None:
    text, asked = texts[form], tools(SCHEMA)
    prompt, _ = text.render(ASK, tools=asked)
    controls = next((c.family.controls for c in CALLERS if c.form == form), CHATML)
    n = 1 + max(text.encode_rendered(c, "", True)[0] for c in controls)
    shape = Shape("calls", several=False)
    for seed in range(3):
        said, calls = follow(text, walk(text, shape, prompt, n, seed, 3000, tools=asked), prompt, tools=asked)
        assert said == "" and len(calls) == 1
        fits(json.loads(calls[0][2]))


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"pattern": "(?=a)b"}, "look ahead"), ({"pattern": r"\bword\b"}, "look ahead"), ({"pattern": "(a)\\1"}, "look ahead"),
        ({"pattern": "a^b"}, "look ahead"), ({"pattern": "(^a|b)"}, "look ahead"), ({"format": "iri-reference"}, "'iri-reference'"),
        ({"not": {"const": "x"}}, "'not'"), ({"maxLength": "9"}, "'maxLength'"),
        ({"minLength": 1 << 40}, "'minLength'"), ({"pattern": "a{3,1}"}, "regex"),
    ],
)  # fmt: skip
def test_that_strict_tools_are_refused_where_their_texts_cannot_be_held(schema: dict[str, Any], why: str, texts: dict[str, Text]) -> None:
    text = texts["coder"]
    asked = tools({**SCHEMA, "properties": {"a": {"type": "string", **schema}}, "required": ["a"]})
    prompt, _ = text.render(ASK, tools=asked)
    with pytest.raises(BadRequest, match=f"cannot be held to this shape: .*{re.escape(why)}"):
        text.limits(Shape("calls"), asked, prompt, False, 400)
    if why != "regex":
        text.limits(Shape("calls", strict=False), asked, prompt, False, 400)


PATTERNS = {
    r"^\d{3}$": (["123"], ["1234", "12", "x123", "١٢٣"]),
    r"\d": (["a1b", "1"], ["ab", ""]),
    r"^a|b$": (["ax", "xb"], ["xa", "bx"]),
    r"^(?:a|b)+?$": (["abab"], ["", "c"]),
    r"^[^\/]+/[\w.-]{2}$": (["x/a-", "ab/.."], ["/ab", "x/abc"]),
    r"^[[&~]$": (["[", "&", "~"], ["a"]),
    r"^(?<y>\d{2})\u002D\x41\.$": (["12-A."], ["12-Ab"]),
    r"^\$\^\\\"\<$": (['$^\\"<'], ["$"]),
    "^a\nb$": (["a\nb"], ["a b"]),
    "^\\\n$": (["\n"], ["\\"]),
    r"^[a-z--9]$": (["-", ".", "5"], ["~"]),
    r"^[+--]$": (["+", ",", "-"], ["."]),
    r"^[\w-]$": (["a", "-"], ["é"]),
    r"^[^\W\d_]$": (["a"], ["é", "1", "-"]),
    r"^[\D]\D$": (["١١"], ["1a"]),
    "^.$": (["a", "\x85"], ["\r", "\u2028"]),
    r"^\s[^\s]$": (["\ufeff\x85", " a"], ["\x85a", "  "]),
    r"^\p{Lu}[\p{L}]$": (["Éé"], ["éé"]),
    "^{.}a{,2}$": (["{x}a{,2}"], ["{x}aa"]),
    "": (["", "x\ny"], []),
    "^": (["", "x"], []),
}


@pytest.mark.parametrize(
    ("schema", "key"),
    [
        ({"$ref": "#/$defs/a"}, "$ref"), ({"type": "object", "patternProperties": {"^x": {"type": "null"}}}, "patternProperties"),
        ({"type": "object", "anyOf": [{"required": ["a"]}]}, "type"), ({"type": "array", "uniqueItems": True}, "uniqueItems"),
    ],
)  # fmt: skip
def test_that_strict_tools_are_refused_where_gemma_s_notation_does_not_hold_them(
    schema: dict[str, Any], key: str, texts: dict[str, Text]
) -> None:
    text = texts["gemma"]
    asked = tools({"type": "object", "properties": {"a": schema}, "required": ["a"], "additionalProperties": False})
    prompt, _ = text.render(ASK, tools=asked)
    with pytest.raises(BadRequest, match=f"cannot be held to this shape: '{re.escape(key)}'"):
        text.limits(Shape("calls"), asked, prompt, False, 400)
    text.limits(Shape("calls", strict=False), asked, prompt, False, 400)


def test_that_gemma_s_notation_holds_a_constant_and_takes_any_value(texts: dict[str, Text]) -> None:
    text = texts["gemma"]
    asked = tools({"type": "object", "properties": {"a": {"const": "x"}, "b": True}, "required": ["a", "b"]})
    prompt, _ = text.render(ASK, tools=asked)
    n = 1 + max(text.encode_rendered(c, "", True)[0] for c in next(c.family.controls for c in CALLERS if c.form == "gemma"))
    _, calls = follow(text, walk(text, Shape("calls", several=False), prompt, n, 1, 3000, tools=asked), prompt, tools=asked)
    assert json.loads(calls[0][2])["a"] == "x"


def test_that_what_stands_beside_a_union_holds_for_its_texts(texts: dict[str, Text]) -> None:
    text = texts["coder"]
    union = {"anyOf": [{"type": "string"}, {"type": "null"}], "title": "A", "minLength": 5}
    asked = tools({"type": "object", "properties": {"a": union}, "required": ["a"]})
    prompt, _ = text.render(ASK, tools=asked)
    n = 1 + max(text.encode_rendered(c, "", True)[0] for c in next(c.family.controls for c in CALLERS if c.form == "coder"))
    for seed in range(3):
        _, calls = follow(text, walk(text, Shape("calls", several=False), prompt, n, seed, 3000, tools=asked), prompt, tools=asked)
        value = json.loads(calls[0][2])["a"]
        assert value is None or len(value) >= 5


NO_PATTERNS = [
    r"\u{", r"\u{1", r"\x4", r"\pL", "a)|(b", "(a", "[a", "[a-", r"[\d-z]", r"[a-\w]", "[]", "*", "a**", "{2}a", "a+{2}", r"\1", "\\",
]  # fmt: skip


@pytest.mark.parametrize("pattern", NO_PATTERNS)
def test_that_what_is_no_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(BadRequest, match="cannot be held to this shape"):
        searched(pattern)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_that_patterns_mean_what_they_mean_in_javascript(pattern: str) -> None:
    good, bad = PATTERNS[pattern]
    held(searched(pattern), good, bad)


FORMATTED = {
    "date": (["2024-02-29", "2000-02-29", "2023-04-30"], ["2024-13-01", "24-01-01", "2023-02-29", "1900-02-29", "2023-04-31"]),
    "time": (["23:59:59Z", "00:00:00.5+01:30"], ["24:00:00Z", "1:00:00Z"]),
    "date-time": (["2024-02-29T10:00:00Z"], ["2024-02-29 10:00:00Z"]),
    "email": (["a.b@c-d.org"], ["a@", "@b", "a b@c"]),
    "hostname": (["a", "a-b.example"], ["-a", "a..b"]),
    "ipv4": (["0.0.0.0", "255.1.20.199"], ["256.1.1.1", "1.1.1", "01.1.1.1"]),
    "uuid": (["123e4567-e89b-12d3-a456-426614174000"], ["123e4567"]),
    "uri": (["https://a.b/c?d=%20#e", "mailto:x"], ["x", "http://a b", "http://a/%2"]),
}


@pytest.mark.parametrize("name", FORMATTED)
def test_that_formats_are_what_they_are_called(name: str) -> None:
    assert set(FORMATS) == set(FORMATTED)
    [found] = terminal({"type": "string", "format": name}, lenient=False)
    held(found, *FORMATTED[name])


def held(expression: str, good: list[str], bad: list[str]) -> None:
    """As llguidance reads it, byte by byte."""
    tree = _bytes()
    for text in [*good, *bad]:
        matcher = LLMatcher(tree, f"%llguidance {{}}\nstart: r\nr: T\nT: /(?s:.*)/ & /{expression or '(?s:.*)'}/\n", log_level=0)
        assert not matcher.is_error(), matcher.get_error()
        whole = all(matcher.consume_token(byte) for byte in text.encode()) and matcher.is_accepting()
        assert whole is (text in good), (expression, text)


def _bytes() -> Any:
    from llguidance import LLTokenizer

    class Bytes:
        is_tokenizer_wrapper = True
        bos_token_id = None
        eos_token_id = 256
        tokens = [*(bytes([n]) for n in range(256)), b"\xff<end>"]  # noqa: RUF012
        special_token_ids = [256]  # noqa: RUF012

        def __call__(self, text: bytes | str) -> list[int]:
            return list(text.encode() if isinstance(text, str) else text)

    return LLTokenizer(Bytes(), n_vocab=257, eos_token=[256])  # type: ignore[arg-type]
