"""`ouzel batch`: a file of requests is answered, unattended, and goes on after whatever stopped it."""

import json
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from engine.batch.batch import Batch
from engine.batch.lines import Lines
from engine.batch.results import Results
from engine.cli import options
from engine.cli.client import Client
from engine.cli.console import error_console, say
from engine.errors import BadRequest, Cancelled
from engine.events import Event, Finished
from engine.requests import Generate

LONGEST = 1 << 40  # tokens, more than any context
SPAN_S = 60.0  # the rate that is shown is that of so long


def batch(
    requests: Annotated[Path, typer.Argument(help="JSON lines in OpenAI's batch format.", metavar="IN.jsonl")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Results, a JSON line each, in the order of completion.", metavar="OUT.jsonl")],
    model: options.ModelName = None,
    any_model: Annotated[bool, typer.Option("--any-model", help="Answer with MODEL whatever model the requests name.")] = False,
    budget: options.Budget = None,
    threads: options.Threads = None,
    ctx: options.Context = None,
    draft: options.Draft = None,
    lookahead: options.Lookahead = "auto",
    exact: options.Exact = False,
    chunk: options.Chunk = None,
    warm_start: options.WarmStart = True,
    kv: options.Kv = "auto",
    parallel: options.Parallel = 1,
    as_object: options.Json = False,
) -> None:
    """Answer all requests of a file. The same command goes on where it was stopped, also inside an answer; what has a result is not asked
    again, but for requests that did not fit a shorter context. A request that cannot be answered as it stands gets a result that says why,
    and the exit code is 1 then.
    """
    with suppress(OSError):
        if out.expanduser().samefile(requests):
            raise BadRequest(f"{out} holds the requests, so the results cannot be written there. Name another output.")
    target = out.expanduser().absolute()
    with Lines(requests, target.parent) as lines, Results(target, lines) as results:
        before = results.done
        longer = lines.index.short_of(LONGEST if ctx is None else ctx)  # that a longer context may answer
        if before == len(lines) and not longer:
            say(f"All {len(lines)} requests have their results in {out}.")
        else:
            with Client() as engine:
                info = engine.open(
                    model,
                    lambda path: replace(
                        options.engine_config(
                            path, budget, threads, ctx, exact, chunk, draft, lookahead, warm_start, kv=kv, parallel=parallel
                        ),
                        programs=True,
                    ),
                )
                with closing(Batch(lines, results, info, any_model)) as work:
                    before = results.done
                    if before:
                        say(f"{before} of {len(lines)} requests have their results already.")
                    try:
                        _answer(engine, work, parallel)
                    except Cancelled:
                        say(f"{work.done} of {len(lines)} requests are answered. The same command goes on.")
                        raise
        refused = results.refused
    if as_object:
        typer.echo(json.dumps({"results": str(out), "requests": len(lines), "refused": refused}))
    else:
        say(f"{out}: {len(lines)} results.")
    if refused:
        raise BadRequest(f"{refused} of {len(lines)} requests could not be answered; their results in {out} say why.")


def _answer(engine: Client, work: Batch, parallel: int) -> None:
    """Carry out what is left. Raises Cancelled after Ctrl-C."""
    console = error_console()
    columns = (TextColumn("Answering"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"), TimeRemainingColumn())
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("Answering", total=work.total, completed=work.done, rate="")
        rate = _rate()
        stopped = False

        def more() -> Generate | None:
            return None if stopped else work.next(engine.next_id())

        def see(event: Event) -> None:
            nonlocal stopped
            work.take(event)
            stopped = stopped or (isinstance(event, Finished) and event.stats.reason == "cancelled")
            with suppress(OSError):
                bar.update(task, completed=work.done, rate=rate(work.tokens))

        engine.do_several(parallel, more, see)
        if engine.interrupted or stopped:
            raise Cancelled("Stopped.")


def _rate() -> Callable[[int], str]:
    """Says tokens a second of the last minute, given the tokens so far."""
    seen: list[tuple[float, int]] = [(monotonic(), 0)]

    def told(tokens: int) -> str:
        now = monotonic()
        seen.append((now, tokens))
        while seen[0][0] < now - SPAN_S:
            seen.pop(0)
        (then, before), passed = seen[0], now - seen[0][0]
        return f"{(tokens - before) / passed:.1f} tokens/s" if passed > 1 and then else ""

    return told
