"""The layer for further tokens of a checkpoint: kept to draft with, or dropped."""

from collections.abc import Container

from engine.arch.spec import ArchSpec, with_mtp
from engine.errors import BadRequest
from engine.words import joined, say

MTP = ("keep", "drop")


def check_mtp(mtp: str) -> None:
    """Raises BadRequest for a choice that does not exist."""
    if mtp not in MTP:
        raise BadRequest(
            say("'{mtp}' is no way to treat layers for further tokens; choose {ways}.", mtp=mtp, ways=joined(say(" or "), MTP))
        )


def brings_mtp(arch: ArchSpec, names: Container[str]) -> bool:
    """Whether a checkpoint with tensors of these names has the layer that its config may bring along; many leave it out."""
    return arch.offered is not None and all(t.source.name in names for t in arch.offered.tensors)


def chosen(arch: ArchSpec, names: Container[str], mtp: str) -> ArchSpec:
    """The architecture that a conversion writes. Raises BadRequest."""
    check_mtp(mtp)
    return with_mtp(arch) if mtp == "keep" and brings_mtp(arch, names) else arch
