"""Stored settings, and the requests they turn into."""

import json
from dataclasses import asdict, fields, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from app.chats.options import ChatOptions
from app.settings import CHECKS, Settings, load, save
from engine.config import Sampling

FULL = Settings(
    theme="dark",
    text_size=115,
    language="de",
    send_key="ctrl",
    expert=True,
    sidebar=False,
    width=900,
    height=600,
    maximized=True,
    budget_bytes=2_000_000_000,
    context=4096,
    threads=3,
    exact=True,
    draft=False,
    draft_model="/models/small.ouzel",
    kv="q8",
    states_bytes=1_000_000_000,
    temperature=0.2,
    top_k=40,
    top_p=0.9,
    min_p=0.05,
    repetition_penalty=1.2,
    max_tokens=256,
    seed=7,
    system_prompt="Be brief. é\n",
)


def test_that_settings_come_back_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "window.json"
    save(path, FULL)
    assert load(path) == FULL
    assert [p.name for p in path.parent.iterdir()] == ["window.json"]


def test_that_a_missing_file_means_the_defaults(tmp_path: Path) -> None:
    assert load(tmp_path / "none.json") == Settings()


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"null", b"\xff\xfe", b"[" * 100_000, b'{"theme": '], ids=range(7))
def test_that_a_damaged_file_never_stops_the_start_and_is_kept_aside(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "window.json"
    path.write_bytes(content)
    told: list[Path] = []
    assert load(path, told.append) == Settings()
    assert told == [tmp_path / "window.json.damaged"] and told[0].read_bytes() == content
    assert load(path, told.append) == Settings() and len(told) == 1


def test_that_a_file_of_another_version_keeps_what_fits(tmp_path: Path) -> None:
    path = tmp_path / "window.json"
    path.write_text(json.dumps({**asdict(FULL), "theme": "sepia", "temperature": "hot", "seed": -1, "threads": True, "future": 1}))
    assert load(path) == replace(FULL, theme="system", temperature=None, seed=None, threads=None)


@hypothesis_settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=60)  # the machine may be busy
@given(
    st.dictionaries(
        st.sampled_from([f.name for f in fields(Settings)]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5), lambda s: st.lists(s, max_size=2), max_leaves=3
        ),
    )
)
def test_that_any_json_object_gives_settings_that_pass_the_checks(
    tmp_path_factory: pytest.TempPathFactory, found: dict[str, object]
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.json"
    path.write_text(json.dumps(found))
    settings = load(path)
    assert all(CHECKS[f.name](getattr(settings, f.name)) for f in fields(Settings))


def test_that_every_field_has_a_check_that_its_default_passes() -> None:
    assert set(CHECKS) == {f.name for f in fields(Settings)}
    assert all(CHECKS[f.name](getattr(Settings(), f.name)) for f in fields(Settings))


def test_that_a_folder_that_cannot_be_made_is_an_error_for_the_caller(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError):
        save(tmp_path / "file" / "window.json", FULL)


def test_that_what_is_not_set_is_the_models_own() -> None:
    own = Sampling(temperature=0.3, top_k=5, top_p=0.8, min_p=0.1, repetition_penalty=1.3, max_tokens=99, stop=("END",))
    assert ChatOptions().sampling(Settings(), own) == own
    mine = ChatOptions().sampling(FULL, own)
    assert mine == Sampling(0.2, 40, 0.9, 0.05, 1.2, 7, 256, ("END",))


def test_that_zero_is_a_value_and_not_an_absence() -> None:
    assert ChatOptions().sampling(Settings(temperature=0.0, top_k=0, seed=0), Sampling(temperature=0.7, top_k=9)).temperature == 0.0
    assert ChatOptions().sampling(Settings(top_k=0), Sampling(top_k=9)).top_k == 0


def test_that_engine_settings_reach_the_way_a_model_is_opened() -> None:
    config = FULL.engine(Path("/m.ouzel"))
    assert (config.model, config.budget_bytes, config.context, config.threads, config.exact, config.draft) == (
        Path("/m.ouzel"),
        2_000_000_000,
        4096,
        3,
        True,
        "off",
    )
    assert Settings().engine(Path("/m.ouzel")).draft == "auto"
    config = Settings(kv="q8", states_bytes=5_000_000_000).engine(Path("/m.ouzel"))
    assert (config.kv, config.states_bytes) == ("q8", 5_000_000_000)


def test_that_a_draft_model_is_a_preference_of_all_models() -> None:
    config = Settings(draft_model="/m/small.ouzel").engine(Path("/m/large.ouzel"))
    assert (config.draft_model, config.draft_needed) == (Path("/m/small.ouzel"), False)
    assert Settings(draft_model="/m/small.ouzel", draft=False).engine(Path("/m/large.ouzel")).draft_model is None
    assert Settings().engine(Path("/m/large.ouzel")).draft_model is None
