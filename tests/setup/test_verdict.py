"""The verdict as a table of facts; its numbers against the formula's parts; hit rates against the traces that they come from."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from engine.config import EngineConfig
from engine.offers import LEVELS, Verdict
from engine.setup.hits import RECORDED, hit_rate
from engine.setup.memory_speed import MemorySpeed
from engine.setup.outlook import Outlook, outlook
from engine.setup.speed import BURSTS, RECORDS, DriveSpeed
from engine.setup.unwritten import Unwritten
from engine.setup.verdict import Machine, size, token_seconds, trunk_bytes, verdict
from tests.arch.real import GPT_OSS_20B, KIMI_K3, KIMI_LINEAR, QWEN3_30B_A3B

GB = 10**9


def drive(rate: float, latency: float = 1e-4, direct: bool = True) -> DriveSpeed:
    return DriveSpeed(tuple(tuple(latency + r * n / rate for n in BURSTS) for r in RECORDS), direct, "" if direct else "refused")


def machine(memory: float = 16, free: float | None = None, disk: float = 500, read: float = 7e9, rate: float = 40e9) -> Machine:
    speed = MemorySpeed(8, "avx2", rate, 0.9 * rate, 0.6e-6)
    return Machine(int(memory * GB), int((memory if free is None else free) * GB), speed, drive(read), int(disk * GB))


def planned(config: dict[str, object], experts: str = "q4", limit: float | None = None, context: int = 4096) -> Outlook:
    model = Unwritten("released", config, experts, "q4")
    return outlook(model, EngineConfig(Path(), context=context, threads=8, budget_bytes=None if limit is None else int(limit * GB)))


@pytest.mark.parametrize(
    ("config", "experts", "limit", "here", "level", "words"),
    [
        (QWEN3_30B_A3B, "q4", 9.6, machine(), "good", "as most people read"),
        (QWEN3_30B_A3B, "q4", 30, machine(64), "good", "as most people read"),
        (QWEN3_30B_A3B, "q4", 9.6, machine(disk=10), "impossible", "of disk, and 10.0 GB are free"),
        (QWEN3_30B_A3B, "q4", 9.6, machine(read=0.1e9), "slow", "from a drive of 10"),
        (QWEN3_30B_A3B, "q4", 2.0, machine(16, free=1), "slow", "1.0 GB of memory are free now"),
        (KIMI_K3, "mxfp4", None, machine(), "impossible", "this computer has 16.0 GB"),
        (KIMI_K3, "mxfp4", 48, machine(64, disk=2000), "slow", "many minutes"),
        (GPT_OSS_20B, "mxfp4", 6, machine(8), "good", "tokens/s"),
        (KIMI_LINEAR, "q4", 5, machine(8, disk=20), "impossible", "of disk"),
    ],
)
def test_that_facts_give_a_verdict(
    config: dict[str, object], experts: str, limit: float | None, here: Machine, level: str, words: str
) -> None:
    v = verdict(here, planned(config, experts, limit))
    assert v.level == level
    assert any(words in reason for reason in v.reasons), v.reasons
    assert all(not s[0].islower() and s.endswith(".") for s in (*v.reasons, *v.helps))
    if level == "impossible":
        assert v.helps and v.tokens_per_second == v.slowest == v.fastest == 0
    else:
        assert 0 < v.slowest < v.tokens_per_second < v.fastest < 4 * v.slowest
    assert v.disk_peak_bytes == v.disk_bytes + GB


def test_that_the_impossible_is_told_with_what_would_help() -> None:
    k3 = verdict(machine(disk=100), planned(KIMI_K3, "mxfp4"))
    assert len(k3.reasons) == 2  # memory and disk, both at once
    assert any("smaller model" in h for h in k3.helps) and any("another drive" in h for h in k3.helps)
    long = planned(QWEN3_30B_A3B, "q4", None, 40960)
    short = verdict(machine(long.floor_bytes / GB - 1), long)
    assert short.level == "impossible" and any("A context of at most" in h for h in short.helps)
    tokens = int(next(h for h in short.helps if "context" in h).split()[5].replace(",", ""))
    assert planned(QWEN3_30B_A3B, "q4", None, tokens).floor_bytes <= machine(long.floor_bytes / GB - 1).memory_bytes


def test_that_an_installed_model_needs_no_more_disk() -> None:
    v = verdict(machine(disk=0), planned(QWEN3_30B_A3B, "q4", 9.6), installed=True)
    assert v.level == "good" and v.disk_peak_bytes == v.disk_bytes


def test_that_more_memory_or_a_faster_drive_never_slow_it_down() -> None:
    rates = [verdict(machine(64), planned(QWEN3_30B_A3B, "q4", limit)).tokens_per_second for limit in (2, 4, 8, 12, 16, 30)]
    assert rates == sorted(rates) and rates[-1] > 2 * rates[0]
    o = planned(QWEN3_30B_A3B, "q4", 4)
    by_drive = [verdict(machine(read=r), o).tokens_per_second for r in (0.1e9, 0.5e9, 2e9, 7e9)]
    assert by_drive == sorted(by_drive) and by_drive[-1] > 3 * by_drive[0]
    help = [h for h in verdict(machine(64, read=0.3e9), planned(QWEN3_30B_A3B, "q4", 3)).helps if "memory limit" in h]
    assert help and "tokens/s" in help[0]


def test_that_with_all_experts_cached_the_time_is_that_of_the_bytes() -> None:
    here, o = machine(64), planned(QWEN3_30B_A3B, "q4", 30)
    seconds = token_seconds(here, o, 0.0)
    moved = (trunk_bytes(o) + o.token_expert_bytes) / here.memory.product_rate
    assert moved < seconds < 1.3 * moved
    assert "embed" in o.roles and trunk_bytes(o) == sum(r.nbytes for n, r in o.roles.items() if n not in ("embed", "experts"))


def test_that_reads_are_waited_for_where_the_drive_is_slow() -> None:
    here, o = machine(read=0.5e9), planned(QWEN3_30B_A3B, "q4", 4)
    assert token_seconds(here, o, 1.0) > o.token_expert_bytes / 0.5e9


def test_that_what_runs_well_comes_first() -> None:
    here = machine(32, disk=2000)
    verdicts: list[Verdict] = [
        verdict(here, planned(KIMI_K3, "mxfp4")), verdict(replace(here, drive=drive(1e8)), planned(KIMI_LINEAR, "q4", 3)),
        verdict(here, planned(GPT_OSS_20B, "mxfp4", 19)), verdict(here, planned(QWEN3_30B_A3B, "q4", 19)),
    ]  # fmt: skip
    ordered = sorted(verdicts, key=lambda v: v.order)
    assert [LEVELS.index(v.level) for v in ordered] == [0, 0, 1, 2]
    assert ordered[0].parameters > ordered[1].parameters


@pytest.mark.parametrize("sparsity", [0.01, 1 / 48, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2])
def test_that_hits_rise_with_what_is_cached(sparsity: float) -> None:
    shares = [0.0, 0.001, 0.01, 0.03, 0.1, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0]
    rates = [hit_rate(c, sparsity) for c in shares]
    assert rates[0] == 0 and rates[-1] == 1
    assert all(a < b for a, b in pairwise(rates)) and all(r >= c for r, c in zip(rates, shares, strict=True) if c >= sparsity)


def test_that_recorded_rates_come_back() -> None:
    # What benchmarks/NOTES.md has of our own policy: W, W/2, and shares of all experts, in percent.
    assert hit_rate(8 / 256, 8 / 256) == pytest.approx(0.359, abs=0.002)
    assert hit_rate(4 / 64, 8 / 64) == pytest.approx(0.322, abs=0.01)
    assert hit_rate(0.20, 8 / 256) == pytest.approx(0.702, abs=0.01)
    assert hit_rate(0.10, 8 / 64) == pytest.approx(0.422, abs=0.01)
    assert hit_rate(0.20, 8 / 32) == pytest.approx(0.58, abs=0.02)
    assert hit_rate(0.10, 6 / 128) == pytest.approx(0.58, abs=0.05)  # Qwen3-30B by another engine's trace and a similar policy
    assert len(RECORDED) == 3


@pytest.mark.parametrize(("nbytes", "text"), [(8e5, "1 MB"), (2.15e9, "2.1 GB"), (594e9, "594 GB"), (1.483e12, "1.5 TB")])
def test_that_sizes_are_short(nbytes: float, text: str) -> None:
    assert size(nbytes) == text
