"""Builds the bundle of this system: dist/ouzel with everything inside, and an archive of it. `python3 dev.py bundle` runs this.

Steps: the starter's container, the icons, the licence texts, PyInstaller, a check of what came out, the archive. On Linux prove.py then
shows that it runs where nothing else is.
"""

import argparse
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HERE = ROOT / "packaging"
MADE = ROOT / "build" / "bundle"
DIST = ROOT / "dist"
sys.path[:0] = [str(ROOT), str(HERE)]

import contents  # noqa: E402
import icons  # noqa: E402
import licences  # noqa: E402
import prove  # noqa: E402

from engine import __version__  # noqa: E402
from engine.cancel import CancelToken  # noqa: E402
from engine.container.format import MANIFEST  # noqa: E402
from engine.errors import EngineError  # noqa: E402
from engine.setup.starter import build_starter  # noqa: E402

LINUX, MACOS = sys.platform.startswith("linux"), sys.platform == "darwin"
INNER = DIST / "Ouzel.app" / "Contents" / "Resources" if MACOS else DIST / "ouzel" / "_internal"


def say(text: str) -> None:
    """Tell what is being done."""
    print(f"bundle: {text}", file=sys.stderr, flush=True)


def main() -> int:
    """Build, check, pack, and where asked prove; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-proof", action="store_true", help="do not run it in a bare Debian root")
    parser.add_argument("--proof-only", action="store_true", help="run what was built before")
    arguments = parser.parse_args()
    if LINUX and not sysconfig.get_config_var("Py_ENABLE_SHARED"):
        say("this Python has no shared library, which a bundle needs. Use one that was configured with --enable-shared, as Debian's is.")
        return 1
    try:
        if not arguments.proof_only:
            prepare()
            freeze()
            finish()
            pack()
        if LINUX and not arguments.no_proof:
            prove.prove(archive(), say)
    except (EngineError, licences.Missing, prove.Failed) as e:
        say(str(e))
        return 1
    except subprocess.CalledProcessError as e:
        say(f"a step failed: {' '.join(str(a) for a in e.cmd)}")
        return 1
    return 0


def prepare() -> None:
    """What the recipe takes from build/bundle."""
    MADE.mkdir(parents=True, exist_ok=True)
    starter = MADE / "starter.ouzel"
    key = _starter_key()
    note = MADE / "starter.key"
    if not (starter / MANIFEST).exists() or not note.exists() or note.read_text() != key:
        say("making the starter model")
        shutil.rmtree(starter, ignore_errors=True)
        build_starter(starter, lambda phase, done, total: None, CancelToken())
        note.write_text(key)
    icons.make(MADE)
    licences.collect(MADE / "licences", licences.runtime_packages())


def _starter_key() -> str:
    """Changes with what a starter is made with: the same files as the tests' cache of it."""
    from tests.starter_cache import key  # noqa: PLC0415

    return key()


def freeze() -> None:
    """Run PyInstaller."""
    say("freezing; this takes some minutes")
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN", "--clean"]
    command += ["--distpath", str(DIST), "--workpath", str(MADE / "work"), str(HERE / "ouzel.spec")]
    subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, "PYTHONHASHSEED": "0"})


def finish() -> None:
    """Add what is not the program's, and see that everything is there and nothing else."""
    if LINUX:
        strip()
        share = DIST / "ouzel" / "share"
        share.mkdir()
        shutil.copyfile(HERE / "linux" / "ouzel.desktop", share / "ouzel.desktop")
        shutil.copyfile(icons.SVG, share / "ouzel.svg")
        shutil.copyfile(MADE / "ouzel.png", share / "ouzel.png")
        shutil.copy(HERE / "linux" / "install.sh", DIST / "ouzel" / "install.sh")
        licences.system_libraries(INNER, INNER / "licences" / "system")
    for name in ("LICENSE", "NOTICE"):
        if not MACOS:
            shutil.copyfile(ROOT / name, DIST / "ouzel" / f"{name}.txt")
    places = {p.relative_to(INNER).as_posix() for p in INNER.rglob("*") if p.is_file()}
    if MACOS:  # programs lie in a folder of their own there
        places |= {p.relative_to(INNER.parent / "Frameworks").as_posix() for p in (INNER.parent / "Frameworks").rglob("*") if p.is_file()}
    resources = {p.relative_to(ROOT).as_posix() for p in (ROOT / "resources").rglob("*") if p.is_file() and p.suffix not in (".py", ".pyc")}
    if found := contents.wrong(places, resources):
        raise prove.Failed("The bundle is not as it must be:\n" + "\n".join(found))
    total = sum(p.stat().st_size for p in INNER.parent.rglob("*") if p.is_file() and not p.is_symlink())
    starter = sum(p.stat().st_size for p in (INNER / "starter.ouzel").rglob("*") if p.is_file())
    say(f"{DIST}: {total / 1e6:.0f} MB, of it {starter / 1e6:.0f} MB the starter model")


def strip() -> None:
    """Take symbols out of what was compiled here. Libraries out of wheels are left alone: those that were patched break by it."""
    ours = [*INNER.glob("libpython*.so*"), *INNER.glob("python3*/lib-dynload/*.so"), *INNER.glob("kernels_pyx/*.so")]
    subprocess.run(["strip", "--strip-unneeded", *ours], check=True)


def archive() -> Path:
    """The file that people get on Linux."""
    return DIST / f"ouzel-{__version__}-linux-{platform.machine()}.tar.gz"


def pack() -> None:
    """Linux: a tar file with one folder, nobody's name in it. The other systems have scripts of their own beside the recipe."""
    if not LINUX:
        return
    say("packing")
    folder = archive().name.removesuffix(".tar.gz")

    def anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        return entry

    draft = archive().with_suffix(".new")
    with tarfile.open(draft, "w:gz", compresslevel=6) as tar:
        tar.add(DIST / "ouzel", folder, filter=anonymous)
    draft.replace(archive())
    say(f"{archive()}: {archive().stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    sys.exit(main())
