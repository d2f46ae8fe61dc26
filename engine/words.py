"""Sentences for people that can be said in another language later, where they are shown.

A `Sentence` is its English text and keeps what that was made of. So logs, JSON, the command line and programs read English, whatever the
window speaks, and the engine knows no language but its own: a face says a sentence in another one with `spoken`.
"""

from collections.abc import Callable, Iterable
from string import Formatter


class Sentence(str):
    """English text made of a template with {named} places, and the values of those; values may be sentences themselves."""

    __slots__ = ("template", "values")

    template: str
    values: dict[str, object]

    def __new__(cls, text: str, template: str = "", values: dict[str, object] | None = None) -> "Sentence":  # noqa: D102
        made = super().__new__(cls, text)
        made.template, made.values = template, values or {}
        return made


def say(template: str, /, **values: object) -> Sentence:
    """A sentence that can be translated. The template must be a literal, with a place {name} or {name:.1f} for each value.

    A number in a place with a format is written as the language writes it; of an exception its sentence is taken, of all else its text.
    """
    kept = {name: _kept(value) for name, value in values.items()}
    return Sentence(template.format(**kept), template, kept)


def plural(n: int, one: str, more: str, /, **values: object) -> Sentence:
    """`one` where n is 1, else `more`, as `say` would; both must be literals and may have the place {n}."""
    return say(one, n=n, **values) if n == 1 else say(more, n=n, **values)


def amount(template: str, value: float) -> Sentence:
    """A number with its unit, as "{:.1f} GB", which differs between languages only by how numbers are written."""
    return Sentence(template.format(value), template, {"0": value})


def joined(separator: str, parts: Iterable[object]) -> Sentence:
    """What several sentences, errors or texts say together; the separator may be a sentence too."""
    kept = {str(i): _kept(part) for i, part in enumerate(parts)}
    template = "{separator}".join(f"{{{i}}}" for i in kept)
    return Sentence(separator.join(map(str, kept.values())), template, {**kept, "separator": _kept(separator)})


def sentence(said: object) -> str:
    """What an error or another value says, as `say` keeps it."""
    kept = _kept(said)
    return kept if isinstance(kept, str) else str(kept)


def spoken(said: object, translate: Callable[[str], str], written: Callable[[str], str]) -> str:
    """What an error or a text says in another language.

    translate(template) gives the template of that language, or the same where it has none; written(number) the number, which is in
    English, as that language writes it. Text that is no Sentence stays as it is.
    """
    said = _kept(said)
    return _Speaker(translate, written).say(said) if isinstance(said, Sentence) else str(said)


def packed(said: str) -> object:
    """A text as a value for JSON, from which `unpacked` makes the same again; text that is no Sentence is that value."""
    if not isinstance(said, Sentence):
        return str(said)
    return {"template": said.template, "values": {k: packed(v) if isinstance(v, str) else v for k, v in said.values.items()}}


def unpacked(value: object) -> str:
    """Raises ValueError for what `packed` never gave."""
    if isinstance(value, str):
        return value
    if not isinstance(value, dict) or value.keys() != {"template", "values"} or not isinstance(value["values"], dict):
        raise ValueError("no text, and no sentence")
    kept: dict[str, object] = {str(k): v if isinstance(v, int | float) else unpacked(v) for k, v in value["values"].items()}
    try:
        text = _Speaker(str, str).vformat(str(value["template"]), (), kept)
    except (LookupError, ValueError, TypeError, AttributeError) as e:
        raise ValueError("a sentence whose places have no values") from e
    return Sentence(text, str(value["template"]), kept)


class _Speaker(Formatter):
    """Fills the places of a translated template."""

    def __init__(self, translate: Callable[[str], str], written: Callable[[str], str]) -> None:
        self._translate, self._written = translate, written

    def say(self, sentence: Sentence) -> str:
        return self.vformat(self._translate(sentence.template), (), sentence.values) if sentence.template else str(sentence)

    def get_value(self, key: int | str, args: object, kwargs: object) -> object:
        assert isinstance(kwargs, dict)
        return kwargs[str(key)]

    def format_field(self, value: object, format_spec: str) -> str:
        if isinstance(value, Sentence):
            return format(self.say(value), format_spec)
        text = format(value, format_spec)
        return self._written(text) if isinstance(value, float) or (format_spec and isinstance(value, int)) else text


def _kept(value: object) -> object:
    """A value as a sentence keeps it, which is nothing that could change, or that holds on to more than its text."""
    if isinstance(value, BaseException):
        first = value.args[0] if value.args else ""
        return first if isinstance(first, Sentence) else str(value)
    return value if isinstance(value, Sentence | int | float) else str(value)
