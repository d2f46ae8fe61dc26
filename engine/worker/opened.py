"""An open model with its text side and its session: opened in steps, closed as a whole."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from time import monotonic
from typing import Any

from engine import paths
from engine.cancel import CancelToken
from engine.config import EngineConfig, Sampling
from engine.container.making import Unfinished
from engine.errors import BadContainer, BadRequest, EngineError, UnsupportedModel
from engine.events import ModelInfo
from engine.experts.usage import UsageFile
from engine.generate.kept import KeptStates
from engine.generate.session import Session
from engine.machine import bound_heap, trim_heap
from engine.model.model import Model
from engine.model.plan import further_bytes, larger_context, plan
from engine.setup.live import open_container
from engine.text.text import Text
from engine.words import sentence
from engine.worker.beside import Beside

KEEP_S = 60.0  # usage is written no more often, so that a crash costs a minute of it

PUBLISHED: dict[str, type[float] | type[int]] = {
    "temperature": float,
    "top_k": int,
    "top_p": float,
    "min_p": float,
    "repetition_penalty": float,
}


class OpenModel:
    """A container, whole or in the making, its model under a memory plan, its text and one session.

    progress(phase, fraction): phases "manifest", "tokenizer", "memory", "trunk" and, of a draft model, "draft", in this order; the
    cheap ones that can refuse come first.
    Raises BadContainer, UnsupportedModel, OverBudget, BadRequest, StorageError, Cancelled; nothing stays open then.
    """

    def __init__(self, config: EngineConfig, progress: Callable[[str, float], None], cancel: CancelToken) -> None:
        with ExitStack() as undo:
            bound_heap()
            progress("manifest", 0.0)
            container = self.container = open_container(config.model)
            undo.callback(self.container.close)
            if config.draft_model is None:
                memory_plan = plan(self.container, config)
            progress("tokenizer", 0.0)
            self.text = Text.open(self.container.path, config.apart, cancel, lambda: container.here)
            undo.callback(self.text.close)
            trim_heap()  # reading a vocabulary takes three times what it leaves
            cancel.check()
            beside: Beside | None = None
            self.draft_note = ""
            if config.draft_model is not None:
                try:
                    beside = Beside(config, self.container, self.text)
                    undo.callback(beside.close)
                except (BadRequest, BadContainer, UnsupportedModel) as e:
                    if config.draft_needed:
                        raise
                    self.draft_note = sentence(e)
                memory_plan = plan(self.container, config, beside.bytes_at() if beside is not None else None)
            drafts = beside.bytes_at() if beside is not None else None
            self._larger = larger_context(self.container, config, memory_plan.context, drafts)
            self.draft_model = beside.container.name if beside is not None else ""
            self.model = Model(
                self.container, config, memory_plan, lambda f: progress("trunk", f), cancel, on_memory=lambda f: progress("memory", f)
            )
            undo.callback(self.model.close)
            draft_model = beside.open(memory_plan.context, lambda f: progress("draft", f), cancel) if beside is not None else None
            kept: KeptStates | None = None
            if config.states is not None and config.states_bytes > 0:
                with suppress(OSError):  # without a place for them conversations are computed again
                    kept = KeptStates(config.states, config.states_bytes, self.model)
            self.session = Session(self.model, self.text, kept, draft_model)
            undo.callback(self.session.close)
            self.config = config
            self._usage = self._usage_file()
            self._kept, self._steps_kept = monotonic(), 0
            if self._usage is not None and (usage := self._usage.load()) is not None:
                self.model.streamer.take_up(usage)
            self._close = undo.pop_all()

    @property
    def info(self) -> ModelInfo:
        """What is open, for people."""
        model, spec, p = self.model, self.container.arch, self.model.plan
        return ModelInfo(
            name=self.container.name,
            model_type=spec.model_type,
            config=self.config,
            n_layers=len(spec.layers),
            n_experts=max((e.n_experts for e in spec.experts), default=0),
            n_expert_records=p.n_records,
            n_slots=p.n_slots,
            context=p.context,
            memory_bytes=model.memory_bytes,
            budget_bytes=p.budget_bytes,
            floor_bytes=p.floor_bytes,
            arithmetic="exact" if p.exact else "fast",
            isa=model.compute.isa,
            threads=p.threads,
            kv_dtype=p.kv_dtype,
            direct=model.streamer.direct,
            locked=model.locked,
            locked_note=model.why_unlocked,
            defaults=published_sampling(self.container.defaults),
            can_think=self.text.can_think,
            can_call=self.text.can_call,
            efforts=self.text.efforts,
            vocabulary=spec.vocab_size,
            longest_context=spec.max_context,
            draft_model=self.draft_model,
            draft_note=self.draft_note,
            drafts_itself=model.spec.mtp is not None,
            further_bytes=further_bytes(self.container, self.config, p.context, p.chunk),
            larger_context=self._larger,
        )

    def idle(self, wanted: Callable[[], bool]) -> bool:
        """Use time in which there is nothing to do: some milliseconds to warm the expert cache, or as long as it takes to save the
        conversation's state, but only until wanted(); whether more time is wanted.
        """
        if self.model.streamer.preload():
            return True
        self.session.save(wanted)
        return False

    def _usage_file(self) -> UsageFile | None:
        """Where usage is kept; that of a model in the making has no place yet."""
        kept = self.config.warm_start and self.container.experts and self.container.making is None
        return UsageFile(self.container) if kept else None

    def refresh(self) -> None:
        """A model that was opened in the making becomes like any other once it is whole. Between answers; raises TakenBack."""
        if not isinstance(self.container, Unfinished) or self.container.making is None:
            return
        self.model.streamer.forget_wrong()  # a whole container no longer knows of it
        if self.container.adopt():
            self.model.whole()
            self._usage = self._usage_file()
            paths.remember_model(self.config.model)

    def keep_usage(self, now: bool = False) -> None:
        """Write down how much each expert was used, once a minute or now; without a place for it nothing is lost but warmth."""
        steps = self.model.clock.steps
        if self._usage is None or steps == self._steps_kept or not (now or monotonic() - self._kept >= KEEP_S):
            return
        self._kept, self._steps_kept = monotonic(), steps
        self._usage.save(self.model.streamer.usage())

    def close(self) -> None:
        """Give everything back; idempotent."""
        with suppress(EngineError):
            self.refresh()
        self.keep_usage(now=True)
        self._close.close()


def published_sampling(defaults: Mapping[str, object]) -> Sampling:
    """The publisher's way of drawing tokens from a manifest's entry; what it leaves open is as in Sampling."""
    values: dict[str, Any] = {k: PUBLISHED[k](v) for k, v in defaults.items() if k in PUBLISHED and isinstance(v, int | float)}
    return Sampling(**values)
