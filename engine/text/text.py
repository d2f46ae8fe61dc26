"""A model's text side: tokenizer, chat template and end tokens, read from its container.

What a person or a document wrote can never become a control token. Every occurrence of a control token's string in a message gets
a private-use character inside before the template is rendered; after rendering, control strings that are left are structure.
The text between them is encoded as a whole, so that tokens over the border of structure and content are the ecosystem's own.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from engine.errors import BadContainer, BadRequest
from engine.requests import Message
from engine.text.stream import StreamDecoder
from engine.text.template import ChatTemplate

_PRIVATE = [chr(c) for c in range(0xE000, 0xE100)]
# Without a template of its own a model gets plain labelled turns, which base models continue sensibly.
PLAIN = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n\n{% endfor %}{% if add_generation_prompt %}assistant:{% endif %}"


class Text:
    """Encodes chats and text, decodes ids. end_tokens: ids that end an answer, by the tokenizer's and generation's settings."""

    def __init__(self, tokenizer: Tokenizer, template: ChatTemplate, end_tokens: frozenset[int]) -> None:
        self._tokenizer, self._template, self.end_tokens = tokenizer, template, end_tokens
        self._tokenizer.encode_special_tokens = True
        added = {t.content: i for i, t in tokenizer.get_added_tokens_decoder().items()}
        self._control = dict(sorted(added.items(), key=lambda kv: -len(kv[0])))
        self._pattern = re.compile("|".join(re.escape(c) for c in self._control)) if self._control else None

    @classmethod
    def open(cls, folder: Path) -> "Text":
        """The text side of the container or checkpoint at `folder`. Raises BadContainer."""
        path = folder / "tokenizer.json"
        if not path.exists():
            raise BadContainer(f"{folder} has no tokenizer.json, so text cannot be turned into tokens. Convert the model again.")
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as e:  # the library raises plain Exception
            raise BadContainer(f"{path} is damaged ({e}). Fetch or convert the model again.") from e
        config = _json(folder / "tokenizer_config.json")
        special = {k: _content(config.get(k)) for k in ("bos_token", "eos_token", "pad_token", "unk_token")}
        source = _template_source(folder, config) or PLAIN
        ends = {tokenizer.token_to_id(special["eos_token"] or "")}
        eos = _json(folder / "generation_config.json").get("eos_token_id")
        ends |= set(eos if isinstance(eos, list) else [eos])
        variables = {k: v or "" for k, v in special.items()}
        return cls(tokenizer, ChatTemplate(source, variables), frozenset(i for i in ends if isinstance(i, int)))

    def encode(self, text: str) -> list[int]:
        """Ids of plain text; control strings in it are encoded as the characters that they are."""
        return (
            self._encode_plain(text) if self._pattern is None else self._encode_plain(self._guard(text, mark := self._mark([text])), mark)
        )

    def render(self, messages: Sequence[Message], add_generation_prompt: bool = True) -> tuple[str, str]:
        """(prompt text with guarded contents, the guard character); `encode_rendered` takes both."""
        if not messages:
            raise BadRequest("There is nothing to answer: write a message first.")
        mark = self._mark([m.content for m in messages] + [m.role for m in messages])
        guarded = [{"role": m.role, "content": self._guard(m.content, mark)} for m in messages]
        return self._template.render(guarded, add_generation_prompt), mark

    def encode_rendered(self, text: str, mark: str) -> list[int]:
        """Ids of rendered text: control strings are control tokens, guarded ones plain text."""
        if self._pattern is None:
            return self._encode_plain(text, mark)
        ids, at = [], 0
        for m in self._pattern.finditer(text):
            ids += self._encode_plain(text[at : m.start()], mark)
            ids.append(self._control[m.group()])
            at = m.end()
        return ids + self._encode_plain(text[at:], mark)

    def encode_chat(self, messages: Sequence[Message]) -> list[int]:
        """Ids of the whole conversation up to the point where the model answers. Raises BadRequest."""
        return self.encode_rendered(*self.render(messages))

    def decode(self, ids: Sequence[int]) -> str:
        """Text of ids, control tokens left out."""
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=True))

    def decoder(self) -> StreamDecoder:
        """A decoder for one answer."""
        return StreamDecoder(self._tokenizer)

    def guard(self, text: str, mark: str) -> str:
        """`text` as render() would write it into the prompt."""
        return self._guard(text, mark)

    def _guard(self, text: str, mark: str) -> str:
        if self._pattern is None:
            return text
        return self._pattern.sub(lambda m: m.group()[0] + mark + m.group()[1:], text)

    def _mark(self, texts: Sequence[str]) -> str:
        used = set().union(*(set(t) for t in texts)) if texts else set()
        free = next((c for c in _PRIVATE if c not in used), None)
        if free is None:
            raise BadRequest("The message uses every private-use character of Unicode. Remove some of them.")
        return free

    def _encode_plain(self, text: str, mark: str = "") -> list[int]:
        clean = text.replace(mark, "") if mark else text
        return list(self._tokenizer.encode(clean, add_special_tokens=False).ids) if clean else []


def _template_source(folder: Path, config: dict[str, Any]) -> str | None:
    path = folder / "chat_template.jinja"
    if path.exists():
        return path.read_text(encoding="utf-8")
    value = config.get("chat_template")
    if isinstance(value, list):
        named = {t.get("name"): t.get("template") for t in value if isinstance(t, dict)}
        value = named.get("default")
    return value if isinstance(value, str) else None


def _content(value: object) -> str | None:
    if isinstance(value, dict):
        value = value.get("content")
    return value if isinstance(value, str) else None


def _json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    except (OSError, ValueError) as e:
        raise BadContainer(f"{path} is damaged ({e}). Fetch or convert the model again.") from e
    return value if isinstance(value, dict) else {}
