"""Small tokenizers of the kinds that families publish, written to folders with a template."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers

from engine.text.pieces import byte_alphabet

MERGES = [("h", "e"), ("l", "l"), ("he", "ll"), ("hell", "o"), ("Ġ", "w"), ("o", "r"), ("Ġw", "or"), ("Ċ", "Ċ"), ("Ġ", "Ġ"), ("<", "/")]
CONTROLS = ["<|im_start|>", "<|im_end|>", "<|user|>", "<|assistant|>", "<|im", "|user"]  # the last two overlap with others


def byte_level(normalized: bool = False) -> Tokenizer:
    """Byte-level BPE; added tokens: special ones, <think> that is not special, runs of spaces, an HTML tag."""
    vocab = byte_alphabet()
    for a, b in MERGES:
        vocab.setdefault(a + b, len(vocab))
    t = Tokenizer(models.BPE(vocab, MERGES))
    t.normalizer = normalizers.NFC()
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.decoder = decoders.ByteLevel()
    t.add_special_tokens([AddedToken(c, special=True, normalized=normalized) for c in CONTROLS])
    plain = ["<think>", "</think>", "<|fim|>", "    ", "<table>"]
    t.add_tokens([AddedToken(c, normalized=normalized and c != "    ") for c in plain])
    return t


def sentencepiece(scheme: str = "first") -> Tokenizer:
    """SentencePiece-like BPE with byte fallback; the text's start gets a space; one control token swallows the spaces after it."""
    vocab = {c: i for i, c in enumerate(["<unk>", "<s>", "</s>"])}
    for b in range(256):
        vocab[f"<0x{b:02X}>"] = len(vocab)
    for c in "▁abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ<|_>[]/\n":
        vocab[c] = len(vocab)
    merges = [("▁", "h"), ("h", "i"), ("▁", "hi")]
    for first, second in merges:
        vocab.setdefault(first + second, len(vocab))
    t = Tokenizer(models.BPE(vocab, merges, unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    t.pre_tokenizer = pre_tokenizers.Metaspace("▁", prepend_scheme=scheme, split=False)
    t.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    t.add_special_tokens(["<unk>", "<s>", "</s>"])
    t.add_special_tokens([AddedToken(c, special=True, rstrip=c == "<|user|>", normalized=False) for c in CONTROLS])
    return t


KINDS: dict[str, Callable[[], Tokenizer]] = {
    "byte-level": byte_level,
    "byte-level, controls normalized": lambda: byte_level(normalized=True),
    "sentencepiece": sentencepiece,
    "sentencepiece, always a space": lambda: sentencepiece("always"),
}
TEMPLATES = {
    "chatml": "{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>\n' }}{% endfor %}<|im_start|>assistant\n",
    "role in the token": "{% for m in messages %}<|{{ m['role'] }}|>\n{{ m['content'] | trim }}<|im_end|>\n{% endfor %}<|assistant|>\n",
    "glued": "{% for m in messages %}{{ m.role }}<{{ m.content }}>|{{ m.content }}|{% endfor %}<|assistant|>",
    "thinking": (
        "{% for m in messages %}{% set own = m.role == 'assistant' and '</think>' in m.content %}"
        "{% set c = m.content.split('</think>')[-1] if own else m.content %}"
        "<|im_start|>{{ m.role }}\n{{ c.lstrip('\n') }}<|im_end|>{% endfor %}<|im_start|>assistant\n<think>"
    ),
}


def write(folder: Path, tokenizer: Tokenizer, template: str | None = None, **config: object) -> Path:
    """The text files of a container in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    if template is not None:
        (folder / "chat_template.jinja").write_text(template)
    return folder


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Tokenizer:
    """A tokenizer of each kind."""
    return KINDS[request.param]()
