"""A GGUF file's metadata, read key by key: what is missing, of a wrong type or never read is a problem that names it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.errors import UnsupportedModel
from engine.words import joined, say

# Keys of an architecture that say nothing about the maths of a text forward pass.
NEUTRAL = frozenset({"rope.scaling.finetuned", "attention.causal", "use_parallel_residual", "tensor_data_layout", "pooling_type"})


class Metadata:
    """Values of the architecture `arch`; problems: phrases so far. A read that fails gives something to go on with.

    vector: the numbers of a small tensor of the file, none where it is not there.
    """

    def __init__(self, values: Mapping[str, Any], vector: Callable[[str], Sequence[float]] = lambda name: ()) -> None:
        self.values, self.vector = values, vector
        self.problems: list[str] = []
        self._seen: set[str] = set()
        self.arch = values.get("general.architecture")
        if not isinstance(self.arch, str):
            raise UnsupportedModel(say("The file does not say which architecture its model has. Fetch it again."))
        kind = values.get("general.type", "model")
        if kind != "model":
            raise UnsupportedModel(say("The file holds no model of its own, but {kind}. Choose the model's file.", kind=f"{kind!r:.40}"))

    def has(self, key: str) -> bool:
        """Whether the architecture's `key` is there."""
        return f"{self.arch}.{key}" in self.values

    def whole(self, key: str, default: int | None = None) -> int:
        """A whole number of at least 0; default None: it must be there."""
        return int(self._number(key, int, 1 if default is None else default, default is None))

    def real(self, key: str, default: float | None = None) -> float:
        """A number; default None: it must be there."""
        return float(self._number(key, float, 1.0 if default is None else default, default is None))

    def flag(self, key: str, default: bool) -> bool:
        """Whether; `default` where it is not said."""
        value = self._get(key, default)
        if not isinstance(value, bool):
            self._wrong(key, value, say("true or false"))
            return default
        return value

    def text(self, key: str, default: str) -> str:
        """A text; `default` where it is not there."""
        value = self._get(key, default)
        if not isinstance(value, str):
            self._wrong(key, value, "text")
            return default
        return value

    def each(self, key: str, n_layers: int) -> list[int]:
        """A whole number for each layer, said once or for each of them."""
        value = self._get(key, None)
        values = value if isinstance(value, list) else [value] * max(n_layers, 1)
        if value is None:
            self.problems.append(say("its metadata lack {arch}.{key}", arch=self.arch, key=key))
        elif len(values) < n_layers or not all(isinstance(v, int) and v >= 0 for v in values):
            self._wrong(key, value, say("a whole number, or one for each of {n_layers} layers", n_layers=n_layers))
        else:
            return [int(v) for v in values[:n_layers]]
        return [1] * n_layers

    def windows(self, key: str, n_layers: int, every: int) -> list[bool]:
        """Which layers have a window: said for each of them, or all but each so-many-th, `every` where nothing is said."""
        if isinstance(self._get(key, None), list):
            return [bool(w) for w in self.each(key, n_layers)]
        every = max(self.whole(key, every), 1)
        return [(i + 1) % every != 0 for i in range(n_layers)]

    def same(self, key: str, n_layers: int) -> int:
        """A whole number that all layers share."""
        values = set(self.each(key, n_layers))
        if len(values) > 1:
            self.problems.append(
                say(
                    "its metadata say {arch}.{key} = {values}, but all layers have one value in this family",
                    arch=self.arch,
                    key=key,
                    values=sorted(values),
                )
            )
        return max(values, default=1)

    def only(self, key: str, *supported: object) -> None:
        """The value must be absent or one of these."""
        value = self._get(key, None)
        if value is not None and value not in supported:
            words = joined(say(" or "), map(repr, supported)) or say("nothing")
            self.problems.append(
                say(
                    "its metadata say {arch}.{key} = {value}, but only {words} is supported for this family",
                    arch=self.arch,
                    key=key,
                    value=f"{value!r:.60}",
                    words=words,
                )
            )

    def ignore(self, *keys: str) -> None:
        """These are known and change nothing here."""
        self._seen.update(keys)

    def general(self, key: str, kind: type[Any]) -> Any:
        """The value of a whole key where it is there and of this type, else None."""
        value = self.values.get(key)
        return value if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)) else None

    def done(self) -> None:
        """Refuse what was never read: a silently dropped key is a wrong model."""
        prefix = f"{self.arch}."
        mine = {k.removeprefix(prefix) for k in self.values if k.startswith(prefix)}
        if left := sorted(mine - self._seen - NEUTRAL):
            named = ", ".join(prefix + k for k in left[:8])
            self.problems.append(say("its metadata have keys that this family's reader does not know: {named}", named=named))

    def _get(self, key: str, default: Any) -> Any:
        self._seen.add(key)
        return self.values.get(f"{self.arch}.{key}", default)

    def _number(self, key: str, kind: type[Any], blank: Any, needed: bool) -> Any:
        value = self._get(key, None)
        if value is None:
            if needed:
                self.problems.append(say("its metadata lack {arch}.{key}", arch=self.arch, key=key))
            return blank
        if isinstance(value, bool) or not isinstance(value, (int, float) if kind is float else int) or value < 0:
            self._wrong(key, value, say("a number") if kind is float else say("a whole number"))
            return blank
        return value

    def _wrong(self, key: str, value: object, wanted: str) -> None:
        self.problems.append(
            say(
                "its metadata have {value} at {arch}.{key}, where {wanted} is expected",
                value=f"{value!r:.60}",
                arch=self.arch,
                key=key,
                wanted=wanted,
            )
        )
