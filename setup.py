"""The compiled floor: one extension a .pyx of kernels_pyx; C lies where it is used, or in `compute` (the rest, reached by cimport)."""

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

ROOT = Path("kernels_pyx")
C_FLAGS = ["/O2", "/std:c11"] if sys.platform == "win32" else ["-O3", "-std=gnu11", "-fno-math-errno", "-ffp-contract=off", "-g0"]
DEBUG = os.environ.get("OUZEL_DEBUG") == "1"  # a build that stops at an index out of bounds or undefined behaviour; slow
UNDEFINED = ["-fsanitize=undefined", "-fno-sanitize-recover=undefined"] if DEBUG and sys.platform != "win32" else []
if UNDEFINED:
    C_FLAGS += ["-O1", "-g", "-fstack-protector-strong", *UNDEFINED]
HEADERS = sorted(str(p) for pattern in ("csrc/*.h", "*.pxd", "*.pxi") for p in ROOT.glob(pattern))


def owner(source: str) -> str:
    """The extension that links a C file."""
    return {"formats.c": "linear", "sha256.c": "sha256"}.get(source, "aio" if source.startswith("aio_") else "compute")


def extension(pyx: Path) -> Extension:
    """The extension of one .pyx with its C sources; those that no other names belong to `compute`."""
    sources = [str(pyx), *sorted(str(p) for p in (ROOT / "csrc").glob("*.c") if owner(p.name) == pyx.stem)]
    return Extension(
        f"kernels_pyx.{pyx.stem}",
        sources,
        include_dirs=[str(ROOT / "csrc")],
        depends=HEADERS,
        extra_compile_args=C_FLAGS,
        extra_link_args=UNDEFINED,
        define_macros=[("CYTHON_USE_MODULE_STATE", "0")],
    )


setup(
    options={"build_ext": {"parallel": os.cpu_count() or 1}},
    ext_modules=cythonize([extension(p) for p in sorted(ROOT.glob("*.pyx"))], language_level=3, force=DEBUG, compiler_directives={
        "boundscheck": DEBUG, "wraparound": False, "cdivision": not DEBUG, "embedsignature": False, "initializedcheck": DEBUG,
    }),
)
