"""The open model for other programs: a server on a thread of its own, as long as the settings want it. The chat goes first."""

import logging
import secrets
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.engine_control import EngineControl
from app.language import told
from app.settings import Settings
from engine.errors import EngineError
from engine.events import Converted, Counted, Counters, Event, Failed, Finished, Loaded, ModelInfo, Unloaded
from engine.requests import MapExperts, Request
from engine.server import FIRST_ID
from engine.stats import Snapshot

if TYPE_CHECKING:
    from engine.server.serving import Server

PORT = 8740
KEPT = 100  # requests that are shown
CLOSING = (Finished, Failed, Counted, Converted, Loaded, Unloaded)


class Serving(QObject):
    """Starts and stops the server as `serve`, `serve_port` and `serve_key` of the settings say.

    address: where it serves, "" while it does not; key: what programs must show, "" for none; problem: why it does not serve.
    """

    changed = Signal()
    logged = Signal(str, str, int, float)  # address, asker, status, seconds of a request that was answered
    _made = Signal(object, int, str, str)  # Server or None, for which turn, key, problem

    def __init__(self, engine: EngineControl) -> None:
        super().__init__()
        self._engine = engine
        self.address = self.key = self.problem = ""
        self._server: Server | None = None
        self._info: ModelInfo | None = None
        self._snapshot: Snapshot | None = None
        self._wanted: tuple[bool, int | None, bool] = (False, None, False)
        self._turn = 0  # counts what was wanted: a server for an earlier turn comes too late
        self._newest: Server | None = None  # of the pool's thread: made last, maybe in the way of the next
        self._closed = False
        self.requests: deque[tuple[datetime, str, int, float]] = deque(maxlen=KEPT)  # the newest: when, address, status, seconds
        self._pool: ThreadPoolExecutor | None = None  # what takes a while: imports, the keyring, waiting for the server's end
        self._asked: set[int] = set()  # what a person waits for: requests of the window that have not ended
        engine.bridge.taps.append(self._tap)
        engine.bridge.posting.append(self._on_posted)
        engine.settings_changed.connect(self._on_settings)
        self._made.connect(self._on_made)
        self.logged.connect(self._keep)
        self._take_up(engine.settings)

    @property
    def starting(self) -> bool:
        """Whether it is on its way."""
        return self._wanted[0] and self._server is None and not self.problem

    @property
    def has_model(self) -> bool:
        """Whether a model is open."""
        return self._info is not None

    @property
    def info(self) -> ModelInfo | None:
        """The open model."""
        return self._info

    @property
    def has_room(self) -> bool:
        """Whether it was opened with room for what programs ask for."""
        return self._info is not None and self._info.config.programs

    @Slot(str, str, int, float)
    def _keep(self, path: str, _asker: str, status: int, seconds: float) -> None:
        self.requests.append((datetime.now().astimezone(), path, status, seconds))

    @Slot(object, object)
    def _on_settings(self, _old: Settings, new: Settings) -> None:
        self._take_up(new)

    def _take_up(self, settings: Settings) -> None:
        wanted = (settings.serve, settings.serve_port, settings.serve_key)
        if wanted == self._wanted or self._closed:
            return
        self._wanted = wanted
        self._stop()
        if settings.serve:
            self._begin(wanted)
        self.changed.emit()

    def make_key(self) -> None:
        """Have programs need a new key from now on."""
        if self._wanted[0] and self._wanted[2]:
            self._stop()
            self._begin(self._wanted, new=True)
            self.changed.emit()

    def close(self) -> None:
        """End the server, and start none any more; returns at once."""
        self._closed = True
        self._stop()
        if self._pool is not None:
            self._pool.shutdown(wait=False)

    def join(self) -> None:
        """Wait until nothing of it is left."""
        if self._pool is not None:
            self._pool.shutdown()

    def _run(self, work: Callable[[], object]) -> None:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, thread_name_prefix="serving")
        self._pool.submit(work)

    def _begin(self, wanted: tuple[bool, int | None, bool], new: bool = False) -> None:
        turn = self._turn
        self._run(lambda: self._make(wanted, turn, new))

    def _stop(self) -> None:
        self._turn += 1
        server, self._server = self._server, None
        self.address = self.key = self.problem = ""
        if server is not None:
            server.stop()
            self._run(server.join)

    def _make(self, wanted: tuple[bool, int | None, bool], turn: int, new: bool) -> None:
        """Not on the GUI thread."""
        if turn != self._turn:
            return
        if self._newest is not None:  # which nobody may have taken up yet, so that it holds the port
            self._newest.stop()
            self._newest.join()
        try:
            from engine.server.keys import keep_key, keyring_key  # noqa: PLC0415  it takes long to import
            from engine.server.serving import Server, Shared  # noqa: PLC0415  as above
            from engine.server.settings import ServerConfig  # noqa: PLC0415  as above

            key = ""
            if wanted[2]:
                try:
                    key = "" if new else keyring_key()
                    if not key:
                        key = secrets.token_urlsafe(24)
                        keep_key(key)
                except EngineError as error:  # without a keyring a key is good until the end
                    logging.getLogger(__name__).info("The server's key is not kept: %s", error)
                    key = key or secrets.token_urlsafe(24)
            shared = Shared(self._engine.bridge.post, self._engine.bridge.cancel)
            server = Server(shared, ServerConfig(port=wanted[1] or PORT, key=key), self.logged.emit)
        except EngineError as error:
            self._made.emit(None, turn, "", told(error))
        except Exception as error:
            logging.getLogger(__name__).exception("The server could not be started")
            self._made.emit(None, turn, "", str(error))
        else:
            self._newest = server
            self._made.emit(server, turn, key, "")

    @Slot(object, int, str, str)
    def _on_made(self, server: "Server | None", turn: int, key: str, problem: str) -> None:
        if self._closed or turn != self._turn:
            if server is not None:
                server.stop()
            return
        if server is None:
            self.problem = problem
            self.changed.emit()
            return
        self._server, self.key, self.address = server, key, f"{server.address}/v1"
        server.note(self._info, self._snapshot)
        if self._asked:
            server.hold()
        server.start()
        self.changed.emit()

    def _tap(self, event: Event) -> bool:
        """Every event of the engine; whether it is an answer to a program."""
        match event:
            case Loaded(_, info):
                self._info = info
            case Unloaded():
                self._info = self._snapshot = None
            case Counters(snapshot):
                self._snapshot = snapshot
        if self._server is not None:
            self._server.take(event)
        if isinstance(event, Loaded | Unloaded):
            self.changed.emit()
        request = getattr(event, "id", None)
        if isinstance(event, CLOSING) and request in self._asked:
            self._asked.discard(request)
            if self._server is not None and not self._asked:
                self._server.release()
        return isinstance(request, int) and request >= FIRST_ID

    def _on_posted(self, request: Request) -> None:
        """What the window asks of the engine goes before what programs ask. Also called by the server's thread, with its own requests."""
        if request.id < FIRST_ID and not isinstance(request, MapExperts):  # which is answered in between
            self._asked.add(request.id)
            if self._server is not None:
                self._server.hold()
