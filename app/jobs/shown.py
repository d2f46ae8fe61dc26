"""A job as it stands, and what else of the computer matters to it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from app.jobs.when import Moment, Wait, wait_of

if TYPE_CHECKING:
    from engine.batch.jobs import Job


@dataclass(frozen=True, slots=True)
class Shown:
    """A job as it stands. wait: why it does not run. rate: tokens a second; left: seconds to the end, None where unknown.

    trouble: what ended its last attempt, as a sentence.
    """

    job: "Job"
    done: int
    total: int
    refused: int
    running: bool
    wait: Wait
    rate: float = 0.0
    left: float | None = None
    trouble: str = ""

    @property
    def finished(self) -> bool:
        """Whether every request has a result."""
        return self.done >= self.total > 0


def in_turn(jobs: Mapping[str, Shown], moment: Moment, opened: Path | None) -> tuple[dict[str, Wait], str]:
    """(what each job waits for, the first that nothing but its model holds up, "" for none). opened: the model that is open."""
    waits, first = dict[str, Wait](), ""
    for id, shown in jobs.items():
        wait = Wait.NOTHING if shown.finished else Wait.PAUSED if shown.trouble else wait_of(shown.job, moment)
        if wait is Wait.NOTHING and not shown.finished:
            if first:
                wait = Wait.TURN
            else:
                first = id
                wait = Wait.NOTHING if opened == Path(shown.job.model) else Wait.MODEL
        waits[id] = wait
    return waits, first


def model_name(job: "Job") -> str:
    """What a job's model is called."""
    return Path(job.model).name.removesuffix(".ouzel")


def plugged_in() -> bool:
    """Whether the computer is not on battery, as far as the system tells."""
    try:
        battery = psutil.sensors_battery()
    except OSError:  # a container that shows nothing of its machine
        return True
    return battery is None or battery.power_plugged is not False
