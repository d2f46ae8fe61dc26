"""Experts that were published in MXFP4 are kept bit for bit, in both published spellings, and never made."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from engine.arch.spec import Source
from engine.container.format import PARTS
from engine.container.reader import Container
from engine.errors import BadCheckpoint, BadRequest
from engine.setup import mxfp4
from engine.setup.source import TensorInfo
from kernels_pyx.linear import packed_bytes, unpack, unpack_mxfp4
from tests.reference.mxfp4 import encode
from tests.setup.shards import Arrays, changed, run

Tiny = Callable[..., Path]


def published(arrays: Arrays) -> None:
    """Expert weights as compressed-tensors publishes them."""
    for name in [n for n in arrays if ".mlp.experts." in n]:
        codes, scales = encode(np.asarray(arrays.pop(name), np.float32))
        arrays[name + "_packed"], arrays[name + "_scale"] = codes, scales


@pytest.fixture
def checkpoint(tiny_checkpoint: Tiny, tmp_path: Path) -> Path:
    return changed(tiny_checkpoint("qwen3_moe", 0, "f32"), tmp_path, published)


def parts(container: Container) -> "list[tuple[str, str, int, int, npt.NDArray[np.uint8]]]":
    out = []
    for spec, file in zip(container.arch.experts, container.experts, strict=True):
        records = np.memmap(file.path, np.uint8, "r").reshape(file.n_experts, -1)
        for e in range(file.n_experts):
            for part in PARTS:
                fmt, at, rows, cols = file.layout.part(part)
                out.append((spec.source(e, part).name, fmt, rows, cols, records[e, at : at + packed_bytes(fmt, rows, cols)]))
    return out


def test_that_published_codes_and_scales_are_kept(checkpoint: Path, tmp_path: Path) -> None:
    from safetensors.numpy import load_file

    stored = load_file(checkpoint / "model.safetensors")
    container = Container.open(run(checkpoint, tmp_path / "a.ouzel", "mxfp4", "q8"))
    assert container.manifest.features == ("mxfp4", "embed-rows")
    for name, fmt, rows, cols, data in parts(container):
        codes, scales = unpack_mxfp4(rows, cols, data)
        assert fmt == "mxfp4"
        assert np.array_equal(codes, stored[name + "_packed"]) and np.array_equal(scales, stored[name + "_scale"])


def test_that_published_mxfp4_can_become_another_format(checkpoint: Path, tmp_path: Path) -> None:
    kept = parts(Container.open(run(checkpoint, tmp_path / "a.ouzel", "mxfp4", "q8")))
    wide = parts(Container.open(run(checkpoint, tmp_path / "b.ouzel", "f32", "q8")))
    for (_, _, rows, cols, a), (_, _, _, _, b) in zip(kept, wide, strict=True):
        assert np.array_equal(unpack("mxfp4", rows, cols, a), unpack("f32", rows, cols, b))


def test_that_mxfp4_is_never_made(tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="not published as MXFP4, and that format is kept, never made"):
        run(tiny_checkpoint("qwen3_moe"), tmp_path / "a.ouzel", "mxfp4")
    assert not list(tmp_path.iterdir())


def test_that_a_scale_that_is_no_number_is_named(tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    def spoil(arrays: Arrays) -> None:
        published(arrays)
        arrays["model.layers.1.mlp.experts.2.up_proj.weight_scale"][3, 0] = 255  # type: ignore[call-overload]

    source = changed(tiny_checkpoint("qwen3_moe", 0, "f32"), tmp_path, spoil)
    with pytest.raises(BadCheckpoint, match=r"layers\.1\.mlp\.experts\.2\.up_proj\.weight_scale holds nan at \[3, 0\], which is no number"):
        run(source, tmp_path / "a.ouzel", "mxfp4")


def test_that_scales_that_do_not_fit_are_told(tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    def spoil(arrays: Arrays) -> None:
        published(arrays)
        name = "model.layers.1.mlp.experts.2.up_proj.weight_scale"
        arrays[name] = np.concatenate([arrays[name], arrays[name]], axis=1)

    with pytest.raises(BadCheckpoint, match=r"experts\.2\.up_proj\.weight_scale has the shape"):
        run(changed(tiny_checkpoint("qwen3_moe", 0, "f32"), tmp_path, spoil), tmp_path / "a.ouzel", "mxfp4")


class Stacked:
    """Codes and scales of stacked experts as gpt-oss publishes them: gate and up in alternating rows."""

    def __init__(self, arrays: dict[str, npt.NDArray[np.uint8]]) -> None:
        self.arrays = arrays
        self.tensors = {n: TensorInfo("U8", a.shape) for n, a in arrays.items()}

    def raw(self, name: str, index: int | None = None) -> npt.NDArray[np.uint8]:
        return self.arrays[name] if index is None else self.arrays[name][index]


def test_that_stacked_and_interleaved_experts_are_taken_apart() -> None:
    w = np.random.default_rng(1).standard_normal((3, 32, 64)).astype(np.float32)
    codes, scales = encode(w)
    source = Stacked({"x.gate_up_proj_blocks": codes.reshape(3, 32, 2, 16), "x.gate_up_proj_scales": scales})
    names = mxfp4.pair(source.tensors, "x.gate_up_proj")
    assert names is not None and mxfp4.shape(source.tensors, names) == (3, 32, 64)
    data = mxfp4.packed(source, Source("x.gate_up_proj", index=1, start=1, step=2), 16, 64)  # type: ignore[arg-type]
    got_codes, got_scales = unpack_mxfp4(16, 64, data)
    assert np.array_equal(got_codes, codes[1, 1::2].reshape(16, 32)) and np.array_equal(got_scales, scales[1, 1::2])
