"""A model's text side: tokenizer, chat template and end tokens, read from its container.

What a person or a document wrote can never become a control token (`guard`), while all other text gets the ids that the ecosystem
gives it: the template's output is encoded as a whole.
A model without a chat template gets plain labelled turns ("user: ..."), which base models continue, and ends an answer where
the next turn of the user would begin.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.errors import BadContainer, BadRequest
from engine.requests import Message
from engine.text.guard import Guard, clean, free_mark
from engine.text.hf import HfVocabulary
from engine.text.stream import StreamDecoder, decode
from engine.text.template import ChatTemplate
from engine.text.vocabulary import Vocabulary

PLAIN = "{% for m in messages %}{{ m.role }}: {{ m.content | trim }}\n\n{% endfor %}assistant:"
PLAIN_STOPS = ("\n\nuser:", "\n\nsystem:")
_ROLES = ("system", "user", "assistant")  # templates write them between control tokens, unguarded
_NAMES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")


class Text:
    """Encodes chats and text, decodes ids; used by one thread.

    end_tokens: ids that end an answer, by the tokenizer's and generation's settings. stops: strings that end it, where the chat
    has no control tokens.
    """

    def __init__(self, vocabulary: Vocabulary, template: ChatTemplate | None, end_tokens: frozenset[int]) -> None:
        self._vocabulary, self.end_tokens = vocabulary, end_tokens
        self._template = template or ChatTemplate(PLAIN, {})
        self._starts = [] if template else vocabulary.starts_with()
        self.stops: tuple[str, ...] = () if template else PLAIN_STOPS
        self._guard_all = Guard(vocabulary.controls)
        # What a model wrote may hold control strings that its tokenizer does not mark special: templates look for </think> in it.
        self._guard_special = Guard(vocabulary.special)

    @classmethod
    def open(cls, folder: Path) -> "Text":
        """The text side of the container or checkpoint at `folder`. Raises BadContainer, UnsupportedModel."""
        config = _json(folder / "tokenizer_config.json")
        names = {k: v for k in _NAMES if (v := _content(config.get(k))) is not None}
        source = _template_source(folder, config)
        vocabulary = HfVocabulary.open(folder / "tokenizer.json", "\0".join([source or "", *names.values()]))
        template = ChatTemplate(source, names) if source is not None else None
        generation = _json(folder / "generation_config.json")
        ends = {vocabulary.controls.get(names.get("eos_token", "")), *_ids(generation.get("eos_token_id"))}
        return cls(vocabulary, template, frozenset(i for i in ends if i is not None))

    def encode(self, text: str) -> list[int]:
        """Ids of plain text; control strings in it are encoded as the characters that they are."""
        text = clean(text)
        return self._vocabulary.encode(self._guard_all(text, mark := free_mark([text])), mark, False)

    def encode_chat(self, messages: Sequence[Message]) -> list[int]:
        """Ids of the whole conversation up to the point where the model answers. Raises BadRequest."""
        return self.encode_rendered(*self.render(messages))

    def render(self, messages: Sequence[Message]) -> tuple[str, str]:
        """(the prompt's text with marks, the mark), for `encode_rendered`. Raises BadRequest for nothing to answer."""
        if not messages or not messages[-1].content.strip():
            raise BadRequest("There is nothing to answer: write a message first.")
        for role in (m.role for m in messages if m.role not in _ROLES):
            raise BadRequest(f"A message has the role {role!r}; choose system, user or assistant.")
        mark = free_mark(clean(m.content) for m in messages)
        return self._template.render([{"role": m.role, "content": self.guarded(m, mark)} for m in messages]), mark

    def guarded(self, message: Message, mark: str) -> str:
        """A message's content as `render` gives it to the template."""
        guard = self._guard_special if message.role == "assistant" else self._guard_all
        return guard(clean(message.content), mark)

    def encode_rendered(self, text: str, mark: str, continued: bool = False) -> list[int]:
        """Ids of rendered text; continued: other ids of the same prompt come before it."""
        return ([] if continued else list(self._starts)) + self._vocabulary.encode(text, mark, continued)

    def decode(self, ids: Sequence[int]) -> str:
        """Text of ids, control tokens left out."""
        return decode(self._vocabulary, ids)

    def decoder(self) -> StreamDecoder:
        """A decoder for one answer."""
        return StreamDecoder(self._vocabulary)


def _template_source(folder: Path, config: dict[str, Any]) -> str | None:
    path = folder / "chat_template.jinja"
    if path.exists():
        try:
            return path.read_text(encoding="utf-8")
        except (OSError, ValueError) as e:
            raise BadContainer(f"{path} cannot be read ({e}). Fetch or convert the model again.") from e
    value = config.get("chat_template")
    if isinstance(value, list):
        named = {t.get("name"): t.get("template") for t in value if isinstance(t, dict)}
        value = named.get("default", next(iter(named.values()), None))
    return value if isinstance(value, str) else None


def _content(value: object) -> str | None:
    """A special token's string: published as a string or as an object with its content."""
    if isinstance(value, dict):
        value = value.get("content")
    return value if isinstance(value, str) else None


def _ids(value: object) -> list[int]:
    return [i for i in (value if isinstance(value, list) else [value]) if isinstance(i, int) and not isinstance(i, bool)]


def _json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    except (OSError, ValueError, RecursionError) as e:
        raise BadContainer(f"{path} is damaged ({e}). Fetch or convert the model again.") from e
    if not isinstance(value, dict):
        raise BadContainer(f"{path} is damaged (no JSON object). Fetch or convert the model again.")
    return value
