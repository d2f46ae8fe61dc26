"""A conversation's timeline of tokens: prefills what is new, decodes, verifies drafts, keeps the rest for the next turn."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from time import perf_counter
from typing import Literal

import numpy as np
import numpy.typing as npt

from engine.cancel import CancelToken
from engine.config import Sampling
from engine.errors import Cancelled, ContextFull
from engine.generate.ngram import NgramSpeculator
from engine.generate.sampler import Sampler
from engine.generate.stop import StopFilter
from engine.model.model import Model
from engine.requests import Message
from engine.stats import AnswerStats, Snapshot
from engine.text.text import Text

DRAFT_WIDTH = 4
_LEVELS = {"time", "memory_bytes", "budget_bytes", "context_used", "context_limit"}  # of a Snapshot, not counted up


@dataclass(slots=True)
class _Remembered:
    """The last turn as text and as ids, so that ids survive a re-encoding that would differ."""

    text: str
    mark: str
    ids: list[int]


@dataclass(slots=True)
class _Answer:
    """One answer in the making."""

    sampler: Sampler
    stop: StopFilter
    prompt: int
    limit: int
    shown: str = ""
    ids: int = 0
    reason: str = ""
    first: float = 0.0
    last: float = 0.0


class Session:
    """One sequence over an open model. `ids` are the tokens whose state is kept; used by one thread."""

    def __init__(self, model: Model, text: Text) -> None:
        self._model, self._text = model, text
        self._state = model.new_state()
        self._ends = text.end_tokens | set(model.spec.end_tokens)
        self.ids: list[int] = []
        self._remembered: _Remembered | None = None
        self._decoded = self._proposed = self._accepted = 0

    def reset(self) -> None:
        """Forget the conversation."""
        self._state.truncate(0)
        self.ids, self._remembered = [], None

    def snapshot(self) -> Snapshot:
        """The model's counters with those of generation; any thread."""
        return replace(self._model.snapshot(), tokens_decoded=self._decoded, drafts_proposed=self._proposed, drafts_accepted=self._accepted)

    def generate(
        self,
        messages: Sequence[Message],
        sampling: Sampling,
        cancel: CancelToken,
        on_text: Callable[[str], None],
        on_prefill: Callable[[int, int], None],
        draft: str = "off",
    ) -> AnswerStats:
        """Answer `messages`; on_text gets whole characters, on_prefill (done, total) of the new prompt tokens.

        The same messages, sampling and seed give the same ids whatever the draft, chunk, budget and threads are. A cancel ends
        the answer with reason "cancelled". Raises BadRequest, ContextFull, StorageError, BadContainer; the session stays usable.
        """
        start, before = perf_counter(), self.snapshot()
        rendered, mark = self._text.render(messages)
        prompt = self._encode(rendered, mark)
        context = self._state.context
        if len(prompt) >= context:
            raise ContextFull(
                f"This conversation has {len(prompt)} tokens, but the context holds {context}. "
                "Shorten it, start a new chat, or open the model with a longer context."
            )
        sampler = Sampler(sampling, self._model.spec.vocab_size, prompt)
        limit = min(sampling.max_tokens or context, context - len(prompt))
        answer = _Answer(sampler, StopFilter(sampling.stop), len(prompt), limit)
        reused = self._sync(prompt)
        decoder = self._text.decoder()
        speculator = NgramSpeculator() if draft == "ngram" else None

        def show(piece: str) -> None:
            piece = answer.stop.push(piece)
            if piece:
                answer.shown += piece
                on_text(piece)

        try:
            logits = self._prefill(prompt, reused, cancel, on_prefill)
            self._decode(prompt, logits, answer, speculator, cancel, lambda token: show(decoder.push(token)))
        except Cancelled:
            answer.reason = "cancelled"
        finally:
            self.ids = prompt[: self._state.length]
        if answer.reason != "stop":
            show(decoder.finish())
            if not answer.stop.stopped and (rest := answer.stop.flush()):
                answer.shown += rest
                on_text(rest)
        if answer.reason == "length" and sampling.max_tokens is None:
            answer.reason = "context"
        kept = prompt[:-1] if prompt and prompt[-1] in self._ends and answer.reason == "end" else prompt
        self._remembered = _Remembered(rendered + self._text.guard(answer.shown, mark), mark, list(kept))
        return AnswerStats(
            reason=answer.reason,
            prompt_tokens=answer.prompt,
            reused_tokens=reused,
            answer_tokens=answer.ids,
            seconds_to_first_token=(answer.first or perf_counter()) - start,
            seconds_decode=max(answer.last - answer.first, 0.0),
            seed=sampler.seed,
            counters=difference(self.snapshot(), before),
        )

    def _encode(self, rendered: str, mark: str) -> list[int]:
        known = self._remembered
        if known is not None and known.mark == mark and rendered.startswith(known.text):
            return known.ids + self._text.encode_rendered(rendered[len(known.text) :], mark)
        return self._text.encode_rendered(rendered, mark)

    def _sync(self, prompt: list[int]) -> int:
        """Keep the common prefix of what is held and `prompt`, but not all of it: the last token's logits are needed."""
        most = min(len(self.ids), self._state.length, len(prompt) - 1)
        n = next((i for i in range(most) if self.ids[i] != prompt[i]), most)
        return n if self._state.truncate(n) else 0

    def _prefill(
        self, prompt: list[int], reused: int, cancel: CancelToken, on_prefill: Callable[[int, int], None]
    ) -> npt.NDArray[np.float32]:
        chunk, total = self._model.plan.chunk, len(prompt) - reused
        on_prefill(0, total)
        logits = np.empty((0, 0), np.float32)
        for at in range(reused, len(prompt), chunk):
            rows = np.asarray(prompt[at : at + chunk], np.int32)
            wanted: Literal["none", "last"] = "last" if at + chunk >= len(prompt) else "none"
            logits = self._model.forward(rows, self._state, wanted, cancel)
            on_prefill(min(at + chunk, len(prompt)) - reused, total)
        return logits

    def _decode(
        self,
        ids: list[int],
        logits: npt.NDArray[np.float32],
        answer: _Answer,
        speculator: NgramSpeculator | None,
        cancel: CancelToken,
        emit: Callable[[int], None],
    ) -> None:
        """Extend ids (prompt, then answer) until a reason to end; the last id's state is not computed yet."""
        indexed, drafts = 0, list[int]()
        while True:
            for row in range(len(logits)):
                token = answer.sampler.pick(logits[row], len(ids))
                ids.append(token)
                self._take(token, answer, emit)
                hit = row < len(drafts) and drafts[row] == token
                self._accepted += hit
                if answer.reason or not hit:
                    break
            # Rows of rejected drafts are taken back; the newest id has no state yet.
            self._state.truncate(len(ids) - 1)
            if answer.reason:
                return
            cancel.check()
            drafts = []
            if speculator is not None:
                speculator.extend(ids[indexed:])
                indexed = len(ids)
                room = min(DRAFT_WIDTH, self._model.plan.chunk - 1, self._state.context - len(ids), answer.limit - answer.ids - 1)
                drafts = speculator.propose(room) if room > 0 else []
                self._proposed += len(drafts)
            logits = self._model.forward(np.asarray(ids[-1:] + drafts, np.int32), self._state, "all", cancel)

    def _take(self, token: int, answer: _Answer, emit: Callable[[int], None]) -> None:
        answer.last = perf_counter()
        answer.first = answer.first or answer.last
        answer.ids += 1
        self._decoded += 1
        if token in self._ends:
            answer.reason = "end"
            return
        answer.sampler.accept(token)
        emit(token)
        if answer.stop.stopped:
            answer.reason = "stop"
        elif answer.ids >= answer.limit:
            answer.reason = "length"


def difference(after: Snapshot, before: Snapshot) -> Snapshot:
    """Counters of `after` minus those of `before`; levels such as memory are those of `after`."""
    counts = (f.name for f in fields(Snapshot) if f.name not in _LEVELS)
    return replace(after, **{n: getattr(after, n) - getattr(before, n) for n in counts})
