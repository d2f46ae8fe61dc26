"""Models that are closed when a test ends."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from engine.cancel import CancelToken
from engine.config import EngineConfig
from engine.container.reader import Container
from engine.model.model import Model
from engine.model.plan import plan

Opened = Callable[..., Model]


@pytest.fixture
def opened() -> Iterator[Opened]:
    """opened(container's path, **fields of its EngineConfig)."""
    with ExitStack() as stack:

        def start(path: Path, **more: Any) -> Model:
            config = EngineConfig(path, **({"context": 64, "chunk": 16, "threads": 2} | more))
            container = Container.open(path)
            stack.callback(container.close)
            model = Model(container, config, plan(container, config), lambda fraction: None, CancelToken())
            stack.callback(model.close)
            return model

        yield start
