"""Rules of the source that no linter knows."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BELOW_APP = sorted([*ROOT.glob("engine/**/*.py"), *ROOT.glob("kernels_pyx/*.py*")])
PYTHON = sorted([*ROOT.glob("app/**/*.py"), *ROOT.glob("engine/**/*.py"), *ROOT.glob("tests/**/*.py"), ROOT / "dev.py", ROOT / "setup.py"])
SOURCES = sorted({*PYTHON, *ROOT.glob("kernels_pyx/*.py[xi]"), *ROOT.glob("kernels_pyx/*.pxd"), *ROOT.glob("kernels_pyx/csrc/*")})
LONGEST = 400
UNFINISHED = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK|NotImplemented" + r"Error)\b")


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_that_a_file_holds_one_idea_and_nothing_unfinished() -> None:
    lines = {name(path): path.read_text(encoding="utf-8").splitlines() for path in SOURCES}
    assert {n: len(text) for n, text in lines.items() if len(text) > LONGEST} == {}
    assert {n: line for n, text in lines.items() for line in text if UNFINISHED.search(line)} == {}


def test_that_a_compiled_module_says_what_it_is_for() -> None:
    modules = sorted(ROOT.glob("kernels_pyx/*.py[xi]"))
    assert [name(path) for path in modules if not path.read_text(encoding="utf-8").startswith('"""')] == []


def test_that_no_file_below_the_window_names_qt() -> None:
    assert [name(p) for p in BELOW_APP if re.search(r"PySide|PyQt|shiboken", p.read_text(encoding="utf-8"))] == []


def test_that_the_engine_loads_without_qt() -> None:
    script = "import sys, engine.cli.main, engine.worker.worker; sys.exit(any(m.startswith('PySide') for m in sys.modules))"
    assert subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=False).returncode == 0
