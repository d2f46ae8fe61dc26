"""What `pip install .` puts into an environment."""

import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The wheel's file list; the kernels that this checkout has compiled are taken instead of compiling them again."""
    copy = tmp_path_factory.mktemp("wheel") / "ouzel"
    left_out = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "__pycache__", "tests", "benchmarks")
    shutil.copytree(ROOT, copy, ignore=left_out)
    built = copy / "build" / f"lib.{sysconfig.get_platform()}-{sys.implementation.cache_tag}" / "kernels_pyx"
    built.mkdir(parents=True)
    for kernel in [p for p in copy.glob("kernels_pyx/*") if p.suffix in {".so", ".pyd"}]:
        kernel.rename(built / kernel.name)
        (built / kernel.name).touch()
    command = [sys.executable, "-m", "pip", "wheel", "-q", ".", "--no-deps", "--no-build-isolation", "--no-index", "-w", str(copy / "dist")]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (wheel,) = (copy / "dist").glob("ouzel-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_that_the_wheel_holds_every_module_and_nothing_of_the_tests(names: set[str]) -> None:
    modules = {str(p.relative_to(ROOT).as_posix()) for folder in ("app", "engine") for p in (ROOT / folder).rglob("*.py")}
    assert modules <= names
    assert not [n for n in names if n.startswith(("tests", "benchmarks", "dev"))]


def test_that_the_wheel_holds_every_kernel_compiled(names: set[str]) -> None:
    compiled = {Path(n).name.split(".")[0] for n in names if n.startswith("kernels_pyx/") and n.endswith((".so", ".pyd"))}
    assert compiled == {p.stem for p in (ROOT / "kernels_pyx").glob("*.pyx")}


def test_that_the_wheel_holds_all_resources_and_licences(names: set[str]) -> None:
    resources = {str(p.relative_to(ROOT).as_posix()) for p in (ROOT / "resources").rglob("*") if p.is_file() and p.suffix != ".pyc"}
    assert {"resources/starter/fit.npz", "resources/licences/LGPL-3.0.txt"} <= resources <= names
    assert {"LICENSE", "NOTICE"} <= {Path(n).name for n in names if ".dist-info/" in n}
