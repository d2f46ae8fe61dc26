"""`ouzel measure`: what a model's formats cost, on a text."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from engine.cancel import CancelToken
from engine.cli import options
from engine.cli.client import choose
from engine.cli.console import Waiting, say
from engine.container.reader import Container
from engine.errors import BadRequest, StorageError
from engine.events import Converting, Loading
from engine.setup.measure import Quality, budget_of_each, bundled_text, compare, full_precision, opened, source_of, windows
from engine.text.text import Text


def measure(
    model: options.ModelArgument,
    against: Annotated[
        Path | None, typer.Option(help="The full-precision checkpoint that it was made from, for the KL.", metavar="CHECKPOINT_FOLDER")
    ] = None,
    text: Annotated[Path | None, typer.Option(help="A text file (UTF-8) instead of the bundled text.", metavar="FILE")] = None,
    parts: Annotated[int | None, typer.Option("--windows", help="Stop after so many windows of 512 tokens.", min=1)] = None,
    exact: options.Exact = False,
    kv: options.Kv = "auto",
    budget: options.Budget = None,
    threads: options.Threads = None,
    scratch: Annotated[Path | None, typer.Option(help="Where --against is converted to; the cache folder if left out.")] = None,
    as_object: options.Json = False,
) -> None:
    """Measure the perplexity of a model, and how far it lies from its full-precision source.

    With --against the source is converted to a temporary container that loses nothing, and computed in exact arithmetic beside it.
    """
    path = choose(model)
    prose = bundled_text() if text is None else _read(text)
    container = Container.open(path)
    container.close()
    texts = windows(Text.open(path), container.arch, prose)[:parts]
    n_models, cancel = 1 if against is None else 2, CancelToken()
    each = budget_of_each(budget, n_models, container.arch.vocab_size)
    with Waiting() as waiting:

        def told(done: int, total: int) -> None:
            waiting.show(Loading(0, "measure", done / total))

        if against is None:
            with opened(path, exact, each, cancel, threads, kv) as ours:
                found, kept = compare(ours, None, texts, told, cancel), ours.plan.kv_dtype
        else:
            source_of(against, container)
            say(f"Converting {against} to a temporary container that loses nothing.")
            with (
                full_precision(against.absolute(), lambda *p: waiting.show(Converting(0, *p)), cancel, scratch) as source,
                opened(path, exact, each, cancel, threads, kv) as ours,
                opened(source, True, each, cancel, threads) as reference,
            ):
                waiting.clear()
                found, kept = compare(ours, reference, texts, told, cancel), ours.plan.kv_dtype
    arithmetic = "exact" if exact else "fast"
    value = {"model": container.name, "text": str(text or "bundled"), "windows": len(texts), "arithmetic": arithmetic, "kv": kept}
    typer.echo(json.dumps({**value, **asdict(found)}) if as_object else described(container.name, len(texts), exact, kept, found))


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as e:
        raise BadRequest(f"{path} is no text in UTF-8. Give a plain text file.") from e
    except OSError as e:
        raise StorageError(f"{path} cannot be read ({e.strerror or e}). Check the path and its permissions.", repr(e)) from e


def described(name: str, n_windows: int, exact: bool, kv: str, q: Quality) -> str:
    """The result for people."""
    head = f"{name}: {q.tokens} tokens in {n_windows} windows, {'exact' if exact else 'fast'} arithmetic, keys and values in {kv}"
    lines = [head, f"  perplexity   {q.perplexity:.3f}"]
    if q.reference_perplexity is not None and q.kl is not None and q.same_top is not None:
        change = q.perplexity / q.reference_perplexity - 1
        lines += [
            f"  the source's {q.reference_perplexity:.3f} in exact arithmetic; the model's is {change:+.2%} of it",
            f"  mean KL      {q.kl:.2e} nats a token",
            f"  likeliest    the same token at {q.same_top:.1%} of the places",
        ]
    return "\n".join(lines)
