"""The mixer kernels of the NEON table, compiled for aarch64 and run under an emulator."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMPILER, EMULATOR = shutil.which("aarch64-linux-gnu-gcc"), shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")


@pytest.mark.skipif(COMPILER is None or EMULATOR is None, reason="needs aarch64-linux-gnu-gcc and qemu-aarch64")
def test_that_neon_mixers_equal_the_generic_ones(tmp_path: Path) -> None:
    source = ROOT / "kernels_pyx" / "csrc"
    program = tmp_path / "harness"
    files = [f for f in sorted(source.glob("*.c")) if not f.name.startswith("aio_")]
    flags = ["-O1", "-std=gnu11", "-fno-math-errno", "-ffp-contract=off", "-static", f"-I{source}"]
    harness = ROOT / "tests" / "neon" / "mixers.c"
    subprocess.run([str(COMPILER), *flags, str(harness), *map(str, files), "-o", str(program), "-lm", "-lpthread"], check=True)
    lines = subprocess.run([str(EMULATOR), str(program)], check=True, capture_output=True, text=True, timeout=60).stdout.splitlines()
    errors = {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}
    assert len(errors) == 6
    for name, error in errors.items():
        assert error <= (2e-3 if "16" in name else 5e-6), (name, error)
