"""One product by ggml, from the llama-cpp-python package (extra `bench`): the peer of our kernels, driven through its C interface.

`Peer` has it compute in a process of its own: it keeps processor state (AMX tiles) of its threads for itself, and where it dies in one
buffer type, the others still count. Each buffer type of the CPU backend that takes the matrix is tried (plain memory, and those that
repack or use a matrix unit), and the fastest is the opponent.
"""

import ctypes
import importlib.util
import multiprocessing
import os
import time
from ctypes import POINTER, c_bool, c_char_p, c_int, c_int64, c_size_t, c_void_p
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.errors import EngineError

TYPES = {"q4": 3, "q8": 8, "mxfp4": 39}  # GGML_TYPE_Q4_1, GGML_TYPE_Q8_0, GGML_TYPE_MXFP4
F32 = 0
Floats = npt.NDArray[np.float32]


class _InitParams(ctypes.Structure):
    _fields_ = (("mem_size", c_size_t), ("mem_buffer", c_void_p), ("no_alloc", c_bool))


_SIGNATURES: dict[str, tuple[object, ...]] = {  # result, then arguments
    "ggml_init": (c_void_p, _InitParams),
    "ggml_free": (None, c_void_p),
    "ggml_tensor_overhead": (c_size_t,),
    "ggml_graph_overhead": (c_size_t,),
    "ggml_new_tensor_2d": (c_void_p, c_void_p, c_int, c_int64, c_int64),
    "ggml_mul_mat": (c_void_p, c_void_p, c_void_p, c_void_p),
    "ggml_new_graph": (c_void_p, c_void_p),
    "ggml_build_forward_expand": (None, c_void_p, c_void_p),
    "ggml_nbytes": (c_size_t, c_void_p),
    "ggml_row_size": (c_size_t, c_int, c_int64),
    "ggml_quantize_chunk": (c_size_t, c_int, c_void_p, c_void_p, c_int64, c_int64, c_int64, c_void_p),
    "ggml_backend_cpu_init": (c_void_p,),
    "ggml_backend_cpu_reg": (c_void_p,),
    "ggml_backend_cpu_set_n_threads": (None, c_void_p, c_int),
    "ggml_backend_cpu_buffer_type": (c_void_p,),
    "ggml_backend_reg_dev_get": (c_void_p, c_void_p, c_size_t),
    "ggml_backend_reg_get_proc_address": (c_void_p, c_void_p, c_char_p),
    "ggml_backend_buft_name": (c_char_p, c_void_p),
    "ggml_backend_buft_alloc_buffer": (c_void_p, c_void_p, c_size_t),
    "ggml_backend_buft_get_alloc_size": (c_size_t, c_void_p, c_void_p),
    "ggml_backend_buffer_get_base": (c_void_p, c_void_p),
    "ggml_backend_buffer_free": (None, c_void_p),
    "ggml_backend_tensor_alloc": (c_int, c_void_p, c_void_p, c_void_p),
    "ggml_backend_tensor_set": (None, c_void_p, c_void_p, c_size_t, c_size_t),
    "ggml_backend_tensor_get": (None, c_void_p, c_void_p, c_size_t, c_size_t),
    "ggml_backend_dev_supports_op": (c_bool, c_void_p, c_void_p),
    "ggml_backend_graph_compute": (c_int, c_void_p, c_void_p),
    "ggml_backend_free": (None, c_void_p),
}


@cache
def library() -> dict[str, Any]:
    """The functions of ggml's shared libraries. Raises EngineError where the package is not installed."""
    spec = importlib.util.find_spec("llama_cpp")
    if spec is None or spec.origin is None:
        raise EngineError("This benchmark needs its peer: install it with `pip install 'llama-cpp-python'` (the extra `bench`).")
    folder = Path(spec.origin).parent / "lib"
    loaded = [ctypes.CDLL(str(folder / f"lib{name}.so"), mode=ctypes.RTLD_GLOBAL) for name in ("ggml-base", "ggml-cpu", "ggml")]
    found = {}
    for name, (result, *arguments) in _SIGNATURES.items():
        f = next(getattr(lib, name) for lib in loaded if hasattr(lib, name))
        f.restype, f.argtypes = result, arguments
        found[name] = f
    return found


def buffer_types() -> dict[str, int]:
    """Buffer types of the CPU backend by name: plain memory, then those that repack."""
    g = library()
    device = g["ggml_backend_reg_dev_get"](g["ggml_backend_cpu_reg"](), 0)
    found = [g["ggml_backend_cpu_buffer_type"]()]
    address = g["ggml_backend_reg_get_proc_address"](g["ggml_backend_cpu_reg"](), b"ggml_backend_dev_get_extra_bufts")
    extra = ctypes.CFUNCTYPE(POINTER(c_void_p), c_void_p)(address)(device) if address else []
    for one in extra:
        if not one:
            break
        found.append(one)
    return {g["ggml_backend_buft_name"](one).decode(): one for one in found}


class Product:
    """out [n, rows] = x [n, cols] W^T with W [rows, cols] f32 quantized by ggml into its type of the same size as `fmt`."""

    def __init__(self, fmt: str, w: Floats, n: int, buffer_type: str) -> None:
        g = self._g = library()
        rows, cols = w.shape
        self.shape = (n, rows)
        self._backend = g["ggml_backend_cpu_init"]()
        size = 8 * g["ggml_tensor_overhead"]() + g["ggml_graph_overhead"]()
        self._ctx = g["ggml_init"](_InitParams(size, None, True))
        weights = g["ggml_new_tensor_2d"](self._ctx, TYPES[fmt], cols, rows)
        self._x = g["ggml_new_tensor_2d"](self._ctx, F32, cols, n)
        self._out = g["ggml_mul_mat"](self._ctx, weights, self._x)
        self._graph = g["ggml_new_graph"](self._ctx)
        g["ggml_build_forward_expand"](self._graph, self._out)
        self._buffers = [
            self._place(weights, buffer_types()[buffer_type]),
            *(self._place(t, g["ggml_backend_cpu_buffer_type"]()) for t in (self._x, self._out)),
        ]
        packed = np.empty(rows * g["ggml_row_size"](TYPES[fmt], cols), np.uint8)
        g["ggml_quantize_chunk"](TYPES[fmt], w.ctypes.data, packed.ctypes.data, 0, rows, cols, None)
        self.nbytes = packed.nbytes
        device = g["ggml_backend_reg_dev_get"](g["ggml_backend_cpu_reg"](), 0)
        self.supported = bool(g["ggml_backend_dev_supports_op"](device, self._out))
        if self.supported:
            g["ggml_backend_tensor_set"](weights, packed.ctypes.data, 0, packed.nbytes)

    def _place(self, tensor: int, buffer_type: int) -> int:
        g = self._g
        buffer: int = g["ggml_backend_buft_alloc_buffer"](buffer_type, g["ggml_backend_buft_get_alloc_size"](buffer_type, tensor) + 256)
        g["ggml_backend_tensor_alloc"](buffer, tensor, g["ggml_backend_buffer_get_base"](buffer))
        return buffer

    def set_input(self, x: Floats) -> None:
        self._g["ggml_backend_tensor_set"](self._x, x.ctypes.data, 0, x.nbytes)

    def run(self, threads: int) -> None:
        self._g["ggml_backend_cpu_set_n_threads"](self._backend, threads)
        if self._g["ggml_backend_graph_compute"](self._backend, self._graph):
            raise RuntimeError("ggml could not compute the product")

    def result(self) -> Floats:
        out = np.empty(self.shape, np.float32)
        self._g["ggml_backend_tensor_get"](self._out, out.ctypes.data, 0, out.nbytes)
        return out

    def close(self) -> None:
        for buffer in self._buffers:
            self._g["ggml_backend_buffer_free"](buffer)
        self._g["ggml_free"](self._ctx)
        self._g["ggml_backend_free"](self._backend)


def _serve(connection: Connection, fmt: str, w: Floats, x: Floats, threads: int, buffer_type: str) -> None:
    """One product in a child: sends whether it can, then its result, then seconds of a run for each message."""
    with Path(os.devnull).open("w") as nothing:  # it tells of each matrix that it repacks
        os.dup2(nothing.fileno(), 2)
    product = Product(fmt, w, len(x), buffer_type)
    connection.send(product.supported)
    if not product.supported:
        return
    product.set_input(x)
    product.run(threads)
    connection.send(product.result())
    while True:
        try:
            connection.recv()
        except EOFError:
            return
        product.run(threads)
        began = time.perf_counter()
        product.run(threads)
        connection.send(time.perf_counter() - began)


class Peer:
    """The peer's fastest way to one product at a time."""

    def __init__(self) -> None:
        library()
        self.buffer = ""
        self.dead: set[str] = set()
        self._spawn = multiprocessing.get_context("spawn")
        self._child: tuple[multiprocessing.process.BaseProcess, Connection] | None = None

    def __enter__(self) -> "Peer":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._end(self._child)

    @staticmethod
    def _end(child: tuple[multiprocessing.process.BaseProcess, Connection] | None) -> None:
        if child is not None:
            child[1].close()
            child[0].kill()
            child[0].join()

    def product(self, fmt: str, w: Floats, x: Floats, threads: int) -> Floats:
        """x W^T; `seconds` repeats it. w [rows, cols], x [n, cols]."""
        self._end(self._child)
        self._child = None
        best, result = 0.0, np.empty(0, np.float32)
        for name in buffer_types():
            ours, theirs = self._spawn.Pipe()
            process = self._spawn.Process(target=_serve, args=(theirs, fmt, w, x, threads, name), daemon=True)
            process.start()
            theirs.close()
            child = (process, ours)
            try:
                if not ours.recv():
                    self._end(child)
                    continue
                got = ours.recv()
                took = min(self._once(ours) for _ in range(3))
            except EOFError:  # it died
                self.dead.add(name)
                self._end(child)
                continue
            if self._child is None or took < best:
                self._end(self._child)
                self._child, self.buffer, best, result = child, name, took, got
            else:
                self._end(child)
        if self._child is None:
            raise EngineError("The peer could not compute a product in any of its buffer types.")
        return result

    @staticmethod
    def _once(connection: Connection) -> float:
        connection.send(True)
        return float(connection.recv())

    def seconds(self) -> float:
        """Of one run of the product, after one that is not timed."""
        assert self._child is not None
        return self._once(self._child[1])
