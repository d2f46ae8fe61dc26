"""Whether a model would run here, and how fast, before anything of it is fetched: a pure function of facts.

Seconds a token are a bound from what must move, layer after layer: the trunk's bytes through memory; then the chosen experts, of which
those that are cached are computed while the others come from the drive. Rates are those measured on this machine (engine.setup.speed and
memory_speed), hits those of recorded models (engine.setup.hits).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from engine.offers import Level, Verdict
from engine.setup.hits import SPREAD, hit_rate
from engine.setup.memory_speed import MemorySpeed
from engine.setup.outlook import MTP, Outlook
from engine.setup.speed import RECORDS, DriveSpeed
from engine.stats import number
from engine.words import amount, joined, say

GOOD_RATE = 5.0  # tokens a second; people read about 4 words a second
SLOW_RATE = 1.0  # under it an answer is something to come back to
STAGING = 10**9  # bytes on the drive beside the container while it is made
MEMORY_SHARE = 0.6  # of the free memory, as the planner takes it by default
TYPICAL_LENGTH = 1024  # tokens of context that a step attends to
# What the formula leaves out, fitted to runs of the starter on two cores (benchmarks/verdict.py): kernel calls, threads that wake and
# Python of a layer, in calls of the smallest kernel.
CALLS_A_LAYER = 200.0
MARGIN = 1.15  # of the range, beside that of the hits


@dataclass(frozen=True, slots=True)
class Machine:
    """Bytes of memory in all and free now, what memory and the drive give, and the drive's free bytes."""

    memory_bytes: int
    available_bytes: int
    memory: MemorySpeed
    drive: DriveSpeed
    free_bytes: int

    @property
    def budget_bytes(self) -> int:
        """The memory limit that a model would get by default."""
        return int(self.available_bytes * MEMORY_SHARE)


def verdict(
    machine: Machine, o: Outlook, download_bytes: int | None = None, installed: bool = False, learned_hits: float = 0.0
) -> Verdict:
    """How the model of `o`, planned at the limit that it would get, runs on `machine`.

    installed: it needs no more disk. learned_hits: at least this hit rate, since the model's own use was counted.
    """
    reasons, helps = _missing(machine, o, installed)
    level: Level = "impossible" if reasons else "good"
    cached = cached_share(o)
    hits = max(hit_rate(cached, sparsity(o)), learned_hits)
    missed = 1 - hits
    rates = [0.0] * 3
    if level == "good":
        seconds = [token_seconds(machine, o, m) for m in (missed, min(missed * SPREAD, 1), missed / SPREAD)]
        rates = [1 / seconds[0], 1 / seconds[1] / MARGIN, 1 / seconds[2] * MARGIN]
        level = "good" if rates[0] >= GOOD_RATE and o.floor_bytes <= machine.available_bytes else "slow"
        said, better = _speed(machine, o, rates, missed)
        reasons, helps = (*reasons, *said), (*helps, *better)
    return Verdict(
        level=level,
        reasons=reasons,
        helps=helps,
        tokens_per_second=rates[0],
        slowest=rates[1],
        fastest=rates[2],
        hit_rate=hits,
        cached_share=cached,
        drive_bytes=o.token_expert_bytes * missed,
        download_bytes=download_bytes,
        disk_peak_bytes=o.disk_bytes if installed else o.disk_bytes + STAGING,
        disk_bytes=o.disk_bytes,
        floor_bytes=o.floor_bytes,
        recommended_bytes=o.recommended_bytes,
        budget_bytes=o.plan.budget_bytes,
        context=o.context,
        parameters=o.parameters,
        active_parameters=o.active_parameters,
    )


def sparsity(o: Outlook) -> float:
    """The share of all experts that a token uses."""
    return o.top_k * o.moe_layers / o.plan.n_records if o.plan.n_records else 1.0


def cached_share(o: Outlook) -> float:
    """The share of all experts that has slots."""
    return o.plan.n_slots / o.plan.n_records if o.plan.n_records else 1.0


def trunk_bytes(o: Outlook) -> int:
    """What every token reads of the weights: all that is resident but an embedding that is not the head."""
    return sum(r.nbytes for name, r in o.roles.items() if r.resident and name != MTP and not (name == "embed" and "head" in o.roles))


def token_seconds(machine: Machine, o: Outlook, missed: float) -> float:
    """Seconds of a decode step at a context of TYPICAL_LENGTH tokens, where the share `missed` of the experts comes from the drive."""
    m = machine.memory
    kept = o.per_token_bytes * min(o.context, TYPICAL_LENGTH)
    seconds = trunk_bytes(o) / m.product_rate + kept / m.read_rate + CALLS_A_LAYER * m.call_seconds * o.layers
    if not o.moe_layers:
        return seconds
    nbytes = o.token_expert_bytes / o.moe_layers / o.top_k
    return seconds + o.moe_layers * _mean(o.top_k, missed, lambda n: _layer(machine, nbytes, o.top_k, n))


def _layer(machine: Machine, nbytes: float, top_k: int, missed: int) -> float:
    """Seconds of one layer's experts of nbytes each: cached ones are computed while the missed ones come; the last is computed after it.

    Beside products on the same processors a read takes longer by what it costs them, which is nearly all that the smallest reads take.
    """
    one = nbytes / machine.memory.product_rate
    if not missed:
        return top_k * one
    reading = machine.drive.burst(nbytes, missed) + machine.drive.burst(RECORDS[0], missed)
    return max(reading + one, top_k * one)


def _mean(n: int, p: float, value: Callable[[int], float]) -> float:
    """The mean of value(k) where k of n experts miss, each with probability p."""
    return sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) * value(k) for k in range(n + 1))


def _missing(machine: Machine, o: Outlook, installed: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Why it is impossible, and what would help."""
    reasons, helps = list[str](), list[str]()
    if o.floor_bytes > machine.memory_bytes:
        reasons.append(
            say(
                "It needs at least {floor_bytes} of memory, and this computer has {memory_bytes}.",
                floor_bytes=size(o.floor_bytes, up=True),
                memory_bytes=size(machine.memory_bytes),
            )
        )
        over, spare = o.floor_bytes - machine.memory_bytes, o.per_token_bytes * o.context
        if over < spare:
            least = o.context - math.ceil(over / o.per_token_bytes) - 1
            if least >= TYPICAL_LENGTH:
                helps.append(say("A context of at most {least:,} tokens would fit.", least=least // 256 * 256))
        helps.append(say("A smaller model, or a computer with {floor_bytes} of memory or more.", floor_bytes=size(o.floor_bytes, up=True)))
    need = o.disk_bytes + STAGING
    if not installed and need > machine.free_bytes:
        reasons.append(
            say("It needs {need} of disk, and {free_bytes} are free there.", need=size(need, up=True), free_bytes=size(machine.free_bytes))
        )
        more = size(need - machine.free_bytes, up=True)
        helps.append(say("Free {need}, choose a folder on another drive, or a smaller model.", need=more))
    return tuple(reasons), tuple(helps)


def _speed(machine: Machine, o: Outlook, rates: list[float], missed: float) -> tuple[list[str], list[str]]:
    """What the speed is and comes from, and what would raise it."""
    rate, slowest, fastest = rates
    words = say("at least as fast as most people read") if rate >= GOOD_RATE else say("slower than most people read")
    if rate < SLOW_RATE:
        words = say("an answer takes many minutes; good for work that nobody waits for")
    pace = say("About {slowest} to {fastest} tokens/s: {words}.", slowest=number(slowest), fastest=number(fastest), words=words)
    reasons, helps = list[str]([pace]), list[str]()
    memory_only = token_seconds(machine, o, 0.0)
    waits = 1 - memory_only * rate
    if waits > 0.3:
        drive = joined("", [size(machine.drive.rate), "/s"])
        reasons.append(
            say(
                "{share:.0%} of the time goes into reading experts: {token_expert_bytes} a token from a drive of {drive}.",
                share=waits,
                token_expert_bytes=size(o.token_expert_bytes * missed),
                drive=drive,
            )
        )
    if not machine.drive.direct:
        reasons.append(say("This drive cannot be read past the system's cache, so that its speed may be overestimated."))
    if o.floor_bytes > machine.available_bytes:
        reasons.append(
            say(
                "Of the {floor_bytes} that it needs, {available_bytes} of memory are free now.",
                floor_bytes=size(o.floor_bytes, up=True),
                available_bytes=size(machine.available_bytes),
            )
        )
        helps.append(say("Close other programs first."))
    if rate >= GOOD_RATE:
        return reasons, helps
    more = _at_limit(o, o.recommended_bytes)
    faster = 1 / token_seconds(machine, more, 1 - hit_rate(cached_share(more), sparsity(o)))
    if faster > 1.3 * rate and o.recommended_bytes > o.plan.budget_bytes:
        helps.append(
            say(
                "A memory limit of {recommended_bytes}: about {faster} tokens/s.",
                recommended_bytes=size(o.recommended_bytes),
                faster=number(faster),
            )
        )
    if waits > 0.5:
        helps.append(say("A faster drive: {rate} tokens/s are the most that memory allows.", rate=number(1 / memory_only)))
    return reasons, helps


def _at_limit(o: Outlook, limit: int) -> Outlook:
    """`o` with the expert slots that a larger limit adds."""
    more = max(limit - o.plan.budget_bytes, 0) // max(o.plan.slot_bytes, 1)
    return replace(o, plan=replace(o.plan, budget_bytes=limit, n_slots=min(o.plan.n_slots + more, o.plan.n_records)))


def size(nbytes: float, up: bool = False) -> str:
    """Bytes for people: "812 MB", "2.1 GB", "594 GB", "1.5 TB". up: rounded up, so that the number is enough."""
    for unit, scale in (("TB", 10**12), ("GB", 10**9)):
        if nbytes >= scale:
            tenths = nbytes < 100 * scale
            return amount("{:.1f} " + unit if tenths else "{:.0f} " + unit, _up(nbytes, scale // 10 if tenths else scale, up) / scale)
    return amount("{:.0f} MB", _up(nbytes, 10**6, up) / 10**6)


def _up(nbytes: float, step: int, up: bool) -> float:
    return -(-nbytes // step) * step if up else nbytes
