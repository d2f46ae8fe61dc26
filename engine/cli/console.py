"""What people see while they wait: everything on standard error, so that standard output carries the answer only."""

import sys
from contextlib import suppress
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from engine.cli.sizes import human
from engine.events import Converting, Counters, Event, Loading, ModelInfo, Prefill, Text
from engine.stats import AnswerStats, Snapshot

LOADING = {
    "manifest": "Opening",
    "tokenizer": "Reading the tokenizer",
    "memory": "Taking memory",
    "trunk": "Loading the trunk",
    "draft": "Loading the draft model",
    "drive": "Testing the drive",
    "measure": "Measuring",
}
CONVERTING = {
    "download": "Downloading",
    "unpack": "Unpacking",
    "wait": "Waiting for another Ouzel that builds it",
    "check": "Checking the checkpoint",
    "trunk": "Packing the trunk",
    "experts": "Packing the experts",
    "verify": "Checking",
    "repair": "Repairing",
    "copy": "Copying",
    "move": "Moving the experts",
}


def error_console() -> Console:
    """A rich console on today's standard error."""
    return Console(file=sys.stderr, highlight=False, soft_wrap=True)


def say(text: str) -> None:
    """A sentence on standard error; one that cannot be written there is not worth the answer."""
    with suppress(OSError):
        error_console().print(text, markup=False)


class Waiting:
    """A progress bar for loading, conversion and prefill; where nobody watches, one line a phase. It leaves nothing behind."""

    def __init__(self) -> None:
        self._console = error_console()
        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
        self._bytes = Progress(*columns, console=self._console, transient=True)
        self._steps = Progress(TextColumn("{task.description}"), BarColumn(), console=self._console, transient=True)
        self._shown: tuple[str, Progress, TaskID] | None = None
        self._quiet = not self._console.is_terminal
        self._phase = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.clear()

    def clear(self) -> None:
        """Take the bar away."""
        if self._shown is not None:
            _, bar, task = self._shown
            bar.remove_task(task)
            bar.stop()
            self._shown = None

    def show(self, event: Event) -> None:
        """Show an event of progress; others are left alone."""
        with suppress(OSError):
            self._show(event)

    def _show(self, event: Event) -> None:
        match event:
            case Loading(_, phase, fraction):
                self._update(self._steps, LOADING.get(phase, phase), fraction, 1.0, phase == "trunk")
            case Converting(_, phase, done, total):
                self._update(self._bytes, CONVERTING.get(phase, phase), done, total or None, True)
            case Prefill(_, done, total):
                self._update(self._steps, "Reading the prompt", done, total, False)
            case Counters() if event.waits:
                self._update(self._steps, f"Waiting for {event.waits}", 0.0, None, False)
            case Text(kind="reasoning"):
                self._update(self._steps, "Thinking", 0.0, None, False)

    def _update(self, bar: Progress, phase: str, done: float, total: float | None, worth_a_line: bool) -> None:
        if self._quiet:
            if worth_a_line and phase != self._phase:
                self._console.print(f"{phase} ...", markup=False)
            self._phase = phase
            return
        if self._shown is None or self._shown[:2] != (phase, bar):
            self.clear()
            self._shown = phase, bar, bar.add_task(phase, total=total)
            bar.start()
        bar.update(self._shown[2], completed=done, total=total)


def told(stats: AnswerStats) -> str:
    """An answer's statistics in a line."""
    c = stats.counters
    parts = [
        f"{stats.answer_tokens} tokens",
        f"{stats.tokens_per_second:.1f} tokens/s" if stats.tokens_per_second else "",
        f"first after {stats.seconds_to_first_token:.2f} s" if stats.answer_tokens else "",
        f"prompt {stats.prompt_tokens}" + (f" ({stats.reused_tokens} known)" if stats.reused_tokens else ""),
        f"cache hits {c.expert_hits / (c.expert_hits + c.expert_misses):.0%}" if c.expert_hits + c.expert_misses else "",
        f"read {human(c.bytes_read)}",
        f"drafts {_drafts(c)}, {round(c.drafts_seconds_saved, 1) + 0.0:+.1f} s gained" if c.drafts_proposed or c.seconds_drafting else "",
        f"seed {stats.seed}",
    ]
    return ", ".join(filter(None, parts))


def _drafts(c: Snapshot) -> str:
    """Kept of proposed, by source where there are several."""
    kinds = (
        ("text", c.drafts_ngram_accepted, c.drafts_ngram_proposed),
        ("draft model", c.drafts_model_accepted, c.drafts_model_proposed),
        ("mtp", c.drafts_mtp_accepted, c.drafts_mtp_proposed),
    )
    there = [f"{name} {kept}/{proposed}" for name, kept, proposed in kinds if proposed]
    only_text = not there or (there[0].startswith("text") and len(there) == 1)
    return f"{c.drafts_accepted}/{c.drafts_proposed}" + ("" if only_text else f" ({', '.join(there)})")


def unthinking(info: ModelInfo) -> str:
    """A sentence for a model that cannot be told whether to think."""
    return f"{info.name} cannot be told whether to think: its chat template has no place for that."


def why_cut(stats: AnswerStats) -> str:
    """A sentence where the answer did not end by itself, else empty."""
    c = stats.counters
    return {
        "length": f"The answer was cut after {stats.answer_tokens} tokens, as --max-tokens says.",
        "context": f"The answer was cut: the context of {c.context_limit} tokens is full. Give more with --ctx, or start anew.",
        "cancelled": "Stopped.",
    }.get(stats.reason, "")
