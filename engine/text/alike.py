"""Whether two models read the same ids as the same text, so that one can draft for the other."""

from pathlib import Path

from engine.text.text import Text

FILES = ("tokenizer.json", "tiktoken.model", "tokenizer_config.json")


def first_difference(text: Text, folder: Path, other: Path, count: int, apart: bool = False) -> tuple[int, str, str] | None:
    """The first of ids 0 to count - 1 that both tokenizers name, but not alike: (id, its name in `folder`, in `other`); else None.

    text: the text side of the container at `folder`. Ids that one of them lacks are no difference: vocabularies are padded, and
    releases add control tokens. apart: see Text.open. Raises BadContainer, UnsupportedModel.
    """
    if all(_read(folder / name) == _read(other / name) for name in FILES):
        return None
    theirs = Text.open(other, apart)
    try:
        for i in range(count):
            a, b = text.spelled(i), theirs.spelled(i)
            if a is not None and b is not None and a != b:
                return i, a.decode("utf-8", "replace"), b.decode("utf-8", "replace")
        return None
    finally:
        theirs.close()


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
