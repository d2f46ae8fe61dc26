"""One run of llama.cpp for benchmarks/peers.py, in a process of its own: `python -m benchmarks.llama_run JOB`, JOB as in peers.Job.

llama_decode is called as llama-bench does: a prompt in one batch of up to 512 tokens (n_ubatch 512), then token by token; ids in, likeliest
ids out. Nothing of the project is imported, so that the process holds the peer alone.
"""

import ctypes
import json
import sys
from time import perf_counter
from typing import Any

import llama_cpp
import numpy as np
import psutil

UBATCH = 512
ERROR = 4  # ggml's level


def _log(level: int, text: bytes, data: object) -> None:
    if level >= ERROR:
        sys.stderr.write(text.decode(errors="replace"))


LOG = llama_cpp.llama_log_callback(_log)  # lives as long as the library may call it


class Peer:
    """An open model with one context."""

    def __init__(self, path: str, threads: int, context: int, repack: bool, flash: bool) -> None:
        llama_cpp.llama_log_set(LOG, ctypes.c_void_p(0))
        llama_cpp.llama_backend_init()
        m = llama_cpp.llama_model_default_params()
        m.n_gpu_layers, m.use_extra_bufts = 0, repack
        self.model = llama_cpp.llama_model_load_from_file(path.encode(), m)
        c = llama_cpp.llama_context_default_params()
        c.n_ctx, c.n_batch, c.n_ubatch, c.n_threads, c.n_threads_batch, c.n_seq_max = context, UBATCH, UBATCH, threads, threads, 1
        c.flash_attn_type = 1 if flash else 0
        c.no_perf = True
        if not self.model or not (ctx := llama_cpp.llama_init_from_model(self.model, c)):
            raise SystemExit(f"llama.cpp cannot open {path}")
        self.ctx = ctx
        self.memory = llama_cpp.llama_get_memory(ctx)
        self.n_vocab = llama_cpp.llama_vocab_n_tokens(llama_cpp.llama_model_get_vocab(self.model))

    def clear(self) -> None:
        llama_cpp.llama_memory_clear(self.memory, False)

    def read(self, ids: list[int]) -> np.ndarray:
        """The last row's logits [vocab] after these ids."""
        for at in range(0, len(ids), UBATCH):
            part = ids[at : at + UBATCH]
            tokens = (llama_cpp.llama_token * len(part))(*part)
            if llama_cpp.llama_decode(self.ctx, llama_cpp.llama_batch_get_one(tokens, len(part))):
                raise SystemExit("llama_decode failed")
        return np.ctypeslib.as_array(llama_cpp.llama_get_logits_ith(self.ctx, -1), (self.n_vocab,))

    def write(self, logits: np.ndarray, n: int, patience: float) -> list[int]:
        """n likeliest ids, fewer where they take more than `patience` seconds."""
        ids: list[int] = []
        start = perf_counter()
        while len(ids) < n and perf_counter() - start < patience:
            ids.append(int(logits.argmax()))
            logits = self.read(ids[-1:])
        return ids


def main(job: dict[str, Any]) -> dict[str, Any]:
    """Warm up, then read each prompt and write `decode` likeliest tokens after it."""
    imported = psutil.Process().memory_info().rss
    began = perf_counter()
    peer = Peer(job["model"], job["threads"], job["context"], job["repack"], job["flash"])
    loaded = perf_counter() - began
    peer.write(peer.read(job["warm"]), job["warm_decode"], job["patience"])
    runs = []
    for prompt in job["prompts"]:
        peer.clear()
        began = perf_counter()
        logits = peer.read(prompt)
        prefilled = perf_counter()
        ids = peer.write(logits, job["decode"], job["patience"])
        runs.append({"prefill": len(prompt) / (prefilled - began), "decode": len(ids) / (perf_counter() - prefilled), "ids": ids})
    return {"runs": runs, "imported": imported, "load_seconds": loaded, "system": llama_cpp.llama_print_system_info().decode()}


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))
