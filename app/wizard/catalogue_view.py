"""What the catalogue's list and its details say: pure functions of the survey."""

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from app.language import number, told
from app.presentation import needed, size
from app.wizard.rows import Row
from app.wizard.state import STARTER
from app.wizard.words import TONES, tr, verdict_words
from engine.events import Surveyed
from engine.offers import Offer, Verdict

STARTER_DOWNLOAD = 93_000_000
CATALOGUE = "Catalogue"  # the context of what resources/catalogue.json says


def rows(survey: Surveyed | None) -> tuple[Row, ...]:
    """The catalogue in the survey's order, what runs well here first; the starter last of what runs at all, or alone while nothing
    is measured."""
    found = [offer_row(o, survey) for o in survey.offers] if survey else []
    below = tr("download {0} · made on this computer in about a minute").format(size(STARTER_DOWNLOAD))
    at = next((i for i, r in enumerate(found) if r.tone == "bad"), len(found))
    return (*found[:at], Row(STARTER, tr("Starter model"), below, tr("runs everywhere"), "good"), *found[at:])


def offer_row(o: Offer, survey: Surveyed) -> Row:
    """One model of the catalogue."""
    v = o.verdict
    download = tr("download {0}").format(size(v.download_bytes)) if v.download_bytes else tr("download unknown")
    below = tr("{0} · on disk {1} · {2}").format(download, size(v.disk_bytes), o.licence)
    return Row(o.repo, o.name, below, verdict_words(v, survey.memory_bytes, survey.free_bytes), TONES[v.level])


@dataclass(frozen=True, slots=True)
class Details:
    """facts: lines of numbers; why, helps: sentences. link: of the licence, "" where there is none."""

    title: str
    about: str
    why: tuple[str, ...]
    helps: tuple[str, ...]
    facts: tuple[str, ...]
    licence: str
    link: str


def details(key: str, survey: Surveyed | None) -> Details | None:
    """What is said about the row of that key."""
    if key == STARTER:
        about = tr("A small model to try everything with. It is made on this computer from a public download and needs little memory.")
        return Details(tr("Starter model"), about, (), (), (), tr("Apache-2.0"), "")
    o = next((o for o in survey.offers if o.repo == key), None) if survey else None
    if o is None:
        return None
    why, helps = (tuple(map(told, said)) for said in (o.verdict.reasons, o.verdict.helps))
    return Details(o.name, about_model(o), why, helps, (o.repo, *facts(o.verdict)), o.licence, o.licence_link)


def about_model(o: Offer) -> str:
    """What the catalogue says about a model."""
    return QCoreApplication.translate(CATALOGUE, o.about)


def facts(v: Verdict) -> tuple[str, ...]:
    """Parameters, memory and disk of a model."""
    return (
        tr("{0} parameters, {1} active for each token").format(count(v.parameters), count(v.active_parameters)),
        tr("memory: at least {0}, better {1}").format(needed(v.floor_bytes), needed(v.recommended_bytes)),
        tr("disk: {0}, and {1} while it is made").format(size(v.disk_bytes), size(v.disk_peak_bytes)),
    )


def count(n: int) -> str:
    """ "26 billion", "360 million"."""
    if n < 10**9:
        return tr("{0} million").format(round(n / 1e6))
    return tr("{0} billion").format(number(n / 1e9, 0 if n >= 10**10 else 1))
