"""All keys in one table: the shortcuts of the window are made from it, and so is the page that lists them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget


@dataclass(frozen=True, slots=True)
class Keys:
    """name: what a shortcut of the whole window is called in `attach`; "" where a part of the window answers the keys itself.

    keys: as Qt's portable text, each of them does it; where: the part of the window, "" for everywhere.
    """

    name: str
    keys: tuple[str, ...]
    does: object  # a str: what marks it for translation is typed so
    where: object = ""


FIELD = QT_TRANSLATE_NOOP("Keys", "in the message field")
TALK = QT_TRANSLATE_NOOP("Keys", "in the conversation")
LIST = QT_TRANSLATE_NOOP("Keys", "in the side list")

TABLE = (
    Keys("", ("Return",), QT_TRANSLATE_NOOP("Keys", "send the message"), FIELD),
    Keys("", ("Shift+Return",), QT_TRANSLATE_NOOP("Keys", "break the line"), FIELD),
    Keys("", ("Esc",), QT_TRANSLATE_NOOP("Keys", "stop the answer; leave an edit; leave the search")),
    Keys("", ("Up",), QT_TRANSLATE_NOOP("Keys", "edit the last message, where the field is empty"), FIELD),
    Keys("write", ("Ctrl+L",), QT_TRANSLATE_NOOP("Keys", "go to the message field")),
    Keys("new", ("Ctrl+N",), QT_TRANSLATE_NOOP("Keys", "new chat")),
    Keys("find", ("Ctrl+F",), QT_TRANSLATE_NOOP("Keys", "search all chats")),
    Keys("attach", ("Ctrl+Shift+A",), QT_TRANSLATE_NOOP("Keys", "attach files")),
    Keys("open", ("Ctrl+O",), QT_TRANSLATE_NOOP("Keys", "open a model folder")),
    Keys("get", ("Ctrl+Shift+G",), QT_TRANSLATE_NOOP("Keys", "get a model")),
    Keys("sidebar", ("Ctrl+B",), QT_TRANSLATE_NOOP("Keys", "show or hide the side list")),
    Keys("engine", ("Ctrl+E",), QT_TRANSLATE_NOOP("Keys", "show or hide the engine from inside")),
    Keys("memory", ("Ctrl+M",), QT_TRANSLATE_NOOP("Keys", "show or hide memory limit and context")),
    Keys("jobs", ("Ctrl+J",), QT_TRANSLATE_NOOP("Keys", "jobs")),
    Keys("settings", ("Ctrl+,",), QT_TRANSLATE_NOOP("Keys", "settings")),
    Keys("options", ("Ctrl+Shift+O",), QT_TRANSLATE_NOOP("Keys", "options of this chat")),
    Keys("keys", ("F1", "Ctrl+/"), QT_TRANSLATE_NOOP("Keys", "these keys, versions and the log")),
    Keys("quit", ("Ctrl+Q",), QT_TRANSLATE_NOOP("Keys", "quit")),
    Keys("", ("Alt+Up", "Alt+Down"), QT_TRANSLATE_NOOP("Keys", "go from message to message"), TALK),
    Keys("", ("Left", "Right"), QT_TRANSLATE_NOOP("Keys", "choose an action of the message"), TALK),
    Keys("", ("F2",), QT_TRANSLATE_NOOP("Keys", "rename the chat"), LIST),
    Keys("", ("Del",), QT_TRANSLATE_NOOP("Keys", "move the chat to the trash"), LIST),
)


def table(send_key: str) -> tuple[Keys, ...]:
    """All keys, where the message is sent with `send_key` of the settings."""
    if send_key != "ctrl":
        return TABLE
    send, line, *rest = TABLE
    return replace(send, keys=("Ctrl+Return",)), replace(line, keys=("Return",)), *rest


def attach(window: QWidget, acts: Mapping[str, Callable[[], object]]) -> dict[str, QShortcut]:
    """Make the shortcuts of the whole window; `acts` has what each name does, all of them and no other. The first of each by name."""
    named = {k.name: k for k in TABLE if k.name}
    if set(acts) != set(named):
        raise ValueError(f"keys and acts differ: {sorted(set(acts) ^ set(named))}")
    made: dict[str, QShortcut] = {}
    for name, act in acts.items():
        for keys in named[name].keys:
            shortcut = QShortcut(QKeySequence.fromString(keys, QKeySequence.SequenceFormat.PortableText), window)
            shortcut.activated.connect(act)
            made.setdefault(name, shortcut)
    return made


def shown(keys: Keys) -> str:
    """The keys as this system writes them."""
    native = QKeySequence.SequenceFormat.NativeText
    portable = QKeySequence.SequenceFormat.PortableText
    return ", ".join(QKeySequence.fromString(k, portable).toString(native) for k in keys.keys)


def does(keys: Keys) -> str:
    """What they do and where, translated."""
    what = QCoreApplication.translate("Keys", str(keys.does))
    return f"{what} ({QCoreApplication.translate('Keys', str(keys.where))})" if keys.where else what
