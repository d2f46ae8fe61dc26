"""What can be typed in `ouzel chat` beside what the model is asked."""

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.console import say, told, unthinking
from engine.config import Sampling
from engine.container.storage import append_whole
from engine.errors import BadRequest
from engine.generate.sampler import check_sampling

if TYPE_CHECKING:
    from engine.cli.chat import Conversation

HELP = """/help          this list
/reset         forget the conversation
/retry         answer the last question again, with another seed where none is set
/undo          forget the last question and its answer
/system TEXT   tell the model this before the conversation, and begin anew; without TEXT nothing is told
/think on|off  whether the model thinks before it answers, where it can be told so; without a word as it does by itself
/set NAME VALUE  temperature, top_k, top_p, min_p, repetition_penalty, seed or max_tokens; without VALUE as it was; without NAME all
/save FILE     write the conversation as Markdown
/stats         numbers of the last answer
/quit          end; so does Ctrl-D
Ctrl-C stops an answer. A second Ctrl-C while it stops ends the program."""
NUMBERS: dict[str, type[int] | type[float]] = {
    "temperature": float, "top_k": int, "top_p": float, "min_p": float, "repetition_penalty": float, "seed": int, "max_tokens": int,
}  # fmt: skip
THINKING = {"on": True, "off": False, "": None}


def carry_out(talk: "Conversation", line: str) -> bool:
    """Carry out a line that begins with a slash; whether the chat goes on. Raises EngineError."""
    name, _, rest = line.partition(" ")
    if name in ("/quit", "/exit"):
        return False
    if name not in commands(talk):
        say(f"There is no command {name}.\n{HELP}")
    else:
        COMMANDS[name](talk, rest.strip())
    return True


def commands(talk: "Conversation") -> list[str]:
    """What there is in this conversation."""
    return [name for name in COMMANDS if name != "/status" or talk.status is not None]


def _reset(talk: "Conversation", rest: str) -> None:
    talk.said.clear()
    say("The conversation is forgotten.")


def _taken_back(talk: "Conversation") -> str:
    """The last question, which is forgotten with its answer. Raises BadRequest."""
    if not talk.said:
        raise BadRequest("Nothing was asked yet.")
    question = talk.said[-2].content
    del talk.said[-2:]
    return question


def _retry(talk: "Conversation", rest: str) -> None:
    kept = list(talk.said)
    question = _taken_back(talk)
    try:
        talk.ask(question)
    finally:
        if len(talk.said) < len(kept):  # it failed, or was stopped before its first word
            talk.said = kept


def _undo(talk: "Conversation", rest: str) -> None:
    question = _taken_back(talk)
    say(f"Forgotten: {question}")


def _system(talk: "Conversation", rest: str) -> None:
    talk.system = rest
    talk.said.clear()
    say("The model is told so from now on; the conversation begins anew." if rest else "The model is told nothing.")


def _think(talk: "Conversation", rest: str) -> None:
    if rest not in THINKING:
        raise BadRequest("Type /think on, /think off, or /think alone.")
    if rest and not talk.info.can_think:
        raise BadRequest(unthinking(talk.info))
    talk.think = THINKING[rest]
    say({True: "It thinks before it answers.", False: "It answers at once.", None: "It thinks as it does by itself."}[talk.think])


def _set(talk: "Conversation", rest: str) -> None:
    name, _, value = rest.partition(" ")
    name = name.replace("-", "_")
    if name and name not in NUMBERS:
        raise BadRequest(f"There is no setting {name}. There are {', '.join(NUMBERS)}.")
    if name:
        changed: Any = getattr(talk.first_sampling, name)
        if value:
            try:
                changed = NUMBERS[name](value)
            except ValueError:
                raise BadRequest(f"{value!r} is no number for {name}.") from None
        sampling = replace(talk.sampling, **{name: changed})
        check_sampling(sampling)
        talk.sampling = sampling
    say(_settings(talk.sampling))


def _settings(sampling: Sampling) -> str:
    values = {f.name: getattr(sampling, f.name) for f in fields(sampling) if f.name in NUMBERS}
    return ", ".join(f"{name} {'free' if value is None else value}" for name, value in values.items())


def _save(talk: "Conversation", rest: str) -> None:
    if not rest:
        raise BadRequest("Name a file: /save FILE")
    parts = [f"**System**\n\n{talk.system}"] if talk.system else []
    parts += [f"**{'You' if m.role == 'user' else talk.info.name}**\n\n{m.content}" for m in talk.said]
    try:
        file = Path(rest).expanduser().absolute()
        with file.open("xb", buffering=0) as out:
            try:
                append_whole(out, ("\n\n".join(parts) + "\n").encode("utf-8", "replace"))
            except OSError:
                file.unlink()
                raise
    except FileExistsError:
        raise BadRequest(f"{file} exists already. Name another file.") from None
    except OSError as e:
        raise BadRequest(f"{file} cannot be written ({e.strerror}). Name another file.") from None
    except (ValueError, RuntimeError) as e:  # a name that none can have, or a home that nobody has
        raise BadRequest(f"{rest} is no name of a file ({e}). Name another file.") from None
    say(f"Written: {file}")


def _stats(talk: "Conversation", rest: str) -> None:
    say(told(talk.stats) if talk.stats else "There is no answer yet.")


def _status(talk: "Conversation", rest: str) -> None:
    assert talk.status is not None
    say(talk.status())


def _help(talk: "Conversation", rest: str) -> None:
    say(HELP)


COMMANDS: dict[str, Callable[["Conversation", str], None]] = {
    "/help": _help, "/reset": _reset, "/retry": _retry, "/undo": _undo, "/system": _system, "/think": _think, "/set": _set, "/save": _save,
    "/stats": _stats, "/status": _status, "/quit": _help, "/exit": _help,
}  # fmt: skip
