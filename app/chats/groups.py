"""The side list's groups: pinned conversations, then by the day of the last change."""

from collections.abc import Iterable
from datetime import date, datetime, timedelta

from PySide6.QtCore import QCoreApplication, QDate, QLocale

from app.chats.records import Conversation

WEEK, MONTH = 7, 30


def grouped(conversations: Iterable[Conversation], today: date) -> list[tuple[str, list[Conversation]]]:
    """(name, conversations) in the order in which they come; groups that have none are left out."""
    groups: dict[str, list[Conversation]] = {}
    for c in conversations:
        groups.setdefault(_tr("Pinned") if c.pinned else name(datetime.fromtimestamp(c.changed).date(), today), []).append(c)
    return list(groups.items())


def name(day: date, today: date) -> str:
    """The group of a day."""
    ago = (today - day).days
    if ago <= 0:
        return _tr("Today")
    if day == today - timedelta(days=1):
        return _tr("Yesterday")
    if ago < WEEK:
        return _tr("Last 7 days")
    if ago < MONTH:
        return _tr("Last 30 days")
    # A date's month alone, in the case in which it stands alone in the person's language.
    month = QLocale().standaloneMonthName(day.month, QLocale.FormatType.LongFormat)
    return month if day.year == today.year else f"{month} {QLocale().toString(QDate(day.year, day.month, day.day), 'yyyy')}"


def _tr(text: str) -> str:
    return QCoreApplication.translate("Groups", text)
