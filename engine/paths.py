"""Where our data lies: one home folder, moved as a whole by the environment variable OUZEL_HOME.

    models/NAME.ouzel   converted models, the starter among them
    cache/              what can be fetched or made again
    states/             what was computed for conversations, so that they go on at once; can be made again
    last_model          path of the model that was opened last, or "starter" for the one that came with a bundle
    models_folder       path of the models folder, where another one than models/ was chosen

A bundle brings the starter model along; nothing is ever written beside that.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path

from platformdirs import user_cache_path, user_data_path

STARTER = "starter"
SUFFIX = ".ouzel"
DRAFT = ".partial"  # behind the name of a container in the making


def home() -> Path:
    """OUZEL_HOME, else the system's place for user data; not created here."""
    moved = os.environ.get("OUZEL_HOME")
    return Path(moved).expanduser().absolute() if moved else user_data_path("ouzel", appauthor=False)


def cache_dir() -> Path:
    """Where fetched files are kept; under OUZEL_HOME where that is set."""
    return home() / "cache" if os.environ.get("OUZEL_HOME") else user_cache_path("ouzel", appauthor=False)


def models_dir() -> Path:
    """The folder of converted models: the one that was chosen, else the usual one. It need not exist, as when its drive is missing."""
    chosen = _noted("models_folder")
    return Path(chosen) if chosen and Path(chosen).is_absolute() else usual_models_dir()


def usual_models_dir() -> Path:
    """The folder of converted models where none was chosen."""
    return home() / "models"


def choose_models_dir(folder: Path | None) -> None:
    """Keep models in another folder from now on; None means the usual one. Raises OSError where the home cannot be written."""
    if folder is None or folder.absolute() == usual_models_dir():
        (home() / "models_folder").unlink(missing_ok=True)
    else:
        _note("models_folder", str(folder.absolute()))


def states_dir() -> Path:
    """Where the states of conversations are kept."""
    return home() / "states"


def bundled_starter() -> Path | None:
    """The starter model that a bundle of Ouzel brought along; None where this is none, or its folder is gone."""
    place = getattr(sys, "_MEIPASS", None)
    found = Path(place) / f"{STARTER}{SUFFIX}" if place else None
    return found if found is not None and found.is_dir() else None


def is_bundled(path: Path) -> bool:
    """Whether a model came with this bundle."""
    return path == bundled_starter()


def starter_path() -> Path:
    """Where the starter's container is, or will be: in the models folder, unless the usual one or the bundle alone has it."""
    made, usual = (folder / f"{STARTER}{SUFFIX}" for folder in (models_dir(), usual_models_dir()))
    return next((p for p in (made, usual) if p.is_dir()), None) or bundled_starter() or made


def installed_models() -> list[Path]:
    """The containers in the models folder, and the starter of a bundle, by name; drafts of conversions under way are not among them."""
    folder = models_dir()
    here = [p for p in folder.glob(f"*{SUFFIX}") if p.is_dir()] if folder.is_dir() else []
    starter = starter_path()
    return sorted([*here, *([starter] if is_bundled(starter) else [])], key=lambda p: (p.name, p))


def nearest(folder: Path) -> Path:
    """`folder`, or the nearest one above it that exists."""
    folder = folder.expanduser().absolute()
    return next((p for p in (folder, *folder.parents) if p.is_dir()), folder)


def find_model(name: str) -> Path:
    """A container by path or by its name in the models folder, with or without the suffix; it need not exist."""
    path = Path(name)
    with suppress(RuntimeError):  # a home that nobody has
        path = path.expanduser()
    if path.is_absolute() or len(path.parts) > 1 or name.endswith(("/", os.sep)) or (path.exists() and path.name.endswith(SUFFIX)):
        return path.absolute()
    named = models_dir() / name.removesuffix(SUFFIX)
    named = starter_path() if named.name == STARTER else named.with_name(named.name + SUFFIX)
    return path.absolute() if path.exists() and not named.exists() else named  # any other folder may have a model's name by chance


def last_model() -> Path | None:
    """The model that was opened last, also where it is gone by now; None where there is none, or its note is damaged."""
    text = _noted("last_model")
    if text == STARTER:  # wherever this bundle lies now: a newer one may have taken its place
        return starter_path()
    return Path(text) if text and Path(text).is_absolute() else None


def remember_model(path: Path) -> None:
    """Note the model that was opened last; a home that cannot be written does not stop the chat."""
    with suppress(OSError):
        _note("last_model", STARTER if is_bundled(path) else str(path.absolute()))


def forget_model(path: Path) -> None:
    """Take back the note, where it names this model."""
    if last_model() == path.absolute():
        with suppress(OSError):
            (home() / "last_model").unlink()


def _noted(name: str) -> str:
    """What a file of the home folder says; "" where it is missing or damaged."""
    try:
        text = (home() / name).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""
    return "" if "\0" in text else text


def _note(name: str, text: str) -> None:
    note = home() / name
    draft = note.with_name(f"{name}.{os.getpid()}.new")
    try:
        note.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("w", encoding="utf-8") as file:
            file.write(f"{text}\n")
            file.flush()
            os.fsync(file.fileno())
        draft.replace(note)
    except OSError:
        with suppress(OSError):
            draft.unlink()
        raise
