"""Grammars, followed by llguidance token by token.

Names of a rule's tokens are found in a tree of all tokens' bytes, which is made once a model; a step takes some 50 microseconds.
"""

from collections.abc import Collection

from llguidance import LLMatcher, LLTokenizer

from engine.errors import EngineError
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


class Matcher:
    """One answer's way through a grammar, see limits.Following. `error`: what is wrong with the grammar, in the library's words, or ""."""

    def __init__(self, tree: TokenTree, grammar: str) -> None:
        self._matcher = LLMatcher(tree.tokenizer, grammar, log_level=0)
        self.error = _first(self._matcher.get_error()) if self._matcher.is_error() else ""

    def mask(self) -> tuple[bytes, str]:
        """See Following."""
        bits = self._matcher.compute_bitmask()
        return bits, self._error()

    def take(self, token: int) -> tuple[bool, str]:
        """See Following."""
        if not self._matcher.is_stopped() and not self._matcher.consume_token(token):
            return False, self._error()
        return self._matcher.is_stopped() and not self._matcher.is_error(), ""

    def _error(self) -> str:
        return (_first(self._matcher.get_error()) or say("no token is possible")) if self._matcher.is_error() else ""


def _first(error: str) -> str:
    """The sentence of an error whose further lines show the grammar."""
    line = error.strip().splitlines()[0] if error.strip() else ""
    return line.partition(": ")[2].rstrip(".") or line.rstrip(".") if line.startswith("at ") else line.rstrip(".")
