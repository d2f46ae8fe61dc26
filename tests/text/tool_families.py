"""Small models of each format in which tools are called: control tokens, a template in that format's way, an answer with calls in it."""
# ruff: noqa: E501
import json
from dataclasses import dataclass
from pathlib import Path

from engine.text.tool_calls import Form
from tests.text.families import Family, special
from tests.text.families import write as write_family

CHATML = special("<|im_start|>", "<|im_end|>", "<|endoftext|>")
PLAIN = {"<tool_call>": False, "</tool_call>": False, "<think>": False, "</think>": False}
TURNS = (
    "{% if tools %}<|im_start|>system\n{% for t in tools %}{{ t | tojson }}\n{% endfor %}<|im_end|>\n{% endif %}"
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}{% for c in m.tool_calls or [] %}CALL{% endfor %}<|im_end|>\n{% endfor %}"
    "<|im_start|>assistant\n"
)
SETTINGS = {"eos_token": "<|im_end|>"}
DS = ("<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>", "<｜tool▁calls▁end｜>")
KIMI = tuple(f"<|tool_{n}|>" for n in ("calls_section_begin", "call_begin", "call_argument_begin", "call_end", "calls_section_end"))
WEATHER = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer", "minimum": 0, "maximum": 99},
        "unit": {"type": "string", "enum": ["c", "f"]},
        "exact": {"type": "boolean"},
    },
    "required": ["city", "days"],
}
NOTE = {"type": "object", "properties": {"tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2}}, "required": ["tags"]}
TOOLS = tuple(
    json.dumps({"type": "function", "function": {"name": name, "description": "It helps.", "parameters": schema}})
    for name, schema in (("get_weather", WEATHER), ("note", NOTE))
)


@dataclass(frozen=True)
class Caller:
    """written: an answer of the model; text and calls: what is in it."""

    form: Form
    family: Family
    written: str
    text: str = "Let me look."
    calls: tuple[tuple[str, dict[str, object]], ...] = (("get_weather", {"city": 'Köln "West"', "days": 2}),)


def _chatml(call: str, **controls: bool) -> Family:
    return Family(CHATML | PLAIN | controls, TURNS.replace("CALL", call), {}, SETTINGS)


HARMONY = special("<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|return|>", "<|call|>", "<|constrain|>", "<|endoftext|>")
TWO = (("get_weather", {"city": 'Köln "West"', "days": 2}), ("note", {"tags": ["a", "b"]}))
CITY = json.dumps({"city": 'Köln "West"', "days": 2}, ensure_ascii=False)
CALLERS = [
    Caller(
        "hermes",
        _chatml('<tool_call>\n{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}\n</tool_call>'),
        f'Let me look.\n<tool_call>\n{{"name": "get_weather", "arguments": {CITY}}}\n</tool_call>\n'
        '<tool_call>\n{"name": "note", "arguments": {"tags": ["a", "b"]}}\n</tool_call>',
        calls=TWO,
    ),
    Caller(
        "coder",
        _chatml(
            "<tool_call>\n<function={{ c.function.name }}>\n{% for k, v in c.function.arguments | items %}<parameter={{ k }}>\n"
            "{{ v if v is string else v | tojson }}\n</parameter>\n{% endfor %}</function>\n</tool_call>"
        ),
        'Let me look.\n\n<tool_call>\n<function=get_weather>\n<parameter=city>\nKöln "West"\n</parameter>\n<parameter=days>\n2\n</parameter>\n'
        '</function>\n</tool_call>\n<tool_call>\n<function=note>\n<parameter=tags>\n["a", "b"]\n</parameter>\n</function>\n</tool_call>',
        calls=TWO,
    ),
    Caller(
        "minimax",
        Family(
            CHATML | PLAIN | {"<minimax:tool_call>": False, "</minimax:tool_call>": False},
            TURNS.replace("CALL", '<minimax:tool_call>\n<invoke name="{{ c.function.name }}">\n</invoke>\n</minimax:tool_call>'),
            {},
            SETTINGS,
        ),
        'Let me look.\n<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Köln "West"</parameter>\n'
        '<parameter name="days">2</parameter>\n</invoke>\n<invoke name="note">\n<parameter name="tags">["a", "b"]</parameter>\n</invoke>\n'
        "</minimax:tool_call>",
        calls=TWO,
    ),
    Caller(
        "glm",
        _chatml(
            "<tool_call>{{ c.function.name }}\n{% for k, v in c.function.arguments.items() %}<arg_key>{{ k }}</arg_key>\n"
            "<arg_value>{{ v }}</arg_value>\n{% endfor %}</tool_call>",
            **{"<arg_key>": False, "</arg_key>": False, "<arg_value>": False, "</arg_value>": False},
        ),
        'Let me look.\n<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Köln "West"</arg_value>\n<arg_key>days</arg_key>\n'
        "<arg_value>2</arg_value>\n</tool_call>",
    ),
    Caller(
        "deepseek",
        Family(CHATML | PLAIN | special(*DS), TURNS.replace("CALL", f"{DS[0]}{DS[1]}{{{{ c.function.name + '{DS[2]}' + c.function.arguments }}}}{DS[3]}"), {}, SETTINGS),
        f"Let me look.{DS[0]}{DS[1]}get_weather{DS[2]}{CITY}{DS[3]}{DS[4]}",
    ),
    Caller(
        "deepseek_v3",
        Family(
            CHATML | PLAIN | dict.fromkeys(DS, False),
            TURNS.replace("CALL", f"{DS[0]}{DS[1]}function{DS[2]}{{{{ c.function.name + '\n```json\n' + c.function.arguments }}}}\n```{DS[3]}"),
            {},
            SETTINGS,
        ),
        f'Let me look.{DS[0]}{DS[1]}function{DS[2]}get_weather\n```json\n{CITY}\n```{DS[3]}\n'
        f'{DS[1]}function{DS[2]}note\n```json\n{{"tags": ["a", "b"]}}\n```{DS[3]}{DS[4]}',
        calls=TWO,
    ),
    Caller(
        "kimi",
        Family(CHATML | special(*KIMI), TURNS.replace("CALL", f"{KIMI[0]}{KIMI[1]}{{{{ c.id }}}}{KIMI[2]}{{{{ c.function.arguments | tojson }}}}{KIMI[3]}"), {}, SETTINGS),
        f'Let me look.{KIMI[0]}{KIMI[1]}functions.get_weather:0{KIMI[2]}{CITY}{KIMI[3]}'
        f'{KIMI[1]}functions.note:1{KIMI[2]}{{"tags": ["a", "b"]}}{KIMI[3]}{KIMI[4]}',
        calls=TWO,
    ),
    Caller(
        "harmony",
        Family(
            HARMONY,
            "<|start|>system<|message|>{% for t in tools or [] %}{{ t | tojson }}{% endfor %}<|end|>{% for m in messages %}"
            "<|start|>{{ m.role }}<|message|>{{ m.content }}{% for c in m.tool_calls or [] %}{{ c.function.arguments | tojson }}{% endfor %}"
            "<|end|>{% endfor %}<|start|>assistant",
            {},
            {"eos_token": "<|call|>"},
        ),
        f"<|channel|>final<|message|>Let me look.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json"
        f"<|message|>{CITY}",
    ),
    Caller(
        "gemma",
        Family(
            special("<bos>", "<eos>", "<|turn>", "<turn|>", "<|channel>", "<channel|>", "<|tool_call>", "<tool_call|>", '<|"|>'),
            "{{ bos_token }}{% for t in tools or [] %}{{ t.function.name }}{% endfor %}{% for m in messages %}<|turn>{{ m.role }}\n{{ m.content }}"
            "{% for c in m.tool_calls or [] %}<|tool_call>call:{{ c.function.name }}{}<tool_call|>{% endfor %}<turn|>\n{% endfor %}<|turn>model\n",
            {},
            {"bos_token": "<bos>", "eos_token": "<eos>"},
            spaces=True,
        ),
        'Let me look.<|tool_call>call:get_weather{city:<|"|>Köln "West"<|"|>,days:2}<tool_call|>'
        '<|tool_call>call:note{tags:[<|"|>a<|"|>,<|"|>b<|"|>]}<tool_call|>',
        calls=TWO,
    ),
    Caller(
        "xtml",
        Family(special("<|open|>", "<|close|>", "<|sep|>", "<|end_of_msg|>"), "", {}, {}),
        "I see.<|close|>think<|sep|><|open|>response<|sep|>Let me look.<|close|>response<|sep|><|open|>tools<|sep|>"
        '<|open|>call tool="get_weather" index="1"<|sep|><|open|>argument key="city" type="string"<|sep|>Köln "West"<|close|>argument<|sep|>'
        '<|open|>argument key="days" type="number"<|sep|>2<|close|>argument<|sep|><|close|>call<|sep|>'
        '<|open|>call tool="note" index="2"<|sep|><|open|>argument key="tags" type="array"<|sep|>["a", "b"]<|close|>argument<|sep|>'
        "<|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|>",
        calls=TWO,
    ),
    Caller(
        "mistral",
        _chatml('[TOOL_CALLS][{{ c.function | tojson }}]', **{"[TOOL_CALLS]": True}),
        f'Let me look.[TOOL_CALLS][{{"name": "get_weather", "arguments": {CITY}, "id": "abcdefghi"}}, '
        '{"name": "note", "arguments": {"tags": ["a", "b"]}}]',
        calls=TWO,
    ),
    Caller(
        "mistral_args",
        _chatml("[TOOL_CALLS]{{ c.function.name }}[ARGS]{{ c.function.arguments }}", **{"[TOOL_CALLS]": True, "[ARGS]": True}),
        f'Let me look.[TOOL_CALLS]get_weather[ARGS]{CITY}[TOOL_CALLS]note[ARGS]{{"tags": ["a", "b"]}}',
        calls=TWO,
    ),
]  # fmt: skip


def write(folder: Path, caller: Caller) -> Path:
    """The tokenizer's files and the template in `folder`."""
    return write_family(folder, caller.family)
