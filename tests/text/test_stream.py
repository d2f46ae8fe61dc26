"""Streaming: whole characters only, equal to decoding at once, for every way of splitting."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from engine.errors import BadContainer, UnsupportedModel
from engine.text.hf import HfVocabulary
from engine.text.pieces import Pieces, byte_alphabet
from engine.text.stream import StreamDecoder, decode
from tests.text.conftest import KINDS, byte_level, sentencepiece

TOKENIZER, SENTENCEPIECE = byte_level(), sentencepiece()
VOCABULARIES = {name: HfVocabulary(kind(), "") for name, kind in KINDS.items()}


def streamed(vocabulary: HfVocabulary, ids: list[int]) -> list[str]:
    d = StreamDecoder(vocabulary)
    return [*(d.push(i) for i in ids), d.finish()]


@given(name=st.sampled_from(sorted(KINDS)), text=st.text(max_size=40))
@settings(deadline=None)
def test_that_streamed_text_is_the_text(name: str, text: str) -> None:
    vocabulary = VOCABULARIES[name]
    ids = vocabulary.encode(text, "\U0010ff00", False)
    pieces = streamed(vocabulary, ids)
    known = text if "byte-level" not in name else KINDS[name]().normalizer.normalize_str(text)
    if "sentencepiece" in name:
        known = known.replace("▁", " ")
        assert "".join(pieces) in (known, known.removeprefix(" "))
    else:
        assert "".join(pieces) == known
    assert all("\ufffd" not in p for p in pieces) or "\ufffd" in text


@given(name=st.sampled_from(sorted(KINDS)), ids=st.lists(st.integers(0, 300), max_size=60))
@settings(deadline=None)
def test_that_streaming_equals_decoding_at_once_for_any_ids(name: str, ids: list[int]) -> None:
    vocabulary = VOCABULARIES[name]
    pieces = streamed(vocabulary, ids)
    assert "".join(pieces) == decode(vocabulary, ids)


@given(ids=st.lists(st.integers(0, 290), max_size=40))
@settings(deadline=None)
def test_that_byte_level_text_is_the_library_s_own(ids: list[int]) -> None:
    assert decode(VOCABULARIES["byte-level"], ids) == TOKENIZER.decode(ids, skip_special_tokens=True)


@given(text=st.text(max_size=30))
@settings(deadline=None)
def test_that_sentencepiece_text_is_the_library_s_own(text: str) -> None:
    ids = SENTENCEPIECE.encode(text, add_special_tokens=False).ids
    assert decode(VOCABULARIES["sentencepiece"], ids) == SENTENCEPIECE.decode(ids, skip_special_tokens=True)


def test_that_an_unfinished_character_waits_and_ends_as_one_replacement() -> None:
    vocabulary = VOCABULARIES["byte-level"]
    otter = "🦦".encode()
    ids = [byte_alphabet()[c] for c in (chr_of(b) for b in otter)]
    d = StreamDecoder(vocabulary)
    assert [d.push(i) for i in ids] == ["", "", "", "🦦"]
    assert [d.push(i) for i in ids[:3]] == ["", "", ""]
    assert d.finish() == "\ufffd"


def chr_of(byte: int) -> str:
    return next(c for c, b in byte_alphabet().items() if b == byte)


def test_that_control_tokens_are_silent_and_unknown_ids_too() -> None:
    vocabulary = VOCABULARIES["byte-level"]
    assert vocabulary.piece(vocabulary.controls["<|im_end|>"]) == b""
    assert vocabulary.piece(10_000) == b""
    assert vocabulary.piece(vocabulary.controls["<think>"]) == b"<think>"


def test_that_the_alphabet_is_the_library_s() -> None:
    t = byte_level()
    for char, byte in byte_alphabet().items():
        if byte < 0x80:
            assert t.encode(chr(byte), add_special_tokens=False).tokens == [char]
    assert sorted(byte_alphabet().values()) == list(range(256))


def test_that_an_unknown_decoder_is_refused() -> None:
    for decoder in (
        None,
        {"type": "WordPiece", "prefix": "##", "cleanup": True},
        {"type": "Replace", "pattern": {"Regex": "x"}, "content": ""},
    ):
        with pytest.raises(UnsupportedModel, match="tokenizer"):
            Pieces(decoder)


def test_that_a_metaspace_decoder_gives_spaces() -> None:
    pieces = Pieces({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True})
    assert (pieces.piece("▁a▁b"), pieces.drops_first_space) == (b" a b", True)
    assert not Pieces({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never", "split": True}).drops_first_space


def test_that_a_damaged_tokenizer_gives_a_sentence(tmp_path: Path) -> None:
    for content in (None, "", "{}", "[1]", '{"added_tokens": [}', "\ud800".encode("utf-8", "surrogatepass")):
        path = tmp_path / "tokenizer.json"
        path.unlink(missing_ok=True)
        if content is not None:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(BadContainer, match=r"tokenizer\.json is missing or damaged"):
            HfVocabulary.open(path, "")


def test_that_added_tokens_keep_the_ids_of_the_file(tmp_path: Path) -> None:
    """A file with gaps for its added tokens: the library would give them the ids of other tokens."""
    content = json.loads(byte_level().to_str())
    first = min(t["id"] for t in content["added_tokens"])
    vocab = content["model"]["vocab"]
    n = len(content["added_tokens"])
    vocab |= {"moved": first + n}
    for i, t in enumerate(content["added_tokens"]):
        vocab.pop(t["content"], None)
        t["id"] = first + i
    (tmp_path / "tokenizer.json").write_text(json.dumps(content))
    assert Tokenizer.from_file(str(tmp_path / "tokenizer.json")).token_to_id(content["added_tokens"][0]["content"]) != first
    vocabulary = HfVocabulary.open(tmp_path / "tokenizer.json", "")
    assert {t["content"]: t["id"] for t in content["added_tokens"]}.items() >= vocabulary.controls.items()
    assert vocabulary.piece(first + n) == b"moved"
