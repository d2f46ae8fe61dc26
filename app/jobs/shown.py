"""A job as it stands, and what else of the computer matters to it."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from app.jobs.when import Wait

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
