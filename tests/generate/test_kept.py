"""States of conversations on disk: restored ones go on as if they had never left, others are passed over; nothing wrong is ever used."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.config import Sampling
from engine.generate import kept as kept_states
from engine.generate import kept_files
from engine.generate.kept import KeptStates
from engine.generate.session import Session
from engine.model import state_file
from tests.generate.conftest import EACH_FAMILY, Talk

LONG = "The quick brown fox jumps over the lazy dog. " * 10
OTHER = "Seven wizards counted eleven stones. " * 5
SAMPLED = Sampling(0.8, seed=5, max_tokens=12)
Start = Callable[..., Talk]


def keeping(talk: Talk, folder: Path, limit: int = 10**9) -> Talk:
    """The talk with a fresh session that keeps states in `folder`."""
    talk.session = Session(talk.model, talk.text, KeptStates(folder, limit, talk.model))
    return talk


@pytest.mark.parametrize("family", EACH_FAMILY)
@pytest.mark.parametrize("kv", ["f32", "f16", "q8"])
def test_that_a_restored_conversation_goes_on_as_one_that_never_ended(
    family: str, kv: str, tiny: Callable[..., Path], talk: Start, tmp_path: Path
) -> None:
    path = tiny(family, "f32" if kv == "f32" else "q8")
    options = {"exact": kv == "f32", "kv": kv, "context": 1024}
    one = talk(path, **options)
    one.ask(LONG, sampling=SAMPLED)
    first = one.answer
    want = one.ask(LONG, first, "Next", sampling=SAMPLED)

    before = keeping(talk(path, **options), tmp_path)
    before.ask(LONG, sampling=SAMPLED, conversation="a")
    assert before.answer == first
    before.session.close()
    after = keeping(talk(path, threads=2, **options), tmp_path)
    stats = after.ask(LONG, first, "Next", sampling=SAMPLED, conversation="a")
    assert stats.reused_tokens == want.reused_tokens
    assert (after.pieces, after.session.ids) == (one.pieces, one.session.ids)


@pytest.mark.parametrize("family", ["mixtral", "gemma4", "qwen3_next"])
def test_that_several_conversations_are_held_in_turn(family: str, tiny: Callable[..., Path], talk: Start, tmp_path: Path) -> None:
    path = tiny(family)
    both, plain = keeping(talk(path), tmp_path), {LONG: talk(path), OTHER: talk(path)}
    history: dict[str, list[str]] = {LONG: [LONG], OTHER: [OTHER]}
    reused = 0
    for turn in range(3):
        for start, turns in history.items():
            stats = both.ask(*turns, sampling=SAMPLED)  # without a key, as a server's requests
            want = plain[start].ask(*turns, sampling=SAMPLED)
            assert both.pieces == plain[start].pieces
            begin = 10  # tokens with which every prompt begins
            assert stats.reused_tokens == want.reused_tokens or (turn == 0 and stats.reused_tokens < begin)
            reused += want.reused_tokens
            turns += [both.answer, f"Go on, part {turn}."]
    assert reused > 300 or family == "qwen3_next"  # which cannot go back to the place where a prompt parts from a random answer
    assert [p.name.startswith(kept_states.PASSING) for p in tmp_path.glob("*.state")] == [True]
    both.session.close()
    assert not list(tmp_path.iterdir())


def saved(tiny: Callable[..., Path], talk: Start, folder: Path, key: str = "a") -> tuple[Path, Talk]:
    one = keeping(talk(tiny("mixtral")), folder)
    one.ask(LONG, sampling=SAMPLED, conversation=key)
    one.session.close()
    return next(folder.glob("*.state")), one


@pytest.mark.parametrize("damage", ["cut", "flipped", "grown", "empty", "head"])
def test_that_a_damaged_state_is_computed_again(damage: str, tiny: Callable[..., Path], talk: Start, tmp_path: Path) -> None:
    file, one = saved(tiny, talk, tmp_path)
    data = bytearray(file.read_bytes())
    middle = (data.index(b"\n") + len(data)) // 2
    if damage == "flipped":
        data[middle] ^= 1
    file.write_bytes({"cut": data[:middle], "grown": data + b"x", "empty": b"", "head": b'{"ids": 3}\n' + data}.get(damage, data))
    again = keeping(talk(tiny("mixtral")), tmp_path)
    stats = again.ask(LONG, one.answer, "Next", sampling=SAMPLED, conversation="a")
    plain = talk(tiny("mixtral"))
    plain.ask(LONG, one.answer, "Next", sampling=SAMPLED)
    assert (stats.reused_tokens, again.pieces) == (0, plain.pieces)


@pytest.mark.parametrize("other", [{"exact": False}, {"kv": "q8"}, {"seed": 1}], ids=str)
def test_that_a_state_of_another_model_or_setting_is_passed_over(
    other: dict[str, object], tiny: Callable[..., Path], talk: Start, tmp_path: Path
) -> None:
    _, one = saved(tiny, talk, tmp_path)
    options = dict(other)
    path = tiny("mixtral", seed=options.pop("seed", 0))
    again = keeping(talk(path, **options), tmp_path)
    assert again.ask(LONG, one.answer, "Next", sampling=SAMPLED, conversation="a").reused_tokens == 0


def test_that_the_least_recently_used_goes_first(tiny: Callable[..., Path], talk: Start, tmp_path: Path) -> None:
    file, _ = saved(tiny, talk, tmp_path, "first")
    size = file.stat().st_size
    one = keeping(talk(tiny("mixtral")), tmp_path, limit=int(2.5 * size))
    for i, key in enumerate(("second", "third")):
        os.utime(tmp_path / "first.state", (1000 + i, 1000 + i))
        one.ask(OTHER if i else LONG, "x", "y", sampling=SAMPLED, conversation=key)
        one.session.save(lambda: False)
    assert {p.name for p in tmp_path.glob("*.state")} == {"second.state", "third.state"}
    small = keeping(talk(tiny("mixtral")), tmp_path / "small", limit=size // 2)
    small.ask(LONG, sampling=SAMPLED, conversation="a")
    small.session.close()
    assert not list((tmp_path / "small").iterdir())


def test_that_a_save_can_be_given_up_and_leaves_what_was_there(tiny: Callable[..., Path], talk: Start, tmp_path: Path) -> None:
    file, one = saved(tiny, talk, tmp_path)
    before = file.read_bytes()
    again = keeping(talk(tiny("mixtral")), tmp_path)
    again.ask(LONG, one.answer, "Next", sampling=SAMPLED, conversation="a")
    again.session.save(lambda: True)
    assert file.read_bytes() == before and len(list(tmp_path.iterdir())) == 1
    again.session.save(lambda: False)
    assert file.read_bytes() != before


def test_that_deleting_a_conversation_removes_its_state(tiny: Callable[..., Path], talk: Start, tmp_path: Path) -> None:
    file, _ = saved(tiny, talk, tmp_path, "../ä b")
    assert file.parent == tmp_path
    kept_files.forget(tmp_path, "../ä b")
    assert not file.exists()


def test_that_what_a_killed_process_left_is_removed(tiny: Callable[..., Path], talk: Start, tmp_path: Path) -> None:
    (tmp_path / f"{kept_states.PASSING}1.state").write_bytes(b"x")
    (tmp_path / "a.state123.new").write_bytes(b"x")
    (tmp_path / "b.state").write_bytes(b"not one of ours")
    one = keeping(talk(tiny("mixtral")), tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["b.state"]
    assert state_file.read_head(tmp_path / "b.state") is None
    one.ask("Hi", sampling=SAMPLED, conversation="b")
