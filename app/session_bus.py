"""Questions to services of the session's D-Bus, on Linux."""

from typing import Any

ASK_S = 2.0  # they answer in milliseconds, or not at all


def reply(connection: Any, message: Any) -> tuple[Any, ...]:
    """What a service answers to a message of jeepney's. Raises OSError where it refuses, and whatever the connection raises."""
    from jeepney import MessageType  # type: ignore[import-untyped]  # noqa: PLC0415  only where something is asked

    answer = connection.send_and_get_reply(message, timeout=ASK_S)
    if answer.header.message_type is MessageType.error:
        raise OSError(f"refused: {answer.body}")
    return tuple(answer.body)
