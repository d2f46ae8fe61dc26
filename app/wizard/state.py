"""What the wizard knows: one frozen value, changed only by what a person does and what the fetcher answers."""

from dataclasses import dataclass, replace
from enum import IntEnum
from pathlib import Path
from typing import Literal

from engine.errors import EngineError
from engine.events import Looked, Surveyed
from engine.offers import Offer, Precision
from engine.paths import SUFFIX

STARTER = "starter"
Tab = Literal["catalogue", "repository", "file"]
TABS: tuple[Tab, ...] = ("catalogue", "repository", "file")


class Page(IntEnum):
    """The steps in their order."""

    FOLDER = 0
    MODEL = 1
    OPTIONS = 2
    PROGRESS = 3
    CHAT = 4


@dataclass(frozen=True, slots=True)
class Place:
    """What a person has chosen so far, as it is kept over restarts.

    picked: a repository of the catalogue, or STARTER; experts, trunk: None where the recommended ones are meant; name: of the container,
    "" where the source's own name is meant.
    """

    page: Page = Page.FOLDER
    folder: Path = Path()
    tab: Tab = "catalogue"
    picked: str = ""
    repository: str = ""
    revision: str = ""
    file: str = ""
    experts: str | None = None
    trunk: str | None = None
    name: str = ""
    start_now: bool = True

    @property
    def source(self) -> str:
        """What a LookUp is asked about; "" where nothing is chosen."""
        return {"catalogue": self.picked, "repository": self.repository.strip(), "file": self.file.strip()}[self.tab]

    @property
    def is_starter(self) -> bool:
        """Whether the starter model is chosen."""
        return self.tab == "catalogue" and self.picked == STARTER


@dataclass(frozen=True, slots=True)
class WizardState:
    """asked: the number of the survey or look-up under way, 0 for none; fraction: of the drive's test.

    survey and looked belong to the place's folder and source, or are None. problem: what went wrong last on this page.
    """

    place: Place
    surveying: int = 0
    fraction: float = 0.0
    survey: Surveyed | None = None
    looking: int = 0
    looked: Looked | None = None
    problem: EngineError | None = None

    @property
    def offer(self) -> Offer | None:
        """The chosen model of the catalogue."""
        offers = self.survey.offers if self.survey else ()
        return next((o for o in offers if o.repo == self.place.picked), None) if self.place.tab == "catalogue" else None

    @property
    def precision(self) -> Precision | None:
        """The chosen precision: the one that was asked for, else the recommended one, which comes first."""
        if self.looked is None or not self.looked.precisions:
            return None
        p = self.place
        for found in self.looked.precisions:
            if (p.experts or found.experts, p.trunk or found.trunk) == (found.experts, found.trunk):
                return found
        return self.looked.precisions[0]

    @property
    def name(self) -> str:
        """The name of the container to make."""
        return self.place.name or own_name(self.looked)

    @property
    def target(self) -> Path:
        """The container to make."""
        return self.place.folder / f"{self.name}{SUFFIX}"


def own_name(looked: Looked | None) -> str:
    """The name that a source gives itself, as a file's name."""
    return looked.name.rpartition("/")[2] if looked else ""


def bad_name(name: str) -> bool:
    """Whether a container cannot be called so on some system."""
    odd = not name.isprintable() or name != name.strip() or any(c in '\\/:*?"<>|' for c in name)
    return odd or not 0 < len(name) <= 120 or name[0] == "."


def moved(state: WizardState, place: Place) -> WizardState:
    """Another place: what was known of another folder or source is dropped, as is the problem."""
    old = state.place
    new = replace(state, place=place, problem=None)
    if place.folder != old.folder:
        new = replace(new, surveying=0, survey=None)
    if (place.source, place.revision) != (old.source, old.revision):
        if (place.experts, place.trunk, place.name) == (old.experts, old.trunk, old.name):
            place = replace(place, experts=None, trunk=None, name="")
        new = replace(new, place=place)
    if (place.folder, place.source, place.revision) != (old.folder, old.source, old.revision):
        new = replace(new, looking=0, looked=None)
    return new
