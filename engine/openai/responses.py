"""Bodies of responses. Source: OpenAI's API reference, "Create a response". Nothing is stored: a body holds the whole conversation."""

from collections.abc import Mapping
from typing import Any

from engine.events import ModelInfo
from engine.openai.asked import LONGEST, MOST_TOP, Asked, check_model, leave, sampling_of, shape_of, thinking_of
from engine.openai.messages import text_of, tool_call
from engine.openai.reading import Fields
from engine.openai.refusals import Refused
from engine.openai.tools import read_tools
from engine.requests import Message, Options

LOGPROBS = "message.output_text.logprobs"
REPEATED = ("instructions", "metadata", "parallel_tool_calls", "temperature", "tool_choice", "tools", "top_p", "max_output_tokens", "text")


def response(body: Mapping[str, Any], info: ModelInfo, seed: int) -> Asked:
    """A body of /v1/responses; seed: for a request without one. Raises Refused."""
    f = Fields(body)
    model = check_model(f.text("model"), info)
    leave(f)
    for key in ("previous_response_id", "conversation"):
        if f.any(key) is not None:
            told = f"{key}: no response is kept here. Send the whole conversation as input."
            raise Refused(told, key, "unsupported_parameter")
    for key in ("prompt", "max_tool_calls", "context_management"):
        f.only(key)
    f.only("background", False)
    f.only("truncation", "disabled")
    instructions = text_of(f.any("instructions"), "instructions")
    system = (Message("system", instructions),) if instructions else ()
    messages = system + _input(f.any("input"))
    sampling = sampling_of(f, info, seed, f.whole("max_output_tokens", 1, LONGEST))
    reasoning = Fields(f.object("reasoning") or {}, "reasoning")
    thinking, effort = thinking_of(reasoning.text("effort"), info, "reasoning.effort")
    reasoning.ignore("summary", "generate_summary")
    reasoning.end()
    text = Fields(f.object("text") or {}, "text")
    text.only("verbosity", "medium")
    wanted = shape_of(Fields(text.any("format"), "text.format")) if text.has("format") else None
    text.end()
    tools, shape = read_tools(f, info, wanted, wrapped=False)
    included = f.list("include") or []
    for each in included:
        if each not in (LOGPROBS, "reasoning.encrypted_content"):
            raise Refused(f"include cannot have {str(each)[:60]!r} here. Leave it out.", "include", "unsupported_parameter")
    top = f.whole("top_logprobs", 0, MOST_TOP)
    stream = bool(f.flag("stream"))
    if (options := f.object("stream_options")) is not None:
        held = Fields(options, "stream_options")
        held.ignore("include_obfuscation")
        held.end()
    f.end()
    logprobs = (top or 0) if LOGPROBS in included or top else None
    repeated = {key: body.get(key) for key in REPEATED}
    return Asked("response", model, messages, (), sampling, thinking, Options(tools, shape, effort, logprobs), 1, stream, body=repeated)


def _input(value: Any) -> tuple[Message, ...]:
    if isinstance(value, str):
        return (Message("user", value),)
    if not isinstance(value, list) or not value:
        raise Refused("input has to be a text or a list of items.", "input")
    out: list[Message] = []
    called: dict[str, str] = {}
    thought = ""
    for n, item in enumerate(value):
        f = Fields(item, f"input[{n}]")
        kind = f.text("type") or "message"
        f.ignore("id", "status", "phase")
        match kind:
            case "message":
                role = f.one_of("role", "system", "developer", "user", "assistant")
                content = text_of(f.any("content"), f.name("content"))
                if role is None or content is None:
                    missing = f.name("role" if role is None else "content")
                    raise Refused(f"{missing} is missing.", missing)
                if role == "assistant":
                    out.append(Message(role, content, thought))
                    thought = ""
                else:
                    out.append(Message("system" if role == "developer" else role, content))
            case "reasoning":
                f.ignore("encrypted_content")
                parts = [*(f.list("content") or []), *(f.list("summary") or [])]
                thought += "".join(str(part.get("text", "")) for part in parts if isinstance(part, dict))
            case "function_call":
                call = tool_call(f, f.text("call_id") or "")
                called[call.id] = call.name
                last = out[-1] if out else None
                if last is not None and last.role == "assistant" and not thought:
                    out[-1] = Message("assistant", last.content, last.reasoning, (*last.calls, call))
                else:
                    out.append(Message("assistant", "", thought, (call,)))
                    thought = ""
            case "function_call_output":
                call_id, content = f.text("call_id") or "", text_of(f.any("output"), f.name("output"))
                if content is None:
                    raise Refused(f"{f.name('output')} is missing.", f.name("output"))
                out.append(Message("tool", content, call_id=call_id, name=called.get(call_id, "")))
            case _:
                raise Refused(f"input[{n}] is of the type {kind!r}, which is not known here.", f"input[{n}].type", "unsupported_content")
        f.end()
    return tuple(out)
