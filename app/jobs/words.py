"""What is said of a job: pure functions of how it stands."""

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale

from app.jobs.shown import Shown, model_name
from app.jobs.when import Wait
from app.language import number


def tr(text: str) -> str:
    """The text in the person's language."""
    return QCoreApplication.translate("Jobs", text)


def state_words(shown: Shown) -> str:
    """How a job stands, in a line."""
    if shown.trouble and not shown.finished:
        return shown.trouble
    if shown.finished:
        done = tr("Done: {0} answered.").format(number(shown.done - shown.refused))
        failed = tr("{0} could not be answered: is a file too long for the context?").format(number(shown.refused))
        return f"{done} {failed}" if shown.refused else done
    parts = [tr("{0} of {1} answered").format(number(shown.done), number(shown.total))]
    if shown.running:
        if shown.rate:
            parts.append(tr("{0} tokens/s").format(number(shown.rate, 1)))
        if shown.left is not None:
            parts.append(duration(shown.left))
    else:
        parts.append(wait_words(shown))
    return ", ".join(filter(None, parts))


def wait_words(shown: Shown) -> str:
    """Why a job does not run; "" where it is about to."""
    match shown.wait:
        case Wait.PAUSED:
            return tr("paused")
        case Wait.TIME:
            at = QDateTime.fromSecsSinceEpoch(round(shown.job.at))
            return tr("waits until {0}").format(QLocale().toString(at, QLocale.FormatType.ShortFormat))
        case Wait.IDLE:
            return tr("waits until nobody has used Ouzel for 10 minutes")
        case Wait.AWAY:
            return tr("waits until nobody has used the computer for 10 minutes")
        case Wait.MAINS:
            return tr("waits for mains power")
        case Wait.CHAT:
            return tr("waits for the chat")
        case Wait.MODEL:
            return tr("waits for the model {0}").format(model_name(shown.job))
        case Wait.TURN:
            return tr("waits for the job before it")
        case Wait.NOTHING:
            return ""


def duration(seconds: float) -> str:
    """How long something takes, roughly."""
    if seconds < 90:
        return tr("about a minute left")
    minutes = round(seconds / 60)
    return tr("about {0} min left").format(minutes) if minutes < 90 else tr("about {0} h left").format(round(minutes / 60))
