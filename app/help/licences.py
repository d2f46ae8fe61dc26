"""Whose work is in here, and under which licences: ours, the notice, and every library that is installed for us."""

import re
import sys
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.resources import files
from pathlib import Path

ROOT = Path(__file__).parents[2]
BUNDLED = Path(getattr(sys, "_MEIPASS", ROOT / "build" / "none")) / "licences"
QT = ("LGPL-3.0.txt", "GPL-3.0.txt")
TEXTS = re.compile(r"(^|/)(LICEN[CS]E|COPYING|NOTICE|AUTHORS)[^/]*$", re.IGNORECASE)
REQUIREMENT = re.compile(r"^\s*([A-Za-z0-9._-]+)([^;]*)(;.*)?$")
MOST_TEXT = 120_000


@dataclass(frozen=True, slots=True)
class Library:
    """One installed distribution; licence: its short name, or "" where it tells none."""

    name: str
    version: str
    licence: str
    home: str


def own_text(name: str) -> str:
    """LICENSE or NOTICE: beside the program, or in its bundle, else as it was installed; "" where it is in no such place."""
    for folder in (ROOT, BUNDLED):
        try:
            return (folder / name).read_text(encoding="utf-8")
        except OSError:
            continue
    try:
        return _text_of(distribution("ouzel"), name)
    except PackageNotFoundError:
        return ""


def qt_texts() -> str:
    """The LGPL and the GPL that it builds upon."""
    folder = files("resources") / "licences"
    return "\n\n".join((folder / name).read_text(encoding="utf-8") for name in QT)


def libraries() -> list[Library]:
    """Every library that Ouzel needs here, by name, those that they need in turn included."""
    if BUNDLED.is_dir():  # a bundle has the texts of what it was made of, and no metadata
        return [Library(p.name, "", "", "") for p in sorted(BUNDLED.iterdir(), key=lambda p: p.name.lower()) if p.is_dir()]
    found: dict[str, Library] = {}
    left = ["ouzel"]
    while left:
        try:
            dist = distribution(left.pop())
        except PackageNotFoundError:
            continue  # an optional one, or one of another system
        name = dist.metadata["Name"] or ""
        key = _key(name)
        if key in found:
            continue
        found[key] = Library(name, dist.version, _licence(dist), _home(dist))
        for requirement in dist.requires or ():
            match = REQUIREMENT.match(requirement)
            if match is not None and "extra" not in (match[3] or "") and _key(match[1].split("[")[0]) not in found:
                left.append(match[1].split("[")[0])
    found.pop("ouzel", None)
    return sorted(found.values(), key=lambda library: library.name.lower())


def text(library: Library) -> str:
    """The licence texts that it brings; "" where it brings none."""
    if BUNDLED.is_dir():
        brought = sorted(p for p in (BUNDLED / library.name).rglob("*") if p.is_file())
        return "\n\n".join(p.read_text(encoding="utf-8", errors="replace") for p in brought)[:MOST_TEXT]
    try:
        return _text_of(distribution(library.name), None)[:MOST_TEXT]
    except PackageNotFoundError:
        return ""


def _text_of(dist: Distribution, name: str | None) -> str:
    parts = []
    for file in dist.files or ():
        if TEXTS.search(str(file)) and (name is None or file.name == name) and file.suffix not in (".py", ".pyc"):
            try:
                parts.append(file.read_text(encoding="utf-8"))
            except (OSError, UnicodeDecodeError):
                continue
    return "\n\n".join(dict.fromkeys(parts))


def _licence(dist: Distribution) -> str:
    meta = dist.metadata
    if expression := _first(dist, "License-Expression"):
        return expression
    classified = [c.rpartition(" :: ")[2] for c in meta.get_all("Classifier") or () if c.startswith("License ::")]
    said = _first(dist, "License").strip().split("\n")[0]
    return said if said and len(said) < 40 else ", ".join(c for c in classified if c != "OSI Approved")


def _home(dist: Distribution) -> str:
    urls = [u.partition(",") for u in dist.metadata.get_all("Project-URL") or ()]
    named = {label.strip().lower(): url.strip() for label, _, url in urls}
    first = next((named[k] for k in ("homepage", "home", "repository", "source", "source code") if k in named), "")
    return first or _first(dist, "Home-page")


def _first(dist: Distribution, field: str) -> str:
    return next((str(value) for value in dist.metadata.get_all(field) or ()), "")


def _key(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
