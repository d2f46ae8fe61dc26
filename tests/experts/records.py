"""Expert files written by hand: random records of several layers, as a container's reader presents them."""

import ctypes
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
import numpy.typing as npt
import xxhash

from engine.cancel import CancelToken
from engine.container.format import RecordLayout
from engine.container.reader import Container, ExpertFile
from engine.experts.streamer import ExpertStreamer

U8 = npt.NDArray[np.uint8]


@dataclass
class Records:
    """The part of a container that a streamer sees, and what lies in the files: content[ordinal] u8 [n_experts, stride]."""

    experts: tuple[ExpertFile, ...]
    content: list[U8]

    @property
    def container(self) -> Container:
        return cast(Container, self)


def write_records(folder: Path, strides: list[int], n_experts: list[int], seed: int = 0) -> Records:
    """One file a layer; layers 1, 3, 5, ... of a model."""
    rng = np.random.default_rng(seed)
    files, content = [], []
    for i, (stride, n) in enumerate(zip(strides, n_experts, strict=True)):
        records = rng.integers(0, 256, (n, stride), dtype=np.uint8)
        path = folder / f"L{2 * i + 1:02}.bin"
        path.write_bytes(records.tobytes())
        checksums = np.array([xxhash.xxh3_64_intdigest(r.tobytes()) for r in records], np.uint64)
        layout = RecordLayout(32, 32, 32, ("f32", 0), ("f32", 1024), ("f32", 2048), None, 3072, stride)
        files.append(ExpertFile(2 * i + 1, path, n, layout, checksums))
        content.append(records)
    return Records(tuple(files), content)


def at(address: int, nbytes: int) -> U8:
    """A copy of the bytes at an address."""
    return np.frombuffer(ctypes.string_at(address, nbytes), np.uint8)


def drain(streamer: ExpertStreamer, records: Records, ordinal: int, ids: list[int]) -> list[int]:
    """Stream `ids`, compare the bytes of each while its batch is valid, and return the order of arrival."""
    arrived: list[int] = []
    for which, addresses in streamer.stream(ordinal, np.array(ids, np.int32), CancelToken()):
        assert which.dtype == np.int32 and addresses.dtype == np.int64
        for i, address in zip(which.tolist(), addresses.tolist(), strict=True):
            assert np.array_equal(at(address, records.experts[ordinal].layout.stride), records.content[ordinal][ids[i]])
            arrived.append(ids[i])
    assert sorted(arrived) == sorted(ids)
    return arrived
