"""One of the sequences that a session holds: whose conversation it is, its tokens, and how their text is spelled."""

from collections.abc import Callable, Sequence

from engine.generate.kept import KeptStates
from engine.generate.memory import Memory
from engine.model import saved
from engine.model.state import State

TAKE_UP = 40  # characters, some ten tokens, that a state on disk must have beyond what is held
LEAST_KEPT = 32  # tokens that are worth a file


class Lane:
    """`ids` are the tokens whose state is held, of a lane that is busy those of its turn; `memory` their text, `key` the conversation's.

    used: the session's turns until its last.
    """

    def __init__(self, state: State) -> None:
        self.state = state
        self.ids: list[int] = []
        self.memory = Memory()
        self.key, self.used, self.busy = "", 0, False
        self._unsaved = False

    def reset(self) -> None:
        """Forget the conversation."""
        self.state.truncate(0)
        self.ids, self.memory, self._unsaved = [], Memory(), False

    def take_up(self, kept: KeptStates | None, key: str, rendered: str, mark: str) -> None:
        """Before a turn of conversation `key`: keep what is held of another one, and bring back what is kept of this one."""
        if kept is not None:
            here = self.memory.reaches(rendered, mark)
            path, there = kept.best(rendered, mark)
            if self.key != key or not (key or here):
                self.save(kept, lambda: False)
            if path is not None and there >= here + TAKE_UP:
                head = kept.load(path, self.state)
                self.ids, self.memory = (list(head.ids), Memory.read(head.extra)) if head is not None else ([], Memory())
                self._unsaved = False
        self.key = key

    def save(self, kept: KeptStates, stop: Callable[[], bool]) -> None:
        """Write the state, where it has changed; stop() gives it up."""
        if self._unsaved and self.state.length >= LEAST_KEPT:
            done = kept.save(self.key, self.state, self.ids, self.memory.written(), stop)
            self._unsaved = done is None and stop()

    @property
    def nbytes(self) -> int:
        """What a file of it takes."""
        return saved.nbytes(self.state)

    def sync(self, prompt: Sequence[int]) -> int:
        """Keep the common beginning of what is held and `prompt`, but not all of it: the last token's logits are needed. How much."""
        self.state.truncate(min(self.common(prompt), len(prompt) - 1))
        self.ids = self.ids[: self.state.length]
        return len(self.ids)

    def borrow(self, other: "Lane", prompt: Sequence[int]) -> None:
        """Copy from another lane, which may be busy, with what `prompt` begins, where that is worth it."""
        there = min(other.common(prompt), other.state.length, len(prompt) - 1)
        if there >= self.common(prompt) + LEAST_KEPT and saved.copy(other.state, self.state, there):
            self.ids, self.memory, self._unsaved = list(prompt[:there]), Memory(), False

    def begins(self, ids: list[int]) -> None:
        """A turn goes on with `ids`, which will grow; as many of them as the state holds are held."""
        self.ids, self.busy = ids, True

    def common(self, prompt: Sequence[int]) -> int:
        """Tokens with which both what is held and `prompt` begin."""
        most = min(len(self.ids), len(prompt))
        return next((i for i in range(most) if self.ids[i] != prompt[i]), most)

    def stands(self, ids: Sequence[int]) -> None:
        """The turn is over; what is held now are the first of `ids`."""
        self.ids, self._unsaved, self.busy = list(ids[: self.state.length]), True, False

    def forget_text(self) -> None:
        """Nothing of what is held is a conversation that could go on."""
        self.memory, self._unsaved = Memory(), False
