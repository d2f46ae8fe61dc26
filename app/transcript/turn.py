"""A message as the transcript shows it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Turn:
    """note: the small line under a message, such as an answer's statistics; number names it in its links.

    thought: what was thought before an answer, for `seconds`. branch: (which, of how many) messages in this place. files: a line for each
    file that goes with it. cut: the answer can be gone on with. first: the first message that the model is given, others before it.
    """

    number: int
    user: bool
    text: str
    name: str = ""
    note: str = ""
    thought: str = ""
    seconds: float = 0.0
    branch: tuple[int, int] = (1, 1)
    files: tuple[str, ...] = ()
    cut: bool = False
    first: bool = False
