"""The script that makes everything; it needs nothing but the standard library."""

import ast
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import dev

ROOT = Path(__file__).parents[2]


def test_that_dev_imports_the_standard_library_only() -> None:
    tree = ast.parse((ROOT / "dev.py").read_text())
    imported = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    imported |= {str(n.module) for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    assert {name.split(".")[0] for name in imported} <= sys.stdlib_module_names


@pytest.mark.parametrize("arguments", [[], ["fly"], ["build", "more"]])
def test_that_wrong_usage_is_told_and_changes_nothing(arguments: list[str]) -> None:
    done = subprocess.run([sys.executable, str(ROOT / "dev.py"), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "usage: dev.py run" in done.stderr


def test_that_a_step_is_done_again_only_when_its_sources_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dev, "ROOT", tmp_path)
    file = tmp_path / "a.pyx"
    file.write_text("1")
    before = dev.digest([file])
    file.touch()
    assert dev.digest([file]) == before
    file.write_text("2")
    assert dev.digest([file]) != before


def test_that_kernels_older_than_their_sources_are_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dev, "ROOT", tmp_path)
    folder = tmp_path / "kernels_pyx"
    (folder / "csrc").mkdir(parents=True)
    end = sysconfig.get_config_var("EXT_SUFFIX")
    for file in (tmp_path / "setup.py", folder / "a.pyx", folder / "b.pyx", folder / "csrc" / "a.h"):
        file.touch()
        os.utime(file, (1000, 1000))
    assert dev.stale_kernels()  # none is there
    for name in ("a", "b"):
        (folder / f"{name}{end}").touch()
        os.utime(folder / f"{name}{end}", (2000, 2000))
    assert not dev.stale_kernels()
    os.utime(folder / "csrc" / "a.h", (3000, 3000))
    assert dev.stale_kernels() and not dev.stale_kernels([tmp_path / "setup.py"])
    os.utime(folder / "csrc" / "a.h", (1000, 1000))
    (folder / f"b{end}").rename(folder / f"b.other{end[end.rindex('.') :]}")  # of another Python
    assert dev.stale_kernels()


def test_that_damaged_stamps_mean_nothing_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dev, "STAMPS", tmp_path / "stamps.json")
    assert dev.read_stamps() == {}
    dev.STAMPS.write_text("{")
    assert dev.read_stamps() == {}
    dev.stamp({}, python="3.11")
    assert dev.read_stamps() == {"python": "3.11"}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has system packages to name")
def test_that_missing_packages_are_named_with_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    monkeypatch.setattr(dev, "loads", lambda library: library != "libxcb-cursor.so.0")
    monkeypatch.setattr(dev, "compiles", lambda: False)
    missing = dev.missing_packages(window=True, xvfb=False)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    assert missing == ["gcc", "libc6-dev", f"{version}-dev", "libxcb-cursor0"]
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(shutil, "which", lambda program: f"/usr/bin/{program}")
    with pytest.raises(dev.Stop, match=r"sudo apt-get install -y --no-install-recommends gcc libc6-dev \S+ libxcb-cursor0"):
        dev.provide_packages(missing)
    (tmp_path / "Python.h").touch()  # a Python that brought its own headers needs no package for them
    assert "gcc" in (few := dev.missing_packages(window=False, xvfb=False)) and f"{version}-dev" not in few
