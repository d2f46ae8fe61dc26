"""The numbers of an answer: what is stored with it and what the line under it says."""

from typing import Any

from PySide6.QtCore import QCoreApplication

from app.language import number
from app.presentation import size
from engine.stats import AnswerStats

LEAST_SAVED = 0.05  # seconds, under which an estimate says nothing


def numbers(stats: AnswerStats, model: str) -> dict[str, Any]:
    """What is stored with an answer."""
    c = stats.counters
    return {
        "model": model,
        "reason": stats.reason,
        "prompt_tokens": stats.prompt_tokens,
        "reused_tokens": stats.reused_tokens,
        "answer_tokens": stats.answer_tokens,
        "seconds_to_first_token": stats.seconds_to_first_token,
        "seconds_decode": stats.seconds_decode,
        "tokens_per_second": stats.tokens_per_second,
        "expert_hits": c.expert_hits,
        "expert_misses": c.expert_misses,
        "bytes_read": c.bytes_read,
        "drafts_proposed": c.drafts_proposed,
        "drafts_accepted": c.drafts_accepted,
        "drafts_seconds_saved": c.drafts_seconds_saved,
        "seconds_read_wait": c.seconds_read_wait,
        "seconds_experts": c.seconds_experts,
        "seconds_attention": c.seconds_attention,
        "seconds_rest": c.seconds_rest,
        "seed": stats.seed,
    }


def note(found: dict[str, Any] | None) -> str:
    """The line under an answer; whatever is missing or odd in stored numbers is left out."""
    if not found:
        return ""

    def get(name: str) -> float:
        value = found.get(name, 0)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else 0

    parts = []
    if get("tokens_per_second") > 0:
        parts.append(_tr("{0} tokens/s").format(number(get("tokens_per_second"), 1)))
    if get("answer_tokens") > 0:
        parts.append(_tr("{0} tokens").format(number(get("answer_tokens"))))
        parts.append(_tr("first after {0} s").format(number(get("seconds_to_first_token"), 2)))
    uses = get("expert_hits") + get("expert_misses")
    if uses > 0:
        share = get("expert_hits") / uses
        parts.append(_tr("{0}% cache hits").format(min(round(share * 100), 99) if share < 1 else 100))
        parts.append(_tr("{0} read").format(size(get("bytes_read"))))
    if get("drafts_proposed") > 0:
        parts.append(_tr("{0} of {1} drafts kept").format(number(get("drafts_accepted")), number(get("drafts_proposed"))))
        saved = get("drafts_seconds_saved")
        if abs(saved) >= LEAST_SAVED:
            parts.append((_tr("about {0} s saved") if saved > 0 else _tr("about {0} s lost by them")).format(number(abs(saved), 1)))
    ending = _ending(str(found.get("reason", "")))
    return " · ".join([ending, *parts] if ending else parts)


def _ending(reason: str) -> str:
    match reason:
        case "cancelled":
            return _tr("Stopped")
        case "length":
            return _tr("Cut at the longest length that is set")
        case "context":
            return _tr("Cut: the context is full")
        case "failed":
            return _tr("Ended by an error")
    return ""


def _tr(text: str) -> str:
    return QCoreApplication.translate("Answers", text)
