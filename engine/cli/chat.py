"""`ouzel chat`: a conversation in the terminal."""

import contextlib
import json
import sys
from collections.abc import Callable
from dataclasses import replace

import typer

from engine.cli import options
from engine.cli.client import Client, as_json
from engine.cli.console import Waiting, say, unthinking, why_cut
from engine.cli.lines import next_line, remember_lines
from engine.cli.slash import carry_out, commands
from engine.cli.terminal import PlainWriter, answer_writer
from engine.config import Sampling
from engine.errors import Cancelled, EngineError
from engine.events import Counters, Event, Finished, ModelInfo, Prefill, Text
from engine.generate.sampler import check_sampling
from engine.requests import Generate, Message
from engine.stats import AnswerStats


class Conversation:
    """What was said, and the engine that answers."""

    def __init__(
        self, engine: Client, info: ModelInfo, sampling: Sampling, system: str | None, think: bool | None, as_object: bool,
        status: Callable[[], str] | None = None,
    ) -> None:
        """status: how far the model's download is."""
        self.status = status
        self.engine, self.info, self.sampling, self.as_object = engine, info, sampling, as_object
        self.first_sampling = sampling
        self.system, self.think = system or "", think
        self.said: list[Message] = []
        self.stats: AnswerStats | None = None

    def ask(self, prompt: str) -> None:
        """Answer the prompt; a turn that gave no answer is forgotten."""
        first = [Message("system", self.system)] if self.system else []
        turn = Message("user", prompt)
        request = Generate(self.engine.next_id(), (*first, *self.said, turn), self.sampling, self.think)
        pieces: list[str] = []
        thoughts: list[str] = []

        with Waiting() as waiting, contextlib.ExitStack() as opened:
            writer = PlainWriter() if self.as_object else answer_writer()

            def see(event: Event) -> None:
                if isinstance(event, Prefill) or (isinstance(event, Counters) and not pieces):
                    waiting.show(event)
                elif isinstance(event, Text) and event.kind == "reasoning":
                    thoughts.append(event.piece)
                    waiting.show(event)
                elif isinstance(event, Text):
                    if not pieces and not self.as_object:
                        waiting.clear()
                        opened.enter_context(writer)
                    pieces.append(event.piece)
                    if not self.as_object:
                        writer.write(event.piece)

            closing = self.engine.do(request, see)
        assert isinstance(closing, Finished)
        answer, reasoning, self.stats = "".join(pieces), "".join(thoughts), closing.stats
        if answer:
            self.said += [turn, Message("assistant", answer, reasoning)]
        if self.as_object:
            typer.echo(json.dumps(as_json(self.info, answer, closing.stats, reasoning), ensure_ascii=False))
        if cut := why_cut(closing.stats):
            say(cut)


def chat(
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
    """Talk with a model in the terminal; /help lists what can be typed."""
    given = {"temperature": temperature, "top_k": top_k, "top_p": top_p, "min_p": min_p, "repetition_penalty": repetition_penalty}
    given |= {"seed": seed, "max_tokens": max_tokens}
    check_sampling(Sampling().given(given))  # before a model is read
    with Client() as engine:
        info = engine.open(
            model,
            lambda path: options.engine_config(
                path, budget, threads, ctx, exact, chunk, draft, lookahead, warm_start, record_routes, record_drafts, kv
            ),
        )
        sampling = replace(info.defaults.given(given), stop=tuple(stop or ()))
        if think and not info.can_think:
            say(unthinking(info))
        talk = Conversation(engine, info, sampling, system, think, as_object)
        if sys.stdin.isatty():
            say(f"{info.name}: context {info.context} tokens, {info.threads} threads. /help lists the commands.")
        converse(talk)


def converse(talk: Conversation) -> None:
    """Take lines until the person ends it."""
    remember_lines(commands(talk))
    while (line := next_line()) is not None:
        try:
            if line.startswith("/"):
                if not carry_out(talk, line):
                    return
            elif line.strip():
                talk.ask(line)
        except Cancelled:
            say("Stopped.")
        except EngineError as error:
            say(str(error))
