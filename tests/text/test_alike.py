"""Which tokenizers are alike enough for drafts."""

import json
import shutil
from pathlib import Path

from engine.text.alike import first_difference
from engine.text.text import Text
from tests.conftest import Tiny


def test_that_the_same_files_are_alike_and_others_are_compared_id_by_id(tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    here = tiny_checkpoint("qwen3_moe")
    text = Text.open(here)
    assert first_difference(text, here, tiny_checkpoint("qwen3_moe", 1), 10_000) is None
    other = tmp_path / "other"
    shutil.copytree(here, other, ignore=shutil.ignore_patterns("*.safetensors"))
    content = json.loads((other / "tokenizer.json").read_text(encoding="utf-8"))
    (other / "tokenizer.json").write_text(json.dumps(content, indent=3), encoding="utf-8")  # other bytes, the same tokens
    assert first_difference(text, here, other, 10_000) is None
    vocab = content["model"]["vocab"]
    a, b = list(vocab)[30], list(vocab)[31]
    vocab[a], vocab[b] = vocab[b], vocab[a]
    (other / "tokenizer.json").write_text(json.dumps(content), encoding="utf-8")
    lowest = min(vocab[a], vocab[b])
    found = first_difference(text, here, other, 10_000)
    assert found is not None and found[0] == lowest and {found[1], found[2]} == {a, b}
    assert first_difference(text, here, other, lowest) is None  # none below


def test_that_a_rank_file_and_a_tokenizer_json_differ(tiny_checkpoint: Tiny) -> None:
    here = tiny_checkpoint("kimi_linear")
    assert first_difference(Text.open(here), here, tiny_checkpoint("qwen3_moe"), 300) is not None
