"""Which number of a config.json, put right, would make it fit the tensors: one sentence in place of a hundred shapes."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engine.arch import read_arch
from engine.arch.spec import ArchSpec
from engine.errors import UnsupportedModel
from engine.setup.fitting import Fit
from engine.setup.problems import natural
from engine.words import joined, say

Config = Mapping[str, Any]
Keys = tuple[str, ...]  # the way to a number in nested mappings
Compare = Callable[[ArchSpec, bool], Fit]  # (architecture, with all experts)
PAIRS, TRIALS = 6, 200  # pairs of sizes that are looked at, configs that are tried


@dataclass(frozen=True, slots=True)
class Finding:
    """words: the sentence. explained: tensors that it speaks for. arch, config: put right, by the likeliest explanation."""

    words: str
    explained: frozenset[str]
    arch: ArchSpec
    config: Config


@dataclass(frozen=True, slots=True)
class _Trial:
    keys: Keys
    said: int
    better: int
    arch: ArchSpec
    bad: frozenset[str]


def wrong_number(config: Config, arch: ArchSpec, fit: Fit, compare: Compare, on_trial: Callable[[], None]) -> Finding | None:
    """The number of `config`, which describes `arch`, that is wrong by its tensors, as `fit` says; None where there is none.

    A number is blamed where another one makes fewer tensors misfit, at least two, and no new ones. on_trial is called before each trial.
    """
    few = len(compare(arch, False).bad)
    before = frozenset(fit.bad)
    trials: list[_Trial] = []
    for n, (keys, said, better, by_shape) in enumerate(_candidates(config, fit)):
        on_trial()
        if n == TRIALS:
            break
        try:
            other = read_arch(_with(config, keys, better))
        except UnsupportedModel:
            continue
        if by_shape and len(compare(other, False).bad) >= few:
            continue
        bad = frozenset(compare(other, True).bad)
        if bad < before and len(before) - len(bad) >= 2:
            trials.append(_Trial(keys, said, better, other, bad))
    if not trials:
        return None
    least = min(len(t.bad) for t in trials)
    best = sorted((t for t in trials if len(t.bad) == least), key=lambda t: ("head" not in t.keys[-1], t.keys))
    first, explained = best[0], before - best[0].bad
    key = ".".join(first.keys)
    others = joined(
        "",
        (
            say(", or {keys} = {better} instead of {said}", keys=".".join(t.keys), better=t.better, said=t.said)
            for t in best[1:3]
            if t.bad == first.bad
        ),
    )
    words = say(
        "config.json says {key} = {said}, but the tensors fit {key} = {better}{others}: {example}",
        key=key,
        said=first.said,
        better=first.better,
        others=others,
        example=_example(fit, explained),
    )
    return Finding(words, explained, first.arch, _with(config, first.keys, first.better))


def _example(fit: Fit, explained: frozenset[str]) -> str:
    name = min(explained & fit.shapes.keys() or explained & fit.partial.keys() or explained, key=natural)
    more = say(", and {count} more", count=len(explained) - 1) if len(explained) > 1 else ""
    if name in fit.shapes:
        stored, wanted = (list(s) for s in fit.shapes[name])
        return say("{name} has the shape {stored} instead of {wanted}{more}", name=name, stored=stored, wanted=wanted, more=more)
    if name in fit.partial:
        return say(
            "{name} has the shape {stored}, of which {rows} rows would be used{more}",
            name=name,
            stored=list(fit.partial[name][0]),
            rows=fit.partial[name][1],
            more=more,
        )
    if name in fit.missing:
        return say("{name} is missing{more}", name=name, more=more)
    return say("{name} would have no place{more}", name=name, more=more)


def _candidates(config: Config, fit: Fit) -> Iterator[tuple[Keys, int, int, bool]]:
    """(keys, what the config says, what it could say, whether by shapes), the likeliest first."""
    numbers = sorted(_numbers(config), key=lambda kv: ("head" not in kv[0][-1], kv[0]))
    sides = (zip(*both, strict=True) for both in fit.shapes.values() if len(both[0]) == len(both[1]))
    pairs = Counter((a, b) for side in sides for a, b in side if a != b)
    pairs.update((n, taken) for shape, taken in fit.partial.values() for n in shape[:2] if n != taken)
    seen = set()
    names = {*fit.missing, *fit.extra}
    counts = {int(n) for name in names for n in re.findall(r"(?<=\.)\d+(?=\.)", name)}
    for keys, said in numbers:
        if re.search("layers|experts", keys[-1]):
            for better in sorted({c + d for c in counts for d in (0, 1)} - {said, 0})[:PAIRS] + sorted(c + 1 for c in counts)[-1:]:
                if (keys, better) not in seen:
                    seen.add((keys, better))
                    yield keys, said, better, False
    for (stored, wanted), _ in pairs.most_common(PAIRS):
        for keys, said in numbers:
            for a, b in ((stored, wanted), (wanted, stored)):
                if b and said * a % b == 0 and said * a and (keys, said * a // b) not in seen:
                    seen.add((keys, said * a // b))
                    yield keys, said, said * a // b, True


def _numbers(config: Config, before: Keys = ()) -> Iterator[tuple[Keys, int]]:
    for key, value in config.items():
        if isinstance(value, dict) and "vision" not in key:
            yield from _numbers(value, (*before, key))
        elif isinstance(value, int) and not isinstance(value, bool) and value > 0 and not key.endswith("token_id"):
            yield (*before, key), value


def _with(config: Config, keys: Keys, value: int) -> Config:
    inner = value if len(keys) == 1 else _with(config[keys[0]], keys[1:], value)
    return {**config, keys[0]: inner}
