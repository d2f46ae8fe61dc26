"""Numbers in plain words, the catalogue's rows, the options page: as tables."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.wizard import options_view
from app.wizard.catalogue_view import count, details, rows
from app.wizard.folder_page import volume_row
from app.wizard.state import STARTER, Page, Place, WizardState, bad_name, moved
from app.wizard.volumes import Volume, volume_of, volumes
from app.wizard.words import drive_words, duration, pace, verdict_words
from engine.errors import EngineError
from engine.events import Looked
from engine.offers import Verdict
from engine.setup.hub import NeedsToken
from tests.app.wizard.samples import GB, looked, offer, surveyed, verdict

PLACE = Place(Page.OPTIONS, Path("/models"), "repository", repository="owner/tiny")
OFFERS = (offer("Good", "a/good", verdict()), offer("Huge", "a/huge", verdict("impossible", floor_bytes=39 * GB, helps=("Buy more.",))))


@pytest.mark.parametrize(
    ("slow", "fast", "text"),
    [
        (6.2, 9.4, "about 6.2 to 9.4 tokens/s"),
        (14.2, 21.8, "about 14 to 22 tokens/s"),
        (0.31, 0.52, "about 0.3 to 0.5 tokens/s"),
        (0.01, 0.02, "about 0.01 to 0.02 tokens/s"),
        (5.01, 5.02, "about 5.0 tokens/s"),
    ],
)
def test_that_a_pace_is_a_range(slow: float, fast: float, text: str) -> None:
    assert pace(slow, fast) == text


@pytest.mark.parametrize(
    ("v", "text"),
    [
        (verdict(), "about 6.2 to 9.4 tokens/s"),
        (verdict("slow", slowest=0.5, fastest=0.9), "about 0.5 to 0.9 tokens/s"),
        (verdict("impossible", floor_bytes=36 * GB), "needs 12.0 GB more memory"),
        (verdict("impossible", disk_peak_bytes=95 * GB), "needs 30.0 GB more disk"),
        (verdict("impossible", floor_bytes=36 * GB, disk_peak_bytes=95 * GB), "needs 12.0 GB more memory"),
    ],
)
def test_that_a_verdict_says_the_speed_or_what_lacks(v: Verdict, text: str) -> None:
    assert verdict_words(v, 24 * GB, 65 * GB) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (3, "less than a minute"),
        (70, "about a minute"),
        (12 * 60, "about 12 minutes"),
        (89 * 60, "about 89 minutes"),
        (130 * 60, "about 2 h 10 min"),
        (119 * 60, "about 2 hours"),
        (11 * 3600, "about 11 hours"),
        (80 * 3600, "about 3 days"),
    ],
)
def test_that_times_are_said_as_people_say_them(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("rate", "word"), [(3e9, "a fast drive"), (1.2e9, "a fair drive"), (3e8, "a slow drive"), (9e7, "a very slow drive")]
)
def test_that_a_drives_speed_is_said_in_plain_words(rate: float, word: str) -> None:
    assert word in drive_words(rate, True) and "may be too high" not in drive_words(rate, True)
    assert "may be too high" in drive_words(rate, False)


def test_that_the_catalogue_keeps_the_surveys_order_with_the_starter_before_what_cannot_run() -> None:
    found = rows(surveyed(*OFFERS))
    assert [r.key for r in found] == ["a/good", STARTER, "a/huge"]
    assert [r.tone for r in found] == ["good", "good", "bad"]
    assert "50.0 GB" in found[0].below and "20.0 GB" in found[0].below and "Apache-2.0" in found[0].below
    assert found[0].spoken.startswith("Good, about 6.2 to 9.4 tokens/s")
    assert [r.key for r in rows(None)] == [STARTER]


def test_that_details_have_reasons_helps_numbers_and_the_licence() -> None:
    survey = surveyed(*OFFERS)
    huge, starter = details("a/huge", survey), details(STARTER, None)
    assert huge is not None and huge.helps == ("Buy more.",) and huge.link == "https://example.org/Huge"
    assert any("at least 39.0 GB" in f for f in huge.facts)
    assert starter is not None and starter.link == ""
    assert details("a/none", survey) is None and details("a/huge", None) is None
    assert count(26 * GB) == "26 billion" and count(3_600_000_000) == "3.6 billion" and count(360_000_000) == "360 million"


def dense(looked_: Looked) -> Looked:
    return replace(looked_, precisions=tuple(replace(p, dense=True) for p in looked_.precisions))


def state(looked_: Looked | None = None, **more: object) -> WizardState:
    return replace(WizardState(PLACE, survey=surveyed(*OFFERS), looked=looked_), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("s", "label", "can", "target", "now", "token"),
    [
        (state(), "Download", False, False, False, False),
        (state(looking=4), "Download", False, False, False, False),
        (state(looked()), "Download", True, True, True, False),
        (state(looked(gated=True)), "Download", True, True, True, True),
        (state(problem=NeedsToken("accept it")), "Download", False, False, False, True),
        (state(problem=EngineError("no")), "Download", False, False, False, False),
        (state(dense(looked())), "Download", True, True, False, False),
        (state(looked("folder")), "Convert", True, True, False, False),
        (state(looked("gguf")), "Convert", True, True, False, False),
        (state(looked("container")), "Open it", True, False, False, False),
        (state(looked(), place=replace(PLACE, name="a/b")), "Download", False, True, True, False),
    ],
)
def test_that_the_options_follow_the_source(s: WizardState, label: str, can: bool, target: bool, now: bool, token: bool) -> None:
    v = options_view.view(s)
    assert (v.next_label, v.can_next, v.has_target, v.can_start_now, v.token) == (label, can, target, now, token)
    assert v.looking == bool(s.looking) and bool(v.name_problem) == (s.place.name == "a/b")


def test_that_precisions_say_what_they_cost() -> None:
    v = options_view.view(state(looked()))
    assert [r.key for r in v.rows] == ["q4+q4", "q8+q8"] and v.row == "q4+q4"
    assert "recommended" in v.rows[0].title and "recommended" not in v.rows[1].title
    assert "20.0 GB on disk" in v.rows[0].below and "3.0 GB" in v.rows[0].below and v.rows[0].right == "about 6.2 to 9.4 tokens/s"
    assert v.rows[1].tone == "fair" and "about 67 minutes at 100 Mbit/s" in v.needs
    other = options_view.view(state(looked(), place=replace(PLACE, experts="q8", trunk="q8")))
    assert other.row == "q8+q8"


def test_that_another_source_forgets_what_was_known_of_the_first() -> None:
    s = state(looked(), place=replace(PLACE, experts="q8", trunk="q8", name="mine"))
    other = moved(s, replace(s.place, repository="owner/other"))
    assert other.looked is None and (other.place.experts, other.place.name) == (None, "") and other.survey is not None
    elsewhere = moved(s, replace(s.place, folder=Path("/other")))
    assert elsewhere.survey is None and elsewhere.looked is None and elsewhere.place.name == "mine"
    renamed = moved(s, replace(s.place, name="yours"))
    assert renamed.looked is s.looked and renamed.target == Path("/models/yours.ouzel")
    assert moved(replace(s, problem=EngineError("x")), replace(s.place, name="yours")).problem is None


@pytest.mark.parametrize("name", ["", " a", "a ", "a/b", "a\\b", ".a", "a:b", "a\n", "x" * 121])
def test_that_names_that_some_system_refuses_are_refused(name: str) -> None:
    assert bad_name(name)


def test_that_plain_names_are_taken() -> None:
    assert not any(bad_name(n) for n in ("Gemma-4 26B", "модель 1", "モデル", "a.b"))


def test_that_drives_are_listed_with_their_room(tmp_path: Path) -> None:
    v = volume_of(tmp_path / "not" / "yet")
    assert v.folder == tmp_path / "not" / "yet" and 0 < v.free_bytes <= v.total_bytes and not v.problem
    found = volumes(tmp_path)
    assert found[0].folder == tmp_path and len({f.label for f in found}) == len(found)
    row = volume_row(Volume(Path("/m"), "/mnt", 25 * GB, 100 * GB))
    assert row.right == "25.0 GB free of 100 GB" and row.share == 0.75
    assert volume_row(Volume(Path("/m"), "/mnt", 25 * GB, 100 * GB, "read-only")).tone == "bad"
