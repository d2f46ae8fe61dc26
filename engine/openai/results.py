"""Results of chat and text completions, whole and as chunks of a stream. Source: OpenAI's API reference."""

from collections.abc import Sequence
from typing import Any

from engine.events import Called, Drawn, Event, Finished, Text
from engine.openai.asked import Asked
from engine.openai.collected import Collected, logprobs_of, token_text, usage_of


def result(asked: Asked, answers: Sequence[Collected], id: str, created: int) -> dict[str, Any]:
    """The whole result: answers in order, each ended without an error."""
    choices = [_chat_choice(asked, a, n) if asked.kind == "chat" else _text_choice(asked, a, n) for n, a in enumerate(answers)]
    return {
        "id": id,
        "object": "chat.completion" if asked.kind == "chat" else "text_completion",
        "created": created,
        "model": asked.model,
        "choices": choices,
        "usage": usage_of(list(answers), max(len(asked.prompts), 1)),
        "system_fingerprint": None,
    }


def _chat_choice(asked: Asked, answer: Collected, index: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text or (None if answer.calls else ""), "refusal": None}
    if answer.reasoning:
        message["reasoning_content"] = answer.reasoning
    if answer.calls:
        message["tool_calls"] = [
            {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.arguments or "{}"}} for c in answer.calls
        ]
    logprobs = {"content": logprobs_of(answer.drawn), "refusal": None} if asked.options.logprobs is not None else None
    return {"index": index, "message": message, "logprobs": logprobs, "finish_reason": answer.finish_reason}


def _text_choice(asked: Asked, answer: Collected, index: int) -> dict[str, Any]:
    before = _echoed(asked, index)
    logprobs = _text_logprobs(answer.drawn, 0) if asked.options.logprobs is not None else None
    return {"index": index, "text": before + answer.text, "logprobs": logprobs, "finish_reason": answer.finish_reason}


def _echoed(asked: Asked, index: int) -> str:
    prompt = asked.prompts[index // asked.n] if asked.echo else ""
    return prompt if isinstance(prompt, str) else ""


def _text_logprobs(drawn: Sequence[Drawn], at: int) -> dict[str, Any]:
    """The older form; at: characters before the first of these tokens."""
    texts = [token_text(d.token) for d in drawn]
    offsets = [at + sum(map(len, texts[:n])) for n in range(len(texts))]
    return {
        "tokens": texts,
        "token_logprobs": [d.token.logprob for d in drawn],
        "top_logprobs": [{token_text(t): t.logprob for t in d.top} for d in drawn],
        "text_offset": offsets,
    }


class Chunks:
    """A result as a stream: take(index, event) gives the chunks that an event of the index-th answer makes, end() what comes last.

    Each chunk is a JSON object; all have one id.
    """

    def __init__(self, asked: Asked, id: str, created: int) -> None:
        self._asked = asked
        self._answers = [Collected() for _ in range(asked.count)]
        self._begun: set[int] = set()
        self._offsets = [0] * asked.count
        self._base = {
            "id": id,
            "object": "chat.completion.chunk" if asked.kind == "chat" else "text_completion",
            "created": created,
            "model": asked.model,
            "system_fingerprint": None,
        }

    def take(self, index: int, event: Event) -> list[dict[str, Any]]:
        """See above. Failed is not for it."""
        answer, out = self._answers[index], list[dict[str, Any]]()
        answer.take(event)
        chat = self._asked.kind == "chat"
        if index not in self._begun and isinstance(event, Text | Called | Drawn | Finished):
            self._begun.add(index)
            if chat:
                out.append(self._chunk(index, {"role": "assistant", "content": "", "refusal": None}))
            elif before := _echoed(self._asked, index):
                out.append(self._chunk(index, before))
        match event:
            case Text(_, piece, "answer"):
                out.append(self._chunk(index, {"content": piece} if chat else piece))
            case Text(_, piece, _) if chat:
                out.append(self._chunk(index, {"reasoning_content": piece}))
            case Called(_, n, call_id, name, arguments) if chat:
                call: dict[str, Any] = {"index": n, "function": {"arguments": arguments}}
                if name:
                    call |= {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
                out.append(self._chunk(index, {"tool_calls": [call]}))
            case Drawn():
                out.append(self._chunk(index, {} if chat else "", drawn=event))
            case Finished():
                out.append(self._chunk(index, {} if chat else "", finish=answer.finish_reason))
        answer.drawn.clear()  # they are told, and take more than all text
        return out

    def end(self) -> list[dict[str, Any]]:
        """The usage, where it was asked for."""
        if not self._asked.include_usage:
            return []
        return [{**self._base, "choices": [], "usage": usage_of(self._answers, max(len(self._asked.prompts), 1))}]

    def _chunk(self, index: int, delta: Any, finish: str | None = None, drawn: Drawn | None = None) -> dict[str, Any]:
        choice: dict[str, Any] = {"index": index, "finish_reason": finish}
        if self._asked.kind == "chat":
            choice |= {"delta": delta, "logprobs": {"content": logprobs_of([drawn]), "refusal": None} if drawn else None}
        else:
            choice |= {"text": delta, "logprobs": _text_logprobs([drawn], self._offsets[index]) if drawn else None}
            self._offsets[index] += len(token_text(drawn.token)) if drawn else 0
        more = {"usage": None} if self._asked.include_usage else {}
        return {**self._base, "choices": [choice], **more}
