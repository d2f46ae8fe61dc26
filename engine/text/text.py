"""A model's text side: tokenizer, chat template and end tokens, read from its container.

What a person or a document wrote can never become a control token (`guard`), while all other text gets the ids that the ecosystem
gives it: the template's output is encoded as a whole.
A model without a chat template gets plain labelled turns ("user: ..."), which base models continue, and ends an answer where
the next turn of the user would begin.
"""

import json
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cancel import CancelToken
from engine.errors import BadContainer, BadRequest
from engine.requests import Message, Shape
from engine.text.asked import AskedVocabulary
from engine.text.channels import Channels, Harmony, HarmonyCalls, Plain, Tags, TagsCalls, ThinkTags, split_content
from engine.text.files import open_vocabulary
from engine.text.guard import Guard, clean, free_mark
from engine.text.resume import begun
from engine.text.shapes import grammar
from engine.text.splitter import StreamSplitter, channels_of
from engine.text.stream import StreamDecoder, decode
from engine.text.template import ChatTemplate
from engine.text.tool_calls import FORMATS, KEYED, CallParser, Form, form_of
from engine.text.turns import definitions, folded, texts_of, tools_of, turn
from engine.text.vocabulary import Vocabulary
from engine.text.xtml import Xtml
from engine.unread import why_unread
from engine.words import say

if TYPE_CHECKING:
    from engine.text.limits import Limits
    from engine.text.matching import TokenTree

PLAIN = "{% for m in messages %}{{ m.role }}: {{ m.content | trim }}\n\n{% endfor %}assistant:"
PLAIN_STOPS = ("\n\nuser:", "\n\nsystem:")
_ROLES = ("system", "user", "assistant", "tool")  # templates write them between control tokens, unguarded
_NAMES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")


class Text:
    """Encodes chats and text, decodes ids; used by one thread.

    end_tokens: ids that end an answer, by the tokenizer's and generation's settings. stops: strings that end it, where the chat
    has no control tokens.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        template: ChatTemplate | Xtml | None,
        end_tokens: frozenset[int],
        channels: Callable[[], Channels] = Plain,
        form: Form | None = None,
    ) -> None:
        self._vocabulary, self.end_tokens, self._channels = vocabulary, end_tokens, channels
        self._template = template or ChatTemplate(PLAIN, {})
        self._starts = [] if template else vocabulary.starts_with()
        self.stops: tuple[str, ...] = () if template else PLAIN_STOPS
        self._guard = Guard(vocabulary.controls)
        self._form = form if self._template.takes_tools else None
        self._tree: TokenTree | None = None
        self._names: dict[int, bytes] = {}

    @classmethod
    def open(
        cls, folder: Path, apart: bool = False, cancel: CancelToken | None = None, where: Callable[[], Path] | None = None
    ) -> "Text":
        """The text side of the container or checkpoint at `folder`; apart: its tokenizer in a process of its own, until `close`.

        where: the folder that it is by then, for a process that has to be started anew.

        Raises BadContainer, UnsupportedModel, and apart also Cancelled and EngineError.
        """
        config = _json(folder / "tokenizer_config.json")
        names = {k: v for k in _NAMES if (v := _content(config.get(k))) is not None}
        source = _template_source(folder, config)
        naming = "\0".join([source or "", *names.values()])
        vocabulary: Vocabulary
        if apart:
            vocabulary = AskedVocabulary(where or (lambda: folder), config, naming, cancel or CancelToken())
        else:
            vocabulary = open_vocabulary(folder, config, naming)
        try:
            return cls._of(folder, vocabulary, source, names)
        except BaseException:
            if isinstance(vocabulary, AskedVocabulary):
                vocabulary.close()
            raise

    @classmethod
    def _of(cls, folder: Path, vocabulary: Vocabulary, source: str | None, names: dict[str, str]) -> "Text":
        template: ChatTemplate | Xtml | None = ChatTemplate(source, names) if source is not None else None
        if template is None and Xtml.fits(vocabulary.controls):
            template = Xtml()
        generation = _json(folder / "generation_config.json")
        ends = {vocabulary.controls.get(names.get("eos_token", "")), *_ids(generation.get("eos_token_id"))}
        channels, form = channels_of(vocabulary, source or ""), form_of(vocabulary.controls, source or "")
        form = "xtml" if isinstance(template, Xtml) else form
        return cls(vocabulary, template, frozenset(i for i in ends if i is not None), channels, form)

    def close(self) -> None:
        """End the tokenizer's process, where it has one. Idempotent."""
        if isinstance(self._vocabulary, AskedVocabulary):
            self._vocabulary.close()

    def spelled(self, token: int) -> bytes | None:
        """See Vocabulary."""
        return self._vocabulary.spelled(token)

    def encode(self, text: str) -> list[int]:
        """Ids of plain text; control strings in it are encoded as the characters that they are."""
        text = clean(text)
        return self._vocabulary.encode(self._guard(text, mark := free_mark([text])), mark, False)

    def encode_chat(self, messages: Sequence[Message], thinking: bool | None = None) -> list[int]:
        """Ids of the whole conversation up to the point where the model answers. Raises BadRequest."""
        return self.encode_rendered(*self.render(messages, thinking))

    def render(
        self,
        messages: Sequence[Message],
        thinking: bool | None = None,
        avoid: Message | None = None,
        tools: Sequence[str] = (),
        effort: str = "",
    ) -> tuple[str, str]:
        """(the prompt's text with marks, the mark), for `encode_rendered`; thinking None, effort "": the model's default.

        avoid: a message that is not rendered but must not hold the mark either. tools: see Options.

        Raises BadRequest for nothing to answer, and for what the template has no place for.
        """
        if not messages or not (messages[-1].content.strip() or messages[-1].role == "tool"):
            raise BadRequest(say("There is nothing to answer: write a message first."))
        for role in (m.role for m in messages if m.role not in _ROLES):
            raise BadRequest(say("A message has the role {role}; choose system, user, assistant or tool.", role=repr(role)))
        if self._form is None and (tools or any(m.role == "tool" or m.calls for m in messages)):
            raise BadRequest(say("This model's chat template has no place for tools. Leave tools out, or choose another model."))
        texts = (t for m in (*messages, *([avoid] if avoid else [])) for t in texts_of(m))
        mark = free_mark(clean(t) for t in chain(texts, tools))
        turns = [turn(self._split(m), m, lambda text: self.guarded(text, mark), self._form in KEYED) for m in messages]
        turns = folded(turns) if self._template.folds_results else turns
        return self._template.render(turns, thinking, definitions(tools, lambda text: self.guarded(text, mark)), effort), mark

    @property
    def starts(self) -> list[int]:
        """Ids that come before a text which is no chat."""
        return self._vocabulary.starts_with()

    def limits(self, shape: Shape, tools: Sequence[str], prompt: str, thinking: bool | None, n: int) -> "Limits":
        """What holds an answer to `prompt` to a shape; n: the model's vocabulary. Raises BadRequest, EngineError."""
        thinks = thinking is not False and (self._channels is not ThinkTags or self.can_think)
        from engine.text.limits import Limits  # noqa: PLC0415

        text = grammar(shape, self._form, tools_of(tools), self._channels, self._vocabulary.controls, prompt, thinks)
        if isinstance(self._vocabulary, AskedVocabulary):
            return Limits(self._vocabulary.follow(text, n, self.end_tokens), n)
        from engine.text.matching import Matcher, TokenTree  # noqa: PLC0415  megabytes that chats do without

        if self._tree is None:
            self._tree = TokenTree(self._vocabulary, n, self.end_tokens)
        return Limits(Matcher(self._tree, text), n)

    def call_parser(self, tools: Sequence[str], shape: Shape | None = None) -> CallParser | None:
        """What reads calls of these tools in one answer of that shape; None where there are none."""
        alone = shape is not None and shape.instead is not None  # what stands in JSON is no call
        return CallParser(FORMATS[self._form], tools_of(tools), alone) if tools and self._form else None

    def piece(self, token: int) -> bytes:
        """The bytes that an id stands for; those of a control token are its name's."""
        if not self._names:
            self._names = {i: name.encode() for name, i in self._vocabulary.controls.items()}
        return self._vocabulary.piece(token) or self._names.get(token, b"")

    def begun(self, prompt: str, message: Message, mark: str) -> str:
        """What a model writes after `prompt`, as `render` gave it, up to where the cut answer `message` ends. Raises BadRequest."""
        reasoning, answer = self._split(message)
        if message.role != "assistant" or not (reasoning.strip() or answer.strip()):
            raise BadRequest(say("There is no answer that could go on. Send a message, or have it answered again."))
        return begun(self._channels, prompt, self.guarded(reasoning, mark), self.guarded(answer, mark))

    @property
    def can_call(self) -> bool:
        """Whether the template has a place for tools, and calls in the model's format are read."""
        return self._form is not None

    @property
    def efforts(self) -> bool:
        """Whether the model can be told how much to think."""
        return self._template.efforts

    @property
    def can_think(self) -> bool:
        """Whether a model can be told to think, or not to, before it answers."""
        return self._template.can_think

    def _split(self, message: Message) -> tuple[str, str]:
        if message.role == "assistant" and not message.reasoning and self._channels is ThinkTags:
            return split_content(message.content)
        return message.reasoning, message.content

    def guarded(self, text: str, mark: str) -> str:
        """`text` as `render` gives it to the template."""
        return self._guard(clean(text), mark)

    def guarded_answer(self, written: Sequence[str], length: int, mark: str) -> str:
        """The first `length` characters of what a model wrote (`StreamSplitter.written`), as a later prompt may hold them."""
        out = ""
        for n, part in enumerate(written):
            kept = part[:length]
            length -= len(kept)
            out += kept if n % 2 else self.guarded(kept, mark)
        return out

    def encode_rendered(self, text: str, mark: str, continued: bool = False) -> list[int]:
        """Ids of rendered text; continued: other ids of the same prompt come before it."""
        ids = [] if continued else list(self._starts)
        for part in self._template.parts(text):
            ids += self._vocabulary.encode(part, mark, continued)
            continued = True
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        """Text of ids, control tokens left out."""
        return decode(self._vocabulary, ids)

    def decoder(self) -> StreamDecoder:
        """A decoder for one answer."""
        return StreamDecoder(self._vocabulary)

    def splitter(self, prompt: str, begun: str = "", calls: bool = False, plain: bool = False) -> StreamSplitter:
        """Reasoning and answer of one answer to `prompt`, as `render` gave it, of which `begun` is there already.

        calls: the markers of calls of tools are part of the answer, for `call_parser`. plain: all is answer.
        """
        if plain:
            return StreamSplitter(self._vocabulary, Plain(), prompt, begun)
        if not calls or self._form is None:
            return StreamSplitter(self._vocabulary, self._channels(), prompt, begun)
        special: dict[object, Callable[[], Channels]] = {Harmony: HarmonyCalls, Tags: TagsCalls}
        channels = special.get(self._channels, self._channels)()
        return StreamSplitter(self._vocabulary, channels, prompt, begun, FORMATS[self._form].takes)


def _template_source(folder: Path, config: dict[str, Any]) -> str | None:
    path = folder / "chat_template.jinja"
    if path.exists():
        try:
            return path.read_text(encoding="utf-8")
        except (OSError, ValueError) as e:
            raise BadContainer(say("{path} cannot be read ({why}). Fetch or convert the model again.", path=path, why=why_unread(e))) from e
    value = config.get("chat_template", _json(folder / "chat_template.json").get("chat_template"))
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
        raise BadContainer(say("{path} is damaged ({why}). Fetch or convert the model again.", path=path, why=why_unread(e))) from e
    if not isinstance(value, dict):
        raise BadContainer(say("{path} is damaged (no JSON object). Fetch or convert the model again.", path=path))
    return value
