"""The drives of this computer that can hold models, with what is free on each."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

from engine.paths import nearest

# File systems that hold no data of people, and mount points that systems keep for themselves.
PSEUDO = {"squashfs", "tmpfs", "devtmpfs", "overlay", "ramfs", "iso9660", "udf", "efivarfs", "fuse.portal", "fuse.snapfuse"}
OWN = ("/boot", "/snap", "/sys", "/proc", "/dev", "/run/user", "/var/lib", "/System", "/private", "/etc")
MODELS = "Ouzel models"


@dataclass(frozen=True, slots=True)
class Volume:
    """folder: where models would lie on it; label: its mount point or drive letter; bytes. problem: why it cannot be used, or empty."""

    folder: Path
    label: str
    free_bytes: int
    total_bytes: int
    problem: str = ""


def volumes(home: Path) -> tuple[Volume, ...]:
    """The drive of `home` first, where models lie if nothing else is said, then the others, those with the most room first."""
    first = volume_of(home)
    others = sorted(_others(first.label), key=lambda v: -v.free_bytes)
    return (first, *others)


def volume_of(folder: Path) -> Volume:
    """What is known of the drive that holds `folder`, which need not exist yet. Raises OSError."""
    there = nearest(folder)
    usage = psutil.disk_usage(str(there))
    return Volume(folder, str(mount_of(there)), usage.free, usage.total, "" if os.access(there, os.W_OK) else "read-only")


def mount_of(folder: Path) -> Path:
    """The mount point above an existing folder."""
    real = folder.resolve()
    return next((p for p in (real, *real.parents) if os.path.ismount(p)), Path(real.anchor))


def _others(known: str) -> Iterator[Volume]:
    seen = {known}
    for part in psutil.disk_partitions(all=False):
        mount = Path(part.mountpoint)
        if part.mountpoint in seen or part.fstype in PSEUDO or part.mountpoint.startswith(OWN) or not mount.is_dir():
            continue
        seen.add(part.mountpoint)
        try:
            usage = psutil.disk_usage(part.mountpoint)
        except OSError:
            continue
        if usage.total and os.access(mount, os.W_OK):
            yield Volume(mount / MODELS, part.mountpoint, usage.free, usage.total)
