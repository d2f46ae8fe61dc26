"""A draft model beside the open one: looked at before memory is planned, opened after the large one, in memory as a whole."""

from collections.abc import Callable
from contextlib import ExitStack

import numpy as np

from engine.cancel import CancelToken
from engine.config import EngineConfig
from engine.container.reader import Container
from engine.errors import BadContainer, BadRequest
from engine.machine import trim_heap
from engine.model.model import Model
from engine.model.resident import config_of, resident_bytes, resident_plan
from engine.setup.live import open_container
from engine.text.alike import first_difference
from engine.text.text import Text
from engine.words import say


class Beside:
    """The draft model of `config` for `container`. Raises BadContainer, BadRequest where it is none for this model, StorageError."""

    def __init__(self, config: EngineConfig, container: Container, text: Text) -> None:
        self._config = config_of(config)
        path = self._config.model
        if path.expanduser().absolute() == container.path.expanduser().absolute():
            raise BadRequest(
                say("{name} cannot draft for itself. Choose a smaller model of the same tokenizer, or none.", name=container.name)
            )
        if not path.exists():
            raise BadContainer(say("The draft model {path} is not there. Connect its drive, choose another one, or none.", path=path))
        with ExitStack() as undo:
            self.container = open_container(path)
            undo.callback(self.container.close)
            count = min(container.arch.vocab_size, self.container.arch.vocab_size)
            if (differs := first_difference(text, container.path, self.container.path, count, config.apart)) is not None:
                token, here, there = differs
                raise BadRequest(
                    say(
                        "{name} cannot draft for {other}: its tokenizer is another one (token {token} is {there} in it and "
                        "{here} here). Choose a small model of the same family, or none.",
                        name=self.container.name,
                        other=container.name,
                        token=token,
                        there=repr(there),
                        here=repr(here),
                    )
                )
            trim_heap()
            self._undo = undo.pop_all()

    def bytes_at(self) -> Callable[[int], int]:
        """What it takes by the context, for the plan of the model beside."""
        return resident_bytes(self.container, self._config)

    def open(self, context: int, progress: Callable[[float], None], cancel: CancelToken) -> Model:
        """Its model, with all experts read. Raises as Model, and what reading an expert raises."""
        plan = resident_plan(self.container, self._config, context)
        model = Model(self.container, self._config, plan, lambda f: progress(f / 2), cancel)
        self._undo.callback(model.close)
        total = plan.n_records
        if total:
            model.streamer.take_up(np.ones(model.streamer.usage().shape))
            while model.streamer.preload():
                cancel.check()
                progress(0.5 + model.streamer.counters().bytes_read / (2 * total * plan.slot_bytes))
        progress(1.0)
        return model

    def close(self) -> None:
        """Give everything back; idempotent."""
        self._undo.close()
