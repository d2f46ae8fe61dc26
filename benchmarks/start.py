"""How soon the window is there: from the start of the process to its first paint, without a model, against an empty window of Qt.

Both begin with the same interpreter and the same Qt, so what is above the empty window is ours. Files are read from memory: each start
is done once before it counts. OUZEL_START_RUNS: how many of each (default 7).
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RUNS = int(os.environ.get("OUZEL_START_RUNS", "7"))
LIMIT_S = 1.5

OURS = """
import sys, time
from app import first_paint, main as program
def told(self):
    print(time.time(), time.process_time(), flush=True)
    import os
    os._exit(0)
first_paint.FirstPaint._tell = told
program.main(["ouzel"])
"""
EMPTY = """
import time
from PySide6.QtWidgets import QApplication, QMainWindow
class Window(QMainWindow):
    def paintEvent(self, event):
        super().paintEvent(event)
        print(time.time(), time.process_time(), flush=True)
        import os
        os._exit(0)
application = QApplication([])
window = Window()
window.resize(1060, 740)
window.show()
application.exec()
"""


def one(script: str) -> tuple[float, float]:
    """Seconds from the start to the first paint, and seconds of the processor until then."""
    with tempfile.TemporaryDirectory() as home:
        env = {"QT_QPA_PLATFORM": "offscreen", **os.environ, "OUZEL_HOME": home, "PYTHONPATH": str(ROOT)}
        begun = time.time()
        done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
        at, processor = done.stdout.split()[:2]
    return float(at) - begun, float(processor)


def measure() -> dict[str, Any]:
    """Medians of interleaved starts."""
    for script in (OURS, EMPTY):
        one(script)
    ours, empty = [], []
    for _ in range(RUNS):
        ours.append(one(OURS))
        empty.append(one(EMPTY))
    window, bare = (statistics.median(s for s, _ in runs) for runs in (ours, empty))
    return {
        "first_paint_s": window,
        "first_paint_most_s": max(s for s, _ in ours),
        "processor_s": statistics.median(p for _, p in ours),
        "empty_window_s": bare,
        "over_empty": window / bare,
        "of_limit": window / LIMIT_S,
        "runs": RUNS,
    }


def told(result: dict[str, Any]) -> str:
    """A table for people."""
    return (
        f"first paint   {result['first_paint_s']:.2f} s (most {result['first_paint_most_s']:.2f}; busy {result['processor_s']:.2f})\n"
        f"empty window  {result['empty_window_s']:.2f} s: ours takes {result['over_empty']:.1f} times that\n"
        f"limit         {LIMIT_S} s: {result['of_limit']:.2f} of it is used"
    )
