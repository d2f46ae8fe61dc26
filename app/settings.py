"""What a person has set, kept as JSON; a file that is damaged or from another version never stops the start.

A value of None means "as the model or the machine suggests". Each field is checked alone: what does not fit its type or range
falls back to its default, and keys that are not known are left out.
"""

import contextlib
import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from app.language import NAMES
from engine.config import KV_KINDS, MOST_PARALLEL, EngineConfig

TEXT_SIZES = (85, 100, 115, 130, 150)  # percent


@dataclass(frozen=True, slots=True)
class Settings:
    """theme: "system", "light" or "dark". text_size: percent, one of TEXT_SIZES. language: "system" or one of app.language.NAMES.

    send_key: "return", or "ctrl" (with Ctrl+Return, Return breaks the line). expert: whether settings show all. The rest is named as in
    the engine's requests.
    """

    theme: str = "system"
    text_size: int = 100
    language: str = "system"
    send_key: str = "return"
    expert: bool = False
    sidebar: bool = True
    width: int = 1060
    height: int = 740
    maximized: bool = False
    budget_bytes: int | None = None
    context: int | None = None
    threads: int | None = None
    exact: bool = False
    draft: bool = True
    draft_model: str = ""  # a container's path; "": none
    kv: str = "auto"
    parallel: int = 1  # answers at once, of programs and jobs
    states_bytes: int = 2_000_000_000
    temperature: float | None = None
    top_k: int | None = None
    top_p: float | None = None
    min_p: float | None = None
    repetition_penalty: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    system_prompt: str = ""
    keep_awake: bool = True  # while the engine works
    notify: bool = True  # when a long answer is ready and the window is not in front
    serve: bool = False  # the open model to other programs
    serve_port: int | None = None
    serve_key: bool = False  # they need a key
    ask_quit: bool = True  # before closing over something that works

    def engine(self, model: Path) -> EngineConfig:
        """How `model` is opened."""
        return EngineConfig(
            model=model,
            budget_bytes=self.budget_bytes,
            context=self.context,
            threads=self.threads,
            exact=self.exact,
            draft="auto" if self.draft else "off",
            draft_model=Path(self.draft_model) if self.draft and self.draft_model else None,
            draft_needed=False,  # one setting for all models, of which it fits some
            kv=self.kv,
            parallel=self.parallel,
            states_bytes=self.states_bytes,
            programs=self.serve,
            apart=True,  # reading a vocabulary here would hold the window up
        )


def _number(low: float, high: float) -> Callable[[Any], bool]:
    return lambda v: isinstance(v, int | float) and not isinstance(v, bool) and low <= v <= high


def _whole(low: int, high: int) -> Callable[[Any], bool]:
    return lambda v: isinstance(v, int) and not isinstance(v, bool) and low <= v <= high


def _optional(check: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda v: v is None or check(v)


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


CHECKS: dict[str, Callable[[Any], bool]] = {
    "theme": lambda v: v in ("system", "light", "dark"),
    "text_size": lambda v: not isinstance(v, bool) and v in TEXT_SIZES,
    "language": lambda v: isinstance(v, str) and (v == "system" or v in NAMES),
    "send_key": lambda v: v in ("return", "ctrl"),
    "expert": _flag,
    "sidebar": _flag,
    "width": _whole(400, 20_000),
    "height": _whole(300, 20_000),
    "maximized": _flag,
    "budget_bytes": _optional(_whole(1, 1 << 50)),
    "context": _optional(_whole(16, 1 << 30)),
    "threads": _optional(_whole(1, 256)),
    "exact": _flag,
    "draft": _flag,
    "draft_model": lambda v: isinstance(v, str) and len(v) <= 4096 and "\0" not in v,
    "kv": lambda v: v in KV_KINDS,
    "parallel": _whole(1, MOST_PARALLEL),
    "states_bytes": _whole(0, 1 << 50),
    "temperature": _optional(_number(0, 10)),
    "top_k": _optional(_whole(0, 1 << 20)),
    "top_p": _optional(_number(0, 1)),
    "min_p": _optional(_number(0, 1)),
    "repetition_penalty": _optional(_number(0.1, 10)),
    "max_tokens": _optional(_whole(1, 1 << 30)),
    "seed": _optional(_whole(0, (1 << 63) - 1)),
    "system_prompt": lambda v: isinstance(v, str) and len(v) <= 100_000,
    "keep_awake": _flag,
    "notify": _flag,
    "ask_quit": _flag,
    "serve": _flag,
    "serve_port": _optional(_whole(1024, 65535)),
    "serve_key": _flag,
}


def load(path: Path, damaged: Callable[[Path], object] = lambda _: None) -> Settings:
    """The stored settings, as far as they can be read; a file that is no JSON object is kept aside as NAME.damaged, told to `damaged`."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(found, dict):
            raise ValueError
    except FileNotFoundError:
        return Settings()
    except (OSError, ValueError, RecursionError):
        with contextlib.suppress(OSError):  # a folder that cannot be written does not stop the start either
            damaged(path.replace(path.with_name(path.name + ".damaged")))
        return Settings()
    known = {f.name for f in fields(Settings)}
    return Settings(**{k: v for k, v in found.items() if k in known and CHECKS[k](v)})


def save(path: Path, settings: Settings) -> None:
    """Replace the file whole; raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    with draft.open("w", encoding="utf-8") as file:
        json.dump(asdict(settings), file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
