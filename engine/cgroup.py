"""The control groups above this process (Linux): their folders, version 1 or 2."""

from pathlib import Path


def folders(controller: str, root: Path = Path("/")) -> list[tuple[Path, bool]]:
    """(folder, whether of version 1) of each group of "memory" or "cpu" above this process; empty outside Linux."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return []
    top = root / "sys/fs/cgroup"
    out: list[tuple[Path, bool]] = []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and controller not in controllers.split(","):
            continue
        mount = top / controller if controllers else top
        inside = mount / path.lstrip("/")
        # Inside a namespace the named folder may be the mount's root itself.
        for folder in {mount, *(p for p in (inside, *inside.parents) if p.is_relative_to(mount))}:
            out.append((folder, bool(controllers)))
    return out
