"""Two engines on one machine: `python -m benchmarks engines [--json]`.

Each engine decodes with all performance cores: products of a token through layers in q4, either `small` (0.6 MB a layer, as the
starter's: jobs of some ten microseconds) or `large` (10 MB a layer, from memory). One process alone and two at once run in turn; a share
is the rate of one of the two over the rate alone, of which half is what fairness gives. `one_process`: two engines in two threads of one
process. `idle_ms`: processor time of a process that waits for a second after work.
"""

import json
import subprocess
import sys
import threading
import time
from typing import Any

import numpy as np

from engine.cores import performance_cores
from kernels_pyx.compute import Compute, Rows
from kernels_pyx.linear import Linear, Matrix, pack, packed_bytes

ROUNDS, SECONDS, START = 3, 1.5, 1.2
KINDS = {"small": (512, 1536, 14), "large": (2048, 8192, 24)}  # width, inner width, layers


class Engine:
    """A stack of pairs of products, a token at a time."""

    def __init__(self, kind: str) -> None:
        width, inner, layers = KINDS[kind]
        self.c = Compute(performance_cores(), False, 1, inner)
        self.x, self.hidden = Rows(1, width), Rows(1, inner)
        self.x.array[:] = 1.0
        self.layers = [(self._linear(inner, width), self._linear(width, inner)) for _ in range(layers)]

    def _linear(self, n: int, cols: int) -> Linear:
        data = np.resize(pack("q4", np.full((16, cols), 0.01, np.float32)), packed_bytes("q4", n, cols) + 64)
        return Linear([Matrix("q4", n, cols, data[-data.ctypes.data % 64 :][: packed_bytes("q4", n, cols)])])

    def token(self) -> None:
        for up, down in self.layers:
            up(self.c, self.x, 1, (self.hidden,))
            down(self.c, self.hidden, 1, (self.x,))
            self.x.array[:] = 1.0

    def rate(self, start: float) -> float:
        """Tokens a second from time.time() == start on."""
        self.token()
        time.sleep(max(start - time.time(), 0))
        began, n = time.perf_counter(), 0
        while time.perf_counter() - began < SECONDS:
            self.token()
            n += 1
        return n / (time.perf_counter() - began)


def processes(kind: str, n: int) -> list[float]:
    """Rates of n processes at once."""
    start = time.time() + START
    command = [sys.executable, "-m", "benchmarks.engines", kind, str(start)]
    children = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(n)]
    return [float(child.communicate()[0]) for child in children]


def in_threads(kind: str, n: int) -> list[float]:
    """Rates of n engines in one process."""
    rates: list[float] = []
    engines, start = [Engine(kind) for _ in range(n)], time.time() + 0.3
    workers = [threading.Thread(target=lambda e=e: rates.append(e.rate(start))) for e in engines]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    for e in engines:
        e.c.close()
    return rates


def idle_ms() -> float:
    engine = Engine("small")
    for _ in range(20):
        engine.token()
    time.sleep(0.01)
    before = time.process_time()
    time.sleep(1)
    used = time.process_time() - before
    engine.c.close()
    return 1000 * used


def measure() -> dict[str, Any]:
    """Shares by kind: least and mean of the two."""
    out: dict[str, Any] = {"threads": performance_cores(), "idle_ms": round(idle_ms(), 2)}
    for kind in KINDS:
        least, mean, inside = [], [], []
        for _ in range(ROUNDS):
            (alone,), two = processes(kind, 1), processes(kind, 2)
            least.append(min(two) / alone)
            mean.append(sum(two) / 2 / alone)
            (alone,), two = in_threads(kind, 1), in_threads(kind, 2)
            inside.append(min(two) / alone)
        for name, values in (("least", least), ("mean", mean), ("one_process", inside)):
            out[f"{name}_{kind}"] = round(float(np.median(values)), 3)
    return out


def told(r: dict[str, Any]) -> str:
    """The figures for people."""
    lines = [f"{r['threads']} threads an engine; idle for a second: {r['idle_ms']:.1f} ms of processor time"]
    for kind in KINDS:
        lines.append(
            f"{kind:6} two processes: {r[f'mean_{kind}']:.0%} of the rate alone each, the slower {r[f'least_{kind}']:.0%}; "
            f"two engines in one process: the slower {r[f'one_process_{kind}']:.0%}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    print(json.dumps(Engine(sys.argv[1]).rate(float(sys.argv[2]))))
