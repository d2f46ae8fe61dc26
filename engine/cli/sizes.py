"""Sizes as people write and read them: M, G, T are powers of 1000; MiB, GiB, TiB of 1024."""

import re

import typer

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]i?)?b?\s*", re.IGNORECASE)


def parse_size(text: str) -> int:
    """Bytes of "500M", "2G", "1.5GiB" or "123456789"; a usage error for anything else."""
    found = _SIZE.fullmatch(text)
    if not found:
        raise typer.BadParameter(f"{text!r} is no size; write it like 500M, 2G, 1.5GiB or as a number of bytes.")
    return int(float(found[1]) * _UNITS[(found[2] or "").lower()])


def human(nbytes: float) -> str:
    """Bytes for people: "812 kB", "13.4 MB", "2.15 GB"."""
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if nbytes >= size:
            value = nbytes / size
            return f"{value:.2f} {unit}" if value < 10 else f"{value:.1f} {unit}" if value < 100 else f"{value:.0f} {unit}"
    return f"{nbytes:.0f} B"
