"""A GGUF file's tokenizer, chat template and sampling as the small files of a checkpoint.

Source: llama.cpp's vocabulary loader. "gpt2": byte-level BPE with its merges, text cut as tokenizer.ggml.pre says. "llama": SentencePiece
pieces with scores, whose order gives the merges. "gemma4": BPE with merges over text whose spaces are marks.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from engine.apart import once
from engine.setup.gguf_metadata import Metadata
from engine.setup.gguf_pre import PRE, Pre
from engine.words import say, sentence

FEW = 4096  # tokens that are read here; with more of them the library would hold Python's lock for too long
UNKNOWN, CONTROL, USER_DEFINED = 2, 3, 4  # ggml's token types, of those that are no ordinary text
SPACE = "▁"
NAMES = {"bos_token": "bos", "eos_token": "eos", "pad_token": "padding", "unk_token": "unknown"}
# Tokens that end an answer in chats, beside those that the metadata name.
ENDS = {"<|im_end|>", "<|eot_id|>", "<|endoftext|>", "<|end_of_text|>", "<end_of_turn>", "<turn|>", "<|return|>", "<|call|>"}
SAMPLING = {
    "temperature": "temp", "top_k": "top_k", "top_p": "top_p", "min_p": "min_p", "repetition_penalty": "penalty_repeat",
}  # fmt: skip
Json = dict[str, Any]


class _Trouble(Exception):
    """A phrase about the tokenizer."""


def small_files(m: Metadata) -> tuple[dict[str, bytes], list[str]]:
    """(files by name, phrases about what is wrong with the tokenizer)."""
    values = {key: value for key, value in m.values.items() if key.startswith(("general.", "tokenizer."))}
    listed = values.get("tokenizer.ggml.tokens")
    few = not isinstance(listed, list) or len(listed) <= FEW
    files, trouble = files_of(values) if few else once("engine.setup.gguf_text:files_of", values)
    return files, trouble


def files_of(values: Mapping[str, Any]) -> tuple[dict[str, bytes], list[str]]:
    """See small_files; values: the metadata of a file's tokenizer, and those in general."""
    from tokenizers import Tokenizer  # noqa: PLC0415  it is mostly needed in a process of its own

    m = Metadata(values)
    try:
        tokens, types = _tokens(m)
        tokenizer = json.dumps(_tokenizer(m, tokens, types), ensure_ascii=False)
        Tokenizer.from_str(tokenizer)
    except _Trouble as e:
        return {}, [sentence(e)]
    except Exception as e:  # the library raises plain Exception
        return {}, [say("its tokenizer cannot be read ({why})", why=str(e)[:200])]
    ids = {name: i for name, key in NAMES.items() if (i := _id(m, key, tokens)) is not None}
    settings: Json = {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": False}
    settings |= {name: tokens[i] for name, i in ids.items()}
    ends = [i for key in ("eos", "eot", "eom") if (i := _id(m, key, tokens)) is not None]
    ends += [i for i, (t, kind) in enumerate(zip(tokens, types, strict=True)) if kind == CONTROL and t in ENDS]
    generation: Json = {"eos_token_id": list(dict.fromkeys(ends))}
    generation |= {ours: v for ours, key in SAMPLING.items() if (v := _number(m.values.get(f"general.sampling.{key}"))) is not None}
    out = {
        "tokenizer.json": tokenizer.encode(),
        "tokenizer_config.json": _bytes(settings),
        "generation_config.json": _bytes(generation),
    }
    template = m.general("tokenizer.chat_template", str)
    return out | ({"chat_template.jinja": template.encode()} if template else {}), []


def _bytes(value: Json) -> bytes:
    return json.dumps(value, indent=1, ensure_ascii=False).encode()


def _number(value: object) -> int | float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _id(m: Metadata, key: str, tokens: Sequence[str]) -> int | None:
    value = m.general(f"tokenizer.ggml.{key}_token_id", int)
    return int(value) if value is not None and 0 <= value < len(tokens) else None


def _strings(m: Metadata, key: str) -> list[str]:
    value = m.values.get(key)
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise _Trouble(
            say("its metadata lack {key}", key=key) if value is None else say("its metadata have no list of texts at {key}", key=key)
        )
    return value


def _tokens(m: Metadata) -> tuple[list[str], list[int]]:
    tokens = _strings(m, "tokenizer.ggml.tokens")
    if len(set(tokens)) != len(tokens):
        raise _Trouble(say("its tokenizer has a token twice"))
    types = m.values.get("tokenizer.ggml.token_type")
    if types is None:
        types = [1] * len(tokens)
    if not isinstance(types, list) or len(types) != len(tokens) or not all(isinstance(t, int) for t in types):
        raise _Trouble(say("its metadata have no token_type for each token"))
    return tokens, types


def _tokenizer(m: Metadata, tokens: list[str], types: list[int]) -> Json:
    model = m.general("tokenizer.ggml.model", str)
    if model == "gpt2":
        out = _byte_level(m, tokens)
    elif model in ("llama", "gemma4"):
        out = _marked_spaces(m, tokens, types, merged=model == "gemma4")
    else:
        raise _Trouble(say("its tokenizer is of the kind {model}, which is not read", model=f"{model!r:.40}"))
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    added = [
        {"id": i, "content": t, **plain, "special": kind != USER_DEFINED}
        for i, (t, kind) in enumerate(zip(tokens, types, strict=True)) if t and kind in (UNKNOWN, CONTROL, USER_DEFINED)
    ]  # fmt: skip
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added, **out}


def _bpe(tokens: Sequence[str], merges: Sequence[tuple[str, str]], **options: Any) -> Json:
    plain = {
        "type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
        "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
    }  # fmt: skip
    return plain | options | {"vocab": {t: i for i, t in enumerate(tokens)}, "merges": [list(pair) for pair in merges]}


def _merges(m: Metadata) -> list[tuple[str, str]]:
    out = []
    for merge in _strings(m, "tokenizer.ggml.merges"):
        left, _, right = merge.partition(" ")
        if not left or not right or " " in right:
            raise _Trouble(say("its tokenizer has the merge {merge}, which is no pair", merge=repr(merge[:40])))
        out.append((left, right))
    return out


def _start(m: Metadata, tokens: Sequence[str], default: bool) -> Json | None:
    """What puts the first token before a text, where the model wants it."""
    said, bos = m.general("tokenizer.ggml.add_bos_token", bool), _id(m, "bos", tokens)
    if not (default if said is None else said) or bos is None:
        return None
    first = {"SpecialToken": {"id": tokens[bos], "type_id": 0}}
    sequences = [{"Sequence": {"id": name, "type_id": 0}} for name in "AB"]
    special = {tokens[bos]: {"id": tokens[bos], "ids": [bos], "tokens": [tokens[bos]]}}
    return {"type": "TemplateProcessing", "single": [first, sequences[0]], "pair": [first, *sequences], "special_tokens": special}


def _byte_level(m: Metadata, tokens: list[str]) -> Json:
    name = m.general("tokenizer.ggml.pre", str)
    pre: Pre | None = PRE.get(name or "")
    if pre is None:
        raise _Trouble(
            say("its tokenizer cuts text as {name}, which is not known", name=f"{name!r:.40}")
            if name
            else say("its metadata lack tokenizer.ggml.pre")
        )
    cuts: list[Mapping[str, Any]] = [
        {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False} for pattern in pre.patterns
    ]
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    return {
        "normalizer": {"type": "NFC"} if pre.composed else None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [*cuts, level]},
        "post_processor": _start(m, tokens, pre.starts),
        "decoder": {**level, "use_regex": True},
        "model": _bpe(tokens, _merges(m), ignore_merges=pre.whole_words),
    }


def _marked_spaces(m: Metadata, tokens: list[str], types: list[int], merged: bool) -> Json:
    """SentencePiece's way: spaces are marks, unknown characters bytes."""
    said = m.general("tokenizer.ggml.add_space_prefix", bool)
    prefix = not merged if said is None else said
    replace = {"type": "Replace", "pattern": {"String": " "}, "content": SPACE}
    steps = [{"type": "Replace", "pattern": {"String": SPACE}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"}]
    unknown = next((t for t, kind in zip(tokens, types, strict=True) if kind == UNKNOWN), None)
    before = [{"type": "Prepend", "prepend": SPACE}, replace]
    after = [*steps, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]
    return {
        "normalizer": {"type": "Sequence", "normalizers": before} if prefix else replace,
        "pre_tokenizer": None,
        "post_processor": _start(m, tokens, True),
        "decoder": {"type": "Sequence", "decoders": after if prefix else steps},
        "model": _bpe(
            tokens, _merges(m) if merged else _by_score(m, tokens, types), unk_token=unknown, fuse_unk=True, byte_fallback=True
        ),
    }


def _by_score(m: Metadata, tokens: list[str], types: list[int]) -> list[tuple[str, str]]:
    """The merges that join pieces in the order of their scores; ordinary pieces only."""
    scores = m.values.get("tokenizer.ggml.scores")
    if not isinstance(scores, list) or len(scores) != len(tokens) or not all(isinstance(s, int | float) for s in scores):
        raise _Trouble(say("its metadata have no score for each token"))
    ids = {t: i for i, (t, kind) in enumerate(zip(tokens, types, strict=True)) if kind == 1}
    pairs = []
    for t, i in ids.items():
        if len(t) > 256:
            raise _Trouble(say("its tokenizer has a token of {count} characters", count=len(t)))
        found = [(t[:cut], t[cut:]) for cut in range(1, len(t)) if t[:cut] in ids and t[cut:] in ids]
        pairs += [(-scores[i], i, ids[left], ids[right], left, right) for left, right in found]
    return [(left, right) for *_, left, right in sorted(pairs)]
