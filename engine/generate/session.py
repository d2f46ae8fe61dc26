"""Conversations over one open model: each on a lane of its own, prefilled as far as it is new, decoded, kept for its next turn."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter

from engine.cancel import CancelToken
from engine.config import Sampling
from engine.errors import BadRequest, ContextFull
from engine.events import Likely
from engine.generate.answer import Answer
from engine.generate.draft_model import DraftModel
from engine.generate.drafter import Speculator
from engine.generate.drafts import Drafts
from engine.generate.drawn import DrawnTokens
from engine.generate.encoding import Encoder
from engine.generate.kept import KeptStates
from engine.generate.lane import LEAST_KEPT, TAKE_UP, Lane
from engine.generate.mtp import MtpDrafts
from engine.generate.proposal import MODEL, MTP, NGRAM
from engine.generate.sampler import Sampler
from engine.generate.steps import Steps
from engine.generate.turn import Heard, Tally, Turn
from engine.model.model import Model
from engine.requests import Message, Options
from engine.stats import AnswerStats, Snapshot
from engine.text.channels import Kind
from engine.text.guard import clean, free_mark
from engine.text.text import Text
from engine.text.tool_calls import CallPart
from engine.words import say

CHAT = Options()
SOON_BYTES = 256_000_000  # what is still written when the model is closed, which people wait for


class Session:
    """As many sequences over an open model as its plan has memory for; used by one thread.

    kept: where the states of other conversations wait, and those of earlier sessions.
    """

    def __init__(self, model: Model, text: Text, kept: KeptStates | None = None, draft_model: Model | None = None) -> None:
        """draft_model: a small one with the same tokenizer, open for this session alone."""
        self._model, self._text, self._kept = model, text, kept
        self.lanes = tuple(Lane(model.new_state(n)) for n in range(model.plan.parallel))
        self._turns, self._tally = 0, Tally()
        self._encoder = Encoder(text, self.context)
        self._ends = text.end_tokens | set(model.spec.end_tokens)
        self._draft_model = draft_model
        mtp = MtpDrafts(model, self.lanes[0].state) if model.spec.mtp is not None else None
        speculators: list[Speculator] = [DraftModel(draft_model, model.spec.vocab_size)] if draft_model is not None else []
        speculators += [mtp] if mtp is not None else []
        self._drafts = Drafts(model.config.record_drafts, speculators)
        self._steps = Steps(model, self._drafts, mtp)

    def close(self) -> None:
        """Save the state where that is quick, and close the record of drafts; idempotent."""
        self._drafts.close()
        kept, self._kept = self._kept, None
        if kept is not None:
            for lane in self.lanes:
                if lane.key and lane.nbytes <= SOON_BYTES:
                    lane.save(kept, lambda: False)
            kept.close()

    def save(self, stop: Callable[[], bool]) -> None:
        """Write the conversations' states for the next start, where they have keys and have changed; stop() gives it up."""
        for lane in self.lanes:
            if self._kept is not None and lane.key:
                lane.save(self._kept, stop)

    def reset(self) -> None:
        """Forget all conversations; no turn is under way."""
        for lane in self.lanes:
            lane.reset()

    @property
    def ids(self) -> list[int]:
        """The tokens that the lane of the newest turn holds."""
        return max(self.lanes, key=lambda lane: lane.used).ids

    @property
    def context(self) -> int:
        """Tokens that prompt and answer may have together."""
        return self._model.plan.context

    def free(self) -> int:
        """How many turns more may begin."""
        return sum(not lane.busy for lane in self.lanes)

    def snapshot(self) -> Snapshot:
        """The model's counters with those of generation; any thread."""
        drafts, model = self._drafts, self._model.snapshot()
        return replace(
            model,
            memory_bytes=model.memory_bytes + (self._draft_model.memory_bytes if self._draft_model is not None else 0),
            tokens_decoded=self._tally.decoded,
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
        on_reasoning: Callable[[str], None] = lambda piece: None,
        thinking: bool | None = None,
        continued: bool = False,
        conversation: str = "",
        options: Options = CHAT,
        on_call: Callable[[CallPart], None] = lambda part: None,
        on_drawn: Callable[[Likely, tuple[Likely, ...]], None] = lambda token, top: None,
        on_ids: Callable[[tuple[int, ...]], None] | None = None,
    ) -> AnswerStats:
        """A whole turn, see `begin`; on_... are told as Heard says. Raises what ends it; a cancel is the reason "cancelled"."""
        heard = Heard(on_text, on_prefill, on_reasoning, on_call, on_drawn, on_ids)
        turn = self.begin(messages, sampling, cancel, heard, draft, thinking, continued, conversation, options)
        while not turn.over:
            self.step([turn])
        if turn.error is not None:
            try:
                raise turn.error
            finally:
                turn.error = None  # whose frames would keep the turn and all behind it
        assert turn.stats is not None
        return turn.stats

    def step(self, turns: Sequence[Turn]) -> None:
        """Compute the next step of turns that were begun, together."""
        self._steps.step(turns)

    def begin(
        self,
        messages: Sequence[Message],
        sampling: Sampling,
        cancel: CancelToken,
        heard: Heard,
        draft: str = "off",
        thinking: bool | None = None,
        continued: bool = False,
        conversation: str = "",
        options: Options = CHAT,
    ) -> Turn:
        """A turn that answers `messages`, step by step, on a lane that is free.

        thinking: whether the model thinks before it answers; None: as the model does by itself. continued: the last message is an answer
        that was cut; what follows it is told. conversation: a key under which the state is kept for later sessions; "": it is kept until
        the model is closed. draft: "off", "ngram", "mtp" or "auto", see drafts.KINDS.
        The same messages, sampling and seed give the same ids whatever the draft, chunk, budget, threads and turns beside it are. Raises
        BadRequest, ContextFull, and Cancelled where the prompt is not encoded yet; the session stays usable.
        """
        start, before = perf_counter(), self.snapshot()
        rendered, begun, mark = self._prompt(messages, thinking, continued, options)
        lane, ids = self._placed(conversation, rendered + begun, mark, options, cancel)
        n_prompt, context = len(ids), self.context
        resumed = options.resumed
        if any(not 0 <= token < self._model.spec.vocab_size for token in resumed) or (resumed and options.logprobs is not None):
            raise BadRequest(say("These tokens cannot be gone on after: they are another model's, or their probabilities are wanted."))
        if n_prompt + len(resumed) >= context:
            raise ContextFull(
                say(
                    "This conversation has {n_prompt:,} tokens, but the context holds {context:,}, the answer included. "
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
        shows: dict[Kind, Callable[[str], None]] = {"answer": heard.text, "reasoning": heard.reasoning}
        splitter = self._text.splitter(rendered, begun, calls=bool(options.tools), plain=options.prompt is not None)
        answer = Answer(
            sampler,
            stops,
            self._ends,
            splitter,
            sampling.max_tokens,
            context - n_prompt,
            lambda piece, kind: shows[kind](piece),
            self._text.call_parser(options.tools, options.shape),
            heard.call,
            (lambda: limits.done) if limits is not None else lambda: False,
            DrawnTokens(options.logprobs, self._text.piece, heard.drawn) if options.logprobs is not None else None,
        )
        ids += resumed
        reused = lane.sync(ids)

        def remember(turn: Turn) -> None:
            if options.prompt is None:
                self._remember(rendered + begun, mark, turn)
            else:
                lane.forget_text()

        turn = Turn(
            lane, ids, n_prompt, reused, answer, sampler, draft, cancel, heard, self._tally, self.snapshot, remember, start, before
        )  # fmt: skip
        heard.prefill(0, len(ids) - reused)
        lane.begins(ids)
        return turn

    def _placed(self, key: str, rendered: str, mark: str, options: Options, cancel: CancelToken) -> tuple[Lane, list[int]]:
        """The lane for a turn, and the prompt's ids: the conversation's own lane, else one that begins alike, else the one that was
        used least recently.
        """
        free = sorted((lane for lane in self.lanes if not lane.busy), key=lambda lane: lane.used)
        if not free:
            raise RuntimeError("All lanes are busy.")
        if options.prompt is not None:
            lane, ids = None, self._given(options.prompt, cancel)
        elif (lane := self._own(free, key, rendered, mark)) is not None:
            lane.take_up(self._kept, key, rendered, mark)
            ids = lane.memory.encode(rendered, mark, lambda text, mark, more: self._encoder.encode(text, mark, more, cancel))
        else:
            ids = self._encoder.encode(rendered, mark, False, cancel)
        if lane is None:
            lane = max(free, key=lambda lane: n if (n := lane.common(ids)) >= LEAST_KEPT else 0)
            lane.take_up(self._kept, key, rendered, mark)
            for other in self.lanes:
                if other is not lane:
                    lane.borrow(other, ids)
        self._turns += 1
        lane.used = self._turns
        return lane, ids

    def _own(self, free: Sequence[Lane], key: str, rendered: str, mark: str) -> Lane | None:
        """The lane that holds this conversation, or is to take up what is kept of it; None: it is a new one, and there are several."""
        if len(self.lanes) == 1:
            return free[0]
        best = max(free, key=lambda lane: (bool(key) and lane.key == key, lane.memory.reaches(rendered, mark)))
        here = best.memory.reaches(rendered, mark)
        if here or (key and best.key == key):
            return best
        there = self._kept.best(rendered, mark)[1] if self._kept is not None else 0
        return free[0] if there >= TAKE_UP else None

    def _given(self, prompt: str | tuple[int, ...], cancel: CancelToken) -> list[int]:
        """The ids of a prompt that is no conversation. Raises BadRequest, ContextFull, Cancelled."""
        if not prompt:
            raise BadRequest(say("There is nothing to go on with: the prompt is empty."))
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
        memory = max((lane.memory for lane in self.lanes), key=lambda memory: memory.reaches(rendered + begun, mark))
        ids = memory.encode(rendered + begun, mark, lambda t, mark, more: self._encoder.encode(t, mark, more, cancel, whole=True))
        return len(ids)

    def count_text(self, text: str, cancel: CancelToken) -> int:
        """Tokens of a text by itself. Raises Cancelled."""
        mark = free_mark([text := clean(text)])
        return len(self._encoder.encode(self._text.guarded(text, mark), mark, True, cancel, whole=True))

    def _remember(self, rendered: str, mark: str, turn: Turn) -> None:
        answered = turn.ids[turn.n_prompt :]
        texts = [(self._text.guarded_answer(turn.answer.written, length, mark), n) for length, n in turn.answer.lengths()]
        most = max((n for _, n in texts), default=0)
        turn.lane.memory.keep(rendered, mark, turn.ids[: turn.n_prompt], texts, answered[:most])
