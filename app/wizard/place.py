"""Where the wizard was, kept as JSON, so that it comes back there after a restart; a damaged file means the beginning."""

import json
import os
from dataclasses import asdict
from pathlib import Path

from app.wizard.state import TABS, Page, Place


def load(path: Path, folder: Path) -> Place:
    """The kept place; `folder` is meant where none was chosen. What does not fit its type is left out."""
    fresh = Place(folder=folder)
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return fresh
    if not isinstance(found, dict):
        return fresh

    def text(key: str) -> str:
        value = found.get(key)
        return value if isinstance(value, str) and len(value) < 5000 and value.isprintable() else ""

    page, where, tab = found.get("page"), text("folder"), text("tab")
    start_now = found.get("start_now")
    return Place(
        page=Page(page) if type(page) is int and page in tuple(Page) else Page.FOLDER,
        folder=Path(where) if where and Path(where).is_absolute() else folder,
        tab=next((t for t in TABS if t == tab), "catalogue"),
        picked=text("picked"),
        repository=text("repository"),
        revision=text("revision"),
        file=text("file"),
        experts=text("experts") or None,
        trunk=text("trunk") or None,
        name=text("name"),
        start_now=start_now if isinstance(start_now, bool) else True,
    )


def save(path: Path, place: Place) -> None:
    """Replace the file whole; raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    value = {**asdict(place), "page": int(place.page), "folder": str(place.folder)}
    with draft.open("w", encoding="utf-8") as file:
        json.dump(value, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
