"""Where our data lies: one home folder, moved as a whole by the environment variable OUZEL_HOME.

    models/NAME.ouzel   converted models, the starter among them
    cache/              what can be fetched or made again
    states/             what was computed for conversations, so that they go on at once; can be made again
    last_model          path of the model that was opened last
"""

import os
from contextlib import suppress
from pathlib import Path

from platformdirs import user_cache_path, user_data_path

STARTER = "starter"
SUFFIX = ".ouzel"


def home() -> Path:
    """OUZEL_HOME, else the system's place for user data; not created here."""
    moved = os.environ.get("OUZEL_HOME")
    return Path(moved).expanduser().absolute() if moved else user_data_path("ouzel", appauthor=False)


def cache_dir() -> Path:
    """Where fetched files are kept; under OUZEL_HOME where that is set."""
    return home() / "cache" if os.environ.get("OUZEL_HOME") else user_cache_path("ouzel", appauthor=False)


def models_dir() -> Path:
    """The folder of converted models."""
    return home() / "models"


def states_dir() -> Path:
    """Where the states of conversations are kept."""
    return home() / "states"


def starter_path() -> Path:
    """Where the starter model's container is, or will be."""
    return models_dir() / f"{STARTER}{SUFFIX}"


def installed_models() -> list[Path]:
    """The containers in the models folder by name; drafts of conversions under way are not among them."""
    folder = models_dir()
    return sorted(p for p in folder.glob(f"*{SUFFIX}") if p.is_dir()) if folder.is_dir() else []


def find_model(name: str) -> Path:
    """A container by path or by its name in the models folder, with or without the suffix; it need not exist."""
    path = Path(name).expanduser()
    if path.exists() or len(path.parts) > 1:
        return path.absolute()
    named = models_dir() / name.removesuffix(SUFFIX)
    return named.with_name(named.name + SUFFIX)


def last_model() -> Path | None:
    """The model that was opened last, also where it is gone by now; None where there is none, or its note is damaged."""
    try:
        text = (home() / "last_model").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return Path(text) if text and "\0" not in text and Path(text).is_absolute() else None


def remember_model(path: Path) -> None:
    """Note the model that was opened last; a home that cannot be written does not stop the chat."""
    note = home() / "last_model"
    draft = note.with_name(f"last_model.{os.getpid()}.new")
    try:
        note.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("w", encoding="utf-8") as file:
            file.write(f"{path.absolute()}\n")
            file.flush()
            os.fsync(file.fileno())
        draft.replace(note)
    except OSError:
        with suppress(OSError):
            draft.unlink()


def forget_model(path: Path) -> None:
    """Take back the note, where it names this model."""
    if last_model() == path.absolute():
        with suppress(OSError):
            (home() / "last_model").unlink()
