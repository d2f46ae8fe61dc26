"""Bytes of a file on the hub, in order, however often the connection breaks. Nothing is stored here.

A dropped connection, a stall, a busy server are waited out and the range goes on at the byte where it was; only what trying again cannot
mend is an error. Links of the hub expire, so each attempt asks the hub anew; the access token goes to the hub's own host alone.
"""

import random
import threading
import time
from collections.abc import Callable, Iterator
from queue import Empty, Full, Queue
from typing import Any

from engine.cancel import CancelToken
from engine.errors import BadCheckpoint, EngineError
from engine.setup.hub import HubError, HubFile, Listing, NeedsToken
from engine.setup.network import prepare
from engine.words import say

CHUNK = 2**18
AHEAD = 32  # chunks that wait to be taken
STALL_S = 5.0  # without a byte: shown as a stall
READ_TIMEOUT_S = 30.0  # without a byte: the connection is given up
FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 60.0
POLL_S = 0.05
State = Callable[[str], None]


class SourceChanged(BadCheckpoint):
    """The file on the hub is another one than it was."""


class Ranges:
    """Reads ranges of one repository's files. Several threads may do so at once.

    state(text): "" while bytes flow, else what is waited for: "no data for 7 s", "trying again in 4 s: the server is busy (503)".
    """

    def __init__(self, listing: Listing, token: str | None, state: State, cancel: CancelToken) -> None:
        self._listing, self._token, self._state, self._cancel = listing, token, state, cancel

    def stream(self, file: HubFile, start: int, end: int) -> Iterator[bytes]:
        """Chunks of the bytes start..end of `file`, in order, until all came.

        Raises SourceChanged, NeedsToken, HubError (the hub refuses), Cancelled within 100 ms.
        """
        at, wait = start, FIRST_WAIT_S
        while at < end:
            self._cancel.check()
            attempt = _Attempt(self._listing, self._token, file, at, end)
            came = False
            try:
                for chunk in self._chunks(attempt):
                    at += len(chunk)
                    came = True
                    yield chunk
            finally:
                attempt.close()
            if at < end:
                if attempt.problem is not None:
                    raise attempt.problem
                wait = FIRST_WAIT_S if came else min(2 * wait, LONGEST_WAIT_S)
                self._wait(max(wait * random.uniform(0.8, 1.2), attempt.retry_after), attempt.why)

    def read(self, file: HubFile, start: int, end: int) -> bytes:
        """The bytes start..end at once. Raises as `stream`."""
        return b"".join(self.stream(file, start, end))

    def _chunks(self, attempt: "_Attempt") -> Iterator[bytes]:
        """What one attempt brings."""
        last, stalled = time.monotonic(), False
        while True:
            try:
                chunk = attempt.chunks.get(timeout=POLL_S)
            except Empty:
                self._cancel.check()
                if (quiet := time.monotonic() - last) >= STALL_S:
                    stalled = True
                    self._state(say("no data for {quiet:.0f} s", quiet=quiet))
                continue
            if chunk is None:
                return
            if stalled:
                self._state("")
                stalled = False
            yield chunk
            self._cancel.check()
            last = time.monotonic()

    def _wait(self, seconds: float, why: str) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self._cancel.check()
            self._state(say("trying again in {left:.0f} s: {why}", left=left, why=why))
            time.sleep(min(POLL_S, left))
        self._state("")


class _Attempt:
    """One connection, read by a thread of its own so that whoever waits for it can stop at once.

    chunks end with None; then `problem` is what no further attempt mends, else `why` says why it ended.
    """

    def __init__(self, listing: Listing, token: str | None, file: HubFile, start: int, end: int) -> None:
        self.chunks: Queue[bytes | None] = Queue(AHEAD)
        self.problem: EngineError | None = None
        self.why, self.retry_after = say("the connection broke"), 0.0
        self._listing, self._token, self._file, self._start, self._end = listing, token, file, start, end
        self._closed = threading.Event()
        threading.Thread(target=self._run, name="download", daemon=True).start()

    def close(self) -> None:
        """Give up; the thread ends by itself."""
        self._closed.set()

    def _run(self) -> None:
        from httpx2 import HTTPError, InvalidURL  # noqa: PLC0415  see engine.setup.hub

        try:
            self._fetch()
        except EngineError as e:
            self.problem = e
        except (HTTPError, InvalidURL, OSError, RuntimeError) as e:  # RuntimeError: the client was replaced, see engine.setup.network
            self.why = say("the connection broke ({kind})", kind=type(e).__name__)
        self._put(None)

    def _put(self, chunk: bytes | None) -> bool:
        while not self._closed.is_set():
            try:
                self.chunks.put(chunk, timeout=POLL_S)
                return True
            except Full:
                continue
        return False

    def _fetch(self) -> None:
        prepare()
        from httpx2 import Timeout  # noqa: PLC0415  see engine.setup.hub
        from huggingface_hub import get_session  # noqa: PLC0415  the same

        timeout = Timeout(READ_TIMEOUT_S, connect=15.0)
        headers = {"Accept-Encoding": "identity", "Range": f"bytes={self._start}-{self._end - 1}", "If-Range": f'"{self._file.etag}"'}
        url, at = self._listing.url(self._file), self._start
        for _ in range(5):
            own = self._listing.owns(url)
            sent = {**headers, "Authorization": f"Bearer {self._token}"} if own and self._token else headers
            with get_session().stream("GET", url, headers=sent, timeout=timeout, follow_redirects=False) as answer:
                if answer.is_redirect:
                    url = str(answer.url.join(answer.headers["location"]))
                    continue
                if not self._accepts(answer):
                    return
                skip = self._start if answer.status_code == 200 else 0
                for chunk in answer.iter_bytes(CHUNK):
                    if skip:
                        skip, chunk = max(skip - len(chunk), 0), chunk[skip:]
                    chunk = chunk[: self._end - at]
                    at += len(chunk)
                    if (chunk and not self._put(chunk)) or at == self._end:
                        return
                return
        raise HubError(say("{endpoint} sends from one address to the next without end. Try again later.", endpoint=self._listing.endpoint))

    def _accepts(self, answer: Any) -> bool:
        """Whether the body is what was asked for; False where trying again may help. Raises what it cannot mend."""
        status, name = answer.status_code, self._file.name
        etag = answer.headers.get("etag", "").removeprefix("W/").strip('"')
        if status in (200, 206) and etag and etag != self._file.etag:
            raise SourceChanged(
                say("{name} on the hub has changed while it was downloaded. Start again to get the new version.", name=name)
            )
        if status == 206:
            first = answer.headers.get("content-range", "").removeprefix("bytes ").partition("-")[0]
            if first != str(self._start):
                raise HubError(
                    say("{endpoint} sent other bytes than those that were asked for. Try again later.", endpoint=self._listing.endpoint)
                )
            return True
        if status == 200:
            return True
        if status in (401, 403) and self._listing.owns(str(answer.url)):
            raise NeedsToken(
                say(
                    "The hub refuses {name} ({status}). Check the access token, and that its account accepted the licence.",
                    name=name,
                    status=status,
                )
            )
        if status in (404, 410, 416) and self._listing.owns(str(answer.url)):
            raise SourceChanged(
                say("{name} is gone from the hub, or is shorter than it was. Start again to see what is there now.", name=name)
            )
        busy = status == 429 or status >= 500
        self.why = say("the server is busy ({status})", status=status) if busy else say("the link was refused ({status})", status=status)
        wait = answer.headers.get("retry-after", "")
        self.retry_after = min(float(wait), 600.0) if wait.isdigit() else 0.0
        return False
