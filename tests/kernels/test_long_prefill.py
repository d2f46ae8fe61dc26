"""Prefill attention is blocked: a long prompt needs no more memory than a short one, in particular no matrix of all scores."""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from kernels_pyx.attention import Gqa, KvCache
from kernels_pyx.compute import Compute, Rows
from kernels_pyx.latent import Latent, LatentCache

T = 6144
SCORES = 4 * T * T  # bytes of one head's scores: 151 MB
SPARE = 8 << 20  # what else a process may touch meanwhile

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads the peak from /proc")


def status(name: str) -> int:
    """Bytes of VmRSS or VmHWM of this process."""
    line = next(x for x in Path("/proc/self/status").read_text().splitlines() if x.startswith(name))
    return 1024 * int(line.split()[1])


def peak_rise(work: Callable[[], object]) -> int:
    """How far the resident memory rises above what it is now."""
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts again from here
    before = status("VmRSS")
    work()
    return max(status("VmHWM") - before, 0)


def filled(*widths: int) -> list[Rows]:
    out = [Rows(T, w) for w in widths]
    for i, rows in enumerate(out):
        rows.array[:] = np.random.default_rng(i).standard_normal(rows.array.shape, np.float32)
    return out


def test_that_the_peak_is_seen() -> None:
    assert peak_rise(lambda: np.ones(SCORES // 4, np.float32).sum()) > SCORES // 2


def test_that_attention_keeps_no_matrix_of_scores() -> None:
    c, cache = Compute(2, True, 1, 32), KvCache(1, 16, 16, T, "f16")
    q, k, v, out = filled(32, 16, 16, 32)
    np.asarray(cache.keys)[:] = np.asarray(cache.values)[:] = 1  # touched, and counted before
    assert peak_rise(lambda: Gqa(2, 1, 16)(c, q, k, v, T, 0, cache, out)) < SPARE
    assert np.isfinite(out.array).all()
    c.close()


def test_that_latent_attention_keeps_no_matrix_of_scores() -> None:
    c, cache = Compute(2, True, 1, 32), LatentCache(16, 4, T, "f16")
    q, queries, kv = filled(2 * 8, 2 * 16, 20)
    cache.array[:] = 1
    latent = Latent(2, 4, 4, 16, norm=np.ones(16, np.float32), norm_eps=1e-6, rope=None, scale=0.3)
    assert peak_rise(lambda: latent(c, q, queries, kv, T, 0, cache)) < SPARE
    assert np.isfinite(queries.array).all()
    c.close()
