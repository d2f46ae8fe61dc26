"""The kernels of the NEON tables, compiled for aarch64 and run under an emulator (its processor has dotprod and i8mm)."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from kernels_pyx.linear import FORMATS, pack, unpack
from tests.reference.linear import activate, int8_rows

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "kernels_pyx" / "csrc"
COMPILER, EMULATOR = shutil.which("aarch64-linux-gnu-gcc"), shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
FLAGS = ["-O1", "-std=gnu11", "-fno-math-errno", "-ffp-contract=off", f"-I{SOURCE}"]
TABLES = {"neon": 0, "i8mm": 1}

Run = Callable[..., list[str]]

pytestmark = pytest.mark.skipif(COMPILER is None or EMULATOR is None, reason="needs aarch64-linux-gnu-gcc and qemu-aarch64")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """run(NAME, arguments...): the lines that tests/neon/NAME.c prints; all kernels are compiled once."""
    folder = tmp_path_factory.mktemp("neon")
    sources = [str(f) for f in sorted(SOURCE.glob("*.c")) if not f.name.startswith("aio_")]
    subprocess.run([str(COMPILER), *FLAGS, "-c", *sources], check=True, cwd=folder)
    objects = [str(f) for f in sorted(folder.glob("*.o"))]

    def run(name: str, *arguments: object) -> list[str]:
        program = folder / name
        if not program.exists():
            source = ROOT / "tests" / "neon" / f"{name}.c"
            subprocess.run([str(COMPILER), *FLAGS, "-static", str(source), *objects, "-o", str(program), "-lm", "-lpthread"], check=True)
        command = [str(EMULATOR), str(program), *map(str, arguments)]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout.splitlines()

    return run


def errors(lines: list[str]) -> dict[str, float]:
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def products(run: Run, folder: Path, fmt: str, table: str, exact: bool, w: np.ndarray, x: np.ndarray) -> list[np.ndarray]:
    """Unpacked weights [rows, cols], products [n, rows] and silu-gated products [n, rows], as the table computes them."""
    (rows, cols), n = w.shape, len(x)
    head = np.array([FORMATS.index(fmt), exact, rows, cols, n, TABLES[table]], np.int32)
    (folder / "in").write_bytes(head.tobytes() + w.tobytes() + x.tobytes())
    run("linear", folder / "in", folder / "out")
    found = np.frombuffer((folder / "out").read_bytes(), np.float32)
    decoded, y, hidden = np.split(found, np.cumsum([rows * cols, n * rows]))
    return [decoded.reshape(rows, cols), y.reshape(n, rows), hidden.reshape(n, -1)[:, :rows]]


def numbers(rows: int, cols: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng((rows, cols))
    return rng.standard_normal((rows, cols), np.float32), rng.standard_normal((n, cols), np.float32)


@pytest.mark.parametrize("fmt", FORMATS)
@pytest.mark.parametrize("exact", [True, False], ids=["exact", "fast"])
@pytest.mark.parametrize("shape", [(5, 40, 1), (81, 161, 3), (33, 580, 21)], ids=str)
def test_that_products_equal_the_reference(run: Run, tmp_path: Path, fmt: str, exact: bool, shape: tuple[int, int, int]) -> None:
    w, x = numbers(*shape)
    decoded, y, hidden = products(run, tmp_path, fmt, "neon", exact, w, x)
    back = unpack(fmt, len(w), w.shape[1], pack(fmt, w))
    np.testing.assert_array_equal(decoded, back)
    h = x.astype(np.float64) if exact or fmt in ("f32", "bf16") else int8_rows(x)
    product = h @ decoded.astype(np.float64).T
    for got, expected in ((y, product), (hidden, activate("silu", product, product, ()))):
        assert np.linalg.norm(got - expected) <= 2e-6 * np.linalg.norm(expected)


@pytest.mark.parametrize("fmt", FORMATS)
@pytest.mark.parametrize("table", TABLES)
def test_that_decode_and_prefill_give_a_row_the_same_bits(run: Run, tmp_path: Path, fmt: str, table: str) -> None:
    w, x = numbers(50, 580, 21)
    many = products(run, tmp_path, fmt, table, False, w, x)
    for n in (1, 4, 8, 11):
        few = products(run, tmp_path, fmt, "neon", False, w, x[:n])
        for a, b in zip(many[1:], few[1:], strict=True):
            np.testing.assert_array_equal(a[:n], b)


def test_that_rows_and_attention_equal_the_generic_ones(run: Run) -> None:
    found = errors(run("rows_attention"))
    assert len(found) == 13
    for name, error in found.items():
        assert error <= (0 if name == "ids" else 2e-6 if name[-3:-2] in "0" or "attention" not in name else 2e-3), (name, error)


def test_that_mixers_equal_the_generic_ones(run: Run) -> None:
    found = errors(run("mixers"))
    assert len(found) == 7
    for name, error in found.items():
        assert error <= (2e-3 if "16" in name or "q8" in name else 5e-6), (name, error)
