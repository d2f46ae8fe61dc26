"""`ouzel run`: one prompt, one answer on standard output."""

import json
import sys
from typing import Annotated

import typer

from engine.cli import options
from engine.cli.client import Client, as_json
from engine.cli.console import Waiting, say, told, unthinking, why_cut
from engine.config import Sampling
from engine.errors import BadRequest
from engine.events import Event, Finished, Prefill, Text
from engine.generate.sampler import check_sampling
from engine.requests import Generate, Message

Prompt = Annotated[str | None, typer.Argument(help="The prompt; - or nothing reads it from standard input.", show_default=False)]


def run(
    prompt: Prompt = None,
    model: options.ModelName = None,
    system: options.System = None,
    budget: options.Budget = None,
    threads: options.Threads = None,
    ctx: options.Context = None,
    temperature: options.Temperature = None,
    top_k: options.TopK = None,
    top_p: options.TopP = None,
    min_p: options.MinP = None,
    repetition_penalty: options.Penalty = None,
    seed: options.Seed = None,
    max_tokens: options.MaxTokens = None,
    stop: options.Stop = None,
    draft: options.Draft = None,
    lookahead: options.Lookahead = "auto",
    exact: options.Exact = False,
    chunk: options.Chunk = None,
    warm_start: options.WarmStart = True,
    record_routes: options.RecordRoutes = None,
    record_drafts: options.RecordDrafts = None,
    kv: options.Kv = "auto",
    think: options.Think = None,
    as_object: options.Json = False,
) -> None:
    """Answer one prompt. Standard output carries the answer only, not what the model thinks before it."""
    messages = conversation(system, read_prompt(prompt))
    given = {
        "temperature": temperature,
        "top_k": top_k,
        "top_p": top_p,
        "min_p": min_p,
        "repetition_penalty": repetition_penalty,
        "seed": seed,
        "max_tokens": max_tokens,
        "stop": tuple(stop or ()),
    }
    check_sampling(Sampling().given(given))  # before a model is read
    with Client() as engine:
        info = engine.open(
            model,
            lambda path: options.engine_config(
                path, budget, threads, ctx, exact, chunk, draft, lookahead, warm_start, record_routes, record_drafts, kv
            ),
        )
        if think and not info.can_think:
            say(unthinking(info))
        sampling = info.defaults.given(given)
        pieces: list[str] = []
        thoughts: list[str] = []

        def see(event: Event) -> None:
            if isinstance(event, Text) and event.kind == "reasoning":
                thoughts.append(event.piece)
                waiting.show(event)
            elif isinstance(event, Text):
                waiting.clear()
                pieces.append(event.piece)
                if not as_object:
                    sys.stdout.write(event.piece)
                    sys.stdout.flush()
            elif isinstance(event, Prefill):
                waiting.show(event)

        with Waiting() as waiting:
            closing = engine.do(Generate(engine.next_id(), messages, sampling, think), see)
    assert isinstance(closing, Finished)
    answer = "".join(pieces)
    if as_object:
        typer.echo(json.dumps(as_json(info, answer, closing.stats, "".join(thoughts)), ensure_ascii=False))
    elif answer and not answer.endswith("\n"):
        typer.echo()
    if cut := why_cut(closing.stats):
        say(cut)
    say(told(closing.stats))
    if closing.stats.reason == "cancelled":
        raise typer.Exit(130)


def conversation(system: str | None, prompt: str) -> tuple[Message, ...]:
    """The messages of a first turn."""
    first = (Message("system", system),) if system else ()
    return (*first, Message("user", prompt))


def read_prompt(prompt: str | None) -> str:
    """The prompt itself, or all of standard input; its last line end is not part of it. An empty one is refused before a model loads."""
    if prompt is None and sys.stdin.isatty():
        raise typer.BadParameter('Give a prompt, as in: ouzel run "Why is the sky blue?"', param_hint="PROMPT")
    if prompt is None or prompt == "-":
        try:
            prompt = sys.stdin.buffer.read().decode("utf-8").removesuffix("\n").removesuffix("\r")
        except UnicodeDecodeError:
            raise BadRequest("The prompt on standard input is no UTF-8 text. Convert it to UTF-8 first.") from None
    if not prompt.strip():
        raise BadRequest('The prompt is empty. Give one, as in: ouzel run "Why is the sky blue?"')
    return prompt
