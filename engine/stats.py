"""Counters: every number that a person sees is one of these, taken where the work is done."""

from dataclasses import dataclass

from engine.words import amount


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The engine's counters since the model was opened; rates are differences of two snapshots.

    Seconds are wall time of the engine thread: read_wait (blocked on expert reads), experts, attention (mixers), rest.
    *_bytes of memory are what is allocated under the budget now. context_used: of the longest conversation that is held.
    """

    time: float = 0.0  # time.monotonic() of this snapshot
    tokens_prefilled: int = 0
    tokens_decoded: int = 0
    forward_steps: int = 0
    expert_hits: int = 0
    expert_misses: int = 0
    expert_evictions: int = 0
    bytes_read: int = 0
    read_seconds: float = 0.0  # with at least one read in flight
    lookahead_reads: int = 0  # experts read before their layer asked; used: there in time, late: still in flight, wasted: not asked for
    lookahead_used: int = 0
    lookahead_late: int = 0
    lookahead_wasted: int = 0
    lookahead_seconds_saved: float = 0.0  # estimated from steps with and without; below 0 where it lost
    lookahead_on: bool = False  # found to pay, or asked for
    seconds_read_wait: float = 0.0
    seconds_experts: float = 0.0
    seconds_attention: float = 0.0
    seconds_rest: float = 0.0
    seconds_prefill: float = 0.0
    seconds_decode: float = 0.0
    drafts_proposed: int = 0  # drafted tokens that were in steps, of all sources; accepted: those that the model drew
    drafts_accepted: int = 0
    drafts_ngram_proposed: int = 0  # of them, those that the text proposed
    drafts_ngram_accepted: int = 0
    drafts_model_proposed: int = 0  # those of a draft model
    drafts_model_accepted: int = 0
    drafts_mtp_proposed: int = 0  # and those of the model's own layers for further tokens
    drafts_mtp_accepted: int = 0
    seconds_drafting: float = 0.0  # what draft model and such layers took
    drafts_seconds_saved: float = 0.0  # estimated against plain steps; below 0 where drafts lost
    memory_bytes: int = 0
    budget_bytes: int = 0
    context_used: int = 0
    context_limit: int = 0


@dataclass(frozen=True, slots=True)
class VolumeCounters:
    """One volume since opening. reads: parts of records; seconds: with a read in flight; errors: failed reads and damaged records.

    state: "ok"; "slow" (it stalls) or "dead" (it fails): copies elsewhere are read instead, and it is tried again later; "missing":
    it was not there at opening, as `problem` says. rate: bytes per second lately while reading, 0 where it is not known.
    """

    path: str
    state: str
    bytes_read: int
    reads: int
    seconds: float
    errors: int
    rate: float
    problem: str = ""


@dataclass(frozen=True, slots=True)
class AnswerStats:
    """One answer. reason: "end" (end token), "stop" (stop string), "length" (max_tokens), "context" (context full), "cancelled"."""

    reason: str
    prompt_tokens: int  # of the whole prompt
    reused_tokens: int  # of it, already in the session
    answer_tokens: int
    seconds_to_first_token: float
    seconds_decode: float
    seed: int
    counters: Snapshot  # differences over this answer, work for answers beside it included
    reasoning_tokens: int = 0  # of the answer's, those whose text is reasoning
    resumed_tokens: int = 0  # of the answer's, those that an earlier run drew

    @property
    def tokens_per_second(self) -> float:
        """Decoded tokens after the first one per second; 0 when there is no second one."""
        drawn = self.answer_tokens - max(self.resumed_tokens, 1)
        return drawn / self.seconds_decode if drawn > 0 and self.seconds_decode > 0 else 0.0


def number(rate: float) -> str:
    """Two digits that count."""
    return amount("{:.0f}" if rate >= 10 else "{:.1f}" if rate >= 1 else "{:.2f}", rate)
