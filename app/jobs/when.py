"""When a job may run: pure functions of the job, the clock and what the computer does."""

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from enum import Enum

from engine.batch.jobs import Job

IDLE_S = 600.0  # that nobody has used Ouzel for, before it counts as idle


class Wait(Enum):
    """Why a job does not run."""

    NOTHING = "nothing"  # it may
    PAUSED = "paused"
    TIME = "time"
    IDLE = "idle"
    MAINS = "mains"
    CHAT = "chat"
    MODEL = "model"
    TURN = "turn"  # another job is before it


@dataclass(frozen=True, slots=True)
class Moment:
    """now: seconds since 1970. unused: seconds since a person last used Ouzel. mains: not on battery. chatting: the engine is needed."""

    now: float
    unused: float
    mains: bool
    chatting: bool


def wait_of(job: Job, m: Moment) -> Wait:
    """What holds a job up, but for its model and other jobs."""
    if job.paused:
        return Wait.PAUSED
    if job.when == "at" and m.now < job.at:
        return Wait.TIME
    if job.when == "idle" and m.unused < IDLE_S:
        return Wait.IDLE
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
