"""What people install: recipe, desktop entry, scripts, and the check that a bundle makes of itself. No bundle is built here."""

import ast
import configparser
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine import __version__

ROOT = Path(__file__).parents[2]
PACKAGING = ROOT / "packaging"


def script(name: str) -> SimpleNamespace:
    """A file of packaging/, which is a folder of recipes and no package."""
    return SimpleNamespace(**runpy.run_path(str(PACKAGING / name)))


contents = script("contents.py")


@pytest.mark.parametrize("place", [
    "PySide6/Qt/lib/libQt6Core.so.6", "PySide6/Qt/plugins/platforms/libqxcb.so", "PySide6/Qt/plugins/platforms/libqoffscreen.so",
    "PySide6/Qt/plugins/platforms/libqwayland.so", "PySide6/Qt/translations/qtbase_de.qm", "PySide6/plugins/platforms/qwindows.dll",
    "PySide6/Qt/plugins/imageformats/libqsvg.so", "PySide6/Qt/plugins/platforminputcontexts/libibusplatforminputcontextplugin.so",
    "kernels_pyx/compute.cpython-311-x86_64-linux-gnu.so", "numpy.libs/libscipy_openblas64_.so", "resources/i18n/de.qm",
    "starter.ouzel/trunk.safetensors", "licences/numpy/tests-LICENSE", "PySide6/QtCore.abi3.so",
    "libxcb-cursor.so.0", "libxkbcommon.so.0", "libssl.so.3", "libpython3.11.so.1.0", "numpy.libs/libz-1.so",
])
def test_that_what_is_needed_is_kept(place: str) -> None:
    assert contents.kept(place)


@pytest.mark.parametrize("place", [
    "PySide6/Qt/lib/libQt6Quick.so.6", "PySide6/Qt/lib/libQt6Qml.so.6", "PySide6/Qt/lib/libQt6VirtualKeyboard.so.6", "PySide6/Qt6Pdf.dll",
    "PySide6/Qt/plugins/platforms/libqvnc.so", "PySide6/Qt/plugins/platformthemes/libqgtk3.so",
    "PySide6/Qt/plugins/tls/libqopensslbackend.so", "PySide6/Qt/translations/qtdeclarative_de.qm", "libreadline.so.8", "libtinfo.so.6",
    "kernels_pyx/compute.pyx", "resources/__pycache__/x.pyc", "numpy/tests/data.txt", "PySide6/opengl32sw.dll", "libstdc++.so.6",
    "libglib-2.0.so.0", "libX11.so.6", "libcairo-gobject.so.2", "resources/starter/fit.npz",
])
def test_that_what_is_not_needed_is_left_out(place: str) -> None:
    assert not contents.kept(place) and not contents.kept(place.replace("/", "\\"))


def test_that_a_bundle_with_too_much_or_too_little_is_refused() -> None:
    resources = {p.relative_to(ROOT).as_posix() for p in (ROOT / "resources").rglob("*") if p.is_file() and p.suffix not in (".py", ".pyc")}
    good = {*contents.NEEDED, *filter(contents.kept, resources), "kernels_pyx/compute.so"}
    assert len(resources - good) == 1  # what the starter is made with
    assert contents.wrong(good, resources) == []
    for lost in (*contents.NEEDED, "kernels_pyx/compute.so"):
        assert len(contents.wrong(good - {lost}, resources)) == 1
    for more in ("libreadline.so.8", "starter.ouzel.usage", "PySide6/Qt/lib/libQt6Quick.so.6"):
        assert len(contents.wrong({*good, more}, resources)) == 1


def test_that_nothing_of_ours_imports_what_is_excluded() -> None:
    """But where it does without: in a `try`, or within contextlib.suppress."""
    for path in (*ROOT.glob("app/**/*.py"), *ROOT.glob("engine/**/*.py")):
        if path.name == "screenshots.py":
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        guarded = {id(n) for t in ast.walk(tree) if isinstance(t, ast.Try | ast.With) for n in ast.walk(t)}
        names = [a.name for n in ast.walk(tree) if isinstance(n, ast.Import) and id(n) not in guarded for a in n.names]
        names += [str(n.module) for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and id(n) not in guarded]
        assert not [n for n in names if n in contents.EXCLUDED or n.split(".")[0] in contents.EXCLUDED], path


def test_that_the_recipe_takes_resources_whole_and_is_python() -> None:
    recipe = (PACKAGING / "ouzel.spec").read_text(encoding="utf-8")
    compile(recipe, "ouzel.spec", "exec")
    assert 'str(ROOT / "resources"), "resources"' in recipe and "upx=False" in recipe and "upx=True" not in recipe


def test_that_the_version_is_written_in_one_place() -> None:
    for file in [p for p in PACKAGING.rglob("*") if p.is_file() and p.suffix != ".pyc"]:
        found = re.sub(r"/DVersion=0\.1\.0 ouzel\.iss", "", file.read_text(encoding="utf-8"))
        assert __version__ not in re.findall(r"(?<![\d.])\d+\.\d+\.\d+(?![\d.])", found), file


def entry(path: Path) -> dict[str, str]:
    parser = configparser.RawConfigParser(strict=True)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(path.read_text(encoding="utf-8"))
    return dict(parser["Desktop Entry"])


def test_that_the_desktop_entry_is_valid() -> None:
    path = PACKAGING / "linux" / "ouzel.desktop"
    found = entry(path)
    assert found["Type"] == "Application" and found["Terminal"] == "false" and found["Icon"] == found["StartupWMClass"] == "ouzel"
    assert all(found[key].endswith(";") for key in ("Categories", "Keywords", "Keywords[de]"))
    if shutil.which("desktop-file-validate"):
        told = subprocess.run(["desktop-file-validate", str(path)], capture_output=True, text=True, check=False)
        assert (told.returncode, told.stdout) == (0, "")


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    """A folder as the archive has it, with a program that only says that it is there."""
    folder = tmp_path / "ouzel-9"
    (folder / "_internal").mkdir(parents=True)
    (folder / "share").mkdir()
    (folder / "ouzel").write_text("#!/bin/sh\necho here\n")
    (folder / "ouzel").chmod(0o755)
    shutil.copy(PACKAGING / "linux" / "install.sh", folder)
    shutil.copy(PACKAGING / "linux" / "ouzel.desktop", folder / "share")
    for name in ("ouzel.svg", "ouzel.png"):
        (folder / "share" / name).write_bytes(b"icon")
    return folder


def installer(folder: Path, home: Path, *arguments: str) -> tuple[int, str]:
    env = {"HOME": str(home), "PATH": os.environ["PATH"]}
    done = subprocess.run([str(folder / "install.sh"), *arguments], env=env, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the other systems have installers of their own")
def test_that_it_installs_for_a_user_and_takes_itself_away(unpacked: Path, tmp_path: Path) -> None:
    home = tmp_path / 'Jörg "$x" 50% \\n プ'
    home.mkdir()
    chats = home / ".local" / "share" / "ouzel" / "chats.db"
    chats.parent.mkdir(parents=True)
    chats.write_text("chats")
    code, told = installer(unpacked, home)
    assert code == 0 and "is not in your PATH" in told
    link = home / ".local" / "bin" / "ouzel"
    assert subprocess.run([str(link)], capture_output=True, text=True, check=True).stdout == "here\n"
    shown = home / ".local" / "share" / "applications" / "ouzel.desktop"
    # As a desktop reads it: first the string's escapes, then those of a quoted argument, then %%.
    value, _, field = re.sub(r"\\(.)", r"\1", entry(shown)["Exec"]).rpartition(" ")
    assert field == "%f"  # what is dropped on it
    assert value[0] == value[-1] == '"'
    assert re.sub(r"\\(.)", r"\1", value[1:-1]).replace("%%", "%") == str(home / ".local" / "lib" / "ouzel" / "ouzel")
    if shutil.which("desktop-file-validate"):
        assert subprocess.run(["desktop-file-validate", str(shown)], check=False).returncode == 0
    (home / ".local" / "lib" / "ouzel" / "_internal" / "of the older version").touch()
    assert installer(unpacked, home)[0] == 0  # a newer one takes the place of the older one whole
    assert not (home / ".local" / "lib" / "ouzel" / "_internal" / "of the older version").exists()
    assert installer(home / ".local" / "lib" / "ouzel", home)[0] == 1
    assert installer(home / ".local" / "lib" / "ouzel", home, "--remove")[0] == 0
    left = [p for p in home.rglob("*") if (p.is_file() or p.is_symlink()) and p.name != "mimeinfo.cache"]  # the desktop's own
    assert left == [chats]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the other systems have installers of their own")
def test_that_a_running_ouzel_is_not_replaced(unpacked: Path, tmp_path: Path) -> None:
    shutil.copy(shutil.which("sleep") or "", unpacked / "ouzel")
    home = tmp_path / "home"
    home.mkdir()
    assert installer(unpacked, home)[0] == 0
    running: Any = subprocess.Popen([str(home / ".local" / "lib" / "ouzel" / "ouzel"), "1000"])
    try:
        code, told = installer(unpacked, home)
        assert code == 1 and "Close it" in told
    finally:
        running.kill()
        running.wait()
    assert installer(unpacked, home)[0] == 0


def test_that_wrong_use_of_the_installer_is_told(unpacked: Path, tmp_path: Path) -> None:
    assert installer(unpacked, tmp_path, "--fly")[0] == 1
    shutil.rmtree(unpacked / "_internal")
    assert "unpacked folder" in installer(unpacked, tmp_path)[1]


@pytest.mark.parametrize("path", sorted(PACKAGING.rglob("*.sh")), ids=lambda p: p.name)
def test_that_scripts_of_the_shell_can_be_read_and_run(path: Path) -> None:
    assert subprocess.run(["sh", "-n", str(path)], check=False).returncode == 0
    assert os.access(path, os.X_OK)


def test_that_the_readme_names_the_packages_that_the_proof_installs() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert " ".join(script("prove.py").PACKAGES) in readme
