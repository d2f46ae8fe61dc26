"""Killed processes, full drives, forbidden folders, two writers."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import StorageError
from tests.setup.shards import run, tree

Tiny = Callable[..., Path]
ROOT = Path(__file__).parents[2]

# argv: source, target, seconds until the process ends as if it were killed (-1: never).
CONVERT = """
import os, sys, threading, time
from pathlib import Path
from engine.cancel import CancelToken
from engine.container import pieces
from engine.setup.convert import convert
pieces.SYNC_BYTES = 8192
delay = float(sys.argv[3])
if delay >= 0:
    threading.Thread(target=lambda: (time.sleep(delay), os._exit(9)), daemon=True).start()
convert(Path(sys.argv[1]), Path(sys.argv[2]), "f32", "f32", lambda *event: None, CancelToken())
"""


def python(code: str, *args: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-c", code, *map(str, args)], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


def test_that_a_conversion_survives_kills_at_any_moment(tiny_checkpoint: Tiny, tiny: Tiny, tmp_path: Path) -> None:
    source, target = tiny_checkpoint("mixtral"), tmp_path / "a.ouzel"
    killed = 0
    for delay in (0.004, 0.011, 0.02, 0.03, 0.045, 0.015, 0.06, 0.025):
        result = python(CONVERT, source, target, delay)
        if result.returncode == 0 or target.exists():
            break
        assert result.returncode == 9, result.stderr
        killed += 1
        assert list(tmp_path.iterdir()) in ([], [tmp_path / "a.ouzel.partial"])
    if not target.exists():
        result = python(CONVERT, source, target, -1)
        assert result.returncode == 0, result.stderr
    assert killed >= 1 and tree(target) == tree(tiny("mixtral", "f32"))


@pytest.mark.parametrize("event", range(0, 60, 7))
def test_that_a_kill_at_each_system_call_is_survived(event: int, tiny_checkpoint: Tiny, tiny: Tiny, tmp_path: Path) -> None:
    code = """
import os, sys
from pathlib import Path
import engine.setup.convert
seen = 0
def hook(name, args):
    global seen
    if name in ("open", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "shutil.rmtree", "os.truncate") and "a.ouzel" in str(args[0]):
        seen += 1
        if seen == int(sys.argv[3]):
            os._exit(9)
sys.addaudithook(hook)
""" + CONVERT.replace("float(sys.argv[3])", "-1")
    source, target = tiny_checkpoint("mixtral"), tmp_path / "a.ouzel"
    first = python(code, source, target, event + 1)
    assert first.returncode in (0, 9), first.stderr
    if not target.exists():
        run(source, target, "f32", "f32")
    assert tree(target) == tree(tiny("mixtral", "f32"))


def test_that_the_second_of_two_writers_is_told(tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    source, target = tiny_checkpoint("mixtral"), tmp_path / "a.ouzel"
    code = CONVERT.replace("lambda *event: None", "lambda *event: (print('x', flush=True), sys.stdin.read(1))")
    first = subprocess.Popen([sys.executable, "-c", code, source, target, "-1"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert first.stdin is not None and first.stdout is not None
    try:
        assert first.stdout.readline() == b"x\n" or first.stdout.read(1)
        with pytest.raises(StorageError, match=rf"is being written by another Ouzel \(process {first.pid}\) right now"):
            run(source, target)
    finally:
        first.communicate(b"x" * 1000, timeout=60)
    assert first.returncode == 0 and target.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="needs a small drive")
def test_that_a_full_drive_is_told_and_the_work_goes_on_later(tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    drive = tmp_path / "drive"
    drive.mkdir()
    code = """
import sys
from pathlib import Path
from engine.cancel import CancelToken
from engine.errors import StorageError
from engine.container.verify import verify
from engine.setup.convert import convert
source, drive = map(Path, sys.argv[1:])
def fill(phase, done, total):
    if phase == "experts" and not (drive / "other").exists():
        try:
            with (drive / "other").open("wb", buffering=0) as f:
                while f.write(bytes(4096)): pass
        except OSError: pass
try:
    convert(source, drive / "a.ouzel", "f32", "f32", fill, CancelToken())
    sys.exit("it was not full")
except StorageError as e:
    print(e)
assert not (drive / "a.ouzel").exists()
(drive / "other").unlink()
convert(source, drive / "a.ouzel", "f32", "f32", lambda *event: None, CancelToken())
print(verify(drive / "a.ouzel", lambda *event: None, CancelToken()))
try:
    convert(source, drive / "b.ouzel", "f32", "f32", lambda *event: None, CancelToken())
except StorageError as e:
    print(e)
print(sorted(p.name for p in drive.iterdir()))
"""
    mount = ["unshare", "--map-root-user", "--mount", "sh", "-c", 'mount -t tmpfs -o size=5m tmpfs "$0" && exec "$@"', str(drive)]
    if subprocess.run([*mount, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("no small drive can be mounted here")
    done = subprocess.run(
        [*mount, sys.executable, "-c", code, tiny_checkpoint("mixtral"), drive], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    full, problems, too_small, left = done.stdout.splitlines()
    assert full.startswith("No space is left on the drive of") and "goes on where it stopped" in full
    assert problems == "[]" and left == "['a.ouzel']"
    assert "The converted model needs 3 MB, but the drive of" in too_small


@pytest.mark.skipif(sys.platform == "win32", reason="no such limit")
def test_that_a_file_too_large_for_the_drive_is_told(tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    code = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n" + CONVERT
    done = python(code, tiny_checkpoint("mixtral"), tmp_path / "a.ouzel", -1)
    assert "StorageError" in done.stderr and "cannot hold files of this size" in done.stderr


AS_NOBODY = """
import engine.container.draft as d
make = d.Draft.__init__
def as_nobody(self, target, key):
    os.seteuid(65534)
    make(self, target, key)
d.Draft.__init__ = as_nobody
convert(Path"""


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_that_a_folder_that_cannot_be_written_is_told(tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    root = os.getuid() == 0
    place = Path("/usr") if root else tmp_path / "locked"  # root may write anywhere, so it becomes nobody
    if not root:
        place.mkdir(mode=0o555)
    code = CONVERT.replace("convert(Path", AS_NOBODY) if root else CONVERT
    done = python(code, tiny_checkpoint("mixtral"), place / "a.ouzel", -1)
    assert "StorageError" in done.stderr and "cannot be written: Permission denied. Choose another folder" in done.stderr
    assert not list(place.glob("a.ouzel*"))


def test_that_a_target_below_a_file_is_told(tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageError, match="is no folder"):
        run(tiny_checkpoint("mixtral"), tmp_path / "file" / "a.ouzel")
