"""Results of responses, whole and as the events of a stream. Source: OpenAI's API reference, "The response object", "Streaming events"."""

from typing import Any

from engine.errors import EngineError
from engine.events import Called, Drawn, Event, Finished, Text
from engine.openai.asked import Asked
from engine.openai.collected import Collected, logprobs_of, usage_of
from engine.openai.refusals import told_error


def response_result(asked: Asked, answer: Collected, id: str, created: int) -> dict[str, Any]:
    """The whole response."""
    items = _Items(asked, id)
    for event in _again(answer):
        items.take(event)
    items.close()
    return response_object(asked, answer, id, created, items.done)


def response_object(asked: Asked, answer: Collected, id: str, created: int, output: list[dict[str, Any]]) -> dict[str, Any]:
    """The response as far as it has come."""
    cut = answer.stats is not None and answer.finish_reason == "length"
    status = "failed" if answer.error else "in_progress" if answer.stats is None else "incomplete" if cut else "completed"
    body, effort = asked.body, asked.options.effort
    error = {"code": "server_error", "message": str(answer.error)} if answer.error else None
    return {
        "id": id,
        "object": "response",
        "created_at": created,
        "status": status,
        "error": error,
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "instructions": body.get("instructions"),
        "max_output_tokens": body.get("max_output_tokens"),
        "metadata": body.get("metadata") or {},
        "model": asked.model,
        "output": output,
        "parallel_tool_calls": body.get("parallel_tool_calls") is not False,
        "previous_response_id": None,
        "reasoning": {"effort": effort or None, "summary": None},
        "store": False,
        "temperature": asked.sampling.temperature,
        "text": body.get("text") or {"format": {"type": "text"}},
        "tool_choice": body.get("tool_choice") or "auto",
        "tools": [{"strict": None, **tool} for tool in body.get("tools") or []],
        "top_p": asked.sampling.top_p,
        "truncation": "disabled",
        "usage": _usage(answer),
    }


def _usage(answer: Collected) -> dict[str, Any] | None:
    if answer.stats is None:
        return None
    usage = usage_of([answer])
    return {
        "input_tokens": usage["prompt_tokens"],
        "input_tokens_details": {"cached_tokens": usage["prompt_tokens_details"]["cached_tokens"], "cache_write_tokens": 0},
        "output_tokens": usage["completion_tokens"],
        "output_tokens_details": {"reasoning_tokens": usage["completion_tokens_details"]["reasoning_tokens"]},
        "total_tokens": usage["total_tokens"],
    }


def _again(answer: Collected) -> list[Event]:
    """The events of an answer that has ended, each kind joined."""
    events: list[Event] = [Text(0, answer.reasoning, "reasoning")] if answer.reasoning else []
    if answer.text or not answer.calls:
        events.append(Text(0, answer.text))
    events += answer.drawn
    events += [Called(0, n, c.id, c.name, c.arguments) for n, c in enumerate(answer.calls)]
    return events


class _Items:
    """The items of a response's output, with the stream's events that make them. done: those that are whole."""

    def __init__(self, asked: Asked, id: str) -> None:
        self._asked, self._id = asked, id.removeprefix("resp_")
        self.done: list[dict[str, Any]] = []
        self._open: dict[str, Any] | None = None
        self._text = ""
        self._drawn: list[Drawn] = []
        self._call = -1

    def take(self, event: Event) -> list[dict[str, Any]]:
        """The stream's events for the next event of the answer, without their numbers."""
        match event:
            case Text(_, piece, "answer"):
                out = self._start("message")
                self._text += piece
                if not piece:
                    return out
                return [*out, self._event("response.output_text.delta", content_index=0, delta=piece, logprobs=[])]
            case Text(_, piece, _):
                out = self._start("reasoning")
                self._text += piece
                return [*out, self._event("response.reasoning_text.delta", content_index=0, delta=piece)]
            case Called(_, index, call_id, name, arguments):
                out = self._start("function_call", index, call_id, name)
                self._text += arguments
                return [*out, self._event("response.function_call_arguments.delta", delta=arguments)] if arguments else out
            case Drawn():
                self._drawn.append(event)
        return []

    def _start(self, kind: str, index: int = -1, call_id: str = "", name: str = "") -> list[dict[str, Any]]:
        """The item that what comes belongs to, begun if need be."""
        if self._open is not None and self._open["type"] == kind and self._call == index:
            return []
        out = self.close()
        self._call, self._text = index, ""
        prefix = {"message": "msg", "reasoning": "rs", "function_call": "fc"}[kind]
        item: dict[str, Any] = {"id": f"{prefix}_{self._id}_{len(self.done)}", "type": kind, "status": "in_progress"}
        if kind == "message":
            item |= {"role": "assistant", "content": []}
        elif kind == "reasoning":
            item |= {"summary": [], "content": []}
        else:
            item |= {"call_id": call_id, "name": name, "arguments": ""}
        self._open = item
        out.append({"type": "response.output_item.added", "output_index": len(self.done), "item": dict(item)})
        if kind != "function_call":
            out.append(self._event("response.content_part.added", content_index=0, part=self._part("")))
        return out

    def close(self, cut: bool = False) -> list[dict[str, Any]]:
        """The end of the open item."""
        if self._open is None:
            return []
        item, out = self._open, list[dict[str, Any]]()
        item["status"] = "incomplete" if cut else "completed"
        if item["type"] == "function_call":
            item["arguments"] = self._text or "{}"
            out.append(self._event("response.function_call_arguments.done", arguments=item["arguments"], name=item["name"]))
        else:
            part = self._part(self._text)
            item["content"] = [part]
            text = {"text": self._text, "content_index": 0}
            if item["type"] == "message":
                out.append(self._event("response.output_text.done", **text, logprobs=part["logprobs"]))
            else:
                out.append(self._event("response.reasoning_text.done", **text))
            out.append(self._event("response.content_part.done", content_index=0, part=part))
        out.append({"type": "response.output_item.done", "output_index": len(self.done), "item": item})
        self.done.append(item)
        self._open = None
        return out

    def _part(self, text: str) -> dict[str, Any]:
        if self._open is not None and self._open["type"] == "reasoning":
            return {"type": "reasoning_text", "text": text}
        told = logprobs_of(self._drawn) if text and self._asked.options.logprobs is not None else []
        return {"type": "output_text", "text": text, "annotations": [], "logprobs": told}

    def _event(self, kind: str, **more: Any) -> dict[str, Any]:
        return {"type": kind, "output_index": len(self.done), "item_id": self._open["id"] if self._open else "", **more}


class ResponseEvents:
    """A response as a stream of events; begin(), then take(event) for each event of the answer, the last of which is Finished."""

    def __init__(self, asked: Asked, id: str, created: int) -> None:
        self._asked, self._id, self._created = asked, id, created
        self._answer, self._items = Collected(), _Items(asked, id)
        self._count = 0

    def begin(self) -> list[dict[str, Any]]:
        """What comes before all else."""
        return self._numbered([{"type": f"response.{word}", "response": self._object()} for word in ("created", "in_progress")])

    def take(self, event: Event) -> list[dict[str, Any]]:
        """The stream's events for an event."""
        self._answer.take(event)
        out = self._items.take(event)
        if isinstance(event, Finished):
            cut = self._answer.finish_reason == "length"
            out += self._items.close(cut)
            out.append({"type": "response.incomplete" if cut else "response.completed", "response": self._object()})
        return self._numbered(out)

    def failed(self, error: EngineError) -> list[dict[str, Any]]:
        """The end of a stream that could not go on."""
        self._answer.error = error
        told = told_error(error)[1]["error"]
        out = [{"type": "error", "code": told["code"], "message": told["message"], "param": told["param"]}]
        return self._numbered([*out, {"type": "response.failed", "response": self._object()}])

    def _object(self) -> dict[str, Any]:
        return response_object(self._asked, self._answer, self._id, self._created, list(self._items.done))

    def _numbered(self, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        out = [{**event, "sequence_number": self._count + n} for n, event in enumerate(events)]
        self._count += len(out)
        return out
