"""Work in a process of our own beside this one, for what holds Python's lock for long: a window would wait for it.

A process has one object, whose methods are called over its standard input and output, both ways pickled. It ends with `close`, and by
itself when its input does, so also after this process was killed. It is started anew, never forked, on every system.
"""

import importlib
import os
import pickle
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from time import monotonic
from types import MappingProxyType
from typing import Any, BinaryIO, TypeVar

from engine.cancel import CancelToken
from engine.errors import Ended, EngineError
from engine.words import say, sentence

ARGUMENT = "--apart"  # of a bundle's executable, which has no other way to run Python
WAIT_S = 0.02  # a wait looks at the cancel token this often
STOP_S = 1.5  # that work has to end in after a stop, before its process is ended; a window that closes waits for two seconds
TELL_S = 0.05  # progress comes no more often, its last one excepted
GIVES_WAY = 5  # how nice work is: a window and an answer go first
_CODE = "import sys; sys.path.insert(0, sys.argv[1]); from engine.apart import serve; serve()"
T = TypeVar("T")


class Apart:
    """One process, started at once. Calls may come from several threads and are answered one after the other."""

    def __init__(self) -> None:
        frozen = getattr(sys, "frozen", False)
        # -P: a folder `engine` where the user happens to be is not ours.
        command = [sys.executable, ARGUMENT] if frozen else [sys.executable, "-P", "-c", _CODE, str(Path(__file__).resolve().parents[1])]
        # Ctrl-C at a terminal is for the process that asks, and would leave words of this one there, which ends with it.
        group: dict[str, Any] = {"process_group": 0}
        if sys.platform == "win32":
            group = {"creationflags": subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP}
        self._lock, self._sending = threading.Lock(), threading.Lock()
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **group)
        except OSError as e:
            why = e.strerror or str(e)
            raise Ended(say("A part of Ouzel could not be started ({why}). Close other programs, then try again.", why=why)) from e

    def make(self, target: str, *arguments: object) -> None:
        """Have the process make its object: `target` is "module:callable" of ours. Raises what that raises, Ended."""
        self._exchange("make", target, arguments)

    def call(self, method: str, *arguments: object) -> Any:
        """What a method of its object returns. Raises what that raises, Ended."""
        return self._exchange("call", method, arguments)

    def run(self, target: str, *arguments: object) -> Any:
        """What a function returns; `target` as for make."""
        return self._exchange("run", target, arguments)

    def work(self, target: str, arguments: tuple[object, ...], named: dict[str, object], progress: Callable[..., None]) -> Any:
        """See `work` below, but for the stop."""
        return self._exchange("work", target, (arguments, named), progress)

    def stop(self) -> None:
        """Ask the work to stop; returns at once, from any thread."""
        with suppress(OSError, ValueError):  # it has ended
            self._send(("stop", "", ()))

    @property
    def pid(self) -> int:
        """Of the process."""
        return self._process.pid

    def close(self) -> None:
        """End it now, whatever it does; a call that waits for it raises Ended. Idempotent, from any thread."""
        self._process.kill()
        self._process.wait()
        with self._lock:
            for stream in (self._process.stdin, self._process.stdout):
                with suppress(OSError):
                    if stream is not None:
                        stream.close()

    def _send(self, message: object) -> None:
        assert self._process.stdin is not None
        with self._sending:
            _send(self._process.stdin, message)

    def _exchange(self, kind: str, name: str, arguments: tuple[object, ...], progress: Callable[..., None] = lambda *told: None) -> Any:
        with self._lock:
            try:
                assert self._process.stdout is not None
                self._send((kind, name, arguments))
                while (message := pickle.load(self._process.stdout))[0] is None:
                    progress(*message[1])
                done, value = message
            except (OSError, EOFError, ValueError, pickle.UnpicklingError) as e:
                self._process.kill()
                code = self._process.wait()
                why = say("A part of Ouzel ended ({code}). Try again; if it happens again, free some memory.", code=code)
                raise Ended(why, repr(e)) from e
        if done:
            return value
        raise value


def once(target: str, *arguments: object, cancel: CancelToken | None = None) -> Any:
    """`Apart.run` in a process that ends with it. Raises also Cancelled, within 100 ms."""
    process = Apart()
    try:
        return ending(process, lambda: process.run(target, *arguments), cancel or CancelToken())
    finally:
        process.close()


def ending(process: Apart, work: Callable[[], T], cancel: CancelToken) -> T:
    """`work`, which waits for the process; a cancel ends the process and raises Cancelled."""
    done: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(work())
        except BaseException as e:  # it is raised where it is waited for
            failed.append(e)

    thread = threading.Thread(target=run, name="apart", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(WAIT_S)
        if cancel.cancelled:
            process.close()
            thread.join()
            cancel.check()
    if failed:
        raise failed[0]
    return done[0]


def work(target: str, *arguments: object, progress: Callable[..., None], cancel: CancelToken, **named: object) -> Any:
    """What a function returns that takes long, `target` as for make: called with these arguments, and progress and cancel of its own.

    progress is told on another thread, at most twenty times a second; so is the stop, and STOP_S after it the process is ended. Raises what
    the function raises, Ended, Cancelled.
    """
    process = Apart()
    done: list[Any] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(process.work(target, arguments, named, progress))
        except BaseException as e:  # it is raised where it is waited for
            failed.append(e)

    thread = threading.Thread(target=run, name="apart", daemon=True)
    try:
        thread.start()
        cancel.on_cancel(process.stop)
        while thread.is_alive() and not cancel.cancelled:
            thread.join(WAIT_S)
        thread.join(STOP_S)
    finally:
        process.close()
        thread.join()
    if failed:
        if isinstance(failed[0], Ended):
            cancel.check()
        raise failed[0]
    return done[0]


def _send(stream: BinaryIO | Any, message: object) -> None:
    pickler = pickle.Pickler(stream, pickle.HIGHEST_PROTOCOL)
    pickler.fast = True  # nothing is remembered of long lists of words, and none of our messages holds itself
    pickler.dump(message)
    stream.flush()


# The process's side.


def serve() -> None:
    """Answer calls until the input ends; the body of the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C in a terminal is the other process's to hear
    ends = os.dup(0), os.dup(1)
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415

        for end in ends:
            msvcrt.setmode(end, os.O_BINARY)
    source, out = os.fdopen(ends[0], "rb"), os.fdopen(ends[1], "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for used in (0, 1):  # what a library prints or reads must not get between the messages
        os.dup2(nothing, used)
    asked: SimpleQueue[tuple[str, str, tuple[Any, ...]]] = SimpleQueue()
    stop = CancelToken()
    threading.Thread(target=_listen, args=(source, asked, stop), daemon=True).start()
    made: list[Any] = []
    while True:
        kind, name, arguments = asked.get()
        answer = _worked(out, stop, name, *arguments) if kind == "work" else _answer(made, kind, name, arguments)
        with suppress(OSError):  # the other side is gone, and the listener ends this one
            _send(out, answer)


def _listen(source: BinaryIO, asked: "SimpleQueue[tuple[str, str, tuple[Any, ...]]]", stop: CancelToken) -> None:
    with suppress(Exception):
        while True:
            message = pickle.load(source)
            if message[0] == "stop":
                stop.cancel()
            else:
                asked.put(message)
    os._exit(0)


def _worked(out: BinaryIO, stop: CancelToken, name: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[bool, Any]:
    """The answer to work, with its progress sent before."""
    import psutil  # noqa: PLC0415  megabytes that a process for a tokenizer does without

    with suppress(Exception):  # it only gives way less where the system refuses
        psutil.Process().nice(getattr(psutil, "BELOW_NORMAL_PRIORITY_CLASS", GIVES_WAY))  # a name of Windows alone
    held: tuple[Any, ...] | None = None
    due = 0.0

    def progress(*told: Any) -> None:
        nonlocal held, due
        held = told
        if (now := monotonic()) >= due:
            due = now + TELL_S
            tell()

    def tell() -> None:
        nonlocal held
        if held is not None:
            with suppress(OSError):
                _send(out, (None, held))
            held = None

    answer = _answer([], "run", name, arguments, {**named, "progress": progress, "cancel": stop})
    tell()
    return answer


def _answer(
    made: list[Any], kind: str, name: str, arguments: tuple[Any, ...], named: Mapping[str, Any] = MappingProxyType({})
) -> tuple[bool, Any]:
    try:
        if kind == "call":
            return True, getattr(made[0], name)(*arguments)
        module, _, target = name.partition(":")
        value = getattr(importlib.import_module(module), target)(*arguments, **named)
        if kind == "run":
            return True, value
        made[:] = [value]
        return True, None
    except Exception as e:
        return False, _portable(e)


def _portable(e: Exception) -> Exception:
    """The error itself where it survives the way, else its words."""
    told = e.with_traceback(None)
    told.__cause__ = told.__context__ = None
    with suppress(Exception):
        if isinstance(e, EngineError | OSError | MemoryError) and str(pickle.loads(pickle.dumps(told))) == str(e):
            return told
    return EngineError(sentence(e)) if isinstance(e, EngineError) else RuntimeError("".join(traceback.format_exception(e)))
