"""The input of a batch: JSON lines in OpenAI's batch format. Source: OpenAI's API reference, "The request input object"."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import BadRequest
from engine.openai.reading import Fields, read_body
from engine.openai.refusals import Refused

MOST_REQUESTS = 50_000  # as OpenAI's
MOST_BYTES = 200_000_000
LONGEST_ID = 512
SHOWN = 10  # problems that are told at once
CHAT, TEXT = "/v1/chat/completions", "/v1/completions"


@dataclass(frozen=True, slots=True)
class Line:
    """One request. id: of its result, the same for the same request, so that a result tells whether it answers this one."""

    custom_id: str
    url: str
    body: Mapping[str, Any]

    @property
    def id(self) -> str:
        """See above."""
        said = json.dumps([self.custom_id, self.url, self.body], sort_keys=True, ensure_ascii=False)
        return "batch_req_" + hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:32]

    @property
    def seed(self) -> int:
        """For a request without one: another for each, and the same each time."""
        return int(self.id[-15:], 16)


def read_lines(path: Path) -> tuple[Line, ...]:
    """All requests of a file. Raises BadRequest that tells what is wrong with which lines, before anything is answered."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise BadRequest(f"{path} is larger than {MOST_BYTES // 1_000_000} MB. Split it.")
        data = path.read_bytes()
    except OSError as e:
        raise BadRequest(f"{path} cannot be read ({e.strerror}). Name a file of requests, one JSON object a line.") from None
    lines, problems, first = list[Line](), list[str](), dict[str, int]()
    for n, text in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not text.strip():
            continue
        try:
            line = _line(text)
            if line.custom_id in first:
                raise Refused(f"custom_id {line.custom_id!r} is that of line {first[line.custom_id]} too.")
        except Refused as e:
            problems.append(f"line {n}: {e}")
            continue
        first[line.custom_id] = n
        lines.append(line)
    if problems:
        more = f"\n... and {len(problems) - SHOWN} more" if len(problems) > SHOWN else ""
        raise BadRequest(f"{path} is not answered, since some of it cannot be read:\n" + "\n".join(problems[:SHOWN]) + more)
    if not lines:
        raise BadRequest(f"{path} holds no requests. Write one JSON object a line: custom_id, method, url and body.")
    if len(lines) > MOST_REQUESTS:
        raise BadRequest(f"{path} holds {len(lines)} requests; {MOST_REQUESTS} are the most. Split it.")
    return tuple(lines)


def _line(text: bytes) -> Line:
    f = Fields(read_body(text))
    custom_id = f.text("custom_id")
    if not custom_id or len(custom_id) > LONGEST_ID:
        raise Refused(f"custom_id is missing, or longer than {LONGEST_ID} characters.")
    if f.one_of("method", "POST") is None:
        raise Refused("method is missing: write POST.")
    url = f.one_of("url", CHAT, TEXT)
    if url is None:
        raise Refused(f"url is missing: write {CHAT}.")
    body = f.object("body")
    if body is None:
        raise Refused("body is missing.")
    f.end()
    return Line(custom_id, url, body)
