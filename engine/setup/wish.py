"""What is to be fetched, and what of it was begun before: a pull goes on at the commit that it began with."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.cancel import CancelToken
from engine.container.draft import DOWNLOAD
from engine.errors import BadRequest
from engine.setup.hub import HubError, Listing, look
from engine.setup.ranges import SourceChanged
from engine.words import say

CONNECTIONS = 4


@dataclass(frozen=True, slots=True)
class Wish:
    """What to fetch. revision: a branch, tag or commit, None for the main branch; endpoint: None for the usual one; mtp: see further."""

    repo: str
    target: Path
    experts: str = "q4"
    trunk: str = "q4"
    revision: str | None = None
    endpoint: str | None = None
    trunk_first: bool = False
    connections: int = CONNECTIONS
    mtp: str = "keep"


def pending(target: Path) -> Mapping[str, Any] | None:
    """What is being pulled into `target`, where something is: the keys of Wish and the commit."""
    try:
        value = json.loads((work_folder(target) / DOWNLOAD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) and {"repo", "commit", "endpoint"} <= value.keys() else None


def work_folder(target: Path) -> Path:
    """Where a pull into `target` keeps what it has."""
    return target.with_name(target.name + ".partial")


def kept_bytes(target: Path) -> int:
    """Bytes on the drive that an earlier run left."""
    try:
        return sum(getattr(f.stat(), "st_blocks", 0) * 512 for f in work_folder(target).rglob("*") if f.is_file())
    except OSError:
        return 0


def note_of(wish: Wish, listing: Listing) -> bytes:
    """What `pending` reads."""
    note = {
        "repo": listing.repo, "commit": listing.commit, "endpoint": listing.endpoint, "revision": wish.revision,
        "experts": wish.experts, "trunk": wish.trunk, "trunk_first": wish.trunk_first,
    }  # fmt: skip
    return json.dumps(note).encode()


def listing_of(wish: Wish, target: Path, token: str | None, cancel: CancelToken) -> Listing:
    """The repository; of a pull that was begun, at its commit."""
    begun = pending(target)
    if begun is None or begun["repo"] != wish.repo or wish.revision not in (None, begun["revision"], begun["commit"]):
        return look(wish.repo, wish.revision, token, wish.endpoint, cancel)
    try:
        return look(wish.repo, str(begun["commit"]), token, wish.endpoint, cancel)
    except HubError as e:
        if "no revision" not in str(e):
            raise
        raise SourceChanged(
            say(
                "{repo} has changed since its download began, and the version that was begun is gone. Discard what "
                "is there ({work}) and start again.",
                repo=wish.repo,
                work=work_folder(target),
            )
        ) from e


def must_be_the_same(wish: Wish, listing: Listing, target: Path) -> None:
    """Raises BadRequest where something else is half made there: a long download is not thrown away unasked."""
    begun = pending(target)
    if begun is None:
        return
    was = tuple(begun.get(k) for k in ("repo", "commit", "experts", "trunk"))
    if was != (listing.repo, listing.commit, wish.experts, wish.trunk):
        raise BadRequest(
            say(
                "{target} exists already, half made from {repo} at {commit} with experts {experts} and trunk {trunk}. "
                "Go on with that, choose another name, or discard it first; it was not changed.",
                target=target,
                repo=was[0],
                commit=str(was[1])[:8],
                experts=was[2],
                trunk=was[3],
            )
        )
