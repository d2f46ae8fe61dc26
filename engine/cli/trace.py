"""`ouzel trace`: a forward pass with everything in it, for whoever ports a model."""

import os
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from engine.cli import options
from engine.cli.client import choose
from engine.cli.console import say
from engine.errors import EngineError
from engine.model.trace import trace as record


def parse_ids(text: str) -> list[int]:
    """Token ids of "1,2,3"; a usage error for anything else."""
    try:
        return [int(part) for part in text.replace(",", " ").split()]
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no list of token ids; write it like 1,2,3.", param_hint="--ids") from None


def trace(
    model: options.ModelArgument,
    ids: Annotated[str, typer.Option(help="Token ids of the prompt.", metavar="1,2,3")],
    out: Annotated[Path, typer.Option(help="The file to write.", metavar="FILE.npz")],
    greedy: Annotated[int, typer.Option(help="Likeliest tokens to add; the end token does not stop them.", min=0)] = 0,
    chunk: options.Chunk = None,
    exact: options.Exact = False,
    budget: options.Budget = None,
    threads: options.Threads = None,
    ctx: options.Context = None,
    kv: options.Kv = "auto",
) -> None:
    """Write logits, hidden states and chosen experts of a prompt into an .npz file."""
    if out.exists() and not out.is_file():
        raise EngineError(f"{out} is no ordinary file and would be replaced. Choose another file to write.")
    if not out.absolute().parent.is_dir():
        raise EngineError(f"{out} cannot be written: {out.absolute().parent} is no folder that exists. Choose another file to write.")
    config = options.engine_config(choose(model), budget, threads, ctx, exact, chunk, kv=kv)
    arrays = record(config, parse_ids(ids), greedy)
    draft = out.with_name(f"{out.name}.{os.getpid()}.new")
    try:
        with draft.open("wb") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]
            file.flush()
            os.fsync(file.fileno())
        draft.replace(out)
    finally:
        draft.unlink(missing_ok=True)
    say(f"{out}: " + ", ".join(f"{name} {'x'.join(map(str, a.shape))}" for name, a in arrays.items()))
