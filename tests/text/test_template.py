"""Chat templates: what the ecosystem renders, refusals and failures as sentences, the fallback without a template."""

import json
from pathlib import Path

import pytest
from tokenizers.processors import TemplateProcessing

from engine.errors import BadContainer, BadRequest
from engine.requests import Message
from engine.text.template import ChatTemplate
from engine.text.text import Text
from tests.text.conftest import byte_level, sentencepiece, write

ASK = [{"role": "user", "content": "hi"}]


def render(source: str, **variables: str) -> str:
    return ChatTemplate(source, variables).render(ASK)


def test_that_blocks_are_trimmed_and_loops_controlled() -> None:
    source = "{% for m in messages %}\n    {% if m.role == 'user' %}\nA{{ m.content }}\n    {% break %}\n    {% endif %}\n{% endfor %}\n"
    assert render(source) == "Ahi\n"


def test_that_the_ecosystem_s_names_are_there() -> None:
    assert render("{{ {'b': 'é<', 'a': 1} | tojson }}") == '{"b": "é<", "a": 1}'
    assert render("{{ strftime_now('%Y') | int > 2000 }}") == "True"
    assert render("{% generation %}x{{ messages[0].content }}{% endgeneration %}") == "xhi"
    assert render("{{ tools is none and documents is none and tools is defined }} {{ bos_token is defined }}") == "True False"
    assert render("{{ bos_token }}{{ add_generation_prompt }}", bos_token="<s>") == "<s>True"


def test_that_a_template_s_refusal_is_told_in_its_words() -> None:
    with pytest.raises(BadRequest, match=r"does not take this conversation: Roles must alternate\."):
        render("{{ raise_exception('Roles must alternate.') }}")


@pytest.mark.parametrize(
    "source",
    [
        "{{ messages[0].__class__.__mro__ }}",
        "{{ messages.append(1) }}",
        "{{ range(1000000) | list | length }}",
        "{{ 1 / 0 }}",
        "{{ nothing.at.all }}",
        "{{ messages[5]['content'] + 1 }}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    ],
)
def test_that_a_template_that_fails_or_reaches_out_gives_a_sentence(source: str) -> None:
    with pytest.raises(BadRequest, match="chat template failed"):
        render(source)


def test_that_an_invalid_template_is_a_damaged_container() -> None:
    with pytest.raises(BadContainer, match="not valid"):
        ChatTemplate("{% for %}", {})


def test_that_a_template_too_deep_to_compile_is_a_damaged_container() -> None:
    for source in ("{{" * 5000, "{{ " + "-" * 20_000 + "1 }}", "{% if 1 %}" * 2000 + "{% endif %}" * 2000):
        with pytest.raises(BadContainer, match="template is not valid"):
            ChatTemplate(source, {})


def test_that_the_template_comes_from_the_file_the_settings_or_a_list_of_named_ones(tmp_path: Path) -> None:
    ask = [Message("user", "hi")]
    named = [{"name": "tool_use", "template": "tools"}, {"name": "default", "template": "the default"}]
    for n, (config, file, expected) in enumerate(
        [
            ({"chat_template": "from the settings"}, None, "from the settings"),
            ({"chat_template": named}, None, "the default"),
            ({"chat_template": named[:1]}, None, "tools"),
            ({"chat_template": "from the settings"}, "from the file", "from the file"),
        ]
    ):
        text = Text.open(write(tmp_path / str(n), byte_level(), file, **config))
        assert text.decode(text.encode_chat(ask)) == expected


def test_that_a_model_without_a_template_gets_labelled_turns_and_stops_at_the_next(tmp_path: Path) -> None:
    text = Text.open(write(tmp_path, byte_level()))
    chat = [Message("user", "hello "), Message("assistant", "world"), Message("user", "<|im_end|>")]
    ids = text.encode_chat(chat)
    assert text.decode(ids) == "user: hello\n\nassistant: world\n\nuser: <|im_end|>\n\nassistant:"
    assert text.stops == ("\n\nuser:", "\n\nsystem:")
    assert Text.open(write(tmp_path, byte_level(), "x")).stops == ()


def test_that_labelled_turns_begin_as_the_tokenizer_begins_a_text(tmp_path: Path) -> None:
    tokenizer = sentencepiece()
    tokenizer.post_processor = TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    text = Text.open(write(tmp_path, tokenizer))
    ids = text.encode_chat([Message("user", "hi")])
    assert ids[0] == 1
    assert 1 not in ids[1:]
    assert text.encode("hi")[0] != 1


def test_that_end_tokens_come_from_every_setting(tmp_path: Path) -> None:
    tokenizer = byte_level()
    end = tokenizer.token_to_id("<|im_end|>")
    folder = write(tmp_path, tokenizer, "x", eos_token={"content": "<|im_end|>", "special": True})
    assert Text.open(folder).end_tokens == {end}
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": [7, 9]}))
    assert Text.open(folder).end_tokens == {end, 7, 9}
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": 7}))
    assert Text.open(folder).end_tokens == {end, 7}


@pytest.mark.parametrize("file", ["tokenizer_config.json", "generation_config.json"])
@pytest.mark.parametrize("content", ["{", "[]", "\udcff"])
def test_that_damaged_settings_give_a_sentence(file: str, content: str, tmp_path: Path) -> None:
    folder = write(tmp_path, byte_level(), "x")
    (folder / file).write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(BadContainer, match="damaged"):
        Text.open(folder)


def test_that_a_template_of_a_processor_is_read_last(tmp_path: Path) -> None:
    folder = write(tmp_path, byte_level(), "the file")
    (folder / "chat_template.json").write_text(json.dumps({"chat_template": "the processor's"}))
    assert Text.open(folder).render([Message("user", "hi")])[0] == "the file"
    (folder / "chat_template.jinja").unlink()
    assert Text.open(folder).render([Message("user", "hi")])[0] == "the processor's"
