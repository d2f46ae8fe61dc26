"""Perplexity and KL against plain sums, the full-precision source that is made for them, and `ouzel measure`."""

import json
from pathlib import Path

import numpy as np
import pytest

from engine import paths
from engine.cancel import CancelToken
from engine.container.reader import Container
from engine.errors import BadCheckpoint, BadRequest, Cancelled
from engine.setup.checkpoint import CheckpointFolder
from engine.setup.measure import (
    bundled_text,
    compare,
    full_precision,
    log_probabilities,
    lossless_formats,
    opened,
    source_of,
    windows,
)
from engine.text.text import Text
from tests.cli.running import here, refused
from tests.conftest import Tiny

BUDGET = 64_000_000


def nothing(*progress: object) -> None:
    pass


def some_ids(n: int = 3, length: int = 40) -> list[np.ndarray]:
    return list(np.random.default_rng(5).integers(0, 384, (n, length)).astype(np.int32))


def test_that_perplexity_and_kl_are_what_their_definitions_say(tiny: Tiny) -> None:
    texts, told = some_ids(), list[tuple[int, int]]()
    with (
        opened(tiny("qwen3_moe", "q4"), False, BUDGET, CancelToken()) as ours,
        opened(tiny("qwen3_moe"), True, BUDGET, CancelToken()) as reference,
    ):
        found = compare(ours, reference, texts, lambda done, total: told.append((done, total)), CancelToken())
        loss, kl, same = [], [], []
        for ids in texts:
            q, p = (m.forward(ids, m.new_state(), "all").astype(np.float64)[:-1] for m in (ours, reference))
            q, p = (np.exp(x - x.max(1, keepdims=True)) for x in (q, p))
            q, p = (x / x.sum(1, keepdims=True) for x in (q, p))
            loss += [-np.log(q[i, ids[i + 1]]) for i in range(len(ids) - 1)]
            kl += (p * np.log(p / q)).sum(1).tolist()
            same += (p.argmax(1) == q.argmax(1)).tolist()
    assert found.tokens == len(loss) == 3 * 39
    assert found.perplexity == pytest.approx(np.exp(np.mean(loss)), rel=1e-5)
    assert found.kl == pytest.approx(np.mean(kl), rel=1e-3) and found.kl > 1e-5  # type: ignore[operator]
    assert found.same_top == pytest.approx(np.mean(same))
    assert [done for done, _ in told] == sorted(done for done, _ in told) and told[-1] == (117, 120)


def test_that_a_model_is_not_far_from_itself(tiny: Tiny) -> None:
    path = tiny("qwen3_moe")
    with opened(path, True, BUDGET, CancelToken()) as a, opened(path, True, BUDGET, CancelToken()) as b:
        found = compare(a, b, some_ids(), nothing, CancelToken())
    assert (found.kl, found.same_top, found.perplexity) == (0, 1, found.reference_perplexity)
    with opened(path, True, BUDGET, CancelToken()) as a:
        alone = compare(a, None, some_ids(), nothing, CancelToken())
        cancel = CancelToken()
        cancel.cancel()
        with pytest.raises(Cancelled):
            compare(a, None, some_ids(), nothing, cancel)
    assert (alone.perplexity, alone.kl) == (found.perplexity, None)


def test_that_log_probabilities_add_up_to_one() -> None:
    x = np.random.default_rng(0).standard_normal((5, 5000)).astype(np.float32) * 30
    kept = x.copy()
    assert np.exp(log_probabilities(x)).sum(1) == pytest.approx(1, abs=1e-5)
    assert np.array_equal(x, kept)


def test_that_text_is_cut_into_windows_that_begin_as_texts_do(tiny: Tiny) -> None:
    container = Container.open(tiny("mixtral", "q4"))
    text, arch = Text.open(container.path), container.arch
    ids = text.encode(bundled_text())
    cut = windows(text, arch, bundled_text(), 100)
    begin = [] if arch.bos_token is None else [arch.bos_token]
    assert begin and len(cut) == len(ids) // 99 and all(len(w) == 100 and w[0] == begin[0] for w in cut)
    assert cut[1].tolist()[1:] == ids[99:198]
    (short,) = windows(text, arch, "A short text.", 100)
    assert 2 < len(short) < 100
    with pytest.raises(BadRequest, match="too short"):
        windows(text, arch, "", 100)


def test_that_the_bundled_text_is_plain_and_long_enough() -> None:
    prose = bundled_text()
    assert prose.isascii() and 10_000 < len(prose) < 20_000


@pytest.mark.parametrize(
    ("family", "dtype", "formats"),
    [("mixtral", "bf16", ("bf16", "bf16")), ("mixtral", "f32", ("f32", "f32")), ("gpt_oss", "bf16", ("mxfp4", "bf16"))],
)
def test_that_the_source_s_own_numbers_are_kept(
    family: str, dtype: str, formats: tuple[str, str], tiny_checkpoint: Tiny, tiny: Tiny
) -> None:
    folder = tiny_checkpoint(family, 0, dtype)
    source = CheckpointFolder(folder)
    container = Container.open(tiny(family, "f32", 0, dtype))
    assert lossless_formats(source, container.arch) == formats
    source.close()
    texts = some_ids(1)
    with full_precision(folder, nothing, CancelToken()) as path:
        assert Container.open(path).manifest.formats["experts.gate"] == formats[0]
        with opened(path, True, BUDGET, CancelToken()) as kept, opened(container.path, True, BUDGET, CancelToken()) as wide:
            assert compare(kept, wide, texts, nothing, CancelToken()).kl == pytest.approx(0, abs=1e-9)
    assert not path.exists() and list(path.parent.iterdir()) == []


def test_that_nothing_is_left_by_a_source_that_cannot_be_converted(tiny_checkpoint: Tiny) -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled), full_precision(tiny_checkpoint("mixtral"), nothing, cancel):
        pass
    assert not list((paths.cache_dir() / "measure").glob("*"))


def test_that_another_model_s_source_is_refused(tiny: Tiny, tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    container = Container.open(tiny("mixtral", "q4"))
    source_of(tiny_checkpoint("mixtral"), container)
    with pytest.raises(BadRequest, match="not what"):
        source_of(tiny_checkpoint("olmoe"), container)
    with pytest.raises(BadCheckpoint, match="no model"):
        source_of(tmp_path, container)


def test_that_the_command_tells_what_formats_cost(tiny: Tiny, tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    model = tiny("mixtral", "q4")
    flags = ("--windows", 2, "--threads", 1)
    code, out, err = here("measure", model, "--against", tiny_checkpoint("mixtral"), *flags, "--json")
    r = json.loads(out)
    assert code == 0 and "loses nothing" in err
    assert (r["windows"], r["arithmetic"], r["text"]) == (2, "fast", "bundled")
    assert r["kl"] > 0 and r["perplexity"] != r["reference_perplexity"] and 0 < r["same_top"] <= 1
    (tmp_path / "größe.txt").write_text("Ein Text, der gemessen wird. " * 40, encoding="utf-8")
    text = here("measure", model, "--text", tmp_path / "größe.txt", "--exact", *flags)[1]
    assert "exact arithmetic" in text and "perplexity" in text and "KL" not in text
    (tmp_path / "bad").write_bytes(b"\xff\xfe\x00")
    assert "UTF-8" in refused("measure", model, "--text", tmp_path / "bad")
    assert "cannot be read" in refused("measure", model, "--text", tmp_path / "none")
    assert "not what" in refused("measure", model, "--against", tiny_checkpoint("olmoe"))
    assert "at least" in refused("measure", model, "--budget", "1M")
