"""Run `ouzel` as a person does, in a process of its own, or where many cases are tried, in this one."""

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

from engine.cli.main import main

ROOT = Path(__file__).parents[2]
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


def environment(**changes: str) -> dict[str, str]:
    """Today's environment without a display."""
    return {k: v for k, v in os.environ.items() if k not in DISPLAYS} | {"PYTHONPATH": str(ROOT)} | changes


def command(*arguments: object) -> list[str]:
    """The command line of `ouzel ARGUMENTS`."""
    return [sys.executable, "-m", "engine.cli", *map(str, arguments)]


def ouzel(*arguments: object, stdin: str = "", env: dict[str, str] | None = None, **options: Any) -> subprocess.CompletedProcess[str]:
    """The finished process, output as text; never a traceback."""
    run = subprocess.run(
        command(*arguments), input=stdin, capture_output=True, text=True, encoding="utf-8", env=env or environment(), check=False, **options
    )
    assert "Traceback" not in run.stderr + run.stdout, run.stderr
    return run


def here(*arguments: object, stdin: str = "") -> tuple[int, str, str]:
    """(exit code, standard output, standard error) of `ouzel ARGUMENTS` in this process."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    given = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
    try:
        with patch.multiple(sys, argv=["ouzel", *map(str, arguments)], stdin=given, stdout=out, stderr=err):
            main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    for stream in (out, err):
        stream.flush()
    return code, out.buffer.getvalue().decode(), err.buffer.getvalue().decode()  # type: ignore[attr-defined]


def refused(*arguments: object, stdin: str = "") -> str:
    """The sentence of a run that ends with exit code 1 and prints nothing to standard output."""
    return sentence(*here(*arguments, stdin=stdin))


def sentence(code: int, out: str, err: str) -> str:
    """What standard error says, where the run was refused as it should be."""
    assert (code, out) == (1, ""), err
    assert "unexpected" not in err, err
    assert "Traceback" not in err
    return err
