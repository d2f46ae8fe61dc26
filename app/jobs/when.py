"""When a job may run: pure functions of the job, the clock and what the computer does."""

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from enum import Enum

from engine.batch.jobs import Job

IDLE_S = 600.0  # that nobody has used the computer for (Ouzel, where the desktop does not tell), before it counts as idle


class Wait(Enum):
    """Why a job does not run."""

    NOTHING = "nothing"  # it may
    PAUSED = "paused"
    TIME = "time"
    IDLE = "idle"  # somebody uses Ouzel
    AWAY = "away"  # somebody uses the computer
    MAINS = "mains"
    CHAT = "chat"
    MODEL = "model"
    TURN = "turn"  # another job is before it


@dataclass(frozen=True, slots=True)
class Moment:
    """now: seconds since 1970. unused: seconds since a person last used Ouzel. mains: not on battery. chatting: the engine is needed.

    away: seconds since a person last used the computer, None where the desktop does not tell.
    """

    now: float
    unused: float
    mains: bool
    chatting: bool
    away: float | None = None


def wait_of(job: Job, m: Moment) -> Wait:
    """What holds a job up, but for its model and other jobs."""
    if job.paused:
        return Wait.PAUSED
    if job.when == "at" and m.now < job.at:
        return Wait.TIME
    if job.when == "idle" and (m.unused if m.away is None else min(m.unused, m.away)) < IDLE_S:
        return Wait.IDLE if m.away is None else Wait.AWAY
    if job.mains and not m.mains:
        return Wait.MAINS
    return Wait.CHAT if m.chatting else Wait.NOTHING


def next_time(now: datetime, hour: int, minute: int) -> float:
    """The next moment with this time of day, in seconds since 1970; `now` is in the zone that is meant."""
    at = datetime.combine(now.date(), time(hour, minute), now.tzinfo)
    if at <= now:
        at += timedelta(days=1)
    return at.timestamp()


def seconds_left(done: int, total: int, tokens: int, rate: float, part: int) -> float | None:
    """Seconds to the end of a job, None where nothing can be said yet.

    done: requests that are answered, of total; tokens: of their answers; rate: tokens a second; part: tokens of the present answer.
    """
    if not done or rate <= 0:
        return None
    return max((total - done) * tokens / done - part, 0.0) / rate
