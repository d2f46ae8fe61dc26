"""Calls of tools in every format: they come apart from text wherever the stream is cut, and grammars allow nothing else."""

import json
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import BadRequest
from engine.requests import Message, Shape, ToolCall
from engine.text.cut_json import begun_object
from engine.text.text import Text
from engine.text.tool_calls import KEYED, CallPart
from tests.text.tool_families import CALLERS, CHATML, DS, KIMI, TOOLS, Caller, write

ORACLE = Path(__file__).parents[1] / "data" / "oracle"
ASK = [Message("user", "How is the weather?")]
IDS = [c.form for c in CALLERS]
CLOSERS = (
    "\n</parameter>\n", "</parameter>\n", "</arg_value>\n", '<|"|>', '"', "}", "]", "</minimax:tool_call>", DS[4], KIMI[4], "<|close|>",
)  # fmt: skip


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Text]:
    written = {c.form: Text.open(write(tmp_path_factory.mktemp("caller"), c)) for c in CALLERS if c.form != "xtml"}
    return written | {"xtml": Text.open(ORACLE / "kimi_k3")}


def read(text: Text, parts: list[str]) -> tuple[str, list[tuple[str, str, str]]]:
    """(text, calls as (id, name, arguments)) of an answer whose parts the model writes with tokens of their own."""
    prompt, _ = text.render(ASK, tools=TOOLS)
    return follow(text, [t for part in parts for t in text.encode_rendered(part, "", continued=True)], prompt)


def follow(
    text: Text, tokens: list[int], prompt: str, shape: Shape | None = None, tools: tuple[str, ...] = TOOLS
) -> tuple[str, list[tuple[str, str, str]]]:
    splitter, parser = text.splitter(prompt, calls=True), text.call_parser(tools, shape)
    assert parser is not None
    out: list[str | CallPart] = []
    for token in tokens:
        out += [p for kind, piece in splitter.push(token) if kind == "answer" for p in parser.push(piece)]
    out += [p for kind, piece in splitter.finish() if kind == "answer" for p in parser.push(piece)]
    out += parser.finish()
    calls: list[tuple[str, str, str]] = []
    for part in out:
        if isinstance(part, CallPart):
            if part.index == len(calls):
                assert part.name and part.call_id
                calls.append((part.call_id, part.name, ""))
            else:
                assert not part.name and part.index == len(calls) - 1
            calls[-1] = (*calls[-1][:2], calls[-1][2] + part.arguments)
    return "".join(p for p in out if isinstance(p, str)), calls


def check(caller: Caller, found: tuple[str, list[tuple[str, str, str]]]) -> None:
    text, calls = found
    assert text == caller.text
    assert [(name, json.loads(arguments)) for _, name, arguments in calls] == list(caller.calls)
    assert len({call_id for call_id, _, _ in calls}) == len(calls)


@pytest.mark.parametrize("caller", CALLERS, ids=IDS)
def test_that_calls_come_apart_from_text(caller: Caller, texts: dict[str, Text]) -> None:
    check(caller, read(texts[caller.form], [caller.written]))


@pytest.mark.parametrize("caller", CALLERS, ids=IDS)
def test_that_a_cut_at_any_place_changes_nothing(caller: Caller, texts: dict[str, Text]) -> None:
    controls = sorted(caller.family.controls, key=len, reverse=True)
    inside = {m.start() + k for c in controls for m in re.finditer(re.escape(c), caller.written) for k in range(1, len(c))}
    for at in set(range(1, len(caller.written), 9)) - inside:
        check(caller, read(texts[caller.form], [caller.written[:at], caller.written[at:]]))
    pieces = [p for p in re.split("(" + "|".join(map(re.escape, controls)) + ")", caller.written) if p]
    check(caller, read(texts[caller.form], [c for p in pieces for c in ([p] if p in caller.family.controls else p)]))


@pytest.mark.parametrize("caller", CALLERS, ids=IDS)
def test_that_an_answer_without_calls_is_all_text(caller: Caller, texts: dict[str, Text]) -> None:
    start = {"harmony": "<|channel|>final<|message|>", "xtml": "<|close|>think<|sep|><|open|>response<|sep|>"}.get(caller.form, "")
    said = "It is < 5 degrees [today]\n\nand\n"
    assert read(texts[caller.form], [start + said]) == (said, [])


def test_that_what_is_no_call_is_told_as_it_was_written(texts: dict[str, Text]) -> None:
    for written in ("<tool_call>\nnonsense\n</tool_call> more", "<tool_call>\nnonsense", '<tool_call>{"name": 5}</tool_call>'):
        assert read(texts["hermes"], [written]) == (written, [])
    turned = '<tool_call>{"arguments": {"city": "x"}, "name": "get_weather"}</tool_call>'
    assert [c[1:] for c in read(texts["hermes"], [turned])[1]] == [("get_weather", '{"city": "x"}')]


@pytest.mark.parametrize("caller", CALLERS, ids=IDS)
def test_that_arguments_stream(caller: Caller, texts: dict[str, Text]) -> None:
    cut = caller.written[: caller.written.index("West") + 2]
    text, calls = read(texts[caller.form], [cut])
    if caller.form == "gemma":  # its notation is read as a whole
        assert text == cut
    else:
        assert (text, calls[0][1]) == (caller.text, "get_weather")
        whole = json.dumps(caller.calls[0][1], ensure_ascii=False)
        assert whole.startswith(calls[0][2])
        assert calls[0][2] or caller.form in ("coder", "minimax", "glm", "xtml")  # which tell a parameter when it is whole


@pytest.mark.parametrize("caller", CALLERS, ids=IDS)
def test_that_definitions_calls_and_results_are_rendered_and_spell_no_control_token(caller: Caller, texts: dict[str, Text]) -> None:
    text, control = texts[caller.form], next(iter(caller.family.controls))
    tool = json.dumps({"type": "function", "function": {"name": "note", "description": f"a{control}b", "parameters": {"type": "object"}}})

    def talk(said: str) -> list[Message]:
        call = ToolCall("abc", "note", json.dumps({"x": said}))
        return [*ASK, Message("assistant", "", calls=(call,)), Message("tool", said, call_id="abc")]

    rendered, mark = text.render(talk(control), tools=[tool])
    without, other = text.render(talk(""), tools=[tool.replace(control, "")])
    token = caller.family.controls and text.encode_rendered(control, "", True)[0]
    assert text.encode_rendered(rendered, mark).count(token) == text.encode_rendered(without, other).count(token)
    assert "note" in rendered


@pytest.mark.parametrize("caller", CALLERS, ids=IDS)
def test_that_arguments_of_a_cut_call_are_told_as_they_are(caller: Caller, texts: dict[str, Text]) -> None:
    def told(arguments: str) -> str:
        cut = Message("assistant", "So.", calls=(ToolCall("abcdefghi", "note", arguments),))
        rendered, mark = texts[caller.form].render([*ASK, cut, Message("tool", "No JSON.", call_id="abcdefghi")])
        return rendered.replace(mark, "")

    whole, begun = '{"x": "C:\\\\a, \\"b", "y": [1, "two"]}', '{"x": "C:\\\\a, \\"b", "y": [1, "tw'
    if caller.form in KEYED:
        assert told(begun) == told(begun + '"]}') and "No JSON." in told("5")
    else:
        assert whole in told(whole) and begun in told(begun)


def test_what_a_cut_object_holds() -> None:
    text = '{"a": {"b": [1, 22, {"c\\"": "d\\u00e4\\\\"}], "e": true}, "f": "g"}'
    held = [begun_object(text[:n]) for n in range(len(text) + 1)]
    assert held[0] == held[1] == {} and held[-1] == json.loads(text)
    assert held[text.index("22") + 1] == {"a": {"b": [1]}} and held[text.index("g") + 1] == json.loads(text)
    assert held[text.index("e4")] == {"a": {"b": [1, 22, {'c"': "d"}]}}
    sizes = [len(json.dumps(h)) for h in held]
    assert sizes == sorted(sizes)
    assert begun_object("[1") == begun_object("}") == begun_object("{]") == begun_object('{"a" "b"}') == begun_object("[" * 10_000) == {}


@pytest.mark.parametrize("several", [False, True], ids=["one", "several"])
@pytest.mark.parametrize("caller", CALLERS, ids=IDS)
def test_that_only_calls_that_fit_can_be_written(caller: Caller, several: bool, texts: dict[str, Text]) -> None:
    text = texts[caller.form]
    prompt, _ = text.render(ASK, tools=TOOLS)
    n = 1 + max(text.encode_rendered(c, "", True)[0] for c in caller.family.controls)
    for seed in range(2):
        tokens = walk(text, Shape("calls", several=several), prompt, n, seed)
        said, calls = follow(text, tokens, prompt)
        assert said == ""
        assert len(calls) >= 1 and (several or len(calls) == 1)
        for _, name, arguments in calls:
            fits(name, json.loads(arguments))
        named = walk(text, Shape("calls", name="note", several=False), prompt, n, seed)
        assert [name for _, name, _ in follow(text, named, prompt)[1]] == ["note"]


def fits(name: str, values: dict[str, object]) -> None:
    """The schemas of tool_families, checked by hand."""
    if name == "note":
        tags = values.pop("tags")
        assert isinstance(tags, list) and len(tags) <= 2 and all(isinstance(t, str) for t in tags)
    else:
        assert name == "get_weather"
        days = values.pop("days")
        assert isinstance(values.pop("city"), str) and isinstance(days, int) and 0 <= days <= 99
        assert values.pop("unit", "c") in ("c", "f")
        assert values.pop("exact", True) in (True, False)
    assert not values


def walk(
    text: Text, shape: Shape, prompt: str, n: int, seed: int, most: int = 600, start: str = "", tools: tuple[str, ...] = TOOLS
) -> list[int]:
    """`start`, then tokens drawn at random from those that may come, letters seldom, until the answer may end."""
    limits, rnd = text.limits(shape, tools, prompt, False, n), random.Random(seed)
    tokens = text.encode_rendered(start, "", True)
    for token in tokens:
        assert limits.allowed()[token], (text.piece(token), start)
        limits.accept(token)
    while len(tokens) < most and not limits.done:
        allowed = [int(i) for i in limits.allowed().nonzero()[0]]
        ends = [i for i in allowed if i in text.end_tokens]
        if ends and (len(allowed) == len(ends) or rnd.random() < 0.5):
            return tokens
        rest = [i for i in allowed if i not in text.end_tokens]
        last = [ids[0] for c in CLOSERS[-4:] if len(ids := text.encode_rendered(c, "", True)) == 1 and ids[0] in rest]
        if last and rnd.random() < 0.5:
            rest = last
        closer = text.encode_rendered(rnd.choice(CLOSERS), "", True) if rest is not last and rnd.random() < 0.6 else [rnd.choice(rest)]
        for token in closer:
            if limits.done or not limits.allowed()[token]:
                break
            tokens.append(token)
            limits.accept(token)
    assert len(tokens) < most, text.decode(tokens)
    return tokens


BEGINS = {
    "harmony": "<|channel|>commentary to=functions.",
    "xtml": "I see.<|close|>think<|sep|><|open|>response<|sep|><|close|>response<|sep|><|open|>tools<|sep|>",
    "minimax": "<minimax:tool_call>",
    "deepseek": DS[0],
    "deepseek_v3": DS[0],
    "kimi": KIMI[0],
    "gemma": "<|tool_call>",
    "mistral": "[TOOL_CALLS]",
    "mistral_args": "[TOOL_CALLS]",
}
FINALS = {"harmony": "<|channel|>final<|message|>", "xtml": "I see.<|close|>think<|sep|><|open|>response<|sep|>"}


@pytest.mark.parametrize("caller", CALLERS, ids=IDS)
def test_that_an_answer_is_calls_or_the_json_that_was_asked_for(caller: Caller, texts: dict[str, Text]) -> None:
    text = texts[caller.form]
    prompt, _ = text.render(ASK, tools=TOOLS)
    n = 1 + max(text.encode_rendered(c, "", True)[0] for c in caller.family.controls)
    properties = {"a": {"type": "string"}, "b": {"enum": [1, 2]}}
    schema = {"type": "object", "properties": properties, "required": ["a", "b"], "additionalProperties": False}
    shape = Shape("calls", instead=Shape("schema", json.dumps(schema)))
    said, calls = follow(text, walk(text, shape, prompt, n, 0, start=BEGINS.get(caller.form, "<tool_call>")), prompt, shape)
    assert not said and calls
    for _, name, arguments in calls:
        fits(name, json.loads(arguments))
    start = FINALS.get(caller.form, "") + '{"a": "so '
    said, calls = follow(text, walk(text, shape, prompt, n, 0, start=start), prompt, shape)
    assert not calls and set(json.loads(said)) == {"a", "b"}
    limits = text.limits(shape, TOOLS, prompt, False, n)
    for token in text.encode_rendered(FINALS.get(caller.form, ""), "", True):
        limits.accept(token)
    assert not limits.allowed()[text.encode_rendered("x", "", True)[0]]


PLAIN_CALL = '<tool_call>\n{"name": "note", "arguments": {"tags": []}}\n</tool_call>'


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Text]:
    """Models that write a call's markers letter by letter."""
    callers = [c for c in CALLERS if c.form in ("hermes", "coder", "minimax", "glm")]
    families = {c.form: replace(c.family, controls=CHATML) for c in callers}
    return {c.form: Text.open(write(tmp_path_factory.mktemp("plain"), replace(c, family=families[c.form]))) for c in callers}


@pytest.mark.parametrize("form", ["hermes", "coder", "minimax", "glm"])
def test_that_strict_calls_may_follow_text_where_their_markers_are_text(form: str, plain: dict[str, Text]) -> None:
    text, mark = plain[form], BEGINS.get(form, "<tool_call>")
    prompt, _ = text.render(ASK, tools=TOOLS)
    for several in (False, True):
        shape = Shape("calls", several=several, free=True)
        tokens = walk(text, shape, prompt, 400, 3, 3000, f"Is 5 < 6? <tool{mark}")
        said, calls = follow(text, tokens, prompt)
        assert said == "Is 5 < 6? <tool" and (len(calls) >= 1 if several else len(calls) == 1)
        for _, name, arguments in calls:
            fits(name, json.loads(arguments))
        limits = text.limits(shape, TOOLS, prompt, None, 400)
        for token in text.encode_rendered("Well, <tool_cal", "", True):
            assert limits.allowed()[token]
            limits.accept(token)
        assert limits.allowed()[list(text.end_tokens)].any()
    if form == "minimax":  # what is read as a call without what should stand before it
        limits = text.limits(shape, TOOLS, prompt, None, 400)
        for token in text.encode_rendered("Write <invoke", "", True):
            limits.accept(token)
        assert not limits.allowed()[text.encode_rendered(" ", "", True)[0]]


def test_that_a_call_in_json_is_no_call(plain: dict[str, Text]) -> None:
    text, shape = plain["hermes"], Shape("calls", instead=Shape("json"))
    prompt, _ = text.render(ASK, tools=TOOLS)
    said = "\n" + json.dumps({"a": PLAIN_CALL})
    assert follow(text, text.encode_rendered(said, "", True), prompt, shape) == (said, [])
    assert follow(text, text.encode_rendered("\n" + PLAIN_CALL, "", True), prompt, shape)[0] == ""


def test_that_json_of_a_schema_can_be_written_and_nothing_else(texts: dict[str, Text]) -> None:
    properties = {"a": {"enum": [1, 2]}, "b": {"type": "boolean"}}
    schema = {"type": "object", "properties": properties, "required": ["a", "b"], "additionalProperties": False}
    for form in ("hermes", "harmony", "gemma", "kimi", "xtml"):
        text = texts[form]
        prompt, _ = text.render(ASK)
        n = 1 + max(i for c in next(c for c in CALLERS if c.form == form).family.controls for i in text.encode_rendered(c, "", True))
        for seed in range(2):
            tokens = walk(text, Shape("schema", json.dumps(schema)), prompt, n, seed)
            splitter = text.splitter(prompt)
            pieces = [p for t in tokens for p in splitter.push(t)] + splitter.finish()
            value = json.loads("".join(piece for kind, piece in pieces if kind == "answer"))
            assert set(value) == {"a", "b"} and value["a"] in (1, 2) and isinstance(value["b"], bool)


def test_that_text_may_come_before_strict_calls_or_instead(texts: dict[str, Text]) -> None:
    text = texts["hermes"]
    prompt, _ = text.render(ASK, tools=TOOLS)
    limits = text.limits(Shape("calls", free=True), TOOLS, prompt, None, 400)
    for token in text.encode_rendered("Well.", "", True):
        assert limits.allowed()[token]
        limits.accept(token)
    assert limits.allowed()[list(text.end_tokens)].any()
    for token in text.encode_rendered('<tool_call>\n{"name": "', "", True):
        limits.accept(token)
    letters = {chr(b) for i in limits.allowed().nonzero()[0] for b in text.piece(int(i))[:1]}
    assert letters == {"g", "n"}  # the tools' first letters
    assert not limits.allowed()[list(text.end_tokens)].any()


THOUGHTS = {
    "hermes": "I see.\n</think>\n\n",
    "harmony": "<|channel|>analysis<|message|>I see.<|end|><|start|>assistant<|channel|>final<|message|>",
}


@pytest.mark.parametrize("form", THOUGHTS)
def test_that_reasoning_stays_free(form: str, texts: dict[str, Text]) -> None:
    text, thought = texts[form], THOUGHTS[form]
    prompt, _ = text.render(ASK)
    prompt += "<think>\n" if form == "hermes" else ""
    limits = text.limits(Shape("json"), (), prompt, None, 400)
    for token in text.encode_rendered(thought + '{"a": 1', "", True):
        assert limits.allowed()[token], text.piece(token)
        limits.accept(token)
    assert not limits.allowed()[text.encode_rendered("x", "", True)[0]]


def test_that_what_cannot_be_held_to_is_refused(texts: dict[str, Text]) -> None:
    text = texts["hermes"]
    prompt, _ = text.render(ASK)
    for shape, why in (
        (Shape("schema", '{"not": {}, "type": "object"}'), "not"),
        (Shape("schema", "[1]"), "JSON object"),
        (Shape("schema", '{"$ref": "#"}'), "nothing fits"),
        (Shape("calls", name="gone"), "gone"),
    ):
        with pytest.raises(BadRequest, match=why):
            text.limits(shape, TOOLS, prompt, None, 400)


def test_that_a_schema_beyond_grammars_is_refused_for_strict_calls_alone(texts: dict[str, Text]) -> None:
    text = texts["hermes"]
    schema = {"type": "object", "properties": {"a": {"type": "array", "uniqueItems": True}}, "required": ["a"]}
    tool = json.dumps({"type": "function", "function": {"name": "note", "parameters": schema}})
    prompt, _ = text.render(ASK, tools=[tool])
    with pytest.raises(BadRequest, match="uniqueItems"):
        text.limits(Shape("calls"), [tool], prompt, None, 400)
    limits = text.limits(Shape("calls", strict=False), [tool], prompt, None, 400)
    for token in text.encode_rendered('<tool_call>\n{"name": "note", "arguments": {"a": [1, 1]}}\n</tool_call>', "", True):
        assert limits.allowed()[token]
        limits.accept(token)


RESPONSES = """{% for m in messages %}<|turn>{{ m.role }}
{{ m.content }}{% for c in m.tool_calls or [] %}<|tool_call>call:{{ c.function.name }}{}<tool_call|>{% endfor %}
{%- for r in m.tool_responses or [] %}<|tool_response>response:{{ r.name }}{value:{{ r.response }}}<tool_response|>{% endfor %}
{%- if not m.tool_responses %}<turn|>{% endif %}{% endfor %}{{ tools }}"""


def test_that_results_stand_in_the_turn_that_called_where_the_template_wants_it(tmp_path: Path) -> None:
    caller = next(c for c in CALLERS if c.form == "gemma")
    (write(tmp_path, caller) / "chat_template.jinja").write_text(RESPONSES, encoding="utf-8")
    text = Text.open(tmp_path)
    calls = (ToolCall("1", "a", "{}"), ToolCall("2", "b", "{}"))
    results = [Message("tool", "x", call_id="1", name="a"), Message("tool", "y", call_id="2", name="b")]
    quiet, mark = text.render([*ASK, Message("assistant", "", calls=calls), *results])
    turn = "<|turn>assistant\n<|tool_call>call:a{}<tool_call|><|tool_call>call:b{}<tool_call|>"
    told = "<|tool_response>response:a{value:x}<tool_response|><|tool_response>response:b{value:y}<tool_response|>"
    assert quiet.replace(mark, "").endswith(f"{turn}{told}None")
    loud, mark = text.render([*ASK, Message("assistant", "Let me see.", calls=calls), *results])
    assert loud.replace(mark, "").endswith(f"<|turn>assistant\nLet me see.<turn|>{turn}{told}None")


def test_that_a_template_without_a_place_for_tools_refuses_them(starter: Path) -> None:
    text = Text.open(starter)
    assert not text.can_call
    with pytest.raises(BadRequest, match="no place for tools"):
        text.render(ASK, tools=TOOLS)
    with pytest.raises(BadRequest, match="no place for tools"):
        text.render([*ASK, Message("tool", "x", call_id="1")])
