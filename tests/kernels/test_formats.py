import numpy as np
import pytest

from kernels_pyx.compute import ISAS, Rows
from kernels_pyx.linear import FORMATS, Matrix, pack, pack_mxfp4, packed_bytes, unpack, unpack_mxfp4
from tests.reference.blocks import q4, q8

SHAPES = ((1, 32), (5, 40), (16, 7), (17, 96), (33, 64))
RELATIVE = {"f32": 0.0, "bf16": 2.0e-3, "q8": 8e-3, "q4": 0.1, "mxfp4": 0.15}


def normal(rows: int, cols: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((rows, cols), np.float32)


@pytest.mark.parametrize("fmt", FORMATS)
@pytest.mark.parametrize("shape", SHAPES)
def test_that_packing_loses_no_more_than_the_format_must(fmt: str, shape: tuple[int, int]) -> None:
    w = normal(*shape)
    data = pack(fmt, w)
    assert data.size == packed_bytes(fmt, *shape) and data.size % 64 == 0
    back = unpack(fmt, *shape, data)
    assert np.linalg.norm(back - w) <= RELATIVE[fmt] * np.linalg.norm(w)
    np.testing.assert_array_equal(pack(fmt, w), data)


def hard(cols: int) -> np.ndarray:
    """Rows that a fit may stumble over, beside ordinary ones."""
    rng = np.random.default_rng(cols)
    w = (rng.standard_normal((45, cols)) * 10 ** rng.uniform(-6, 3, (45, 1))).astype(np.float32)
    w[:12] = (w[:12].view(np.uint32) & 0xFFFF0000).view(np.float32)  # numbers of bf16
    w[12], w[13], w[14], w[15] = 0.0, -0.0, 0.25, -1e-7
    w[16, ::2], w[17, 1::2], w[18, 5] = -0.0, 0.0, 3e4
    w[19] = np.where(rng.random(cols) < 0.5, -0.125, 0.125)
    w[20], w[21] = np.abs(w[20]), -np.abs(w[21])
    w[22:30] = (rng.integers(0, 13, (8, cols)) * 0.0078125 - 0.046875).astype(np.float32)
    return w


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("cols", [96, 45])
def test_that_every_instruction_set_encodes_as_the_reference_bit_by_bit(isa: str, cols: int) -> None:
    w = hard(cols)
    blocks = np.pad(w, ((0, 0), (0, -cols % 32)), "edge").reshape(-1, 32)
    d8, c8 = q8(blocks)
    d4, m4, c4 = q4(blocks)
    for fmt, back in (("q8", d8[:, None] * c8), ("q4", d4[:, None] * c4 + m4[:, None])):
        data = pack(fmt, w, isa)
        np.testing.assert_array_equal(unpack(fmt, len(w), w.shape[1], data), back.reshape(len(w), -1)[:, :cols])
        np.testing.assert_array_equal(data, pack(fmt, w))


@pytest.mark.parametrize("fmt", ["q8", "q4"])
def test_that_a_row_is_encoded_alone_as_among_others(fmt: str) -> None:
    w = hard(64)
    whole = unpack(fmt, len(w), w.shape[1], pack(fmt, w))
    for i in range(len(w)):
        np.testing.assert_array_equal(unpack(fmt, 1, 64, pack(fmt, w[i : i + 1])), whole[i : i + 1])


@pytest.mark.parametrize("fmt", FORMATS)
def test_that_bits_of_bf16_are_packed_like_their_numbers(fmt: str) -> None:
    for cols in (64, 45):
        w = (normal(21, cols).view(np.uint32) & 0xFFFF0000).view(np.float32)
        bits = (w.view(np.uint32) >> 16).astype(np.uint16)
        np.testing.assert_array_equal(pack(fmt, bits), pack(fmt, w))
        for bad, shown in ((0x7F80, "inf"), (0xFF80, "-inf"), (0x7FC0, "nan")):
            spoiled = bits.copy()
            spoiled[18, 37] = bad
            with pytest.raises(ValueError, match=f"weight {shown} at row 18, column 37"):
                pack(fmt, spoiled)


def test_that_bits_per_weight_are_the_promised_ones() -> None:
    bits = {fmt: 8 * packed_bytes(fmt, 4096, 4096) / 4096**2 for fmt in FORMATS}
    assert bits == {"f32": 32.0, "bf16": 16.0, "q8": 8.5, "q4": 5.0, "mxfp4": 4.25}


@pytest.mark.parametrize("top", [15, 14, 12])
def test_that_published_4_bit_blocks_survive(top: int) -> None:
    rng = np.random.default_rng(3)
    codes = rng.integers(0, top + 1, (64, 8, 32))
    codes[..., 0], codes[..., 1] = 0, top
    scale = rng.uniform(0.001, 0.02, (64, 8, 1)).astype(np.float16).astype(np.float32)
    offset = rng.uniform(-0.2, -0.05, (64, 8, 1)).astype(np.float16).astype(np.float32)
    exact = (scale * codes + offset).astype(np.float32).reshape(64, 256)
    published = unpack("bf16", 64, 256, pack("bf16", exact))
    back = unpack("q4", 64, 256, pack("q4", published))
    assert np.linalg.norm(back - exact) <= 1.5e-3 * np.linalg.norm(exact)
    assert np.linalg.norm(unpack("q4", 64, 256, pack("q4", exact)) - exact) <= 2e-5 * np.linalg.norm(exact)


def test_that_q8_error_is_at_most_half_a_step() -> None:
    w = normal(16, 320)
    back = unpack("q8", 16, 320, pack("q8", w))
    step = np.abs(w.reshape(16, 10, 32)).max(axis=2) / 127
    assert (np.abs(back - w).reshape(16, 10, 32).max(axis=2) <= 0.51 * step + 1e-7).all()


@pytest.mark.parametrize("shape", [(1, 32), (17, 96), (48, 64)])
def test_that_published_mxfp4_is_repacked_without_loss(shape: tuple[int, int]) -> None:
    rows, cols = shape
    rng = np.random.default_rng(4)
    blocks = rng.integers(0, 256, (rows, cols // 2), dtype=np.uint8)
    scales = rng.integers(0, 255, (rows, cols // 32), dtype=np.uint8)
    scales.flat[0] = 0
    data = pack_mxfp4(blocks, scales)
    again_blocks, again_scales = unpack_mxfp4(rows, cols, data)
    np.testing.assert_array_equal(again_blocks, blocks)
    np.testing.assert_array_equal(again_scales, scales)
    values = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    codes = np.stack([blocks & 15, blocks >> 4], axis=2).reshape(rows, cols)
    signed = np.where(codes & 8, -1.0, 1.0) * values[codes & 7]
    expected = signed * np.repeat(np.exp2(scales.astype(np.float64) - 127), 32, axis=1)
    np.testing.assert_array_equal(unpack("mxfp4", rows, cols, data), expected.astype(np.float32))


@pytest.mark.parametrize("fmt", FORMATS)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_that_a_number_that_is_none_is_refused_with_its_place(fmt: str, bad: float) -> None:
    w = normal(6, 64)
    w[4, 33] = bad
    with pytest.raises(ValueError, match="row 4, column 33"):
        pack(fmt, w)


@pytest.mark.parametrize("fmt", ["q8", "q4", "mxfp4"])
def test_that_blocks_of_equal_numbers_are_kept(fmt: str) -> None:
    w = np.zeros((16, 96), np.float32)
    w[:, 32:64], w[:, 64:] = 0.5, -2.0
    np.testing.assert_allclose(unpack(fmt, 16, 96, pack(fmt, w)), w, rtol=5e-4)


@pytest.mark.parametrize("fmt", FORMATS)
def test_that_lookup_gives_scaled_rows(fmt: str) -> None:
    data = pack(fmt, normal(37, 96))
    w, out = Matrix(fmt, 37, 96, data), Rows(4, 96)
    w.lookup(np.array([36, 0, 17], np.int32), out, 3.0)
    np.testing.assert_array_equal(out.array[:3], np.float32(3) * unpack(fmt, 37, 96, data)[[36, 0, 17]])
    for bad in (37, -1):
        with pytest.raises(IndexError, match="37 rows"):
            w.lookup(np.array([bad], np.int32), out)


def test_that_wrong_arguments_are_refused() -> None:
    data = pack("q4", normal(16, 32))
    with pytest.raises(ValueError, match="unknown weight format"):
        packed_bytes("q5", 1, 32)
    with pytest.raises(ValueError, match="positive"):
        packed_bytes("q4", 0, 32)
    with pytest.raises(ValueError, match="bytes"):
        Matrix("q4", 32, 32, data)
    with pytest.raises(ValueError, match="64 bytes"):
        Matrix("q4", 16, 32, np.concatenate([data, data])[4 : 4 + data.size])
    with pytest.raises(ValueError, match="float32"):
        pack("q4", normal(2, 32).astype(np.float64))
    with pytest.raises(ValueError, match="scales"):
        pack_mxfp4(np.zeros((2, 32), np.uint8), np.zeros((2, 1), np.uint8))
    with pytest.raises(ValueError, match="255"):
        pack_mxfp4(np.zeros((2, 16), np.uint8), np.full((2, 1), 255, np.uint8))
