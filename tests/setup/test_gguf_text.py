"""Tokenizers and templates from GGUF metadata give the ids that the published files give."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import regex
from tokenizers import Regex, Tokenizer, pre_tokenizers

from engine.requests import Message
from engine.setup.gguf_metadata import Metadata
from engine.setup.gguf_pre import PRE
from engine.setup.gguf_text import small_files
from engine.setup.opening import open_checkpoint
from engine.text.load import load
from engine.text.text import Text
from tests.conftest import Tiny
from tests.setup.gguf_written import write

TEXTS = [
    "", "Hello, world!", "  runs   of\t\tspaces \n\n\n and lines\r\n", "naïve Ünïcödé straße", "漢字かな交じり文 中文 한국어",
    "123 4567 ٣٤٥ ²",
    "👨‍👩‍👧 🇩🇪 😀", "e\u0301 a\u0308", "हिन्दी ไทย العربية", "<|im_start|>user\nhi<|im_end|>", "a<|eos|>b", "<|im_sta", "I'll DON'T we'Ve",
    "CamelCaseWORDS iPhone", "x**2 # y\n\tz//w/\n", " ", "\n", "\u2028\x00\x7f",
]  # fmt: skip


def tokenizer(values: dict[str, Any]) -> Tokenizer:
    files, trouble = small_files(Metadata({"general.architecture": "llama"} | {f"tokenizer.ggml.{k}": v for k, v in values.items()}))
    assert trouble == []
    return Tokenizer.from_str(files["tokenizer.json"].decode())


def test_that_ids_and_chats_are_those_of_the_published_tokenizer(tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    folder = tiny_checkpoint("qwen3_moe")
    opened = open_checkpoint(write(folder, tmp_path / "m.gguf"))
    for name, data in opened.files().items():
        (tmp_path / name).write_bytes(data)
    opened.close()
    published, ours = load(folder / "tokenizer.json"), Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    texts = [Text.open(folder), Text.open(tmp_path)]
    for text in TEXTS:
        assert ours.encode(text).ids == published.encode(text).ids, text
        assert ours.decode(published.encode(text).ids) == published.decode(published.encode(text).ids)
        a, b = (t.encode(text) for t in texts)
        assert a == b and texts[0].decode(a) == texts[1].decode(b)
        chat = [Message("system", "Be brief."), Message("user", text + "?"), Message("assistant", text + "!"), Message("user", "x")]
        assert texts[0].encode_chat(chat) == texts[1].encode_chat(chat)
    assert {257} <= texts[1].end_tokens


SPLITS = {
    "gpt-2": ["I", "'ll", " buy", " 1234", " iPhones", ",", "\n\n ", " OK"],
    "qwen2": ["I", "'ll", " buy", " ", "1", "2", "3", "4", " iPhones", ",\n\n", " ", " OK"],
    "llama-bpe": ["I", "'ll", " buy", " ", "123", "4", " iPhones", ",\n\n", " ", " OK"],
    "gpt-4o": ["I'll", " buy", " ", "123", "4", " i", "Phones", ",\n\n", " ", " OK"],
    "kimi-k2": ["I'll", " buy", " ", "123", "4", " i", "Phones", ",\n\n", " ", " OK"],
    "deepseek-v3": ["I", "'ll", " buy", " ", "123", "4", " iPhones", ",\n\n", " ", " OK"],
    "deepseek-llm": ["I", "'", "ll", " buy", " ", "1234", " iPhones", ",", "\n", "\n", " ", " OK"],
    "smollm": ["I", "'ll", " buy", " ", "1", "2", "3", "4", " iPhones", ",", "\n\n ", " OK"],
}


@pytest.mark.parametrize("name", SPLITS)
def test_that_text_is_cut_as_the_name_says(name: str) -> None:
    cuts = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(p), "isolated") for p in PRE[name].patterns])
    assert [piece for piece, _ in cuts.pre_tokenize_str("I'll buy 1234 iPhones,\n\n  OK")] == SPLITS[name]


@pytest.mark.parametrize("name", ["gpt-4o", "kimi-k2", "qwen2", "qwen35", "llama-bpe", "gpt-2"])
def test_that_the_library_understands_the_patterns_as_another_one_does(name: str) -> None:
    (pattern,) = PRE[name].patterns
    split = pre_tokenizers.Split(Regex(pattern), "isolated")
    for text in TEXTS:
        assert [piece for piece, _ in split.pre_tokenize_str(text)] == regex.findall(pattern, text, regex.V1)


def by_scores(text: str, pieces: dict[str, float]) -> list[str]:
    """SentencePiece's way in a few lines: the neighbours that make the best piece are joined, the first of equals first; else bytes."""
    parts = list("▁" + text.replace(" ", "▁"))
    while True:
        pairs = [(-pieces[a + b], i) for i, (a, b) in enumerate(pairwise(parts)) if a + b in pieces]
        if not pairs:
            break
        _, i = min(pairs)
        parts[i : i + 2] = [parts[i] + parts[i + 1]]
    return [q for p in parts for q in ([p] if p in pieces else [f"<0x{b:02X}>" for b in p.encode()])]


def test_that_pieces_with_scores_join_in_the_order_of_their_scores() -> None:
    words = ["▁", *"the", "▁t", "he", "▁the", "th", "▁th", "a", "n", "▁a", "an", "▁an", "▁then", "hen", "en", "▁▁", "é", "d", "▁and", "nd"]
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{b:02X}>" for b in range(256)), *words, "[INST]"]
    types = [2, 3, 3, *[6] * 256, *[1] * len(words), 4]
    scores = [0.0] * 259 + [-float(i) for i in range(len(words))] + [0.0]
    values = {"model": "llama", "tokens": tokens, "token_type": types, "scores": scores, "bos_token_id": 1, "eos_token_id": 2}
    ours = tokenizer(values)
    pieces = dict(zip(words, scores[259:], strict=False))
    for text in ("the", "then and the an", "  the  hen", "thé ändé", "and", "漢a", "\nthe\n"):
        ids = ours.encode(text, add_special_tokens=False).ids
        assert [tokens[i] for i in ids] == by_scores(text, pieces), text
        assert ours.decode(ids) == text
    assert ours.encode("the").ids[0] == 1
    assert tokenizer(values | {"add_bos_token": False}).encode("the").ids[0] != 1
    assert ours.encode("</s>[INST]", add_special_tokens=False).ids[:2] == [2, len(tokens) - 1]
    bare = tokenizer(values | {"add_space_prefix": False})
    assert [tokens[i] for i in bare.encode("the", add_special_tokens=False).ids] == ["t", "he"]


def test_that_gemma_s_merges_run_over_marked_spaces() -> None:
    words = ["▁", "t", "h", "e", "▁t", "he", "▁the", "\n", "\n\n"]
    tokens = ["<pad>", "<eos>", "<bos>", "<unk>", *words, *(f"<0x{b:02X}>" for b in range(256)), "<|turn>"]
    types = [3, 3, 3, 2, *[1] * len(words), *[6] * 256, 4]
    values = {
        "model": "gemma4", "tokens": tokens, "token_type": types, "merges": ["h e", "▁ t", "▁t he", "\n \n"], "bos_token_id": 2,
        "eos_token_id": 1, "add_space_prefix": False, "add_bos_token": True,
    }  # fmt: skip
    ours = tokenizer(values)
    ids = ours.encode("the the\n\né<|turn>").ids
    assert [tokens[i] for i in ids] == ["<bos>", "t", "he", "▁the", "\n\n", "<0xC3>", "<0xA9>", "<|turn>"]
    assert ours.decode(ids[1:]) == "the the\n\né<|turn>"


GOOD: dict[str, Any] = {"model": "gpt2", "pre": "gpt-2", "tokens": ["a", "b", "ab", "<e>"], "token_type": [1, 1, 1, 3], "merges": ["a b"]}
BAD: dict[str, tuple[dict[str, Any], str]] = {
    "no tokens": ({"tokens": None}, "lack tokenizer.ggml.tokens"),
    "numbers for tokens": ({"tokens": [1, 2]}, "no list of texts"),
    "a token twice": ({"tokens": ["a", "b", "ab", "a"]}, "a token twice"),
    "too few types": ({"token_type": [1]}, "no token_type for each"),
    "an unknown cut": ({"pre": "tomorrow"}, "cuts text as 'tomorrow'"),
    "no cut": ({"pre": None}, "lack tokenizer.ggml.pre"),
    "an unknown kind": ({"model": "bert"}, "kind 'bert'"),
    "a merge of nothing": ({"merges": ["ab"]}, "is no pair"),
    "a merge of unknown tokens": ({"merges": ["a c"]}, "cannot be read"),
    "scores that are missing": ({"model": "llama"}, "no score for each"),
}


@pytest.mark.parametrize("case", BAD)
def test_that_damage_is_a_phrase(case: str) -> None:
    change, words = BAD[case]
    values = {k: v for k, v in (GOOD | change).items() if v is not None}
    files, trouble = small_files(Metadata({"general.architecture": "olmoe"} | {f"tokenizer.ggml.{k}": v for k, v in values.items()}))
    assert files == {} and len(trouble) == 1 and words in trouble[0]


def test_that_ids_out_of_range_name_no_token() -> None:
    values = {f"tokenizer.ggml.{k}": v for k, v in (GOOD | {"eos_token_id": 99, "bos_token_id": 3}).items()}
    files, trouble = small_files(Metadata({"general.architecture": "olmoe"} | values))
    settings = json.loads(files["tokenizer_config.json"])
    assert trouble == [] and settings["bos_token"] == "<e>" and "eos_token" not in settings
