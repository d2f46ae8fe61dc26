"""Conversion of a large checkpoint: speed, memory, and what the drive holds meanwhile, from a folder and from a hub.

    python -m benchmarks convert [--json]
    python -m benchmarks.convert [--layers 2] [--folder DIR] [--json]

The checkpoint has the shapes of Qwen3-30B-A3B with fewer layers (1.2 GB of bf16 each, 1.2 GB of embedding and head) and random
weights; each conversion to q4 is a process of its own. Rates are bf16 bytes read per second; "read" is a plain read of the same file, on an
empty page cache as all of them. The hub is one of the tests', in this process and on this computer, so its time counts too; its
files are hashed as they pass. peak_mb: resident memory above that after imports. over_mb: the most that the drive held beside the
container.
"""

import argparse
import json
import mmap
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import psutil

from benchmarks.peers_limit import forget
from engine.arch import read_arch
from engine.cancel import CancelToken
from engine.errors import EngineError
from engine.setup.convert import convert
from engine.setup.pull import pull
from engine.setup.wish import Wish
from tests.arch.real import QWEN3_30B_A3B
from tests.hub.server import Hub, Repo
from tests.oracle.checkpoint import DATA

LAYERS, SHARD, SEED = 2, "model.safetensors", 4


def checkpoint(folder: Path, layers: int) -> int:
    """Write config.json and one file of random bf16 weights; its bytes."""
    config = {**QWEN3_30B_A3B, "num_hidden_layers": layers}
    arch = read_arch(config)
    shapes = {t.source.name: t.shape for t in arch.tensors}
    shapes |= {e.source(i, p).name: e.shape(p) for e in arch.experts for i in range(e.n_experts) for p in e.parts}
    at, header = 0, {}
    for name, shape in shapes.items():
        n = 2 * int(np.prod(shape))
        header[name] = {"dtype": "BF16", "shape": list(shape), "data_offsets": [at, at + n]}
        at += n
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    drawn = np.random.default_rng(SEED).normal(0, 0.02, 2**24).astype(np.float32)
    block = (drawn.view(np.uint32) >> 16).astype(np.uint16).tobytes()
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(DATA / "qwen3_moe" / name, folder / name)
    (folder / "config.json").write_text(json.dumps(config))
    with (folder / SHARD).open("wb") as file:
        file.write(len(head).to_bytes(8, "little") + head)
        for start in range(0, at, len(block)):
            file.write(block[: at - start])
        file.flush()
        os.fsync(file.fileno())
    return at


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The checkpoint on a hub of this process, never read into memory; its address."""
    with (folder / SHARD).open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        small = Repo({f.name: f.read_bytes() for f in folder.iterdir() if f.name != SHARD})
        digest = subprocess.run(["sha256sum", folder / SHARD], capture_output=True, text=True, check=True).stdout.split()[0]
        small.meta[SHARD] = {"size": len(data), "blobId": digest[:40], "lfs": {"sha256": digest, "size": len(data), "pointerSize": 134}}
        small.files = {**small.files, SHARD: data}  # type: ignore[dict-item]
        with Hub({"owner/large": small}) as hub:
            yield hub.url


def child(job: dict[str, Any]) -> dict[str, float]:
    """One conversion."""
    before = psutil.Process().memory_info().rss
    start, target = perf_counter(), Path(job["target"])
    if job["url"]:
        pull(Wish("owner/large", target, "q4", "q4", endpoint=job["url"]), None, lambda progress: None, CancelToken())
    else:
        convert(Path(job["source"]), target, "q4", "q4", lambda phase, done, total: None, CancelToken())
    seconds = perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"seconds": seconds, "peak_mb": (peak - before) / 1e6}


def _on_drive(folder: Path) -> int:
    out = 0
    for f in folder.rglob("*"):
        try:
            out += f.stat().st_blocks * 512 if f.is_file() else 0
        except OSError:
            continue
    return out


def one(source: Path, url: str, work: Path, nbytes: int) -> dict[str, float]:
    """Figures of one conversion in a process of its own."""
    forget([source / SHARD])
    target, most, over = work / "large.ouzel", [0], threading.Event()

    def watch() -> None:
        while not over.wait(0.1):
            most[0] = max(most[0], _on_drive(work))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        job = json.dumps({"source": str(source), "target": str(target), "url": url})
        command = [sys.executable, "-m", "benchmarks.convert", "--child", job]
        told = subprocess.run(command, capture_output=True, text=True, check=False)
    finally:
        over.set()
        watcher.join()
    if told.returncode:
        raise EngineError(told.stderr.strip().splitlines()[-1] if told.stderr.strip() else "The conversion failed.")
    result = json.loads(told.stdout.splitlines()[-1])
    container = _on_drive(work)
    shutil.rmtree(target)
    return {"mb_per_s": nbytes / result["seconds"] / 1e6, "peak_mb": result["peak_mb"], "over_mb": max(most[0] - container, 0) / 1e6}


def plain_read(path: Path) -> float:
    """MB/s of reading a file from first to last, on an empty page cache."""
    forget([path])
    buffer, n, start = bytearray(2**23), 0, perf_counter()
    with path.open("rb", buffering=0) as file:
        while got := file.readinto(buffer):
            n += got
    return n / (perf_counter() - start) / 1e6


def measure(layers: int = LAYERS, folder: Path | None = None) -> dict[str, Any]:
    """Figures by source."""
    with tempfile.TemporaryDirectory(prefix="ouzel-", dir=folder) as made:
        source, work = Path(made) / "source", Path(made) / "work"
        source.mkdir()
        work.mkdir()
        nbytes = checkpoint(source, layers)
        result: dict[str, Any] = {"input_gb": nbytes / 1e9, "read_mb_per_s": plain_read(source / SHARD)}
        result["folder"] = one(source, "", work, nbytes)
        with served(source) as url:
            result["hub"] = one(source, url, work, nbytes)
        return result


def told(result: dict[str, Any]) -> str:
    """A line for each source."""
    lines = [f"{result['input_gb']:.1f} GB of bf16; plain read {result['read_mb_per_s']:.0f} MB/s"]
    for source in ("folder", "hub"):
        r = result[source]
        lines.append(f"{source:<7} {r['mb_per_s']:6.0f} MB/s, {r['peak_mb']:.0f} MB of memory, {r['over_mb']:.0f} MB beside the container")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.convert")
    parser.add_argument("--layers", type=int, default=LAYERS)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--child")
    parser.add_argument("--json", action="store_true")
    o = parser.parse_args()
    if o.child:
        print(json.dumps(child(json.loads(o.child))))
        return
    result = measure(o.layers, o.folder)
    print(json.dumps(result) if o.json else told(result))


if __name__ == "__main__":
    main()
