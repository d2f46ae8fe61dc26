"""Opens a tokenizer.json with the ids that it names.

The library numbers added tokens itself where they are not in the model's vocabulary, and where the file leaves gaps for them its
numbers meet other tokens; then the tokens are put into the vocabulary under the file's ids before the library reads it.
"""

import json
import re
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from engine.errors import BadContainer

_ADDED = re.compile(r'"added_tokens"\s*:\s*(?=\[)')


def load(path: Path) -> Tokenizer:
    """The tokenizer in the file `path`, without truncation and padding. Raises BadContainer where it is missing or damaged."""
    try:
        text = path.read_text(encoding="utf-8")
        tokenizer = Tokenizer.from_str(text)
        wanted = {t["content"]: int(t["id"]) for t in _added(text)}
        if any(tokenizer.token_to_id(content) != token for content, token in wanted.items()):
            tokenizer = Tokenizer.from_str(_numbered(json.loads(text), wanted))
    except Exception as e:  # the library raises plain Exception
        raise BadContainer(f"{path} is missing or damaged ({e}). Fetch or convert the model again.") from e
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


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
