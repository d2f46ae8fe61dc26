"""The catalogue: models that are known to run, with what a verdict needs without a network.

resources/catalogue.json has for each model the repository, the licence, a sentence, the recommended formats, how it is published, and
those keys of its config.json that its sizes and its arithmetic come from. A conversion reads the repository's own config.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

from engine.arch.spec import ArchSpec
from engine.container.strict import Fields, Malformed, parse_object
from engine.errors import BadRequest
from engine.setup.roles import EXPERTS, TRUNK
from engine.setup.unwritten import Unwritten
from engine.words import say

VERSION = 1
# Bytes a weight of (experts, other matrices) as published; embedding, head and routers are bf16 in each. Block scales count: of FP8 f32
# for 128 x 128, of INT4 bf16 for 32, of MXFP4 a byte for 32.
PUBLISHED = {
    "bf16": (2.0, 2.0),
    "fp8": (1 + 4 / 128**2, 1 + 4 / 128**2),
    "int4": (0.5 + 2 / 32, 2.0),
    "mxfp4": (0.5 + 1 / 32, 2.0),
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One model. experts, trunk: recommended formats; published: a key of PUBLISHED. known_bytes: of the weights where it is known."""

    name: str
    repo: str
    licence: str
    licence_link: str
    about: str
    experts: str
    trunk: str
    published: str
    known_bytes: int | None
    config: Mapping[str, Any]

    def unwritten(self, experts: str | None = None, trunk: str | None = None) -> Unwritten:
        """The container that it would become, in the recommended formats or in others."""
        return Unwritten(self.name, dict(self.config), experts or self.experts, trunk or self.trunk)

    def download_bytes(self, arch: ArchSpec) -> int:
        """Bytes of the weights that are fetched: what is known, else computed from the architecture `arch` of its config."""
        return self.known_bytes or published_bytes(arch, self.published)


def published_bytes(arch: ArchSpec, published: str) -> int:
    """Bytes of the text model's weights as published, without what only training or images need."""
    experts, others = PUBLISHED[published]
    total = 0.0
    for t in arch.tensors:
        plain = t.role in ("vector", "router", "embed", "head")
        total += math.prod(t.shape) * (2 if plain else others)
    for e in arch.experts:
        total += e.n_experts * sum(math.prod(e.shape(part)) * (2 if part.endswith("_bias") else experts) for part in e.parts)
    return int(total)


@cache
def catalogue() -> tuple[Entry, ...]:
    """The models that come with the application, small ones first."""
    return read_catalogue((files("resources") / "catalogue.json").read_bytes())


def read_catalogue(data: bytes) -> tuple[Entry, ...]:
    """The entries of catalogue.json. Raises Malformed."""
    f = Fields(parse_object(data))
    if f.text("format") != "ouzel-catalogue" or f.whole("version") != VERSION:
        raise Malformed(say("is no catalogue of this version"))
    entries = tuple(_entry(Fields(value, f"models.{i}")) for i, value in enumerate(f.array("models")))
    f.done()
    for key in ("repo", "name"):
        if len({getattr(e, key).lower() for e in entries}) != len(entries):
            raise Malformed(say("has a {key} twice", key=key))
    return entries


def _entry(f: Fields) -> Entry:
    entry = Entry(
        name=f.text("name", _line),
        repo=f.text("repo", _repo),
        licence=f.text("licence", _line),
        licence_link=f.text("licence_link", _link),
        about=f.text("about", _line),
        experts=f.text("experts", lambda s: _one_of(s, EXPERTS)),
        trunk=f.text("trunk", lambda s: _one_of(s, TRUNK)),
        published=f.text("published", lambda s: _one_of(s, tuple(PUBLISHED))),
        known_bytes=None if f.get("download_bytes") is None else f.whole("download_bytes", 1),
        config=f.mapping("config"),
    )
    f.done()
    return entry


def find(name: str) -> Entry:
    """The entry of this repository or display name, whatever its case. Raises BadRequest."""
    for entry in catalogue():
        if name.lower() in (entry.repo.lower(), entry.name.lower()):
            return entry
    names = ", ".join(e.repo for e in catalogue())
    raise BadRequest(say("The catalogue has no {name}. It has {names}.", name=name, names=names))


def _line(text: str) -> str:
    if not text.strip() or not text.isprintable() or len(text) > 200:
        raise ValueError(say("it is empty, too long, or no line of text"))
    return text


def _repo(text: str) -> str:
    if len(parts := text.split("/")) != 2 or not all(p and p.isprintable() and p[0] != "." and not set(p) & set("\\: ") for p in parts):
        raise ValueError(say("it is no repository's name"))
    return text


def _link(text: str) -> str:
    if urlsplit(text).scheme != "https" or not urlsplit(text).netloc:
        raise ValueError(say("it is no https link"))
    return text


def _one_of(text: str, known: tuple[str, ...]) -> str:
    if text not in known:
        raise ValueError(say("it is none of {known}", known=", ".join(known)))
    return text
