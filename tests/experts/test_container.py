"""The streamer over a container that the converter wrote."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine.container.reader import Container
from engine.experts.streamer import ExpertStreamer
from tests.experts.records import Records, drain


@pytest.mark.parametrize("family", ["qwen2_moe", "mixtral"])
def test_that_a_converted_model_is_streamed_record_by_record(tiny: Callable[..., Path], family: str) -> None:
    container = Container.open(tiny(family))
    files = container.experts
    content = [np.fromfile(f.path, np.uint8).reshape(f.n_experts, f.layout.stride) for f in files]
    records = Records(files, content)
    total = sum(f.n_experts for f in files)
    for n_slots in (1, 3, total):
        streamer = ExpertStreamer(container, n_slots)
        for _ in range(2):
            for ordinal, file in enumerate(files):
                drain(streamer, records, ordinal, list(range(file.n_experts)))
        counters = streamer.counters()
        assert counters.hits + counters.misses == 2 * total
        assert counters.bytes_read == counters.misses * files[0].layout.stride
        assert n_slots < total or counters.hits == total
        streamer.close()
    container.close()
