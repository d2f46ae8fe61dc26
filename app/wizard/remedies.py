"""What a person can do about an error: each kind has one or two buttons that do something."""

from dataclasses import dataclass
from enum import Enum

from app.wizard.words import tr
from engine.errors import BadCheckpoint, BadRequest, EngineError, StorageError, UnsupportedModel
from engine.setup.hub import NeedsToken
from engine.setup.ranges import SourceChanged


class Remedy(Enum):
    """What a button of an error does."""

    RETRY = "retry"
    FOLDER = "folder"  # choose another folder
    SPACE = "space"  # show the folder, so that something can be removed
    TOKEN = "token"  # enter an access token
    LICENCE = "licence"  # open the page where its licence is accepted
    MODEL = "model"  # choose another model
    NAME = "name"  # choose another name
    DISCARD = "discard"  # remove what is there and start again


@dataclass(frozen=True, slots=True)
class Offered:
    """A button."""

    remedy: Remedy
    label: str


def label(remedy: Remedy) -> str:
    """A button's text."""
    return {
        Remedy.RETRY: tr("Try again"),
        Remedy.FOLDER: tr("Choose another folder…"),
        Remedy.SPACE: tr("Free space…"),
        Remedy.TOKEN: tr("Enter a token"),
        Remedy.LICENCE: tr("Open its page…"),
        Remedy.MODEL: tr("Choose another model"),
        Remedy.NAME: tr("Choose another name"),
        Remedy.DISCARD: tr("Start again…"),
    }[remedy]


def remedies(error: EngineError) -> tuple[Offered, ...]:
    """The buttons of an error, the likeliest first; never none."""
    return tuple(Offered(r, label(r)) for r in _of(error))


def _of(error: EngineError) -> tuple[Remedy, ...]:
    text = str(error).lower()
    match error:
        case NeedsToken():
            return Remedy.TOKEN, Remedy.LICENCE
        case StorageError() if "space" in text or "no room" in text or " free" in text:
            return Remedy.SPACE, Remedy.FOLDER
        case StorageError() if "is being written" in text:
            return (Remedy.RETRY,)
        case StorageError():
            return Remedy.RETRY, Remedy.FOLDER
    if type(error) is EngineError:  # of an earlier run, of which only the sentence is kept
        if "access token" in text:
            return Remedy.TOKEN, Remedy.LICENCE
        if "no space" in text or "are free" in text:
            return Remedy.SPACE, Remedy.FOLDER
    match error:
        case BadRequest() if "exists already" in text:
            return (Remedy.NAME,)
        case SourceChanged():
            return Remedy.DISCARD, Remedy.RETRY
        case UnsupportedModel() | BadRequest():
            return (Remedy.MODEL,)
        case BadCheckpoint():
            return Remedy.RETRY, Remedy.MODEL
    return (Remedy.RETRY,)
