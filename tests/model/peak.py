"""The peak of a model without its text side, in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

# Runs in a process of its own: prefill a prompt that fills several chunks, decode some tokens, print bytes of peak and plan.
SCRIPT = """
import json, sys
from pathlib import Path
import numpy as np
from engine.cancel import CancelToken
from engine.config import EngineConfig
from engine.container.reader import Container
from engine.model.model import Model
from engine.model.plan import plan

def status(key):
    return 1024 * int(next(l for l in Path("/proc/self/status").read_text().splitlines() if l.startswith(key)).split()[1])

Path("/proc/self/clear_refs").write_text("5")  # the peak restarts at what is resident now
before = status("VmRSS:")
config = EngineConfig(Path(sys.argv[1]), budget_bytes=int(sys.argv[2]), context=1024 if sys.argv[3] == "1024" else None, threads=2)
container = Container.open(config.model)
model = Model(container, config, plan(container, config), lambda f: None, CancelToken())
state = model.new_state()
ids = np.arange(700, dtype=np.int32) * 7 % 40000
for i in range(0, len(ids), model.plan.chunk):
    model.forward(ids[i : i + model.plan.chunk], state, "last")
for i in range(32):
    model.forward(ids[i : i + 1] + 3, state, "all")
snapshot = model.snapshot()
print(json.dumps({"peak": status("VmHWM:") - before, "told": snapshot.memory_bytes, "planned": model.plan.total_bytes}))
model.close()
"""


def measure(path: Path, budget: int, context: str) -> dict[str, int]:
    run = subprocess.run([sys.executable, "-c", SCRIPT, str(path), str(budget), context], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    result: dict[str, int] = json.loads(run.stdout)
    return result
