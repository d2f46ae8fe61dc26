"""The files of a batch: nothing of anybody else's is touched, and a drive that fills up leaves whole lines."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engine.batch.index import Index
from engine.batch.jobs import Job, write_document
from engine.batch.journal import SPARE, Journal
from engine.batch.lines import CHAT, Line, Lines
from engine.batch.results import Results
from engine.errors import BadRequest, StorageError
from tests.cli.running import refused

LINES = tuple(Line(f"r{i}", CHAT, {"messages": [{"role": "user", "content": f"{i}"}]}) for i in range(3))
BODY = {"choices": [{"message": {"content": "x" * 3000}}]}
needs_limit = pytest.mark.skipif(sys.platform == "win32", reason="a process has no limit of the size of its files there")


@contextmanager
def results_of(path: Path) -> Iterator[Results]:
    """The results of LINES in a file."""
    source = path.with_name("requests")
    rows = ({"custom_id": x.custom_id, "method": "POST", "url": x.url, "body": x.body} for x in LINES)
    source.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    with Lines(source, path.parent) as lines, Results(path, lines) as results:
        yield results


def answered(path: Path, n: int) -> bytes:
    """A file with n results."""
    with results_of(path) as results:
        for line in LINES[:n]:
            results.add(line, 200, BODY)
    return path.read_bytes()


@contextmanager
def full_at(nbytes: int) -> Iterator[None]:
    """No file of this process can become larger, as on a drive that is full then."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (nbytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("text", [b"my diary, in one line", b"{}", b'{"id": 1', b"a\nb", b'{"id": "batch_req_0"}\n'])
def test_that_a_file_of_others_is_left_alone(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_bytes(text)
    with pytest.raises(BadRequest, match="no result of these requests"):
        results_of(path).__enter__()
    assert path.read_bytes() == text


def test_that_results_are_not_written_over_the_requests(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(json.dumps({"custom_id": "a", "method": "POST", "url": CHAT, "body": {"messages": []}}), encoding="utf-8")
    before = path.read_bytes()
    for _ in range(2):
        assert "holds the requests" in refused("batch", path, "-o", path)
        (link := tmp_path / "link.jsonl").unlink(missing_ok=True)
        link.symlink_to(path)
        assert "holds the requests" in refused("batch", path, "-o", link)
    assert path.read_bytes() == before


@pytest.mark.parametrize("rest", [b"", b"{", b'{"id": "batch_r', b'{"id": "batch_req_0", "cus', b"\0" * 700])
def test_that_a_cut_line_is_taken_away(rest: bytes, tmp_path: Path) -> None:
    whole = answered(tmp_path / "out.jsonl", 2)
    (tmp_path / "out.jsonl").write_bytes(whole + rest)
    with results_of(tmp_path / "out.jsonl") as results:
        assert results.done == 2
        assert (tmp_path / "out.jsonl").read_bytes() == whole
        results.add(LINES[2], 200, BODY)
    assert (tmp_path / "out.jsonl").read_bytes() == answered(tmp_path / "other.jsonl", 3)


@needs_limit
def test_that_a_full_drive_leaves_whole_results(tmp_path: Path) -> None:
    whole = answered(tmp_path / "whole.jsonl", 3)
    path = tmp_path / "out.jsonl"
    with results_of(path) as results:
        results.add(LINES[0], 200, BODY)
        with full_at(len(whole) // 2), pytest.raises(StorageError, match="cannot hold"):
            results.add(LINES[1], 200, BODY)
        assert results.done == 1 and path.read_bytes().count(b"\n") == 1
        results.add(LINES[1], 200, BODY)  # there is room again
        results.add(LINES[2], 200, BODY)
    assert path.read_bytes() == whole


@needs_limit
def test_that_a_full_drive_costs_no_tokens_that_were_kept(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    journal = Journal(out, "state")
    journal.begin("a", 0, 0)
    journal.add("a", 0, tuple(range(100)))
    journal.flush()
    journal.add("a", 0, tuple(range(1000, 3000)))
    with full_at(2000):
        with pytest.raises(StorageError):
            journal.flush()
        with pytest.raises(StorageError):
            journal.close(False)
    again = Journal(out, "state")
    assert again.tokens("a", 0) == tuple(range(99))
    again.close(True)


def test_that_what_is_answered_does_not_stay_beside_a_batch_of_several_at_once(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "o", "state", lambda: 0.0)
    journal.begin("long", 0, 0)
    for n in range(40):
        journal.begin(f"r{n}", 0, 0)
        journal.add(f"r{n}", 0, tuple(range(10_000)))
        journal.add("long", 0, tuple(range(10)))
        journal.flush()
        journal.drop(f"r{n}")
        assert journal.path.stat().st_size < SPARE + 120_000
    journal.close(False)
    again = Journal(tmp_path / "o", "state")
    assert again.tokens("long", 0) == tuple(range(10)) * 39 + tuple(range(9))
    again.close(True)


def test_that_documents_stay_apart_and_have_names_that_files_can_have(tmp_path: Path) -> None:
    job = Job("", "", "", str(tmp_path), 0.0)
    names = ["a.txt", "a:b.txt", "a/b.txt", "a_b.txt", "x" * 200 + "1", "x" * 200 + "2", "文" * 85, "文" * 84 + "件", "\ud800"]
    for name in names:
        write_document(job, name, {"choices": [{"message": {"content": f"of {names.index(name)}"}}]})
    found = {p.read_text(encoding="utf-8").strip() for p in tmp_path.iterdir()}
    assert found == {f"of {n}" for n in range(len(names))} and (tmp_path / "a.txt.md").is_file()


def test_that_an_index_that_cannot_be_made_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.batch.index.SCHEMA", "create table")
    with pytest.raises(StorageError, match="list of requests cannot be written"):
        Index(tmp_path)
    assert not list(tmp_path.iterdir())
