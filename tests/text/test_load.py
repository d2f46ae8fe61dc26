"""A tokenizer that is read in steps is the one that the library reads at once."""

import json
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from engine.text.load import load
from tests.oracle.checkpoint import DATA

TEXTS = ("The quick brown fox, naïve café 你好 1234", "<|im_start|>user\nhi<|im_end|>", "def f():\n    return [1, 2]\n", "🌊 привет")


def differs(path: Path) -> list[str]:
    whole, steps = Tokenizer.from_file(str(path)), load(path)
    wrong = [t for t in TEXTS if whole.encode(t, add_special_tokens=False).ids != steps.encode(t, add_special_tokens=False).ids]
    a, b = json.loads(whole.to_str()), json.loads(steps.to_str())
    return wrong + [k for k in a if a[k] != b[k] and k not in ("truncation", "padding")]


def test_that_the_starter_s_tokenizer_is_the_same_in_steps(starter: Path) -> None:
    assert differs(starter / "tokenizer.json") == []


@pytest.mark.parametrize("merges", ["strings", "pairs"])
def test_that_both_spellings_of_merges_are_read(merges: str, tmp_path: Path) -> None:
    content = json.loads((DATA / "olmoe" / "tokenizer.json").read_text())
    vocab = content["model"]["vocab"]
    content["added_tokens"] = [t | {"id": len(vocab) + i} for i, t in enumerate(content["added_tokens"])]
    if merges == "strings":
        content["model"]["merges"] = [" ".join(m) for m in content["model"]["merges"]]
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(content))
    assert differs(path) == []
