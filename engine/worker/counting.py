"""Tokens of a prompt before it is sent, and how much of a conversation's start is in the way where it is too long."""

from engine.cancel import CancelToken
from engine.events import Counted
from engine.generate.session import Session
from engine.requests import CountTokens


def counted(session: Session, request: CountTokens, cancel: CancelToken) -> Counted:
    """Answer `request`; no messages are no tokens. Raises BadRequest, Cancelled."""
    texts = tuple(session.count_text(text, cancel) for text in request.texts)
    if not request.messages:
        return Counted(request.id, 0, session.context, texts)
    tokens = session.count(request.messages, cancel, request.thinking, request.continued)
    left_out: int | None = 0
    if tokens + request.room > session.context:
        left_out = _left_out(session, request, cancel)
    return Counted(request.id, tokens, session.context, texts, left_out)


def _left_out(session: Session, request: CountTokens, cancel: CancelToken) -> int | None:
    """See Counted.left_out: bisection over the places where a turn of the user begins."""
    messages = request.messages
    head = messages[:1] if messages[0].role == "system" else ()
    turns = messages[len(head) :]
    starts = [n for n, m in enumerate(turns) if m.role == "user" and n]
    low, high = 0, len(starts)
    while low < high:
        middle = (low + high) // 2
        tokens = session.count((*head, *turns[starts[middle] :]), cancel, request.thinking, request.continued)
        if tokens + request.room <= session.context:
            high = middle
        else:
            low = middle + 1
    return starts[low] if low < len(starts) else None
