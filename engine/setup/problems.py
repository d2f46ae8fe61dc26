"""What is wrong with a checkpoint, collected while it is looked at and told in one error."""

import re
from collections.abc import Iterable

from engine.errors import BadCheckpoint
from engine.words import joined, say

SHOWN = 30  # lines of the sentence; the details have all
ALIKE = 3  # tensors that differ in their numbers only and have the same problem: more of them are told in one line


class Problems:
    """Phrases by what they are about: the config, the files, the tensors that they list, the values in them."""

    def __init__(self) -> None:
        self.config: list[str] = []
        self.files: list[str] = []
        self.tensors: list[str] = []
        self.values: list[str] = []

    def lines(self) -> list[str]:
        """All of them, each once; within each kind in the order of their names, numbers as numbers."""
        kinds = (self.config, self.files, self.tensors, self.values)
        return [line for kind in kinds for line in sorted(dict.fromkeys(kind), key=natural)]


def bad_checkpoint(name: str, lines: list[str]) -> BadCheckpoint:
    """One error for all problems of a checkpoint: the first ones in the message, all in the details."""
    way = say("Nothing was written. Fetch the model again; if the problems stay, it was published with them and cannot be converted.")
    if len(lines) == 1:
        return BadCheckpoint(say("{name} cannot be converted: {problem}. {way}", name=name, problem=lines[0], way=way), lines[0])
    more = [say("and {count} more", count=len(lines) - SHOWN)] if len(lines) > SHOWN else []
    told = [
        say("{name} cannot be converted. {count} problems were found:", name=name, count=len(lines)),
        *(joined("", ["- ", line]) for line in [*lines[:SHOWN], *more]),
        way,
    ]
    return BadCheckpoint(joined("\n", told), "\n".join(lines))


def natural(text: str) -> list[tuple[int, str]]:
    """A key that sorts layer 2 before layer 10."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", text)]


def grouped(names: Iterable[str]) -> list[tuple[str, int]]:
    """(first name, further ones that differ from it in their numbers only), where there are more than ALIKE of a kind; else each one."""
    kinds: dict[str, list[str]] = {}
    for name in sorted(names, key=natural):
        kinds.setdefault(re.sub(r"\d+", "#", name), []).append(name)
    out = []
    for kind in kinds.values():
        out += [(kind[0], len(kind) - 1)] if len(kind) > ALIKE else [(name, 0) for name in kind]
    return out


def alike(names: Iterable[str]) -> str:
    """Some names in few words."""
    every = list(names)
    kinds = grouped(every)
    if len(kinds) > ALIKE:
        return say("{first} and {more} more", first=kinds[0][0], more=len(every) - 1)
    return joined(", ", (say("{first} and {more} more", first=first, more=more) if more else first for first, more in kinds))
