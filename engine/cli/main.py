"""All commands in one program, and the one place where an exception becomes a sentence and an exit code."""

import importlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from engine import __version__, paths
from engine.cli import (
    account,
    answer,
    batch,
    bench,
    chat,
    containers,
    importing,
    measure,
    models,
    options,
    pull,
    repairing,
    serve,
    trace,
    volumes,
)
from engine.cli.console import say
from engine.errors import Cancelled, EngineError
from engine.worker.failures import as_engine_error

EXIT_CODES = (
    "Exit codes: 0 done; 1 refused or failed, with a sentence on standard error; 2 a command line that cannot be read; 130 stopped by "
    "Ctrl-C."
)
app = typer.Typer(
    name="ouzel",
    help="Chat with Mixture-of-Experts models larger than memory. Without a command the window opens.",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    epilog=EXIT_CODES,
    context_settings={"help_option_names": ["-h", "--help"]},
)
COMMANDS: dict[str, tuple[Callable[..., None], str]] = {  # with what an example has behind the name
    "chat": (chat.chat, "--model olmoe --ctx 8192"),
    "run": (answer.run, '"Why is the sky blue?" --temperature 0'),
    "serve": (serve.serve, "--model olmoe --port 8740"),
    "convert": (containers.convert, "Qwen3-30B-A3B qwen3.ouzel --experts q4"),
    "import": (importing.import_model, "~/Downloads/model-Q4_K_M.gguf"),
    "pull": (pull.pull_model, "Qwen/Qwen3-30B-A3B"),
    "login": (account.login, "< token.txt"),
    "logout": (account.logout, "--endpoint https://hub.example.org"),
    "network": (account.set_network, "--proxy http://proxy.example.org:3128"),
    "plan": (containers.plan, "olmoe --budget 4G --json"),
    "models": (models.models, "--catalogue"),
    "remove": (models.remove, "olmoe"),
    "verify": (containers.verify, "olmoe"),
    "repair": (repairing.repair, "olmoe"),
    "volumes": (volumes.volumes, "olmoe --spread /mnt/second"),
    "batch": (batch.batch, "in.jsonl -o out.jsonl --model olmoe"),
    "bench": (bench.bench, "olmoe --budget 4G"),
    "measure": (measure.measure, "olmoe"),
    "trace": (trace.trace, "olmoe --ids 1,2,3 --out trace.npz"),
}
for _name, (_function, _example) in COMMANDS.items():
    app.command(_name, epilog=f"Example: ouzel {_name} {_example}")(_function)


def _told_version(wanted: bool) -> None:
    if wanted:
        version()
        raise typer.Exit


@app.callback(invoke_without_command=True)
def window(
    context: typer.Context,
    _: Annotated[bool, typer.Option("--version", help="Say the version.", callback=_told_version, is_eager=True)] = False,
    smoke: Annotated[
        Path | None, typer.Option(help="Check that everything works here, and save a picture of the window.", metavar="FILE.png")
    ] = None,
    safe_mode: Annotated[
        bool, typer.Option("--safe-mode", help="Open the window without a model, and set the engine's settings to the usual ones.")
    ] = False,
) -> None:
    """Open the window, where no command is given; with the path of a model or a file in place of a command, open that in it."""
    if context.invoked_subcommand is not None:
        return
    _open_window(smoke, ["--safe-mode"] if safe_mode else [])


def _open_window(smoke: Path | None, arguments: list[str]) -> NoReturn:
    if not has_display():
        raise EngineError('There is no display for the window. Chat in the terminal with "ouzel chat", or ask once: ouzel run "prompt".')
    # By name: this floor may use the window's, but must not depend on it.
    if smoke is not None:
        raise typer.Exit(importlib.import_module("app.smoke").main(smoke))
    raise typer.Exit(importlib.import_module("app.main").main([sys.argv[0], *arguments]))


@app.command("window", hidden=True)
def window_on(path: Annotated[str, typer.Argument(help="A model's folder, a GGUF file, or a file to attach.")]) -> None:
    """Open the window with something in it."""
    _open_window(None, [path])


@app.command(epilog="Example: ouzel version")
def version(as_object: options.Json = False) -> None:
    """Say the version."""
    typer.echo(json.dumps({"version": __version__}) if as_object else f"ouzel {__version__}")


def has_display() -> bool:
    """Whether a window can be opened, one that only a test sees included."""
    if sys.platform in ("darwin", "win32"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


def main() -> None:
    """Run the command in sys.argv and exit."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # the caller closed it
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115  as long as the program
    if hasattr(sys.stdout, "reconfigure") and not sys.stdout.isatty():
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # names of files may be no text
    try:
        app(_with_command(sys.argv[1:]), prog_name="ouzel")
    except (KeyboardInterrupt, Cancelled):
        say("Stopped.")
        sys.exit(130)
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:
        told = as_engine_error(error)
        say(str(told))
        if told is not error:
            _keep(told.details)
        sys.exit(1)


def _with_command(arguments: list[str]) -> list[str]:
    """Where a path stands in place of a command, as when a desktop opens a file with us, the window is meant."""
    names = {c.name or getattr(c.callback, "__name__", "") for c in app.registered_commands}
    first = arguments[0] if arguments else ""
    is_path = first.startswith("file:") or Path(first).exists()
    return ["window", *arguments] if first and not first.startswith("-") and first not in names and is_path else arguments


def _keep(details: str) -> None:
    """Leave the traceback of an unexpected error where its reporter finds it."""
    log = paths.home() / "last_error.txt"
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(details, encoding="utf-8")
    except OSError:
        say(details)
    else:
        say(f"The details are in {log}.")
