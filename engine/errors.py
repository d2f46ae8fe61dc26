"""What can go wrong, each with a sentence for a person: what happened and what to do."""

import shlex
import subprocess
import sys
from collections.abc import Sequence

from engine.words import joined, say


def typed(*words: object) -> str:
    """A command as it is typed in a shell here: words with spaces are quoted."""
    plain = [str(word) for word in words]
    return subprocess.list2cmdline(plain) if sys.platform == "win32" else shlex.join(plain)


class EngineError(Exception):
    """Base of all errors that are shown to people. `str(error)` is the sentence; `details` is for the log."""

    def __init__(self, message: str, details: str = "") -> None:
        super().__init__(message)
        self.details = details


class UnsupportedModel(EngineError):
    """The checkpoint's architecture, a config key or a format is not one that the engine runs."""


class UnsupportedConfig(UnsupportedModel):
    """What a config.json says cannot be run; `problems` are phrases, each with the name of its key and file."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(sorted(dict.fromkeys(problems)))
        advice = say("If the file is incomplete, fetch the model again; if it is as published, this version does not run the model.")
        one = say("{problem}. {advice}", problem=self.problems[0], advice=advice)
        many = joined("\n", [say("The config cannot be used:"), *self.problems, advice])
        super().__init__(one if len(self.problems) == 1 else many)

    def __reduce__(self) -> tuple[type["UnsupportedConfig"], tuple[tuple[str, ...]]]:
        """For the way out of a process: Exception's own would make it of its sentence."""
        return type(self), (self.problems,)


class BadCheckpoint(EngineError):
    """A source folder is no model, lacks a tensor, or holds something that it should not."""


class BadContainer(EngineError):
    """A container is missing, damaged, truncated or of an unknown version."""


class OverBudget(EngineError):
    """The RAM budget is under the floor; `floor_bytes` and `budget_bytes` tell by how much."""

    def __init__(self, message: str, floor_bytes: int, budget_bytes: int) -> None:
        super().__init__(message)
        self.floor_bytes = floor_bytes
        self.budget_bytes = budget_bytes


class StorageError(EngineError):
    """A disk is full, read-only, gone, or refused a read."""


class ContextFull(EngineError):
    """The prompt does not fit the context of `context` tokens."""

    def __init__(self, message: str, context: int = 0) -> None:
        super().__init__(message)
        self.context = context


class Ended(EngineError):
    """A process of ours beside this one is gone, or could not be started; another try starts a new one."""


class BadRequest(EngineError):
    """A request that cannot be carried out as given, such as an empty prompt or a negative temperature."""


class Cancelled(EngineError):
    """The user stopped the work."""
