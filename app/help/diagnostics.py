"""What a report of a problem needs: machine, versions, settings, model and counters. No text of chats, no names, no tokens."""

import locale
import os
import platform
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields, is_dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from PySide6 import __version__ as pyside_version
from PySide6.QtCore import qVersion
from PySide6.QtGui import QGuiApplication

from app.help.redaction import redacted
from app.settings import Settings
from app.state import EngineState
from engine import __version__
from engine.cores import performance_cores
from engine.machine import memory
from engine.stats import Snapshot, VolumeCounters

LIBRARIES = ("numpy", "tokenizers", "tiktoken", "jinja2", "safetensors", "huggingface_hub", "gguf", "pypdf", "keyring", "wakepy")
WORDS = frozenset({"theme", "kv", "language", "send_key"})  # settings that are one of a few words; other texts are a person's own


def report(settings: Settings, state: EngineState, snapshot: Snapshot | None, drives: Sequence[VolumeCounters], log: str = "") -> str:
    """The whole text, as it is shown and copied."""
    parts = [
        _part("Ouzel", _program()),
        _part("Machine", _machine()),
        _part("Screens", _screens()),
        _part("Settings", _settings(settings)),
        _part("Engine", _engine(state)),
        _part("Counters", _numbers(snapshot) if snapshot is not None else ()),
        _part("Drives", [(f"{n}. {d.state}", _drive(d)) for n, d in enumerate(drives, 1)]),
    ]
    if log:
        parts.append(f"Log\n{log}\n")
    return redacted("\n".join(p for p in parts if p))


def _part(title: str, rows: Iterable[tuple[str, object]]) -> str:
    lines = [f"  {name}: {value}" for name, value in rows]
    return "\n".join([title, *lines, ""]) if lines else ""


def _program() -> list[tuple[str, object]]:
    found = []
    for name in LIBRARIES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return [
        ("version", f"{__version__}{' (bundle)' if getattr(sys, 'frozen', False) else ''}"),
        ("Python", f"{platform.python_version()} {platform.architecture()[0]}"),
        ("Qt", f"{qVersion()}, PySide6 {pyside_version}, platform {QGuiApplication.platformName()}"),
        ("libraries", ", ".join(found)),
    ]


def _machine() -> list[tuple[str, object]]:
    has = memory()
    desktop = " ".join(filter(None, (os.environ.get(name, "") for name in ("XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP"))))
    return [
        ("system", platform.platform()),
        ("processor", f"{platform.machine()}, {os.cpu_count()} threads, {performance_cores()} used"),
        ("memory", f"{_gb(has.limit_bytes)}, {_gb(has.available_bytes)} free"),
        *([("desktop", desktop)] if desktop else []),
        ("language", locale.getlocale()[0] or "not set"),
    ]


def _screens() -> list[tuple[str, object]]:
    app = QGuiApplication.instance()
    screens = QGuiApplication.screens() if app is not None else []
    return [(str(n), f"{s.size().width()} x {s.size().height()} at {s.devicePixelRatio():g}") for n, s in enumerate(screens, 1)]


def _settings(settings: Settings) -> list[tuple[str, object]]:
    usual = Settings()
    rows: list[tuple[str, object]] = []
    for field in fields(settings):
        value = getattr(settings, field.name)
        if isinstance(value, str) and field.name not in WORDS:
            value = "set" if value else "not set"
        elif not isinstance(value, str | int | float | None):
            value = "as usual" if value == getattr(usual, field.name) else "changed"
        rows.append((field.name, value))
    return rows


def _engine(state: EngineState) -> list[tuple[str, object]]:
    rows: list[tuple[str, object]] = [("phase", state.phase.value)]
    if state.info is not None:
        info = state.info
        for field in fields(info):
            value = getattr(info, field.name)
            if not isinstance(value, Path) and not is_dataclass(value):
                rows.append((field.name, value))
    return rows


def _numbers(snapshot: Snapshot) -> list[tuple[str, object]]:
    return [(name, f"{value:.3f}" if isinstance(value, float) else value) for name, value in asdict(snapshot).items() if name != "time"]


def _drive(d: VolumeCounters) -> str:
    return f"{_gb(d.bytes_read)} in {d.reads} reads, {_gb(d.rate)}/s, {d.errors} errors{'; ' + d.problem if d.problem else ''}"


def _gb(nbytes: float) -> str:
    return f"{nbytes / 1e9:.2f} GB"
