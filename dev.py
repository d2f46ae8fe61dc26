#!/usr/bin/env python3
"""One script for everything: `python3 dev.py run` starts Ouzel, `python3 dev.py test` checks it. Needs Python 3.11 or newer alone.

It makes .venv beside itself, installs the project there with its developer tools, compiles the kernels, and remembers what it did
by hashes of the sources, so that the second time is quick. On Debian and Ubuntu it names missing system packages, and as root
installs them. `build` stops before starting anything; `lint` runs the quick checks only; `bench NAME` measures (`bench` alone lists).
`bundle` makes what people install, and on Linux as root shows that it runs in a bare Debian; `bundle --help` says more.
"""

from __future__ import annotations  # an older Python must get as far as the sentence that says so

import ctypes
import hashlib
import importlib.util
import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
STAMPS = VENV / "ouzel-stamps.json"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
OLDEST = (3, 11)

# Debian's package and what shows that it is there: a shared library, or a program.
WINDOW = {
    "libegl1": "libEGL.so.1",
    "libgl1": "libGL.so.1",
    "libxkbcommon0": "libxkbcommon.so.0",
    "libfontconfig1": "libfontconfig.so.1",
    "libdbus-1-3": "libdbus-1.so.3",
    "libglib2.0-0": "libgthread-2.0.so.0",
}
X11 = {
    "libxcb-cursor0": "libxcb-cursor.so.0",
    "libxcb-icccm4": "libxcb-icccm.so.4",
    "libxcb-image0": "libxcb-image.so.0",
    "libxcb-keysyms1": "libxcb-keysyms.so.1",
    "libxcb-render-util0": "libxcb-render-util.so.0",
    "libxcb-shape0": "libxcb-shape.so.0",
    "libxcb-xkb1": "libxcb-xkb.so.1",
    "libxkbcommon-x11-0": "libxkbcommon-x11.so.0",
}
XVFB = {"xvfb": "Xvfb", "xauth": "xauth"}
# What a benchmark compares with: programs of the system, and the packages of the extra `bench`, which compile for some minutes.
YARDSTICKS = {"disk": {"fio": "fio"}, "kernels": {"g++": "g++"}, "peers": {"g++": "g++"}}
PEERS = ("kernels", "peers")
# To make a bundle on Linux, and to prove it.
PROOF = {**XVFB, "debootstrap": "debootstrap", "binutils": "strip", "desktop-file-utils": "desktop-file-validate"}


class Stop(Exception):
    """Something that a person must do first; the message says what."""


def say(text: str) -> None:
    """Our own words go to standard error: what a command prints stays clean."""
    print(f"dev.py: {text}", file=sys.stderr, flush=True)


def call(*command: str | Path, failure: str, env: dict[str, str] | None = None) -> None:
    """Run a step in the project's folder; Stop with `failure` where it fails."""
    done = subprocess.run([str(c) for c in command], cwd=ROOT, env=env, stdout=sys.stderr, check=False)
    if done.returncode:
        raise Stop(failure)


# What the system must have.


def loads(library: str) -> bool:
    """Whether the system has a shared library."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def compiles() -> bool:
    """Whether there is a C compiler that finds its own headers and Python's."""
    compiler = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    program = shlex.split(compiler)
    if shutil.which(program[0]) is None:
        program = [next((c for c in ("cc", "gcc", "clang") if shutil.which(c)), "")]
    if not program[0]:
        return False
    source = "#include <Python.h>\n#include <stdio.h>\nint main(void) { return 0; }\n"
    command = [*program, "-fsyntax-only", "-I", sysconfig.get_path("include"), "-x", "c", "-"]
    return subprocess.run(command, input=source, text=True, capture_output=True, check=False).returncode == 0


def missing_packages(window: bool, xvfb: bool, programs: Mapping[str, str] | None = None) -> list[str]:
    """Debian's names of what is missing to build, to open a window on a screen or without one, and of further programs."""
    if not sys.platform.startswith("linux"):
        return []
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    missing = [] if PYTHON.exists() or importlib.util.find_spec("ensurepip") else [f"{version}-venv"]
    if not compiles():
        has_header = (Path(sysconfig.get_path("include")) / "Python.h").exists()
        missing += ["gcc", "libc6-dev", *([] if has_header else [f"{version}-dev"])]
    if window:
        missing += [package for package, library in {**WINDOW, **X11}.items() if not loads(library)]
    if xvfb:
        programs = {**XVFB, **(programs or {})}
    missing += [package for package, program in (programs or {}).items() if shutil.which(program) is None]
    return missing


def provide_packages(missing: Sequence[str]) -> None:
    """Install them as root where apt is there; else Stop with the command."""
    if not missing:
        return
    if shutil.which("apt-get") is None:
        raise Stop(f"The system lacks what Debian calls {', '.join(missing)}. Install your system's packages for them, then try again.")
    install = ["apt-get", "install", "-y", "--no-install-recommends", *missing]
    if os.geteuid() != 0:
        raise Stop(f"System packages are missing. Install them with:\n    sudo {shlex.join(install)}")
    say(f"installing system packages: {' '.join(missing)}")
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    wait = ["-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3"]
    subprocess.run(["apt-get", *wait, "-q", "update"], env=env, stdout=sys.stderr, check=False)
    if subprocess.run(["apt-get", *wait, "-q", *install[1:]], env=env, stdout=sys.stderr, check=False).returncode:
        raise Stop(f"System packages could not be installed. Try it by hand:\n    {shlex.join(install)}")


def check_compiler() -> None:
    """Say what to install where the system is no Linux and has no C compiler."""
    if sys.platform == "darwin" and not compiles():
        raise Stop("There is no C compiler. Install Apple's with:\n    xcode-select --install")
    if os.name == "nt" and not (shutil.which("cl") or _visual_studio()):
        raise Stop("There is no C compiler. Install Microsoft's C++ Build Tools with 'Desktop development with C++', then try again.")


def _visual_studio() -> bool:
    programs = Path(os.environ.get("PROGRAMFILES(X86)", "C:/Program Files (x86)"))
    locator = programs / "Microsoft Visual Studio/Installer/vswhere.exe"
    tools = "Microsoft.VisualStudio.Component.VC.Tools.x86.x64"
    query = [str(locator), "-products", "*", "-requires", tools, "-property", "installationPath"]
    return locator.is_file() and bool(subprocess.run(query, capture_output=True, text=True, check=False).stdout.strip())


# The environment and the build, each redone only when its sources change.


def digest(files: Iterable[Path]) -> str:
    """One hash over names and contents."""
    h = hashlib.sha256(str(ROOT).encode())
    for file in sorted(files):
        h.update(f"{file.relative_to(ROOT)}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return h.hexdigest()


def kernel_sources() -> list[Path]:
    """What the compiled floor is made of."""
    kernels = ROOT / "kernels_pyx"
    return [ROOT / "setup.py", *kernels.glob("*.pyx"), *kernels.glob("*.px[di]"), *kernels.glob("csrc/*")]


def compiled_kernels() -> list[Path]:
    """What this Python, which .venv's is too, loads of the compiled floor."""
    return list((ROOT / "kernels_pyx").glob(f"*{sysconfig.get_config_var('EXT_SUFFIX')}"))


def stale_kernels(sources: Sequence[Path] = ()) -> bool:
    """Whether a kernel is missing, or was compiled before one of the sources (all if left out) was changed, whoever compiled it."""
    compiled = compiled_kernels()
    missing = {p.stem for p in (ROOT / "kernels_pyx").glob("*.pyx")} - {p.name.split(".")[0] for p in compiled}
    return bool(missing) or min(p.stat().st_mtime for p in compiled) < max(p.stat().st_mtime for p in sources or kernel_sources())


def read_stamps() -> dict[str, str]:
    """What was done to .venv before; empty where nothing is known."""
    try:
        stamps = json.loads(STAMPS.read_text())
    except (OSError, ValueError):
        return {}
    return stamps if isinstance(stamps, dict) else {}


def stamp(stamps: dict[str, str], **done: str) -> None:
    """Remember a finished step."""
    stamps.update(done)
    draft = STAMPS.with_suffix(".new")
    draft.write_text(json.dumps(stamps, indent=1))
    draft.replace(STAMPS)


def make_venv(stamps: dict[str, str]) -> None:
    """A virtual environment of the Python that runs this script."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    place = f"{version} in {VENV}"  # a folder that was moved holds paths that are wrong now
    if stamps.get("python") == place and PYTHON.exists():
        return
    if PYTHON.exists() and not stamps:
        ask = [str(PYTHON), "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        if subprocess.run(ask, capture_output=True, text=True, check=False).stdout.strip() == version:
            stamp(stamps, python=place)
            return
        raise Stop(f"{VENV} was not made by this script and is of another Python. Move it away, or run this script with that Python.")
    say(f"making .venv with Python {version}")
    stamps.clear()
    failure = "The virtual environment could not be made; see above. Python's venv and ensurepip modules are needed."
    call(sys.executable, "-m", "venv", "--clear", VENV, failure=failure)
    stamp(stamps, python=place)


def build() -> None:
    """Bring .venv, the installed project and the compiled kernels up to date."""
    if sys.version_info < OLDEST:
        raise Stop(f"Python {OLDEST[0]}.{OLDEST[1]} or newer is needed; this is {sys.version.split()[0]}. Run dev.py with a newer python3.")
    check_compiler()
    stamps = read_stamps()
    make_venv(stamps)
    project, kernels = digest([ROOT / "pyproject.toml"]), digest(kernel_sources())
    pip = (PYTHON, "-m", "pip", "--disable-pip-version-check", "install", "-q")
    if stamps.get("project") != project:
        say("installing Ouzel and its tools into .venv, and compiling its kernels; the first time this takes some minutes")
        offline = "The packages could not be installed; see above. The first time needs a network and a C compiler."
        call(*pip, *build_requirements(), failure=offline)
        call(*pip, "--no-build-isolation", "-e", f"{ROOT}[dev]", failure=offline)
        stamp(stamps, project=project, kernels=kernels)
    if stamps.get("kernels") != kernels or stale_kernels():
        say("compiling the kernels")
        # What a file is compiled from is known to the build, but not that its flags have changed.
        force = ["--force"] if stale_kernels(kernel_sources()[:1]) else []
        call(PYTHON, "setup.py", "-q", "build_ext", "--inplace", *force, failure="The kernels could not be compiled; see above.")
        for kernel in compiled_kernels():
            os.utime(kernel)  # one that nothing changed in was not written again
        stamp(stamps, kernels=kernels)


def project_file() -> dict[str, Any]:
    """pyproject.toml."""
    import tomllib  # noqa: PLC0415  an older Python must get as far as the sentence that says so

    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def build_requirements() -> list[str]:
    """What pyproject.toml needs to build."""
    requires: list[str] = project_file()["build-system"]["requires"]
    return requires


def provide_peers() -> None:
    """Install the packages of the extra `bench`."""
    wanted: list[str] = project_file()["project"]["optional-dependencies"].get("bench", [])
    stamps, done = read_stamps(), ", ".join(wanted)
    if stamps.get("peers") != done:
        say(f"installing what is compared with: {done}; it is compiled here, which takes some minutes")
        # GCC 12 drops the store that configures the peer's matrix tiles as a dead one, and the program then dies.
        env = {**os.environ, "CXXFLAGS": f"{os.environ.get('CXXFLAGS', '')} -fno-dse -fno-tree-dse".strip()}
        pip: list[str | Path] = [PYTHON, "-m", "pip", "--disable-pip-version-check", "install", "-q", "--no-binary", "llama-cpp-python"]
        call(*pip, *wanted, failure="It could not be built; see above.", env=env)
        stamp(stamps, peers=done)


# The commands.


def has_display() -> bool:
    """Whether a window can be opened here."""
    if sys.platform == "darwin" or os.name == "nt":
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def run(arguments: Sequence[str]) -> int:
    """Ouzel itself: a window, or without a display a chat in the terminal; arguments go to `ouzel`."""
    named = bool(arguments) and not arguments[0].startswith("-")
    window = has_display() and not arguments
    provide_packages(missing_packages(window, xvfb=False))
    build()
    if not named and not window:
        if not arguments:
            say("there is no display, so the chat is here in the terminal")
        arguments = ["chat", *arguments] if "--help" not in arguments and "--version" not in arguments else arguments
    command = [str(PYTHON), "-m", "engine.cli", *arguments]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))}
    if os.name == "nt":
        return subprocess.run(command, env=env, check=False).returncode
    os.execve(PYTHON, command, env)


def lint() -> list[str]:
    """Style, types and floors; the names of the checks that failed."""
    scripts = PYTHON.parent
    checks: dict[str, list[str | Path]] = {
        "ruff": [PYTHON, "-m", "ruff", "check", "."],
        "mypy": [PYTHON, "-m", "mypy"],
        "the floors": [scripts / ("lint-imports.exe" if os.name == "nt" else "lint-imports"), "--no-cache"],
    }
    failed = []
    for name, command in checks.items():
        say(f"checking: {name}")
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            failed.append(name)
    return failed


def test(arguments: Sequence[str]) -> int:
    """All checks and tests; with arguments only pytest, which gets them."""
    provide_packages(missing_packages(window=True, xvfb=True))
    build()
    failed = [] if arguments else lint()
    for name in failed:
        say(f"{name}: failed")
    fetched = subprocess.run([PYTHON, "-m", "tests.starter_cache"], cwd=ROOT, check=False)
    if fetched.returncode:
        raise Stop("The starter model's base weights could not be fetched, so the tests that use it cannot run; see above.")
    say("running the tests")
    env = {"QT_QPA_PLATFORM": "offscreen", **os.environ}
    together = ["-n", str(min(os.cpu_count() or 1, 4)), "--dist", "loadfile"]  # a file's tests stay together: they share models
    runs = [arguments] if arguments else [["-m", "alone"], ["-m", "not alone and not long", "--durations", "15", *together]]
    statuses = [subprocess.run([PYTHON, "-m", "pytest", *run], cwd=ROOT, env=env, check=False).returncode for run in runs]
    return max(statuses) or int(bool(failed))


def bench(arguments: Sequence[str]) -> int:
    """One benchmark with what it compares with: the only thing on standard output is its result."""
    name = next((a for a in arguments if not a.startswith("-")), "")
    provide_packages(missing_packages(window=False, xvfb=False, programs=YARDSTICKS.get(name)))
    build()
    if name in PEERS:
        provide_peers()
    asked = arguments or ("--help",)
    return subprocess.run([PYTHON, "-m", "benchmarks", *asked], cwd=ROOT, check=False).returncode


def bundle(arguments: Sequence[str]) -> int:
    """What people install: see packaging/bundle.py."""
    if sys.platform.startswith("linux"):
        provide_packages(missing_packages(window=True, xvfb=True, programs=PROOF))
    build()
    wanted: list[str] = project_file()["project"]["optional-dependencies"]["bundle"]
    stamps, done = read_stamps(), ", ".join(wanted)
    if stamps.get("bundle") != done:
        call(PYTHON, "-m", "pip", "--disable-pip-version-check", "install", "-q", *wanted, failure="The packages could not be installed.")
        stamp(stamps, bundle=done)
    return subprocess.run([PYTHON, "packaging/bundle.py", *arguments], cwd=ROOT, check=False).returncode


def main(argv: Sequence[str]) -> int:
    """Read the command and carry it out; the exit code."""
    command, arguments = (argv[0], argv[1:]) if argv else ("", ())
    if command not in ("run", "test", "build", "lint", "bench", "bundle") or (command in ("build", "lint") and arguments):
        say("usage: dev.py run [ARGUMENTS of ouzel] | test [ARGUMENTS of pytest] | build | lint | bench NAME [--json] | bundle [--help]")
        return 2
    try:
        if command == "bundle":
            return bundle(arguments)
        if command == "bench":
            return bench(arguments)
        if command == "run":
            return run(arguments)
        if command == "test":
            return test(arguments)
        provide_packages(missing_packages(window=False, xvfb=False))
        build()
        return int(command == "lint" and bool(lint()))
    except Stop as stop:
        say(str(stop))
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
