"""`ouzel serve`: the open model for other programs, with OpenAI's interface."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from engine import paths
from engine.cli import options
from engine.cli.client import Client
from engine.cli.console import say

Host = Annotated[str, typer.Option("--host", help="The address to listen at; another than this computer's own needs a key.")]
Port = Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; 0 takes any that is free.")]
KeyFile = Annotated[Path | None, typer.Option("--key-file", help="A file with the key that clients must show; else OUZEL_API_KEY.")]
Keyring = Annotated[bool, typer.Option("--keyring", help="Take the key from the system's keyring.")]
Origins = Annotated[list[str] | None, typer.Option("--origin", help="A web page's origin that may ask, as https://example.org.")]
Hosts = Annotated[list[str] | None, typer.Option("--allow-host", help="A name under which clients may reach the server.")]
Waiting = Annotated[int, typer.Option("--queue", min=0, max=10_000, help="Requests that may wait for their turn.")]
States = Annotated[bool, typer.Option("--states/--no-states", help="Keep conversations computed, in files, while others have their turn.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Say nothing of each request.")]


def serve(
    model: options.ModelName = None,
    host: Host = "127.0.0.1",
    port: Port = 8740,
    key_file: KeyFile = None,
    keyring: Keyring = False,
    origin: Origins = None,
    allow_host: Hosts = None,
    queue: Waiting = 32,
    states: States = True,
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
    quiet: Quiet = False,
) -> None:
    """Serve a model to other programs: /v1/chat/completions, /v1/completions, /v1/responses, /v1/models, /health, /metrics."""
    from engine.server.keys import find_key  # noqa: PLC0415  the server's libraries, which no other command needs
    from engine.server.serving import Server, Shared  # noqa: PLC0415  as above
    from engine.server.settings import ServerConfig  # noqa: PLC0415  as above

    key = find_key(key_file, keyring)
    config = ServerConfig(host, port, key, tuple(origin or ()), tuple(allow_host or ()), queue).checked()
    with Client() as engine:
        shared = Shared(engine.post, engine.cancel)
        server = Server(shared, config, (lambda path, asker, status, seconds: None) if quiet else _said)  # before a model is read
        try:
            shared.info = engine.open(
                model,
                lambda path: replace(
                    options.engine_config(path, budget, threads, ctx, exact, chunk, draft, lookahead, warm_start, kv=kv, parallel=parallel),
                    programs=True,
                    states=paths.states_dir() if states else None,
                ),
            )
            server.start()
            say(f"{shared.info.name} is served at {server.address}/v1{', with a key' if key else ''}. Ctrl-C ends it.")
            engine.listen(server.take)
        finally:
            server.stop()
            server.join()


def _said(path: str, asker: str, status: int, seconds: float) -> None:
    say(f"{asker} {path} {status} {seconds:.1f} s")
