"""Which tokens may come next, so that an answer has a shape: grammars are followed by llguidance, token by token.

Names of a rule's tokens are found in a tree of all tokens' bytes, which is made once a model; a step takes some 50 microseconds.
"""

from collections.abc import Collection

import numpy as np
import numpy.typing as npt
from llguidance import LLMatcher, LLTokenizer

from engine.errors import BadRequest, EngineError
from engine.text.vocabulary import Vocabulary
from engine.words import say


class _Tokens:
    """A vocabulary as llguidance takes it."""

    is_tokenizer_wrapper = True
    bos_token_id = None

    def __init__(self, vocabulary: Vocabulary, n: int, end: int) -> None:
        names = {token: name for name, token in vocabulary.controls.items()}
        self.eos_token_id = end
        # A byte that no text has tells control tokens from the words that spell them.
        pieces = vocabulary.all_pieces(n)
        self.tokens = [b"\xff" + names[i].encode() if i in names else pieces[i] or b"\xff<%d>" % i for i in range(n)]
        self.special_token_ids: list[int] = sorted(names)
        self._vocabulary = vocabulary

    def __call__(self, text: bytes | str) -> list[int]:
        """Used by the library to prefer usual tokens where only one text is possible."""
        return self._vocabulary.encode(text.decode("utf-8", "replace") if isinstance(text, bytes) else text, "", True)


class TokenTree:
    """All tokens of a model, ready for grammars. Raises EngineError where the model has no end token."""

    def __init__(self, vocabulary: Vocabulary, n: int, ends: Collection[int]) -> None:
        known = sorted(e for e in ends if e < n)
        if not known:
            raise EngineError(
                say("This model has no end token, so its answers cannot be given a shape. Leave response_format and tools out.")
            )
        self.n = n
        tokens = _Tokens(vocabulary, n, known[0])
        self.tokenizer = LLTokenizer(tokens, n_vocab=n, eos_token=known)  # type: ignore[arg-type]
        tokens.tokens = []  # the library has copied them, and keeps the rest for its calls


class Limits:
    """One answer's way through a grammar. Raises BadRequest where the grammar cannot be followed, with the library's words."""

    def __init__(self, tree: TokenTree, grammar: str) -> None:
        self._tree = tree
        self._matcher = LLMatcher(tree.tokenizer, grammar, log_level=0)
        if self._matcher.is_error():
            raise BadRequest(say("The answer cannot be held to this shape: {why}.", why=_first(self._matcher.get_error())))
        try:
            self.allowed()
        except EngineError:  # as of a schema that is made of itself alone
            raise BadRequest(say("The answer cannot be held to this shape: nothing fits it.")) from None

    @property
    def done(self) -> bool:
        """Whether the answer is whole, so that nothing may follow."""
        return self._matcher.is_stopped() and not self._matcher.is_error()

    def allowed(self) -> npt.NDArray[np.bool_]:
        """[vocab]: whether each token may come next. Raises EngineError where none may."""
        bits = np.frombuffer(self._matcher.compute_bitmask(), np.uint8)
        mask = np.unpackbits(bits, count=self._tree.n, bitorder="little").astype(bool)
        if self._matcher.is_error() or not mask.any():
            raise EngineError(
                say(
                    "The answer could not be held to its shape: {why}.",
                    why=_first(self._matcher.get_error()) or say("no token is possible"),
                )
            )
        return mask

    def accept(self, token: int) -> None:
        """`token` has come. Raises EngineError where it may not."""
        if not self._matcher.is_stopped() and not self._matcher.consume_token(token):
            raise EngineError(say("The answer could not be held to its shape: {why}.", why=_first(self._matcher.get_error())))


def _first(error: str) -> str:
    """The sentence of an error whose further lines show the grammar."""
    line = error.strip().splitlines()[0] if error.strip() else ""
    return line.partition(": ")[2].rstrip(".") or line.rstrip(".") if line.startswith("at ") else line.rstrip(".")
