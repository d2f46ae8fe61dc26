"""Small tokenizers and templates in the formats that families publish, with an answer of each as its model would write it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers

MERGES = [("t", "h"), ("th", "e"), ("Ġ", "the"), ("i", "n"), ("k", ">"), ("in", "k>"), ("Ċ", "Ċ"), ("/", "th"), ("<", "/th")]
TAGS = {"<think>": False, "</think>": False}


@dataclass(frozen=True)
class Family:
    """A published chat format. controls: string to whether it is marked special; answers: written text to its pieces."""

    controls: Mapping[str, bool]
    template: str
    answers: Mapping[str, tuple[tuple[str, str], ...]]
    settings: Mapping[str, str] = field(default_factory=dict)
    spaces: bool = False  # SentencePiece-like, with byte fallback


def special(*names: str) -> dict[str, bool]:
    return dict.fromkeys(names, True)


THINK = {
    "<think>\nI count.\n\nAgain.\n</think>\n\nTwo.\n": (("reasoning", "I count.\n\nAgain."), ("answer", "Two.\n")),
    "<think>\n\n</think>\n\nTwo.": (("answer", "Two."),),
    "Two: </think> and <think> are tags.": (("answer", "Two: </think> and <think> are tags."),),
    "<think>a < b</thin </think>": (("reasoning", "a < b</thin "),),
    "<think>cut off </thi": (("reasoning", "cut off </thi"),),
}
OPENED = {
    "I count.\n</think>\n\nTwo. </think>": (("reasoning", "I count."), ("answer", "Two. </think>")),
    "\n\n</think>Two.": (("answer", "Two."),),
    "cut off\n\n": (("reasoning", "cut off"),),
}
FAMILIES = {
    "qwen3": Family(
        special("<|endoftext|>", "<|im_start|>", "<|im_end|>") | TAGS,
        "{%- for m in messages %}{{- '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>\n' }}{%- endfor %}"
        "{{- '<|im_start|>assistant\n' }}"
        "{%- if enable_thinking is defined and not enable_thinking %}{{- '<think>\n\n</think>\n\n' }}{%- endif %}",
        THINK,
        {"eos_token": "<|im_end|>"},
    ),
    "qwen3, always thinking": Family(
        special("<|im_start|>", "<|im_end|>") | TAGS,
        "{%- for m in messages %}{{- '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>\n' }}{%- endfor %}"
        "{{- '<|im_start|>assistant\n<think>\n' }}",
        OPENED,
        {"eos_token": "<|im_end|>"},
    ),
    "think tags that are no tokens": Family(
        special("<|user|>", "<|assistant|>", "<|endoftext|>"),
        "{% for m in messages %}<|{{ m.role }}|>\n"
        "{{ m.content.split('</think>')[-1] if m.role == 'assistant' else m.content }}\n{% endfor %}"
        "<|assistant|>\n",
        THINK,
        {"eos_token": "<|endoftext|>"},
    ),
    "deepseek": Family(
        special("<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>") | TAGS | {"<｜User｜>": False, "<｜Assistant｜>": False},
        "{{ bos_token }}{% for m in messages %}{% if m.role == 'system' %}{{ m.content }}{% elif m.role == 'user' %}"
        "{{ '<｜User｜>' + m.content }}{% else %}{{ '<｜Assistant｜></think>' + m.content + eos_token }}{% endif %}{% endfor %}"
        "{{ '<｜Assistant｜>' }}{{ '</think>' if thinking is defined and not thinking else '<think>' }}",
        OPENED,
        {"bos_token": "<｜begin▁of▁sentence｜>", "eos_token": "<｜end▁of▁sentence｜>"},
    ),
    "glm": Family(
        special("[gMASK]", "<sop>", "<|endoftext|>", "<|system|>", "<|user|>", "<|assistant|>") | TAGS,
        "[gMASK]<sop>{% for m in messages %}<|{{ m.role }}|>\n{{ m.content }}{% endfor %}<|assistant|>"
        "{{ '\n<think></think>' if enable_thinking is defined and not enable_thinking else '' }}",
        {"\n" + written: pieces for written, pieces in THINK.items() if written.startswith("<think>")} | {"Two.": (("answer", "Two."),)},
        {"eos_token": "<|endoftext|>"},
    ),
    "minimax": Family(
        special("]~!b[", "]~b]", "[e~[") | TAGS,
        "]~!b[{% for m in messages %}]~b]{{ 'ai' if m.role == 'assistant' else m.role }}\n{{ m.content }}[e~[\n{% endfor %}"
        "]~b]ai\n<think>\n",
        OPENED,
        {"bos_token": "]~!b[", "eos_token": "[e~["},
    ),
    "gemma4": Family(
        special("<bos>", "<eos>", "<|turn>", "<turn|>", "<|channel>", "<channel|>", "<|think|>"),
        "{{ bos_token }}{% set ns = namespace(m=messages) %}{% if enable_thinking or messages[0].role == 'system' %}<|turn>system\n"
        "{% if enable_thinking %}<|think|>\n{% endif %}"
        "{% if messages[0].role == 'system' %}{{ messages[0].content | trim }}{% set ns.m = messages[1:] %}{% endif %}"
        "<turn|>\n{% endif %}"
        "{% for m in ns.m %}<|turn>{{ 'model' if m.role == 'assistant' else m.role }}\n{{ m.content | trim }}<turn|>\n"
        "{% endfor %}<|turn>model\n{% if not enable_thinking | default(true) %}<|channel>thought\n<channel|>{% endif %}",
        {
            "<|channel>thought\nI count.\n\nAgain.\n<channel|>Two.\n": (("reasoning", "I count.\n\nAgain."), ("answer", "Two.\n")),
            "<|channel>thought\n<channel|>\nTwo.": (("answer", "Two."),),
            "Two.\n\nThree": (("answer", "Two.\n\nThree"),),
            "<|channel>thought\ncut off": (("reasoning", "cut off"),),
            "<|channel>thought\na</think>b<channel|>c": (("reasoning", "a</think>b"), ("answer", "c")),
        },
        {"bos_token": "<bos>", "eos_token": "<eos>"},
        spaces=True,
    ),
    "harmony": Family(
        special("<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|return|>", "<|call|>", "<|constrain|>", "<|endoftext|>"),
        "<|start|>system<|message|>Today is {{ strftime_now('%Y-%m-%d') }}.\n# Valid channels: analysis, commentary, final.<|end|>"
        "{% for m in messages %}{% if m.role == 'system' %}<|start|>developer<|message|># Instructions\n\n{{ m.content }}<|end|>"
        "{% elif m.role == 'user' %}<|start|>user<|message|>{{ m.content }}<|end|>"
        "{% else %}<|start|>assistant<|channel|>final<|message|>{{ m.content }}<|end|>{% endif %}{% endfor %}<|start|>assistant",
        {
            "<|channel|>analysis<|message|>I count.\n<|end|><|start|>assistant<|channel|>final<|message|>Two.\n<|return|>": (
                ("reasoning", "I count.\n"),
                ("answer", "Two.\n"),
            ),
            "<|channel|>final<|message|>Two": (("answer", "Two"),),
            "<|message|>Two": (("answer", "Two"),),
            "<|channel|>commentary<|message|>First, a look.<|end|>": (("answer", "First, a look."),),
            '<|channel|>commentary to=functions.look <|constrain|>json<|message|>{"a": 1}<|call|>': (("reasoning", '{"a": 1}'),),
            "<|channel|>analysis<|message|>cut off": (("reasoning", "cut off"),),
        },
        {"eos_token": "<|return|>"},
    ),
}
KIMI_ANSWERS = {
    "I count.\n<|close|>think<|sep|><|open|>response<|sep|>Two.\n<|close|>response<|sep|><|close|>message<|sep|>": (
        ("reasoning", "I count.\n"),
        ("answer", "Two.\n"),
    ),
    "<|close|>think<|sep|><|open|>response<|sep|>Two. think response": (("answer", "Two. think response"),),
    'a<|close|>think<|sep|><|open|>tools<|sep|><|open|>call tool="x"<|sep|>b<|close|>call<|sep|>c<|close|>tools<|sep|>': (
        ("reasoning", "a"),
    ),
    "a<|close|>think<|sep|>Two.<|close|>message<|sep|>no": (("reasoning", "a"), ("answer", "Two.")),
    "cut off": (("reasoning", "cut off"),),
}


def write(folder: Path, family: Family) -> Path:
    """The tokenizer's files and the template in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    _tokenizer(family).save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps(dict(family.settings)), encoding="utf-8")
    (folder / "chat_template.jinja").write_text(family.template, encoding="utf-8")
    return folder


def _tokenizer(family: Family) -> Tokenizer:
    if family.spaces:
        letters = ["<unk>", *(f"<0x{b:02X}>" for b in range(256)), *map(chr, range(0x21, 0x7F)), "▁", "\n", "▁t", "th", "the", "▁the"]
        vocab = {c: i for i, c in enumerate(letters)}
        merges = [("t", "h"), ("th", "e"), ("▁", "the")]
        tokenizer = Tokenizer(models.BPE(vocab, merges, unk_token="<unk>", byte_fallback=True, fuse_unk=True))
        tokenizer.normalizer = normalizers.Replace(" ", "▁")
        tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    else:
        vocab = {c: i for i, c in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
        for a, b in MERGES:
            vocab.setdefault(a + b, len(vocab))
        tokenizer = Tokenizer(models.BPE(vocab, MERGES))
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(c, special=True, normalized=False) for c, special in family.controls.items() if special])
    tokenizer.add_tokens([AddedToken(c, normalized=False) for c, special in family.controls.items() if not special])
    return tokenizer
