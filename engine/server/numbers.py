"""The server's and the engine's numbers for Prometheus."""

from collections.abc import Iterator
from typing import Protocol

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from engine.events import Event, Finished
from engine.server.desk import Desk, Ticket
from engine.stats import Snapshot

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SECONDS = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800)
RATES = (0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100)


class HasSnapshot(Protocol):
    """What the numbers are taken from."""

    @property
    def snapshot(self) -> Snapshot | None:
        """The engine's newest counters."""


class Numbers:
    """All numbers of one server, in a registry of their own."""

    def __init__(self, engine: HasSnapshot) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter("ouzel_requests", "Requests by route and status.", ["route", "status"], registry=self._registry)
        self._prompt = Counter("ouzel_prompt_tokens", "Tokens of prompts.", registry=self._registry)
        self._cached = Counter("ouzel_cached_tokens", "Tokens of prompts that did not have to be computed.", registry=self._registry)
        self._answer = Counter("ouzel_answer_tokens", "Tokens of answers.", registry=self._registry)
        self._waited = Histogram("ouzel_queue_seconds", "Seconds in the queue.", buckets=SECONDS, registry=self._registry)
        told = "Seconds from an answer's turn to its first token."
        self._first = Histogram("ouzel_first_token_seconds", told, buckets=SECONDS, registry=self._registry)
        self._rate = Histogram("ouzel_tokens_per_second", "Decoded tokens a second of an answer.", buckets=RATES, registry=self._registry)
        self._waiting = Gauge("ouzel_waiting_requests", "Requests that wait for their turn.", registry=self._registry)
        self._running = Gauge("ouzel_running_requests", "Requests that are being carried out.", registry=self._registry)
        self._registry.register(_EngineNumbers(engine))

    def watch(self, desk: Desk) -> None:
        """Tell how many wait there."""
        self._waiting.set_function(lambda: desk.waiting)
        self._running.set_function(lambda: desk.running)

    def ended(self, ticket: Ticket, event: Event) -> None:
        """An answer has ended."""
        self._waited.observe(ticket.began - ticket.came)
        if isinstance(event, Finished):
            s = event.stats
            self._prompt.inc(s.prompt_tokens)
            self._cached.inc(s.reused_tokens)
            self._answer.inc(s.answer_tokens)
            self._first.observe(s.seconds_to_first_token)
            if s.tokens_per_second:
                self._rate.observe(s.tokens_per_second)

    def text(self) -> bytes:
        """In Prometheus' text format."""
        return generate_latest(self._registry)


class _EngineNumbers(Collector):
    """The engine's counters, read when they are asked for."""

    COUNTERS = (
        ("tokens_prefilled", "Prompt tokens computed since the model was opened."),
        ("tokens_decoded", "Tokens drawn."),
        ("expert_hits", "Experts that were in memory when they were needed."),
        ("expert_misses", "Experts that had to be read."),
        ("bytes_read", "Bytes of experts read."),
        ("seconds_read_wait", "Seconds in which the engine waited for reads."),
        ("drafts_proposed", "Drafted tokens."),
        ("drafts_accepted", "Drafted tokens that the model drew."),
    )
    GAUGES = (
        ("memory_bytes", "Bytes allocated under the memory limit."),
        ("budget_bytes", "The memory limit."),
        ("context_used", "Tokens of the conversation that is held."),
        ("context_limit", "Tokens that prompt and answer may have together."),
    )

    def __init__(self, engine: HasSnapshot) -> None:
        self._engine = engine

    def collect(self) -> Iterator[Metric]:
        """Nothing before a model is open."""
        snapshot = self._engine.snapshot
        if snapshot is None:
            return
        for name, told in self.COUNTERS:
            yield CounterMetricFamily(f"ouzel_engine_{name}", told, value=getattr(snapshot, name))
        for name, told in self.GAUGES:
            yield GaugeMetricFamily(f"ouzel_engine_{name}", told, value=getattr(snapshot, name))
