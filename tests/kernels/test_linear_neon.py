import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from kernels_pyx.linear import FORMATS, pack, unpack
from tests.reference.linear import activate, int8_rows

ROOT = Path(__file__).parents[2]
COMPILER, EMULATOR = shutil.which("aarch64-linux-gnu-gcc"), shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")

pytestmark = pytest.mark.skipif(COMPILER is None or EMULATOR is None, reason="needs aarch64-linux-gnu-gcc and qemu-aarch64")


@pytest.fixture(scope="module")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source, program = ROOT / "kernels_pyx" / "csrc", tmp_path_factory.mktemp("neon") / "linear"
    files = [ROOT / "tests" / "neon" / "linear.c", *(source / name for name in ("kernels_neon.c", "formats.c", "pool.c"))]
    flags = ["-O1", "-std=gnu11", "-fno-math-errno", "-ffp-contract=off", "-static", f"-I{source}"]
    subprocess.run([str(COMPILER), *flags, *map(str, files), "-o", str(program), "-lm", "-lpthread"], check=True)
    return program


@pytest.mark.parametrize("fmt", FORMATS)
@pytest.mark.parametrize("exact", [True, False], ids=["exact", "fast"])
@pytest.mark.parametrize("shape", [(5, 40, 1), (81, 161, 1), (50, 96, 9), (33, 580, 21)])
def test_that_neon_products_equal_the_reference(harness: Path, tmp_path: Path, fmt: str, exact: bool, shape: tuple[int, int, int]) -> None:
    rows, cols, n = shape
    rng = np.random.default_rng(shape)
    w, x = rng.standard_normal((rows, cols), np.float32), rng.standard_normal((n, cols), np.float32)
    head = np.array([FORMATS.index(fmt), exact, rows, cols, n], np.int32)
    (tmp_path / "in").write_bytes(head.tobytes() + w.tobytes() + x.tobytes())
    subprocess.run([str(EMULATOR), str(harness), str(tmp_path / "in"), str(tmp_path / "out")], check=True, timeout=60)
    found = np.frombuffer((tmp_path / "out").read_bytes(), np.float32)
    decoded, y, hidden = np.split(found, np.cumsum([rows * cols, n * rows]))
    back = unpack(fmt, rows, cols, pack(fmt, w))
    assert np.linalg.norm(decoded - back.reshape(-1)) <= 1e-3 * np.linalg.norm(back)
    h = x.astype(np.float64) if exact or fmt in ("f32", "bf16") else int8_rows(x)
    product = h @ decoded.reshape(rows, cols).astype(np.float64).T
    gated = activate("silu", product, product, ())
    for got, expected in ((y.reshape(n, rows), product), (hidden.reshape(n, -1)[:, :rows], gated)):
        assert np.linalg.norm(got - expected) <= 2e-6 * np.linalg.norm(expected)
