"""Sentences for a model whose memory plan does not fit, each with what helps there."""

from collections.abc import Mapping

from engine.words import amount, say


def over_limit(name: str, floor: int, context: int, parallel: int, drafts: bool, limit: int) -> str:
    """floor: the least limit, for `parallel` answers with `context` tokens each; drafts: with a draft model beside it."""
    of: Mapping[str, object] = {"name": name, "floor": mb(floor), "context": context, "parallel": parallel, "budget": mb(limit)}
    if drafts:
        return say(
            "{name} and its draft model need at least {floor} of memory at a context of {context:,} tokens, but the limit is {budget}. "
            "Raise the limit to {floor} or more, or leave the draft model out.",
            **of,
        )
    if parallel > 1:
        return say(
            "{name} needs at least {floor} of memory for {parallel} answers at once with a context of {context:,} tokens each, but the "
            "limit is {budget}. Raise the limit to {floor} or more, or have fewer answers at once.",
            **of,
        )
    return say(
        "{name} needs at least {floor} of memory at a context of {context:,} tokens, but the limit is {budget}. "
        "Raise the limit to {floor} or more, or choose a smaller model.",
        **of,
    )


def over_free(name: str, floor: int, context: int, parallel: int, drafts: bool, available: int) -> str:
    """The same where less is free than the floor."""
    of: Mapping[str, object] = {"name": name, "floor": mb(floor), "context": context, "parallel": parallel, "available": mb(available)}
    if drafts:
        return say(
            "{name} and its draft model need at least {floor} of memory at a context of {context:,} tokens, but only {available} are "
            "free now. Close other programs, or leave the draft model out.",
            **of,
        )
    if parallel > 1:
        return say(
            "{name} needs at least {floor} of memory for {parallel} answers at once with a context of {context:,} tokens each, but only "
            "{available} are free now. Close other programs, or have fewer answers at once.",
            **of,
        )
    return say(
        "{name} needs at least {floor} of memory at a context of {context:,} tokens, but only {available} are free now. "
        "Close other programs, or choose a smaller model.",
        **of,
    )


def mb(nbytes: int) -> str:
    """Bytes for people, rounded up so that the number is enough: "132 MB", "2.15 GB"."""
    if nbytes < 1_000_000_000:
        return amount("{:d} MB", -(-nbytes // 1_000_000))
    return amount("{:.2f} GB", -(-nbytes // 10_000_000) / 100)
