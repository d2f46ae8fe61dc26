"""Batches with a real model: every request is answered once, whatever stops the work and wherever."""

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from engine.batch.batch import Batch
from engine.batch.journal import Journal
from engine.batch.lines import Lines
from engine.batch.results import Results
from engine.config import EngineConfig
from engine.errors import BadRequest, StorageError
from engine.events import Failed, Finished, Ids, Loaded, ModelInfo
from engine.requests import LoadModel
from tests.cli.running import command, environment, here, refused
from tests.conftest import Tiny
from tests.worker.driving import Driver

URL = "/v1/chat/completions"


def request(name: str, *turns: str, url: str = URL, **body: Any) -> dict[str, Any]:
    messages = [{"role": ("user", "assistant")[i % 2], "content": t} for i, t in enumerate(turns)]
    bodies: dict[str, dict[str, Any]] = {URL: {"messages": messages}, "/v1/responses": {"input": turns[0]}}
    said = bodies.get(url, {"prompt": turns[0]})
    return {"custom_id": name, "method": "POST", "url": url, "body": {"model": "m", **said, **body}}


def written(path: Path, requests: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(r) + "\n" for r in requests), encoding="utf-8")
    return path


def results(path: Path) -> dict[str, Any]:
    """What each request was answered, without what tells of time and of what was known before."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        result = json.loads(line)
        body = result["response"]["body"]
        body.pop("created", None)
        body.pop("created_at", None)
        for details in ("prompt_tokens_details", "input_tokens_details"):
            body.get("usage", {}).pop(details, None)
        assert result["custom_id"] not in found
        found[result["custom_id"]] = result
    return found


@pytest.fixture
def model(tiny: Tiny) -> Path:
    return tiny("qwen2_moe", "q4")


def opened(driver: Driver, model: Path, context: int = 256) -> ModelInfo:
    loaded = driver.do(LoadModel(next(driver.ids), EngineConfig(model, context=context, threads=1, programs=True)))[-1]
    assert isinstance(loaded, Loaded)
    return loaded.info


def work(driver: Driver, batch: Batch, stop_after: int | None = None) -> int:
    """Answer everything, or until so many tokens are drawn; how many tokens came again that an earlier run had drawn."""
    again = 0
    while (asked := batch.next(next(driver.ids))) is not None:
        again += len(asked.options.resumed)
        driver.worker.post(asked)
        ended = False
        while not ended:
            for event in driver.events(lambda e: isinstance(e, Ids | Finished | Failed)):
                batch.take(event)
                ended = isinstance(event, Finished | Failed)
            if stop_after is not None and batch.tokens >= stop_after:
                driver.worker.cancel()
        if stop_after is not None and batch.tokens >= stop_after:
            break
    return again


def test_that_answers_go_on_where_they_were_stopped(driver: Driver, model: Path, tmp_path: Path) -> None:
    info = opened(driver, model)
    shapes = {"response_format": {"type": "json_object"}}
    asked = [
        request("greedy", "One two", temperature=0, max_tokens=30),
        request("drawn", "Three four", max_tokens=30, n=3, presence_penalty=0.5),
        request("cut", "Five six", max_tokens=40, stop=["e", "a"]),
        request("json", "Seven eight", max_tokens=40, **shapes),
        request("likely", "Nine", max_tokens=6, logprobs=True, top_logprobs=2),
        request("text", "Ten eleven", url="/v1/completions", max_tokens=25, echo=True),
        request("response", "Eleven", url="/v1/responses", max_output_tokens=12, temperature=0),
        request("wrong", "Twelve", frequenzy=1),
        request("empty", " "),
        request("long", "word " * 400),
    ]
    source = written(tmp_path / "in.jsonl", asked)
    with Lines(source, tmp_path) as lines, Results(tmp_path / "whole.jsonl", lines) as whole:
        batch = Batch(lines, whole, info, any_model=True)
        work(driver, batch)
        batch.close()
    again = runs = 0
    while runs < 400:
        runs += 1
        with Lines(source, tmp_path) as lines, Results(tmp_path / "out.jsonl", lines) as out:
            batch = Batch(lines, out, info, any_model=True)
            again += work(driver, batch, stop_after=7)
            batch.close()
            if batch.done == batch.total:
                break
    assert 10 < runs < 400 and again > 50
    found = results(tmp_path / "out.jsonl")
    assert found == results(tmp_path / "whole.jsonl")
    assert not (tmp_path / "out.jsonl.progress").exists()
    status = {name: r["response"]["status_code"] for name, r in found.items()}
    assert [name for name, code in status.items() if code != 200] == [n for n in status if n in ("wrong", "empty", "long")]
    assert found["long"]["response"]["body"]["error"]["code"] == "context_length_exceeded"
    assert len({c["message"]["content"] for c in found["drawn"]["response"]["body"]["choices"]}) == 3
    said = found["response"]["response"]["body"]
    assert (said["object"], said["status"]) == ("response", "incomplete") and said["output"][0]["content"][0]["text"]
    assert found["text"]["response"]["body"]["choices"][0]["text"].startswith("Ten eleven")
    assert len(found["likely"]["response"]["body"]["choices"][0]["logprobs"]["content"]) > 2


def test_that_what_did_not_fit_is_asked_again_where_the_context_is_longer(driver: Driver, model: Path, tmp_path: Path) -> None:
    source = written(tmp_path / "in.jsonl", [request("short", "hi", max_tokens=3), request("long", "word " * 20), request("wrong", " ")])
    lengths = []
    for context in (32, 32, 64, 256, 256):
        info = opened(driver, model, context)
        with Lines(source, tmp_path) as lines, Results(tmp_path / "out.jsonl", lines) as out:
            batch = Batch(lines, out, info, any_model=True)
            before = batch.done
            work(driver, batch)
            batch.close()
            assert batch.done == batch.total and batch.refused == (2 if context < 256 else 1)
        error = results(tmp_path / "out.jsonl")["long"]["response"]["body"].get("error", {})
        lengths.append((before, error.get("context_length")))
    assert lengths == [(0, 32), (3, 32), (2, 64), (2, None), (3, None)]
    assert {p.name for p in tmp_path.iterdir()} == {"in.jsonl", "out.jsonl"}


def test_that_what_begins_alike_is_answered_together(driver: Driver, model: Path, tmp_path: Path) -> None:
    info = opened(driver, model)
    starts = ["The quick brown fox jumps over the lazy dog. " * 3, "Seven wizards counted eleven stones. " * 4]
    asked = [request(f"r{i}", starts[i % 2] + f"Part {i}", max_tokens=3) for i in range(10)]
    source = written(tmp_path / "in.jsonl", asked)
    with Lines(source, tmp_path) as lines, Results(tmp_path / "out.jsonl", lines) as out:
        batch = Batch(lines, out, info, any_model=True)
        work(driver, batch)
        batch.close()
    usage = [json.loads(t)["response"]["body"]["usage"] for t in (tmp_path / "out.jsonl").read_text().splitlines()]
    known = [u["prompt_tokens_details"]["cached_tokens"] / u["prompt_tokens"] for u in usage]
    assert sum(share > 0.8 for share in known) == 8


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_that_two_hundred_requests_survive_ten_kills(model: Path, tmp_path: Path) -> None:
    rng = random.Random(7)
    asked = [request(f"r{i}", f"Say {i % 9} words", max_tokens=rng.randint(2, 20)) for i in range(200)]
    source = written(tmp_path / "in.jsonl", asked)
    flags = ("--model", model, "--any-model", "--ctx", 256, "--budget", "1G")
    assert here("batch", source, "-o", tmp_path / "whole.jsonl", *flags)[0] == 0
    out = tmp_path / "out.jsonl"
    kills = 0
    while kills < 10:
        goal = rng.randint(1, 18)
        before = out.read_bytes().count(b"\n") if out.exists() else 0
        process = subprocess.Popen(command("batch", source, "-o", out, *flags), stderr=subprocess.DEVNULL, env=environment())
        while process.poll() is None and (not out.exists() or out.read_bytes().count(b"\n") < min(before + goal, 195)):
            time.sleep(0.002)
        assert process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
        kills += 1
    assert 10 <= out.read_bytes().count(b"\n") < 200
    assert here("batch", source, "-o", out, *flags)[0] == 0
    found = results(out)
    assert len(found) == 200 and found == results(tmp_path / "whole.jsonl")
    assert "All 200 requests have their results" in here("batch", source, "-o", out, *flags)[2]


def test_that_a_cut_line_is_written_again_and_a_strange_one_refused(tmp_path: Path) -> None:
    source = written(tmp_path / "in.jsonl", [request(f"r{i}", "hello") for i in range(3)])
    out = tmp_path / "out.jsonl"
    with Lines(source, tmp_path) as lines, Results(out, lines) as r:
        r.add(lines[0], 200, {"choices": []})
        with pytest.raises(StorageError, match="another Ouzel"):
            Results(out, lines)
    whole = out.read_bytes()
    out.write_bytes(whole + whole[:50])
    with Lines(source, tmp_path) as lines, Results(out, lines) as r:
        assert list(lines.index.unanswered()) == [1, 2]
        r.add(lines[2], 400, {"error": {}})
    with Lines(source, tmp_path) as lines, Results(out, lines) as r:
        assert (list(lines.index.unanswered()), r.done, r.refused) == ([1], 2, 1)
    changed = written(tmp_path / "other.jsonl", [request(f"r{i}", "good bye") for i in range(3)])
    for strange in (out.read_bytes(), b"[1]\n", whole + whole, b"\n", b"\xff\n"):
        out.write_bytes(strange)
        with (
            Lines(changed if strange != whole + whole else source, tmp_path) as lines,
            pytest.raises(BadRequest, match="Name another output"),
        ):
            Results(out, lines)
        assert out.read_bytes() == strange


def test_that_a_large_file_takes_no_memory(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    text = "x" * 20_000
    with source.open("w", encoding="utf-8") as file:
        for i in range(3000):
            file.write(json.dumps(request(f"r{i}", f"{i % 7} {text}")) + "\n")
        file.write(json.dumps(request("r1700", "again")) + "\n")
    told = f"""
import resource, sys
from pathlib import Path
from engine.batch.lines import Lines
from engine.errors import BadRequest
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    Lines(Path({str(source)!r}), Path({str(tmp_path)!r}))
except BadRequest as e:
    print(e)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    run = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, env=environment(), check=True)
    assert "line 3001: custom_id 'r1700' is that of line 1701 too" in run.stdout
    unit = 1 if sys.platform == "darwin" else 1024
    assert int(run.stdout.split()[-1]) * unit < source.stat().st_size / 8


def test_that_a_file_that_changes_meanwhile_is_not_answered(tmp_path: Path) -> None:
    source = written(tmp_path / "in.jsonl", [request(f"r{i}", "hello") for i in range(3)])
    with Lines(source, tmp_path) as lines:
        source.write_text(source.read_text(encoding="utf-8").replace("hello", "olleh"), encoding="utf-8")
        with pytest.raises(StorageError, match="was changed"):
            lines[1]
    assert {p.name for p in tmp_path.iterdir()} == {"in.jsonl"}


def test_that_the_journal_trusts_nothing_that_was_cut_or_is_of_another_state(tmp_path: Path) -> None:
    now = 0.0
    journal = Journal(tmp_path / "o", "one", lambda: now)
    journal.add("a", 0, (1, 2, 3))
    assert not journal.path.read_bytes()
    now = 1.5
    journal.add("a", 0, (4,))
    journal.add("a", 1, (9, 9))
    journal.close(finished=False)
    kept = journal.path.read_bytes()
    again = Journal(tmp_path / "o", "one", lambda: now)
    assert (again.tokens("a", 0), again.tokens("a", 1), again.tokens("b", 0)) == ((1, 2, 3), (9,), ())
    again.begin("a", 0, 2)
    again.add("a", 0, (7, 8))
    again.close(finished=False)
    third = Journal(tmp_path / "o", "one", lambda: now)
    assert third.tokens("a", 0) == (1, 2, 7)
    third.drop("a")
    third.close(finished=False)
    assert not third.path.read_bytes()
    for damaged in (kept[:-5], kept[:40], b"\xff" + kept, kept.replace(b'"at": 0', b'"at": 7')):
        third.path.write_bytes(damaged)
        one = Journal(tmp_path / "o", "one", lambda: now)
        assert one.tokens("a", 0) in ((1, 2, 3), ()) and one.tokens("a", 1) in ((9,), ())
        one.close(finished=True)
    assert not third.path.exists()
    third.path.write_bytes(kept)
    other = Journal(tmp_path / "o", "two", lambda: now)
    assert other.tokens("a", 0) == ()
    other.close(finished=True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no requests"),
        ("{", "line 1"),
        ('{"custom_id": 3}', "custom_id"),
        (json.dumps(request("a", "x")) + "\n" + json.dumps(request("a", "y")), "line 2"),
        (json.dumps({**request("a", "x"), "url": "/v1/embeddings"}), "url"),
        (json.dumps({**request("a", "x"), "method": "GET"}), "method"),
        (json.dumps({**request("a", "x"), "extra": 1}), "extra"),
        ("[" * 100000, "line 1"),
    ],
)
def test_that_a_wrong_input_is_told_before_anything_is_written(text: str, said: str, tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text(text)
    assert said in refused("batch", source, "-o", tmp_path / "out.jsonl", "--model", "nothing")
    assert not (tmp_path / "out.jsonl").exists()


def test_that_another_model_s_requests_are_not_answered_without_being_asked(model: Path, tmp_path: Path) -> None:
    source, out = written(tmp_path / "in.jsonl", [request("a", "hello", max_tokens=3)]), tmp_path / "out.jsonl"
    assert "--any-model" in refused("batch", source, "-o", out, "--model", model)
    assert not out.exists()
    code, text, err = here("batch", source, "-o", out, "--model", model, "--any-model", "--json")
    assert code == 0 and json.loads(text) == {"results": str(out), "requests": 1, "refused": 0}, err
    assert results(out)["a"]["response"]["body"]["model"] == "m"
