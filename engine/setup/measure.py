"""What a conversion costs: perplexity on a text, and how far the next token's probabilities lie from the full-precision source's.

Windows of tokens are read from an empty context each. Perplexity is exp of the mean of -log p over all tokens but the first of a window,
KL the mean over the same positions of sum p log(p / q), p the reference's probabilities and q the model's, in nats.
"""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import numpy.typing as npt
import xxhash

from engine import paths
from engine.arch import read_arch
from engine.arch.spec import ArchSpec
from engine.cancel import CancelToken
from engine.config import EngineConfig
from engine.container.reader import Container
from engine.errors import BadRequest
from engine.machine import memory
from engine.model.model import Model
from engine.model.plan import MOST_LOGIT_ROWS, plan
from engine.setup import mxfp4
from engine.setup.convert import Progress, convert
from engine.setup.opening import open_checkpoint
from engine.setup.problems import bad_checkpoint
from engine.setup.source import Tensors
from engine.text.text import Text
from engine.words import say

WINDOW = 512  # tokens
LOGIT_BYTES = 64 * 2**20  # of one array of logits; ARRAYS of them live at once for each model
ARRAYS = 3
SHARE = 0.6  # of the free memory, as the planner takes it by default
F32 = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Quality:
    """tokens: that were predicted. perplexity: the model's. Against a reference also its perplexity, the mean KL in nats a token, and
    the share of positions where both have the same likeliest token; else None.
    """

    tokens: int
    perplexity: float
    reference_perplexity: float | None = None
    kl: float | None = None
    same_top: float | None = None


def bundled_text() -> str:
    """The text that comes with the application."""
    return (files("resources") / "text" / "prose.txt").read_text(encoding="utf-8")


def windows(text: Text, arch: ArchSpec, prose: str, length: int = WINDOW) -> list[Ids]:
    """Token ids of `prose` in windows of `length`, each begun with the token that begins texts where the model has one.

    A shorter rest counts only where there is nothing else. Raises BadRequest for a text of less than two tokens.
    """
    begin = [] if arch.bos_token is None else [arch.bos_token]
    ids = text.encode(prose)
    step = min(length, arch.max_context) - len(begin)
    parts = [ids[at : at + step] for at in range(0, len(ids), step)]
    whole = [p for p in parts if len(p) == step] or parts[:1]
    if not whole or len(begin + whole[0]) < 2:
        raise BadRequest(say("The text is too short to measure anything. Give one of at least a page."))
    return [np.array(begin + p, np.int32) for p in whole]


def compare(
    model: Model, reference: Model | None, texts: Sequence[Ids], progress: Callable[[int, int], None], cancel: CancelToken
) -> Quality:
    """Measure `model` over windows of ids. progress(done, total) in tokens. Raises what Model.forward raises."""
    total, done = sum(map(len, texts)), 0
    losses, reference_losses, kls, same = list[F32](), list[F32](), list[F32](), list[npt.NDArray[np.bool_]]()
    for ids in texts:
        for logs, others, wanted in _steps(model, reference, ids, cancel):
            losses.append(_loss(logs, wanted))
            if others is not None:
                reference_losses.append(_loss(others, wanted))
                kls.append((np.exp(others) * (others - logs)).sum(1))
                same.append(logs.argmax(1) == others.argmax(1))
            done += len(wanted)
            progress(done, total)
    found = Quality(sum(map(len, losses)), _perplexity(losses))
    if reference is None:
        return found
    kl, top = (float(np.concatenate(x).mean(dtype=np.float64)) for x in (kls, same))
    return replace(found, reference_perplexity=_perplexity(reference_losses), kl=kl, same_top=top)


def _perplexity(losses: Sequence[F32]) -> float:
    return float(np.exp(np.concatenate(losses).mean(dtype=np.float64)))


def _loss(logs: F32, wanted: Ids) -> F32:
    picked: F32 = -logs[np.arange(len(wanted)), wanted]
    return picked


def _steps(model: Model, reference: Model | None, ids: Ids, cancel: CancelToken) -> Iterator[tuple[F32, F32 | None, Ids]]:
    """Log probabilities [n, vocab] of both models after some tokens, and the n tokens that follow."""
    both = [m for m in (model, reference) if m is not None]
    rows = max(MOST_LOGIT_ROWS, min(*(m.plan.chunk for m in both), len(ids), LOGIT_BYTES // (4 * model.spec.vocab_size)))
    states = [m.new_state() for m in both]
    for at in range(0, len(ids) - 1, rows):
        part, wanted = ids[at : at + rows], ids[at + 1 : at + rows + 1]
        logs = [log_probabilities(m.forward(part, s, "all", cancel))[: len(wanted)] for m, s in zip(both, states, strict=True)]
        yield logs[0], logs[1] if len(logs) > 1 else None, wanted


def log_probabilities(logits: F32) -> F32:
    """log softmax of each row [n, vocab]; a new array."""
    shifted: F32 = logits - logits.max(1, keepdims=True)
    shifted -= np.log(np.exp(shifted).sum(1, keepdims=True, dtype=np.float64)).astype(np.float32)
    return shifted


@contextmanager
def opened(path: Path, exact: bool, budget: int, cancel: CancelToken, threads: int | None = None, kv: str = "auto") -> Iterator[Model]:
    """The container as it is measured, within `budget` bytes. Raises what opening a model raises."""
    container = Container.open(path)
    with closing(container):
        context = min(WINDOW, container.arch.max_context)
        config = EngineConfig(path, budget, context, threads, exact, chunk=min(context, 256), lookahead="off", kv=kv)
        with closing(Model(container, config, plan(container, config), lambda fraction: None, cancel)) as model:
            yield model


def budget_of_each(total: int | None, n_models: int, vocab: int) -> int:
    """Bytes for each of n models opened together, of `total` or of what is free, after what the measurement itself takes."""
    if total is None:
        total = int(memory().available_bytes * SHARE)
    working = ARRAYS * max(LOGIT_BYTES, 4 * vocab * MOST_LOGIT_ROWS)
    return max(total // n_models - working, 1)


def lossless_formats(source: Tensors, arch: ArchSpec) -> tuple[str, str]:
    """Formats of experts and trunk that hold what the checkpoint stores exactly: mxfp4 where it has that, bf16, else f32."""
    named = {t.source.name for t in arch.tensors if t.role not in ("vector", "router")}
    trunk = {source.tensors[name].dtype for name in named & source.tensors.keys()}
    first = [e.source(0, part) for e in arch.experts for part in e.parts if not part.endswith("_bias")]
    kept = all(mxfp4.pair(source.tensors, s.name) is not None for s in first)
    experts = {source.tensors[s.name].dtype for s in first if s.name in source.tensors}
    return "mxfp4" if kept else _exact(experts), _exact(trunk)


def _exact(dtypes: set[str]) -> str:
    return "bf16" if dtypes <= {"BF16"} else "f32"


def source_of(checkpoint: Path, container: Container) -> None:
    """Raises BadRequest where the checkpoint's config is not that of the container's source, BadCheckpoint, StorageError."""
    with closing(open_checkpoint(checkpoint)) as source:
        if lines := source.problems.lines():
            raise bad_checkpoint(source.name, lines)
        arch, ours = read_arch(source.config), container.arch
    own = tuple(e for e in ours.experts if e.layer < len(ours.layers))  # without those of a layer for further tokens
    if (arch.layers, arch.d_model, arch.vocab_size, arch.experts) != (ours.layers, ours.d_model, ours.vocab_size, own):
        raise BadRequest(
            say(
                "{checkpoint} is not what {path} was made from: their configs differ. Give the checkpoint that it is.",
                checkpoint=checkpoint,
                path=container.path,
            )
        )


@contextmanager
def full_precision(checkpoint: Path, progress: Progress, cancel: CancelToken, folder: Path | None = None) -> Iterator[Path]:
    """The checkpoint as a lossless container below `folder` (the cache folder), removed afterwards.

    Raises what `convert` raises, StorageError among it where the drive has no room. What a killed run left is taken up.
    """
    with closing(open_checkpoint(checkpoint)) as source:
        experts, trunk = lossless_formats(source, read_arch(source.config))
        name = xxhash.xxh3_64_hexdigest(f"{source.path} {source.key} {experts} {trunk}".encode())
    target = (folder or paths.cache_dir() / "measure") / f"{name}.ouzel"
    try:
        if not target.exists():
            convert(checkpoint, target, experts, trunk, progress, cancel, "drop")
        yield target
    finally:
        for left in (target, target.with_name(target.name + ".partial")):
            shutil.rmtree(left, ignore_errors=True)
