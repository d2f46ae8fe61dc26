"""A batch whose requests are computed several at a time: the same results, also after stops in the middle of several answers."""

import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from engine.batch.batch import Batch
from engine.batch.lines import Lines
from engine.batch.results import Results
from engine.config import EngineConfig
from engine.errors import Cancelled
from engine.events import Failed, Finished, Ids, Loaded, ModelInfo
from engine.requests import LoadModel
from tests.batch.test_batch import request, results, written
from tests.cli.running import command, environment, here
from tests.conftest import Tiny
from tests.worker.driving import Driver

ASKED = [
    request("greedy", "One two", temperature=0, max_tokens=30),
    request("drawn", "Three four", max_tokens=20, n=3, presence_penalty=0.5),
    request("cut", "Five six", max_tokens=30, stop=["e", "a"]),
    request("json", "Seven eight", max_tokens=30, response_format={"type": "json_object"}),
    request("likely", "Nine", max_tokens=6, logprobs=True, top_logprobs=2),
    request("text", "Ten eleven", url="/v1/completions", max_tokens=25, echo=True),
    request("empty", " "),
    request("long", "word " * 400),
]


def test_that_probabilities_take_no_more_than_is_counted_for_requests(driver: Driver, tiny: Tiny, tmp_path: Path) -> None:
    model = tiny("qwen2_moe", "q4")
    likely = {"logprobs": True, "top_logprobs": 2, "temperature": 0}
    asked = [
        request("fits", "Nine", max_tokens=3, **likely),
        request("fits too", "Ten", max_tokens=3, **likely),
        request("long", "Nine", max_tokens=30, **likely),
        request("unsaid", "Nine", **likely),
        request("many", "Nine", max_tokens=3, n=3, **likely),
        request("plain", "Nine", max_tokens=30, temperature=0),
    ]
    source = written(tmp_path / "in.jsonl", asked)
    found, together = [], []
    for parallel in (1, 3):
        info = opened(driver, model, parallel)
        out = tmp_path / f"{parallel}.jsonl"
        with Lines(source, tmp_path) as lines, Results(out, lines) as kept:
            batch = Batch(lines, kept, info, any_model=True, memory_bytes=26_000)  # of 3 tokens with 2 others each 13,200
            together.append(work(driver, batch, parallel)[0])
            assert batch.done == len(asked) and batch._room.taken == 0
            batch.close()
        found.append(results(out))
    assert found[0] == found[1] and together[1] > 1
    status = {name: r["response"]["status_code"] for name, r in found[0].items()}
    assert status == {"fits": 200, "fits too": 200, "long": 400, "unsaid": 400, "many": 400, "plain": 200}
    error = found[0]["many"]["response"]["body"]["error"]
    assert error["code"] == "too_many_logprobs" and "max_tokens" in error["message"]
    assert len(found[0]["fits"]["response"]["body"]["choices"][0]["logprobs"]["content"]) == 3


def test_that_a_refused_batch_leaves_no_file_and_an_answered_one_does(tiny: Tiny, tmp_path: Path) -> None:
    source, out = written(tmp_path / "in.jsonl", [request("a", "One", max_tokens=2)]), tmp_path / "new" / "one" / "out.jsonl"
    flags = ("--model", tiny("qwen2_moe", "q4"), "--ctx", 128, "--threads", 1)
    code, _, err = here("batch", source, "-o", out, *flags)
    assert not (tmp_path / "new").exists()
    out = tmp_path / "out.jsonl"
    assert code == 1 and "--any-model" in err and not out.exists()
    out.touch()  # somebody's own
    assert here("batch", source, "-o", out, *flags)[0] == 1 and out.exists()
    assert here("batch", source, "-o", out, *flags, "--any-model")[0] == 0 and len(results(out)) == 1


def opened(driver: Driver, model: Path, parallel: int) -> ModelInfo:
    config = EngineConfig(model, context=256, threads=1, programs=True, parallel=parallel)
    loaded = driver.do(LoadModel(next(driver.ids), config))[-1]
    assert isinstance(loaded, Loaded)
    return loaded.info


def work(driver: Driver, batch: Batch, parallel: int, stop_after: int | None = None) -> tuple[int, int]:
    """Answer everything, or until so many tokens are drawn; (the most requests at once, tokens that an earlier run had drawn)."""
    running: set[int] = set()
    most = again = 0
    stopped = False
    while True:
        while not stopped and len(running) < parallel and (asked := batch.next(next(driver.ids))) is not None:
            again += len(asked.options.resumed)
            running.add(asked.id)
            driver.worker.post(asked)
        most = max(most, len(running))
        if not running:
            return most, again
        for event in driver.events(lambda e: isinstance(e, Ids | Finished | Failed)):
            with suppress(Cancelled):  # of one that had not begun
                batch.take(event)
            if isinstance(event, Finished | Failed):
                running.discard(event.id)
        if stop_after is not None and batch.tokens >= stop_after and not stopped:
            stopped = True
            driver.worker.cancel()


def test_that_results_are_those_of_one_at_a_time(driver: Driver, tiny: Tiny, tmp_path: Path) -> None:
    source, model = written(tmp_path / "in.jsonl", ASKED), tiny("qwen2_moe", "q4")
    info = opened(driver, model, 1)
    with Lines(source, tmp_path) as lines, Results(tmp_path / "whole.jsonl", lines) as whole:
        batch = Batch(lines, whole, info, any_model=True)
        work(driver, batch, 1)
        batch.close()
    info = opened(driver, model, 3)
    most = again = runs = 0
    done = False
    while not done and runs < 100:
        runs += 1
        with Lines(source, tmp_path) as lines, Results(tmp_path / "out.jsonl", lines) as out:
            batch = Batch(lines, out, info, any_model=True)
            at_once, resumed = work(driver, batch, 3, stop_after=25)
            batch.close()
            most, again, done = max(most, at_once), again + resumed, batch.done == batch.total
    assert done and most == 3 and runs > 3 and again > 10
    assert results(tmp_path / "out.jsonl") == results(tmp_path / "whole.jsonl")
    assert not (tmp_path / "out.jsonl.progress").exists()


@pytest.mark.long
def test_that_a_killed_process_goes_on(tiny: Tiny, tmp_path: Path) -> None:
    asked = [request(f"r{i}", f"Say {i % 5} words", max_tokens=40) for i in range(40)]
    source, out = written(tmp_path / "in.jsonl", asked), tmp_path / "out.jsonl"
    flags = ("--model", tiny("qwen2_moe", "q4"), "--any-model", "--ctx", 256, "--budget", "1G")
    assert here("batch", source, "-o", tmp_path / "whole.jsonl", *flags)[0] == 0
    for goal in (1, 9, 20):
        process = subprocess.Popen(
            command("batch", source, "-o", out, *flags, "--parallel", 2), stderr=subprocess.DEVNULL, env=environment()
        )
        while process.poll() is None and (not out.exists() or out.read_bytes().count(b"\n") < goal):
            time.sleep(0.002)
        assert process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert here("batch", source, "-o", out, *flags, "--parallel", 2)[0] == 0
    assert results(out) == results(tmp_path / "whole.jsonl")
