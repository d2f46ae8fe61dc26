"""Shows that a bundle for Linux runs where nothing else is: in a bare Debian 12 with only the documented packages.

The root has `minbase` and PACKAGES, no compiler, no Python, no network, no display server (that one runs outside, only its socket is in).
An unprivileged user, whose folders have spaces and letters of several scripts, unpacks the archive there, checks it with `--smoke`, chats,
installs, starts the window twice, and removes it; then a program that root owns is used, which its user cannot write.
"""

import hashlib
import os
import shutil
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from platformdirs import user_cache_path

ROOT = Path(__file__).resolve().parents[1]
SUITE = "bookworm"
# What a bare Debian 12 lacks; README.md lists the same. Of libxkbcommon0 only the tables of keyboards are needed, which come with it.
PACKAGES = ("libegl1", "libgl1", "libfontconfig1", "libxkbcommon0", "libdbus-1-3", "libglib2.0-0")
USER = 4321
HOME = "/home/Jörg Übel"
PLACE = f"{HOME}/Eigene Prögramme プログラム"
SHARED = "/opt/Ouzel für alle"
QUESTION = ("run", "What is the capital of France?", "--temperature", "0", "--max-tokens", "8")
ANSWER = "The capital of France is Paris."
Say = Callable[[str], None]


class Failed(Exception):
    """What does not hold, as a sentence."""


def prove(archive: Path, say: Say) -> None:
    """Raises Failed with what does not work in the bare root; leaves dist/smoke-*.png to be looked at."""
    if os.geteuid() != 0:
        say("not proved: a bare Debian root needs root. Run dev.py bundle --proof-only as root to have it.")
        return
    for program in ("debootstrap", "Xvfb", "unshare", "chroot"):
        if shutil.which(program) is None:
            raise Failed(f"The proof needs {program}, which is not installed.")
    with tempfile.TemporaryDirectory(prefix="ouzel-proof-") as folder, display() as number:
        root = Bare(Path(folder) / "root", number)
        say(f"unpacking a bare Debian 12 with {', '.join(PACKAGES)}")
        root.unpack(say)
        _prove(root, archive, say)


def _prove(root: "Bare", archive: Path, say: Say) -> None:
    name = archive.name.removesuffix(".tar.gz")
    place = f"{PLACE}/{name}"
    unpack(archive, root.inside(PLACE), USER)
    before = listed(root.inside(place))
    say("checking that every library is found")
    if lost := root.unresolved(place):
        raise Failed("Libraries are missing in the bare root:\n" + "\n".join(lost))

    def smoke(program: str, picture: str, **env: str) -> None:
        told = root.run(program, "--smoke", f"{HOME}/Bild ü {picture}.png", **env)
        shutil.copyfile(root.inside(f"{HOME}/Bild ü {picture}.png"), archive.with_name(f"smoke-{picture}.png"))
        say(told.strip())

    program = f"{place}/ouzel"
    smoke(program, "first")
    smoke(program, "plain-locale", LANG="C")
    smoke(program, "generic", OUZEL_ISA="generic")
    root.run(program, "--smoke", "/nowhere/a.png", fails="cannot be written")
    for expected, arguments in ((ANSWER, QUESTION), ("starter", ("models",)), ("Paris", ("chat", "--temperature", "0"))):
        told = root.run(program, *arguments, typed="What is the capital of France?\n")
        if expected not in told:
            raise Failed(f"ouzel {' '.join(arguments)} says {told!r}, where {expected!r} is expected.")
    say("the command line chats without a network, with the starter that came along")
    if (after := listed(root.inside(place))) != before:
        raise Failed(f"Running it changed its own folder: {sorted(set(after.items()) ^ set(before.items()))}")

    root.run(f"{place}/install.sh")
    installed = f"{HOME}/.local/bin/ouzel"
    smoke(installed, "installed")
    _entry(root)
    _window(root, f"{HOME}/.local/lib/ouzel/ouzel", say)
    root.run(f"{place}/install.sh")  # over itself, as a newer version comes
    root.run(installed, "version")
    root.run(f"{HOME}/.local/lib/ouzel/install.sh", "--remove")
    left = [*root.inside(f"{HOME}/.local/lib").iterdir(), *root.inside(f"{HOME}/.local/bin").iterdir()]
    if left or not root.inside(f"{HOME}/.local/share/ouzel/chats.db").exists():
        raise Failed(f"Removing it left {left}, or took the chats along.")
    say("installed for one user, opened twice, installed again, removed: chats stay")

    unpack(archive, root.inside(SHARED), 0)
    smoke(f"{SHARED}/{name}/ouzel", "read-only")


def _entry(root: "Bare") -> None:
    """The desktop entry is valid and starts what was installed."""
    entry = root.inside(f"{HOME}/.local/share/applications/ouzel.desktop")
    if shutil.which("desktop-file-validate"):
        told = subprocess.run(["desktop-file-validate", str(entry)], capture_output=True, text=True, check=False)
        if told.returncode or told.stdout:
            raise Failed(f"The desktop entry is not valid: {told.stdout}")
    if f'Exec="{HOME}/.local/lib/ouzel/ouzel" %f' not in entry.read_text(encoding="utf-8").splitlines():
        raise Failed("The desktop entry does not start what was installed.")


def _window(root: "Bare", program: str, say: Say) -> None:
    """The window as a person starts it, twice one after the other: it opens the starter, ends on SIGTERM within seconds, keeps its data."""
    note = root.inside(f"{HOME}/.local/share/ouzel/last_model")
    for turn in ("first", "second"):
        note.unlink(missing_ok=True)
        window = root.start(program)
        end = time.monotonic() + 300
        while not note.exists() and window.poll() is None and time.monotonic() < end:
            time.sleep(0.1)
        opened = note.exists() and note.read_text().strip() == "starter"
        root.signal("TERM", program)
        try:
            out, err = window.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            window.kill()
            out, err = window.communicate()
            raise Failed(f"The window did not end: {out}{err}") from None
        if not opened or window.returncode or "Traceback" in err:
            raise Failed(f"The {turn} start of the window failed ({window.returncode}): {out}{err}")
    # Both in one namespace, so that the second sees the first.
    twice = '"$1" & first=$!; while ! [ -e "$2" ]; do sleep 0.2; done; "$1"; said=$?; kill -TERM $first; wait $first && exit $said'
    note.unlink()
    root.run("sh", "-c", twice, "sh", program, f"{HOME}/.local/share/ouzel/last_model")
    say("the window opens the starter by itself, ends when it is told to, and opens again; a second start hands over and ends")


class Bare:
    """A Debian root below `path`, and ways to run in it."""

    def __init__(self, path: Path, display: int) -> None:
        self.path, self._display = path, display

    def inside(self, place: str) -> Path:
        """Where a path of the root is outside."""
        return self.path / place.lstrip("/")

    def unpack(self, say: Say) -> None:
        """A fresh root, from the archive that was made once for these packages."""
        key = hashlib.sha256(" ".join(PACKAGES).encode()).hexdigest()[:12]
        kept = user_cache_path("ouzel-bundle", appauthor=False) / f"{SUITE}-{key}.tar"
        if not kept.exists():
            say("making it first, from the mirror that this system's apt uses")
            kept.parent.mkdir(parents=True, exist_ok=True)
            command = ["debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", SUITE, str(self.path), mirror()]
            done = subprocess.run([c for c in command if c], capture_output=True, text=True, check=False)
            if done.returncode:
                raise Failed(f"debootstrap failed:\n{done.stdout[-2000:]}{done.stderr}")
            shutil.rmtree(self.path / "var" / "cache" / "apt", ignore_errors=True)
            draft = kept.with_suffix(".new")
            subprocess.run(["tar", "-C", str(self.path), "--exclude=./proc/*", "--exclude=./dev/*", "-cf", str(draft), "."], check=True)
            draft.replace(kept)
        else:
            self.path.mkdir()
            subprocess.run(["tar", "-C", str(self.path), "-xpf", str(kept)], check=True)
        with (self.path / "etc/passwd").open("a", encoding="utf-8") as file:
            file.write(f"joerg:x:{USER}:{USER}::{HOME}:/bin/sh\n")
        for place in (HOME, PLACE):
            self.inside(place).mkdir(parents=True)
            os.chown(self.inside(place), USER, USER)

    def command(self, *command: str, **env: str) -> list[str]:
        """A command as the unprivileged user, in namespaces of its own: mounts and processes end with it, and there is no network."""
        variables = {"HOME": HOME, "USER": "joerg", "PATH": "/usr/bin:/bin", "DISPLAY": f":{self._display}", "LANG": "C.UTF-8", **env}
        mounts = (
            'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mkdir -p "$0/tmp/.X11-unix"'
            ' && mount --bind /tmp/.X11-unix "$0/tmp/.X11-unix" && root=$0 && exec chroot --userspec="$1" --groups= "$root" env -i "${@:2}"'
        )
        given = [f"{k}={v}" for k, v in variables.items()]
        shell = ["bash", "-c", mounts, str(self.path), f"{USER}:{USER}", *given, *command]
        return ["unshare", "--mount", "--net", "--ipc", "--pid", "--fork", "--kill-child", *shell]

    def run(self, *command: str, typed: str = "", fails: str = "", **env: str) -> str:
        """What it prints; raises Failed where it does, or does not as `fails` says."""
        done = subprocess.run(self.command(*command, **env), input=typed, capture_output=True, text=True, timeout=900, check=False)
        if fails and (done.returncode == 0 or fails not in done.stderr):
            raise Failed(f"{' '.join(command)} must fail with {fails!r}, but ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        if not fails and done.returncode:
            raise Failed(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def start(self, *command: str) -> subprocess.Popen[str]:
        """Begin a command."""
        return subprocess.Popen(self.command(*command), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def signal(self, name: str, program: str) -> None:
        """Send a signal to the user's processes of this program."""
        for exe in Path("/proc").glob("[0-9]*/exe"):
            try:
                if exe.stat().st_uid == USER and str(exe.readlink()).endswith(program):
                    subprocess.run(["kill", f"-{name}", exe.parent.name], check=False)
            except OSError:
                continue

    def unresolved(self, place: str) -> list[str]:
        """The bundle's files with libraries that the loader does not find there; those of Wayland come with a Wayland desktop."""
        script = 'find "$1" -type f \\( -name "*.so*" -o -name ouzel \\) | while read -r f; do ldd "$f" 2>/dev/null | grep "not found" |'
        script += ' while read -r l; do echo "$f: $l"; done; done'
        told = self.run("sh", "-c", script, "sh", place, LD_LIBRARY_PATH=f"{place}/_internal")
        lines = set(told.replace(f"{place}/_internal/", "").splitlines())
        return sorted(line for line in lines if "libwayland-" not in line)


def mirror() -> str:
    """Where this system's apt gets this suite; "" where it does not, and debootstrap then uses its own."""
    targets = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", f"Codename: {SUITE}"]
    told = subprocess.run(targets, capture_output=True, text=True, check=False)
    return told.stdout.splitlines()[0] if told.returncode == 0 and told.stdout.strip() else ""


def unpack(archive: Path, folder: Path, owner: int) -> None:
    """The archive's folder, as that user would have unpacked it."""
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    for path in (folder, *folder.rglob("*")):
        os.chown(path, owner, owner, follow_symlinks=False)


def listed(folder: Path) -> dict[str, tuple[int, int]]:
    """Size and time of change of all files below a folder."""
    return {str(p.relative_to(folder)): (s.st_size, s.st_mtime_ns) for p in folder.rglob("*") for s in (p.lstat(),) if p.is_file()}


@contextmanager
def display() -> Iterator[int]:
    """A display server without a screen; its number."""
    read, write = os.pipe()
    options = ["-screen", "0", "1400x1000x24", "-nolisten", "tcp", "-ac", "-displayfd", str(write)]
    server = subprocess.Popen(["Xvfb", *options], pass_fds=(write,), stderr=subprocess.DEVNULL)
    os.close(write)
    try:
        with os.fdopen(read) as told:
            number = told.readline().strip()
        if not number:
            raise Failed("Xvfb did not start.")
        yield int(number)
    finally:
        server.terminate()
        server.wait()
