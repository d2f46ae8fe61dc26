"""Where a step's seconds go, added up where the work is done."""

from dataclasses import dataclass


@dataclass(slots=True)
class Clock:
    """Seconds of the engine thread: waiting for reads, computing experts, mixers, whole steps by kind; and tokens."""

    read_wait: float = 0.0
    experts: float = 0.0
    attention: float = 0.0
    prefill: float = 0.0
    decode: float = 0.0
    steps: int = 0
    tokens_prefilled: int = 0
    began: float | None = None  # perf_counter at which the step that is under way began

    def stepped(self, seconds: float, prompt_rows: int, decoded_rows: int) -> None:
        """A step took so long; of one that did both, each kind's rows count equally."""
        share = prompt_rows / (prompt_rows + decoded_rows)
        self.prefill += seconds * share
        self.decode += seconds * (1 - share)
        self.tokens_prefilled += prompt_rows
