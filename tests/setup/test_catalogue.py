"""The catalogue: strict, and its sizes are those that the publishers name."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from engine.arch import read_arch
from engine.config import EngineConfig
from engine.container.strict import Malformed
from engine.errors import BadRequest
from engine.setup.catalogue import PUBLISHED, Entry, catalogue, find, published_bytes, read_catalogue
from engine.setup.outlook import outlook
from tests.arch import real

# Billions of parameters in all and for each token, and GB of the weights, as the model cards, file lists and papers name them; None: not
# named. They round, and some count what is not part of the text model.
NAMED = {
    "Qwen/Qwen3-0.6B": (0.596, None, 1.5033),
    "allenai/OLMoE-1B-7B-0924-Instruct": (6.9, 1.3, None),
    "openai/gpt-oss-20b": (20.9, 3.6, None),
    "google/gemma-4-26B-A4B-it": (25.2, 3.8, None),
    "Qwen/Qwen3-30B-A3B-Instruct-2507": (30.5, 3.3, None),
    "moonshotai/Kimi-Linear-48B-A3B-Instruct": (48, 3, None),
    "Qwen/Qwen3-Next-80B-A3B-Instruct": (80, 3, None),
    "zai-org/GLM-4.5-Air": (106, 12, None),
    "openai/gpt-oss-120b": (116.8, 5.1, 65.3),
    "deepseek-ai/DeepSeek-V3.1": (671, 37, None),
    "moonshotai/Kimi-K2-Thinking": (1000, 32, 594),
    "moonshotai/Kimi-K3": (2800, None, 1560),
}

TWICE = {"Qwen/Qwen3-0.6B": 2 * 151936 * 1024}  # bytes of a head that is the embedding and is in the file all the same


def value() -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads((files("resources") / "catalogue.json").read_bytes())
    return parsed


@pytest.mark.parametrize("entry", catalogue(), ids=lambda e: e.name)
def test_that_sizes_are_those_that_are_published(entry: Entry) -> None:
    total, active, gigabytes = NAMED[entry.repo]
    model = entry.unwritten()
    seen = outlook(model, EngineConfig(Path(), context=4096, threads=2))
    assert seen.parameters / 1e9 == pytest.approx(total, rel=0.03)
    if active is not None:
        assert seen.active_parameters / 1e9 == pytest.approx(active, abs=0.6, rel=0.07)
    nbytes = published_bytes(model.arch, entry.published) + TWICE.get(entry.repo, 0)
    if gigabytes is not None:
        assert nbytes / 1e9 == pytest.approx(gigabytes, rel=0.005)
    assert entry.download_bytes(model.arch) == pytest.approx(nbytes, rel=0.005)
    assert (entry.experts == "mxfp4") == (entry.published == "mxfp4")


def test_that_it_has_the_models_that_it_should() -> None:
    assert {e.repo for e in catalogue()} == set(NAMED)
    assert all(e.about.endswith(".") and e.licence_link.startswith("https://") for e in catalogue())
    for released in (real.KIMI_K3, real.KIMI_LINEAR, real.GEMMA_4, real.GPT_OSS_20B):
        kind, arch = released["model_type"], read_arch(released)
        same = [e for e in catalogue() if e.config["model_type"] == kind and read_arch(e.config).experts == arch.experts]
        assert len(same) == 1 and read_arch(same[0].config).layers == arch.layers


def test_that_a_model_is_found_by_name_and_by_repository() -> None:
    assert find("kimi k3") is find("MOONSHOTAI/Kimi-K3") is catalogue()[-1]
    with pytest.raises(BadRequest, match="openai/gpt-oss-20b"):
        find("gpt-7")


def test_that_sizes_of_each_publication_are_counted() -> None:
    arch = read_arch(real.QWEN3_30B_A3B)
    sizes = {kind: published_bytes(arch, kind) for kind in PUBLISHED}
    assert sizes["bf16"] == 2 * sum(e.n_experts * 3 * 2048 * 768 for e in arch.experts) + 2 * sum(_size(t.shape) for t in arch.tensors)
    assert sizes["mxfp4"] < sizes["int4"] < sizes["fp8"] < sizes["bf16"]


def _size(shape: tuple[int, ...]) -> int:
    n = 1
    for side in shape:
        n *= side
    return n


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"repo": "kimi"}, "repository"),
        ({"repo": "../kimi"}, "repository"),
        ({"repo": "a/b/c"}, "repository"),
        ({"name": ""}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"about": "x" * 300}, "about"),
        ({"licence_link": "http://example.org"}, "https"),
        ({"licence_link": "javascript:x"}, "https"),
        ({"experts": "q3"}, "q4"),
        ({"trunk": "mxfp4"}, "q4-all"),
        ({"published": "q4"}, "fp8"),
        ({"download_bytes": 0}, "download_bytes"),
        ({"download_bytes": "65 GB"}, "download_bytes"),
        ({"config": []}, "config"),
        ({"more": 1}, "more"),
    ],
)
def test_that_a_catalogue_that_is_wrong_is_refused(change: dict[str, Any], word: str) -> None:
    whole = value()
    whole["models"][3] |= change
    with pytest.raises(Malformed, match=word):
        read_catalogue(json.dumps(whole).encode())


def test_that_a_model_may_not_be_there_twice_nor_the_version_be_another() -> None:
    whole = value()
    with pytest.raises(Malformed, match="twice"):
        read_catalogue(json.dumps({**whole, "models": whole["models"] * 2}).encode())
    with pytest.raises(Malformed, match="version"):
        read_catalogue(json.dumps({**whole, "version": 2}).encode())
    del whole["models"][0]["licence"]
    with pytest.raises(Malformed, match="licence"):
        read_catalogue(json.dumps(whole).encode())
