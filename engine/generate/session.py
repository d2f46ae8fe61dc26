"""A conversation's timeline of tokens: prefills what is new, decodes, verifies drafts, keeps the rest for the next turn."""

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from time import perf_counter
from typing import Literal

import numpy as np
import numpy.typing as npt

from engine.cancel import CancelToken
from engine.config import Sampling
from engine.errors import BadRequest, Cancelled, ContextFull
from engine.events import Likely
from engine.generate.answer import Answer
from engine.generate.draft_model import DraftModel
from engine.generate.drafter import Speculator
from engine.generate.drafts import Drafts
from engine.generate.drawn import DrawnTokens
from engine.generate.encoding import Encoder
from engine.generate.kept import KeptStates
from engine.generate.memory import Memory
from engine.generate.mtp import MtpDrafts
from engine.generate.proposal import MODEL, MTP, NGRAM
from engine.generate.sampler import Sampler
from engine.model import saved
from engine.model.model import Model
from engine.requests import Message, Options
from engine.stats import AnswerStats, Snapshot
from engine.text.channels import Kind
from engine.text.guard import clean, free_mark
from engine.text.text import Text
from engine.text.tool_calls import CallPart
from engine.words import say

_LEVELS = {"time", "lookahead_on", "memory_bytes", "budget_bytes", "context_used", "context_limit"}  # of a Snapshot, not counted up


CHAT = Options()
TAKE_UP = 40  # characters, some ten tokens, that a state on disk must have beyond what is held
CHECKPOINT = 512  # prompt tokens between two places to which a recurrent layer can go back
LEAST_KEPT = 32  # tokens that are worth a file
SOON_BYTES = 256_000_000  # what is still written when the model is closed, which people wait for


class Session:
    """One sequence over an open model. `ids` are the tokens whose state is held; used by one thread.

    kept: where the states of other conversations wait, and those of earlier sessions.
    """

    def __init__(self, model: Model, text: Text, kept: KeptStates | None = None, draft_model: Model | None = None) -> None:
        """draft_model: a small one with the same tokenizer, open for this session alone."""
        self._model, self._text, self._kept = model, text, kept
        self._key, self._unsaved = "", False
        self._state = model.new_state()
        self._encoder = Encoder(text, self._state.context)
        self._ends = text.end_tokens | set(model.spec.end_tokens)
        self.ids: list[int] = []
        self._memory = Memory()
        self._decoded = 0
        self._draft_model = draft_model
        speculators: list[Speculator] = [DraftModel(draft_model, model.spec.vocab_size)] if draft_model is not None else []
        speculators += [MtpDrafts(model, self._state)] if model.spec.mtp is not None else []
        self._drafts = Drafts(model.config.record_drafts, speculators)

    def close(self) -> None:
        """Save the state where that is quick, and close the record of drafts; idempotent."""
        self._drafts.close()
        kept, self._kept = self._kept, None
        if kept is not None:
            if self._key and saved.nbytes(self._state) <= SOON_BYTES:
                self._save(kept, lambda: False)
            kept.close()

    def save(self, stop: Callable[[], bool]) -> None:
        """Write the conversation's state for the next start, where it has a key and has changed; stop() gives it up."""
        if self._kept is not None and self._key:
            self._save(self._kept, stop)

    def reset(self) -> None:
        """Forget the conversation."""
        self._state.truncate(0)
        self.ids, self._memory, self._unsaved = [], Memory(), False

    def snapshot(self) -> Snapshot:
        """The model's counters with those of generation; any thread."""
        drafts, model = self._drafts, self._model.snapshot()
        return replace(
            model,
            memory_bytes=model.memory_bytes + (self._draft_model.memory_bytes if self._draft_model is not None else 0),
            tokens_decoded=self._decoded,
            drafts_proposed=sum(drafts.proposed.values()),
            drafts_accepted=sum(drafts.accepted.values()),
            drafts_ngram_proposed=drafts.proposed[NGRAM],
            drafts_ngram_accepted=drafts.accepted[NGRAM],
            drafts_model_proposed=drafts.proposed[MODEL],
            drafts_model_accepted=drafts.accepted[MODEL],
            drafts_mtp_proposed=drafts.proposed[MTP],
            drafts_mtp_accepted=drafts.accepted[MTP],
            seconds_drafting=drafts.seconds_drafting,
            drafts_seconds_saved=drafts.seconds_saved,
        )

    def generate(
        self,
        messages: Sequence[Message],
        sampling: Sampling,
        cancel: CancelToken,
        on_text: Callable[[str], None],
        on_prefill: Callable[[int, int], None],
        draft: str = "off",
        on_reasoning: Callable[[str], None] | None = None,
        thinking: bool | None = None,
        continued: bool = False,
        conversation: str = "",
        options: Options = CHAT,
        on_call: Callable[[CallPart], None] = lambda part: None,
        on_drawn: Callable[[Likely, tuple[Likely, ...]], None] = lambda token, top: None,
        on_ids: Callable[[tuple[int, ...]], None] | None = None,
    ) -> AnswerStats:
        """Answer `messages`; on_text gets whole characters, on_prefill (done, total) of the new prompt tokens.

        on_reasoning gets what the model thinks before it answers. thinking: whether it does; None: as the model does by itself.
        continued: the last message is an answer that was cut; on_text gets what follows it. conversation: a key under which the state
        is kept for later sessions; "": it is kept until the model is closed.
        options: see Options; on_call gets the calls of its tools, on_drawn the answer's tokens and the likeliest at their places, on_ids
        the answer's ids step by step, after their text.
        draft: "off", "ngram", "mtp" or "auto", see drafts.KINDS.
        The same messages, sampling and seed give the same ids whatever the draft, chunk, budget and threads are. A cancel ends
        the answer with reason "cancelled". Raises BadRequest, ContextFull, StorageError, BadContainer, and Cancelled where the prompt is
        not encoded yet; the session stays usable.
        """
        start, before = perf_counter(), self.snapshot()
        rendered, begun, mark = self._prompt(messages, thinking, continued, options)
        if options.prompt is not None:
            ids = self._given(options.prompt, cancel)
        else:
            self._take_up(conversation, rendered + begun, mark)
            ids = self._memory.encode(rendered + begun, mark, lambda text, mark, more: self._encoder.encode(text, mark, more, cancel))
        n_prompt, context = len(ids), self._state.context
        resumed = options.resumed
        if any(not 0 <= token < self._model.spec.vocab_size for token in resumed) or (resumed and options.logprobs is not None):
            raise BadRequest(say("These tokens cannot be gone on after: they are another model's, or their probabilities are wanted."))
        if n_prompt + len(resumed) >= context:
            raise ContextFull(
                say(
                    "This conversation has {n_prompt} tokens, but the context holds {context}, the answer included. "
                    "Shorten it, start a new chat, or open the model with a longer context.",
                    n_prompt=n_prompt,
                    context=context,
                ),
                context,
            )
        vocab_size = self._model.spec.vocab_size
        limits = None
        if options.shape is not None:
            if not self._model.config.programs:
                raise BadRequest(
                    say("The model was opened without room for grammars. Open it as `ouzel serve` does, or leave the shape out.")
                )
            limits = self._text.limits(options.shape, options.tools, rendered + begun, thinking, vocab_size)
        sampler = Sampler(sampling, vocab_size, ids, self._ends, limits)
        stops = sampling.stop if options.prompt is not None else (*sampling.stop, *self._text.stops)
        shows: dict[Kind, Callable[[str], None]] = {"answer": on_text, "reasoning": on_reasoning or (lambda piece: None)}
        room = context - n_prompt
        splitter = self._text.splitter(rendered, begun, calls=bool(options.tools), plain=options.prompt is not None)
        answer = Answer(
            sampler,
            stops,
            self._ends,
            splitter,
            sampling.max_tokens,
            room,
            lambda piece, kind: shows[kind](piece),
            self._text.call_parser(options.tools, options.shape),
            on_call,
            (lambda: limits.done) if limits is not None else lambda: False,
            DrawnTokens(options.logprobs, self._text.piece, on_drawn) if options.logprobs is not None else None,
        )
        ids += resumed
        reused = self._sync(ids)
        try:
            logits = self._prefill(ids, reused, cancel, on_prefill)
            for token in resumed:
                answer.take(token)
            if resumed and answer.reason:
                raise BadRequest(say("The tokens to go on after are a whole answer already. Leave them out."))
            self._decode(ids, logits, answer, sampler, draft, cancel, on_ids)
        except Cancelled:
            answer.reason = "cancelled"
        finally:
            self.ids = ids[: self._state.length]
            self._unsaved = True
        self._state.keep()
        answer.finish()
        if options.prompt is None:
            self._remember(rendered + begun, mark, ids, n_prompt, answer)
        else:  # nothing of it is a conversation that could go on
            self._memory, self._unsaved = Memory(), False
        return AnswerStats(
            reason=answer.reason,
            prompt_tokens=n_prompt,
            reused_tokens=min(reused, n_prompt),
            answer_tokens=answer.count,
            seconds_to_first_token=(answer.first or perf_counter()) - start,
            seconds_decode=answer.last - answer.first,
            seed=sampler.seed,
            counters=difference(self.snapshot(), before),
            reasoning_tokens=answer.reasoning,
            resumed_tokens=len(resumed),
        )

    def _given(self, prompt: str | tuple[int, ...], cancel: CancelToken) -> list[int]:
        """The ids of a prompt that is no conversation. Raises BadRequest, ContextFull, Cancelled."""
        if not prompt:
            raise BadRequest(say("There is nothing to go on with: the prompt is empty."))
        self._take_up("", "", "")
        if not isinstance(prompt, str):
            return list(prompt)
        prompt = clean(prompt)
        starts, ids = self._text.starts, self._encoder.encode(prompt, free_mark([prompt]), False, cancel)
        return ids if ids[: len(starts)] == starts else starts + ids

    def _prompt(
        self, messages: Sequence[Message], thinking: bool | None, continued: bool, options: Options = CHAT
    ) -> tuple[str, str, str]:
        """(rendered, what of the answer is there already, mark)."""
        if options.prompt is not None:
            return "", "", ""
        if not continued:
            rendered, mark = self._text.render(messages, thinking, tools=options.tools, effort=options.effort)
            return rendered, "", mark
        cut = messages[-1] if messages else Message("user", "")
        rendered, mark = self._text.render(messages[:-1], thinking, avoid=cut)
        return rendered, self._text.begun(rendered, cut, mark), mark

    def count(self, messages: Sequence[Message], cancel: CancelToken, thinking: bool | None = None, continued: bool = False) -> int:
        """Tokens of the prompt that `generate` would read, exactly. Raises BadRequest, Cancelled."""
        rendered, begun, mark = self._prompt(messages, thinking, continued)
        ids = self._memory.encode(rendered + begun, mark, lambda t, mark, more: self._encoder.encode(t, mark, more, cancel, whole=True))
        return len(ids)

    def count_text(self, text: str, cancel: CancelToken) -> int:
        """Tokens of a text by itself. Raises Cancelled."""
        mark = free_mark([text := clean(text)])
        return len(self._encoder.encode(self._text.guarded(text, mark), mark, True, cancel, whole=True))

    @property
    def context(self) -> int:
        """Tokens that prompt and answer may have together."""
        return self._state.context

    def _take_up(self, key: str, rendered: str, mark: str) -> None:
        """Before a turn of conversation `key`: keep what is held of another one, and bring back what is kept of this one."""
        if self._kept is not None:
            here = self._memory.reaches(rendered, mark)
            path, there = self._kept.best(rendered, mark)
            if self._key != key or not (key or here):
                self._save(self._kept, lambda: False)
            if path is not None and there >= here + TAKE_UP:
                head = self._kept.load(path, self._state)
                self.ids, self._memory = (list(head.ids), Memory.read(head.extra)) if head is not None else ([], Memory())
                self._unsaved = False
        self._key = key

    def _save(self, kept: KeptStates, stop: Callable[[], bool]) -> None:
        if self._unsaved and self._state.length >= LEAST_KEPT:
            done = kept.save(self._key, self._state, self.ids, self._memory.written(), stop)
            self._unsaved = done is None and stop()

    def _sync(self, prompt: list[int]) -> int:
        """Keep the common prefix of what is held and `prompt`, but not all of it: the last token's logits are needed."""
        most = min(len(self.ids), len(prompt) - 1)
        n = next((i for i in range(most) if self.ids[i] != prompt[i]), most)
        self._state.truncate(n)
        self.ids = self.ids[: self._state.length]
        return len(self.ids)

    def _prefill(
        self, prompt: list[int], reused: int, cancel: CancelToken, on_prefill: Callable[[int, int], None]
    ) -> npt.NDArray[np.float32]:
        """Logits [1, vocab] after the prompt's last token."""
        chunk, total = self._model.plan.chunk, len(prompt) - reused
        on_prefill(0, total)
        logits = np.empty((0, 0), np.float32)
        for at in range(reused, len(prompt), chunk):
            end = min(at + chunk, len(prompt))
            wanted: Literal["none", "last"] = "last" if end == len(prompt) else "none"
            logits = self._model.forward(np.asarray(prompt[at:end], np.int32), self._state, wanted, cancel)
            if end - max(self._state.checkpoints.newest, reused) >= CHECKPOINT:
                self._state.keep()
            on_prefill(end - reused, total)
        return logits

    def _decode(
        self,
        ids: list[int],
        logits: npt.NDArray[np.float32],
        answer: Answer,
        sampler: Sampler,
        draft: str,
        cancel: CancelToken,
        on_ids: Callable[[tuple[int, ...]], None] | None = None,
    ) -> None:
        """Extend ids (the prompt, then the answer) until the answer has a reason to end; the newest id has no state yet."""
        drafts = self._drafts if draft != "off" else None
        if drafts is not None:
            drafts.begin(ids, draft)
        drafted: tuple[int, ...] = ()
        seconds = waited = missed = 0.0  # of the step behind `logits`
        clock, streamer, plan = self._model.clock, self._model.streamer, self._model.plan
        while True:
            known = len(ids)
            try:
                for row in range(len(logits)):
                    token = sampler.pick(logits[row], len(ids))
                    ids.append(token)
                    self._decoded += 1
                    answer.take(token, logits[row])
                    if answer.reason or row == len(drafted) or drafted[row] != token:
                        break
            finally:
                self._state.truncate(len(ids) - 1)  # rows of rejected drafts are taken back
                if on_ids is not None:
                    on_ids(tuple(ids[known:]))
            if drafts is not None:
                drafts.stepped(len(logits), ids[known:], seconds, waited, int(missed))
            if answer.reason:
                return
            cancel.check()
            if drafts is not None:
                room = min(plan.chunk, plan.logit_rows, answer.left) - 1
                drafted = drafts.propose(ids[known:], room, answer.left, sampler.guess, cancel)
            start, waited, missed = perf_counter(), clock.read_wait, streamer.misses
            logits = self._model.forward(np.asarray([ids[-1], *drafted], np.int32), self._state, "all", cancel)
            seconds, waited, missed = perf_counter() - start, clock.read_wait - waited, streamer.misses - missed

    def _remember(self, rendered: str, mark: str, ids: list[int], n_prompt: int, answer: Answer) -> None:
        answered = ids[n_prompt:]
        texts = [(self._text.guarded_answer(answer.written, length, mark), n) for length, n in answer.lengths()]
        most = max((n for _, n in texts), default=0)
        self._memory.keep(rendered, mark, ids[:n_prompt], texts, answered[:most])


def difference(after: Snapshot, before: Snapshot) -> Snapshot:
    """Counters of `after` minus those of `before`; levels such as memory are those of `after`."""
    counts = (f.name for f in fields(Snapshot) if f.name not in _LEVELS)
    return replace(after, **{n: getattr(after, n) - getattr(before, n) for n in counts})
