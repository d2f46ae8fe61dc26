"""Rank files: the ids of the published tokenizer, control tokens apart, damage refused."""

import base64
import json
import shutil
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BadContainer
from engine.requests import Message
from engine.text.ranks import PATTERN, RUN, SLICE, RankVocabulary
from engine.text.text import Text
from engine.text.vocabulary import Vocabulary

ORACLE = Path(__file__).parents[1] / "data" / "oracle"
FOLDERS = [ORACLE / "kimi_k3", ORACLE / "kimi_linear"]
WORDS = "The quick fox's 12345 don't HTMLParser 漢字と Ωmega  \n\n  x\t!!\n é🦦 <|end_of_msg|> <|im_end|> [EOS] <|reserved_token_377|>"


def reference(folder: Path) -> tiktoken.Encoding:
    """The published way: 256 reserved ids in a release, 16 here, all recognized by name where that is allowed."""
    lines = (folder / "tiktoken.model").read_text().split()
    ranks = {base64.b64decode(t): int(r) for t, r in zip(lines[::2], lines[1::2], strict=True)}
    named = json.loads((folder / "tokenizer_config.json").read_text())["added_tokens_decoder"]
    n = len(ranks)
    names = {named[str(i)]["content"] if str(i) in named else f"<|reserved_token_{i}|>": i for i in range(n, n + 16)}
    return tiktoken.Encoding("reference", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens=names)


def vocabulary(folder: Path) -> RankVocabulary:
    return RankVocabulary.open(folder / "tiktoken.model", json.loads((folder / "tokenizer_config.json").read_text()))


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("A中B", ["A", "中", "B"]),
        (" 中文", [" ", "中文"]),
        ("12345", ["123", "45"]),
        ("camelCase HTMLParser", ["camel", "Case", " HTMLParser"]),
        ("don't IT'LL", ["don't", " IT'LL"]),
        ("!\n/x", ["!\n", "/x"]),
        ("a  \n b", ["a", "  \n", " b"]),
        ("a   b", ["a", "  ", " b"]),
    ],
)
def test_that_the_pattern_cuts_as_published(text: str, pieces: list[str]) -> None:
    unique = dict.fromkeys(text[a:b].encode() for a in range(len(text)) for b in range(a + 1, len(text) + 1) if len(text[a:b].encode()) > 1)
    ranks = {bytes([b]): b for b in range(256)} | {token: 256 + i for i, token in enumerate(unique)}
    e = tiktoken.Encoding("pieces", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={})
    assert [e.decode_single_token_bytes(i).decode() for i in e.encode_ordinary(text)] == pieces


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f.name)
def test_that_plain_text_gets_the_published_ids_and_no_control_token(folder: Path) -> None:
    text, names = Text.open(folder), reference(folder)
    assert text.encode(WORDS) == names.encode(WORDS, disallowed_special=())
    assert max(text.encode(WORDS)) < 368
    assert text.decode(text.encode(WORDS)) == WORDS


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f.name)
@settings(max_examples=60, deadline=None)
@given(written=st.text(max_size=40))
def test_that_every_text_comes_back_whole_and_in_pieces(folder: Path, written: str) -> None:
    text = Text.open(folder)
    ids = text.encode(written)
    decoder = text.decoder()
    assert text.decode(ids) == written
    assert "".join([*map(decoder.push, ids), decoder.finish()]) == written
    assert ids == reference(folder).encode(written, disallowed_special=())


def test_that_a_template_of_control_tokens_gets_the_published_ids() -> None:
    folder = ORACLE / "kimi_linear"
    rendered = "<|im_user|>user<|im_middle|>Hi  there\n<|im_end|><|im_assistant|>assistant<|im_middle|>"
    assert Text.open(folder).encode_chat([Message("user", "Hi  there\n")]) == reference(folder).encode(rendered, allowed_special="all")


def test_that_ids_without_a_name_are_reserved_control_tokens() -> None:
    v: Vocabulary = vocabulary(ORACLE / "kimi_linear")
    assert v.controls["<|reserved_token_377|>"] == 377
    assert v.controls["[PAD]"] == 383
    assert sorted(v.controls.values()) == list(range(368, 384))
    assert v.encode("a<|reserved_token_377|>b", "", False)[1] == 377
    assert [v.piece(i) for i in (377, 383, 384, -1)] == [b""] * 4


def test_that_an_added_token_that_is_not_special_shows(tmp_path: Path) -> None:
    folder = shutil.copytree(ORACLE / "kimi_linear", tmp_path / "model")
    config = json.loads((folder / "tokenizer_config.json").read_text())
    config["added_tokens_decoder"] |= {"375": {"content": "</think>", "special": False}, "376": {"content": "<|open|>", "special": False}}
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    text = Text.open(folder)
    assert text.decode([375, 376, 65 - 65]) == "</think>\0"
    assert 375 not in text.encode("a</think>b")


def test_that_long_runs_are_cut_where_the_published_tokenizer_cuts() -> None:
    """A cut is a border that no token crosses: its two sides are encoded apart."""
    text = Text.open(ORACLE / "kimi_linear")
    for run in ("the" * (RUN // 3 + 10), " " * (RUN + 7)):
        at = RUN
        assert text.encode(run) == text.encode(run[:at]) + text.encode(run[at:])
    short = " the" * (RUN // 2)  # many short runs, longer together than one may be
    assert text.encode(short) == reference(ORACLE / "kimi_linear").encode(short)
    long = "x" + "a the" * (SLICE // 5 + 1)
    assert len(long) > SLICE
    assert text.encode(long) == text.encode(long[:SLICE]) + text.encode(long[SLICE:])
    assert text.encode(long) != reference(ORACLE / "kimi_linear").encode(long)


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda data: b"", "no token for byte"),
        (lambda data: data.replace(b"Ag== 2\n", b""), "gaps"),
        (lambda data: data + data[:7], "gaps or repeat"),
        (lambda data: data + b"!!!! 368\n", "damaged"),
        (lambda data: data + b"QUJD x\n", "damaged"),
        (lambda data: data[:-3], "damaged"),
        (lambda data: data.replace(b"AA== 0\n", b"AAAAAAAA 0\n"), "no token for byte 0"),
    ],
)
def test_that_a_damaged_rank_file_is_refused(damage: object, told: str, tmp_path: Path) -> None:
    assert callable(damage)
    folder = shutil.copytree(ORACLE / "kimi_linear", tmp_path / "model")
    file = folder / "tiktoken.model"
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(BadContainer, match=told):
        Text.open(folder)


@pytest.mark.parametrize(
    "decoder",
    [{"5": {"content": "<|x|>"}}, {"368": {}}, {"368": {"content": ""}}, {"x": {"content": "a"}}, {"99999999999": {"content": "a"}},
     {"368": {"content": "a"}, "369": {"content": "a"}}],
)  # fmt: skip
def test_that_control_tokens_without_a_place_or_a_name_are_refused(decoder: object, tmp_path: Path) -> None:
    folder = shutil.copytree(ORACLE / "kimi_linear", tmp_path / "model")
    (folder / "tokenizer_config.json").write_text(json.dumps({"added_tokens_decoder": decoder}))
    with pytest.raises(BadContainer, match=r"tiktoken\.model|tokenizer_config"):
        Text.open(folder)
