"""Opens a tokenizer.json with the ids that it names.

The library numbers added tokens itself where they are not in the model's vocabulary, and where the file leaves gaps for them its
numbers meet other tokens; then the tokens are put into the vocabulary under the file's ids before the library reads it.
"""

import gc
import json
import re
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer, models

from engine.errors import BadContainer
from engine.unread import why_unread
from engine.words import say

_BPE = ("dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk", "byte_fallback", "ignore_merges")
_ADDED = re.compile(r'"added_tokens"\s*:\s*(?=\[)')


def load(path: Path) -> Tokenizer:
    """The tokenizer in the file `path`, without truncation and padding. Raises BadContainer where it is missing or damaged."""
    try:
        text = path.read_text(encoding="utf-8")
        tokenizer = _in_steps(text)
        wanted = {t["content"]: int(t["id"]) for t in _added(text)}
        if any(tokenizer.token_to_id(content) != token for content, token in wanted.items()):
            tokenizer = Tokenizer.from_str(_numbered(json.loads(text), wanted))
    except Exception as e:  # the library raises plain Exception
        why = why_unread(e)
        raise BadContainer(say("{path} is missing or damaged ({why}). Fetch or convert the model again.", path=path, why=why)) from e
    gc.collect()  # before anything else is allocated between what parsing has left: it saves 3 MB for a vocabulary of 49152
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _in_steps(text: str) -> Tokenizer:
    """Tokenizer.from_str in two steps of half the time: the library holds the interpreter's lock, and a window waits for it."""
    content = json.loads(text)
    model = content["model"]
    if model.get("type") != "BPE" or not isinstance(model["vocab"], dict):
        return Tokenizer.from_str(text)
    vocab: dict[str, int] = model["vocab"]
    merges = [_pair(m.split(" ", 1) if isinstance(m, str) else m) for m in model["merges"]]
    # Added tokens keep their ids only if the vocabulary that they are read against has them.
    known = {t["content"]: vocab[t["content"]] for t in content.get("added_tokens", []) if t["content"] in vocab}
    unknown = model.get("unk_token")
    model |= {"vocab": known | ({unknown: vocab[unknown]} if unknown in vocab else {}), "merges": []}
    tokenizer = Tokenizer.from_str(json.dumps(content))
    options = {k: model[k] for k in _BPE if model.get(k) is not None}
    tokenizer.model = models.BPE(vocab, merges, **options)
    return tokenizer


def _pair(parts: list[str]) -> tuple[str, str]:
    left, right = parts
    return left, right


def _added(text: str) -> list[dict[str, Any]]:
    """The file's list of added tokens, without parsing its vocabulary."""
    m = _ADDED.search(text)
    return list(json.JSONDecoder().raw_decode(text, m.end())[0]) if m else []


def _numbered(content: dict[str, Any], wanted: dict[str, int]) -> str:
    vocab = content["model"]["vocab"]
    if isinstance(vocab, dict):
        taken = set(vocab.values())
        vocab.update({t: i for t, i in wanted.items() if t not in vocab and i not in taken})
    return json.dumps(content, ensure_ascii=False)
