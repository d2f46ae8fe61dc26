"""One chunk of a container at a time: a strip of a trunk tensor, an expert's record."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from engine.arch.spec import ExpertSpec, Source
from engine.cancel import CancelToken
from engine.container.format import PARTS, VECTOR, RecordLayout
from engine.errors import BadCheckpoint
from engine.setup import mxfp4
from engine.setup.blocks import halves, kept
from engine.setup.cut import cut
from engine.setup.layout import Strip, row_strips
from engine.setup.source import Tensors
from engine.setup.stored import to_f32
from engine.words import say
from kernels_pyx.linear import pack, packed_bytes, unpack

U8 = npt.NDArray[np.uint8]
U16 = npt.NDArray[np.uint16]
F32 = npt.NDArray[np.float32]


def packed_strip(source: Tensors, strip: Strip) -> U8:
    """Bytes u8 [strip.nbytes] of a strip. Raises BadCheckpoint (NaN, infinity, out of the format's range), StorageError."""
    s = strip.spec.source
    if not strip.spec.one_plus and (done := _kept(source, s, strip.fmt, strip.spec.shape, strip.start, strip.count)) is not None:
        return done
    if strip.fmt != VECTOR and not strip.spec.one_plus:
        return _pack(s.name, strip.fmt, _numbers(source, s, strip.spec.shape, strip.start, strip.count))
    w = cut(source, s, strip.spec.shape, strip.start, strip.count)
    if strip.spec.one_plus:
        w = w + np.float32(1)
    return _plain(s.name, w) if strip.fmt == VECTOR else _pack(s.name, strip.fmt, w)


def packed_part(source: Tensors, spec: ExpertSpec, layout: RecordLayout, expert: int, part: str, cancel: CancelToken) -> U8:
    """Bytes u8 of one part of an expert: gate, up, down or the bias of one. Raises as packed_strip, and Cancelled."""
    s = spec.source(expert, part)
    if part not in PARTS:
        shape = spec.shape(part)
        return _plain(s.name, cut(source, s, shape, 0, shape[0]))
    fmt, _, rows, cols = layout.part(part)
    out, at = np.empty(packed_bytes(fmt, rows, cols), np.uint8), 0
    for piece in _matrix(source, s, fmt, rows, cols):
        cancel.check()
        out[at : at + piece.nbytes] = piece
        at += piece.nbytes
    return out


def read_part(source: Tensors, spec: ExpertSpec, layout: RecordLayout, expert: int, part: str) -> None:
    """Read what `packed_part` reads, and do nothing with it."""
    s = spec.source(expert, part)
    if s.name in source.tensors:
        cut(source, s, spec.shape(part), 0, spec.shape(part)[0])
    elif (names := mxfp4.pair(source.tensors, s.name)) is not None:
        for name in names:
            source.raw(name, s.index)


def read_strip(source: Tensors, strip: Strip) -> None:
    """Read what `packed_strip` reads, and do nothing with it."""
    cut(source, strip.spec.source, strip.spec.shape, strip.start, strip.count)


def _matrix(source: Tensors, s: Source, fmt: str, rows: int, cols: int) -> Iterator[U8]:
    """A packed matrix strip by strip."""
    if s.name in source.tensors:
        for start, count in row_strips(rows, cols):
            done = _kept(source, s, fmt, (rows, cols), start, count)
            yield done if done is not None else _pack(s.name, fmt, _numbers(source, s, (rows, cols), start, count))
        return
    try:
        published = mxfp4.packed(source, s, rows, cols)
    except ValueError as e:
        raise BadCheckpoint(say("{name} is damaged: {why}. Fetch the model again.", name=s.name, why=e)) from None
    if fmt == "mxfp4":
        yield published
        return
    w = unpack("mxfp4", rows, cols, published)
    for start, count in row_strips(rows, cols):
        yield _pack(s.name, fmt, w[start : start + count])


def _kept(source: Tensors, s: Source, fmt: str, shape: tuple[int, ...], start: int, count: int) -> U8 | None:
    """Rows whose published blocks are blocks of `fmt`, packed as they are."""
    try:
        return kept(source, s, fmt, shape, start, count)
    except ValueError as e:
        raise BadCheckpoint(say("{name} is damaged: {why}. Fetch the model again.", name=s.name, why=e)) from None


def _numbers(source: Tensors, s: Source, shape: tuple[int, ...], start: int, count: int) -> F32 | U16:
    """Rows as `cut` gives them, or bits of bf16 where that is how they are stored."""
    found = halves(source, s, shape, start, count)
    return found if found is not None else cut(source, s, shape, start, count)


def _pack(name: str, fmt: str, w: F32 | U16) -> U8:
    try:
        return pack(fmt, w)
    except ValueError as e:
        bits = w.reshape(-1).view(np.uint8)
        _finite(name, to_f32(bits, "BF16" if w.dtype == np.uint16 else "F32").reshape(w.shape))
        raise BadCheckpoint(
            say("{name} cannot be converted: {why}. Choose a format with a wider range, such as bf16.", name=name, why=e)
        ) from None


def _plain(name: str, w: F32) -> U8:
    _finite(name, w)
    return np.ascontiguousarray(w, "<f4").reshape(-1).view(np.uint8)


def _finite(name: str, w: F32) -> None:
    if not np.isfinite(w).all():
        at = np.argwhere(~np.isfinite(w))[0].tolist()
        raise BadCheckpoint(
            say(
                "{name} holds {value} at {at}, which is no weight. The file is damaged; fetch the model again.",
                name=name,
                value=w[tuple(at)],
                at=at,
            )
        )
