"""Which of a model's files is its tokenizer."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.text.vocabulary import Vocabulary


def open_vocabulary(folder: Path, config: Mapping[str, Any], naming: str) -> Vocabulary:
    """The tokenizer of the container or checkpoint at `folder`; config: its tokenizer_config.json; naming: see HfVocabulary.

    Raises BadContainer, UnsupportedModel.
    """
    # Only where a tokenizer is read its library is, which holds Python's lock and takes megabytes.
    if not (folder / "tokenizer.json").exists() and (folder / "tiktoken.model").exists():
        from engine.text.ranks import RankVocabulary  # noqa: PLC0415

        return RankVocabulary.open(folder / "tiktoken.model", config)
    from engine.text.hf import HfVocabulary  # noqa: PLC0415

    return HfVocabulary.open(folder / "tokenizer.json", naming)
