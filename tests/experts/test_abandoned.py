"""Slots whose reads an earlier stream gave up come free when those reads end."""

import threading
import time
from pathlib import Path

import numpy as np
import pytest

from engine.cancel import CancelToken
from engine.container.reader import Container
from engine.errors import Cancelled
from engine.experts.streamer import ExpertStreamer
from tests.conftest import Tiny


def test_that_a_stream_waits_for_slots_of_abandoned_reads(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    path: Path = tiny("mixtral", "q4")
    streamer = ExpertStreamer(Container.open(path), 2)
    store = streamer._store
    reap, late = store.reap, time.monotonic() + 0.4
    # The drive seems slow: nothing that was read is handed over before its time.
    monkeypatch.setattr(store, "reap", lambda ms: reap(ms) if time.monotonic() > late else time.sleep(ms / 1000) or [])
    try:
        cancel = CancelToken()
        threading.Timer(0.05, cancel.cancel).start()
        with pytest.raises(Cancelled):
            list(streamer.stream(0, np.array([0, 1], np.int32), cancel))
        guard = CancelToken()
        timer = threading.Timer(20, guard.cancel)
        timer.start()
        got = sorted(int(i) for which, _ in streamer.stream(1, np.array([2, 3], np.int32), guard) for i in which)
        timer.cancel()
        assert got == [0, 1]
    finally:
        streamer.close()
