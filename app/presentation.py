"""What the controls say and whether they can be used: a pure function of engine state, settings and the list of models."""

from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QKeySequence

from app.language import number
from app.settings import Settings
from app.state import ANSWERING, RESTING, EngineState, Phase
from engine.events import ModelInfo


@dataclass(frozen=True, slots=True)
class Presentation:
    """progress: None hides the bar, -1 is a bar without an end, else 0 to 1.

    welcome: "setup" (no model on this disk), "load", "wait", "chat".
    load_action: what the model bar's button does: "load", "unload", "reload" or "cancel".
    """

    load_action: str
    load_label: str
    load_enabled: bool
    choice_enabled: bool
    status: str
    progress: float | None
    composer_hint: str
    can_write: bool
    can_send: bool
    shows_stop: bool
    can_stop: bool
    send_tip: str
    send_key: str
    welcome: str
    setup_enabled: bool


STEPS = ((10**6, 10**3), (10**9, 10**6), (10**11, 10**8), (10**12, 10**9))  # (bytes under which, what is told apart) by `size`


def tr(text: str) -> str:
    """The text in the person's language."""
    return QCoreApplication.translate("Presentation", text)


def present(state: EngineState, settings: Settings, models: tuple[Path, ...], chosen: Path | None) -> Presentation:
    """The whole table. `chosen` is the model that is picked in the model bar; `models` are the containers on this disk."""
    phase = state.phase
    answering = phase in ANSWERING
    reload_needed = needs_reload(state, settings, chosen)
    action, label, enabled = _load_button(phase, reload_needed, chosen is not None)
    return Presentation(
        load_action=action,
        load_label=label,
        load_enabled=enabled,
        choice_enabled=phase in RESTING,
        status=_status(state, changes(state, settings, chosen)),
        progress=_progress(state),
        composer_hint=_hint(state, chosen),
        can_write=phase is not Phase.CLOSING,
        can_send=phase is Phase.READY,
        shows_stop=answering,
        can_stop=answering and phase is not Phase.STOPPING,
        send_tip=_send_tip(state, settings),
        send_key=settings.send_key,
        welcome=_welcome(phase, models, chosen),
        setup_enabled=phase in RESTING,
    )


def needs_reload(state: EngineState, settings: Settings, chosen: Path | None) -> bool:
    """Whether the open model is not the chosen one, or was opened in another way than the settings ask for now."""
    if state.info is None or chosen is None:
        return False
    return settings.engine(chosen) != replace(state.info.config, states=None)


def changes(state: EngineState, settings: Settings, chosen: Path | None) -> tuple[str, ...]:
    """What a reload would change of the open model, in words."""
    if state.info is None or chosen is None or not needs_reload(state, settings, chosen):
        return ()
    names = {
        "model": tr("model"),
        "budget_bytes": tr("memory limit"),
        "context": tr("context length"),
        "threads": tr("threads"),
        "exact": tr("arithmetic"),
        "draft": tr("drafts"),
        "draft_model": tr("draft model"),
        "kv": tr("keys and values"),
        "parallel": tr("answers at once"),
        "programs": tr("room for programs"),
        "states_bytes": tr("room for kept conversations"),
    }
    now, wanted = state.info.config, settings.engine(chosen)
    return tuple(word for name, word in names.items() if getattr(now, name) != getattr(wanted, name)) or (tr("settings"),)


def _load_button(phase: Phase, reload_needed: bool, chosen: bool) -> tuple[str, str, bool]:
    match phase:
        case Phase.IDLE:
            return "load", tr("Load"), chosen
        case Phase.LOADING | Phase.BUILDING:
            return "cancel", tr("Cancel"), True
        case Phase.READY if reload_needed:
            return "reload", tr("Reload"), True
        case Phase.READY:
            return "unload", tr("Unload"), True
        case Phase.UNLOADING:
            return "unload", tr("Unload"), False
        case _:
            return ("reload", tr("Reload"), False) if reload_needed else ("unload", tr("Unload"), False)


def _status(state: EngineState, changed: tuple[str, ...]) -> str:
    match state.phase:
        case Phase.IDLE:
            return tr("No model is loaded.")
        case Phase.LOADING:
            return _loading_step(state)
        case Phase.BUILDING:
            return _building_step(state)
        case Phase.UNLOADING:
            return tr("Giving the memory back…")
        case Phase.READING | Phase.WRITING if state.waits:
            return tr("Waiting for {0}…").format(state.waits)
        case Phase.READING:
            if state.total > 0:
                return tr("Reading the prompt: {0} of {1} tokens").format(number(state.done), number(state.total))
            return tr("Reading the prompt…")
        case Phase.WRITING:
            return tr("Thinking…") if state.step == "thinking" else tr("Writing…")
        case Phase.STOPPING:
            return tr("Stopping…")
        case Phase.CLOSING:
            return tr("Closing…")
        case Phase.READY:
            if changed:
                return tr("Changed: {0}. Reload the model to use it.").format(", ".join(changed))
            return summary(state.info) if state.info else ""


def summary(info: ModelInfo) -> str:
    """One line about the open model."""
    cached = tr("all {0} experts fit in the cache").format(number(info.n_expert_records))
    if not info.n_expert_records:
        cached = tr("all of it is in memory")
    elif info.n_slots < info.n_expert_records:
        cached = tr("{0} of {1} experts fit in the cache").format(number(info.n_slots), number(info.n_expert_records))
    line = tr("Ready · {0} tokens of context · {1}").format(number(info.context), cached)
    return line if info.direct else tr("{0} · reads pass through the system's cache").format(line)


def _loading_step(state: EngineState) -> str:
    steps = {
        "manifest": tr("Opening the model…"),
        "trunk": tr("Loading the trunk into memory…"),
        "draft": tr("Loading the draft model…"),
        "tokenizer": tr("Loading the tokenizer…"),
        "memory": tr("Preparing memory…"),
    }
    return steps.get(state.step, tr("Loading…"))


def _building_step(state: EngineState) -> str:
    steps = {
        "download": tr("Downloading the base weights"),
        "unpack": tr("Unpacking the base weights"),
        "trunk": tr("Converting the trunk"),
        "experts": tr("Converting the experts"),
        "check": tr("Checking the checkpoint"),
        "wait": tr("Waiting for another Ouzel that builds it"),
    }
    step = steps.get(state.step, tr("Preparing"))
    if state.total > 0:
        return tr("{0}: {1} of {2}").format(step, size(state.done), size(state.total))
    return f"{step}…"


def _progress(state: EngineState) -> float | None:
    if state.phase in (Phase.LOADING, Phase.BUILDING, Phase.READING):
        return min(state.done / state.total, 1.0) if state.total > 0 else -1.0
    return -1.0 if state.phase is Phase.UNLOADING else None


def _hint(state: EngineState, chosen: Path | None) -> str:
    if state.phase is Phase.IDLE:
        return tr("Load a model to start chatting") if chosen else tr("Set up a model to start chatting")
    return tr("Message {0}").format(state.info.name) if state.info else tr("Write your message while the model gets ready")


def _send_tip(state: EngineState, settings: Settings) -> str:
    if state.phase is Phase.READY:
        return tr("Send ({0})").format(key_name("Ctrl+Return" if settings.send_key == "ctrl" else "Return"))
    if state.phase in ANSWERING:
        return tr("Stop the answer (Esc)")
    return tr("A message can be sent once a model is loaded")


def key_name(keys: str) -> str:
    """Keys as this system and language name them."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


def _welcome(phase: Phase, models: tuple[Path, ...], chosen: Path | None) -> str:
    if phase in (Phase.LOADING, Phase.BUILDING, Phase.UNLOADING):
        return "wait"
    if phase is Phase.IDLE:
        return "load" if models or chosen else "setup"
    return "chat"


def needed(nbytes: float) -> str:
    """As `size`, rounded up: what is needed is never said to be less."""
    step = next((step for most, step in STEPS if nbytes < most), 10**11)
    return size(-(-nbytes // step) * step)


def size(nbytes: float) -> str:
    """Bytes for people, in powers of ten: "93 MB", "1.4 GB", "1.5 TB"."""
    if nbytes >= 9.995e11:
        return tr("{0} TB").format(number(nbytes / 1e12, 1))
    if nbytes >= 1e9:
        return tr("{0} GB").format(number(nbytes / 1e9, 1 if nbytes < 1e11 else 0))
    if nbytes >= 1e6:
        return tr("{0} MB").format(number(nbytes / 1e6))
    return tr("{0} kB").format(number(nbytes / 1e3))
