"""Whatever is wrong, a person gets a sentence with a way out, exit code 1, and nothing half-written."""

import json
import os
import random
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import typer

from engine.cli.main import COMMANDS, app
from tests.cli.running import here, ouzel, refused, sentence
from tests.conftest import Tiny

NO_ROOM = 200_000  # bytes a file may grow to


@pytest.fixture
def container(tiny: Tiny, tmp_path: Path) -> Path:
    """A whole container that a test may damage."""
    return Path(shutil.copytree(tiny("olmoe", "q4"), tmp_path / "m.ouzel"))


@pytest.fixture
def checkpoint(tiny_checkpoint: Tiny, tmp_path: Path) -> Path:
    """A whole checkpoint that a test may damage."""
    return Path(shutil.copytree(tiny_checkpoint("olmoe"), tmp_path / "checkpoint"))


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("command", ["run", "plan", "bench"])
def test_that_a_folder_that_is_no_model_is_refused(command: str, tmp_path: Path) -> None:
    folder = tmp_path / "empty.ouzel"
    folder.mkdir()
    named = ("hello", "--model", folder) if command == "run" else (folder,)
    assert "empty.ouzel" in refused(command, *named)


def test_that_a_model_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert "There is no model" in refused("run", "hello", "--model", tmp_path / "none.ouzel")
    assert "There is no model" in refused("plan", "none")


def test_that_a_checkpoint_given_as_a_model_is_refused_with_the_way(checkpoint: Path) -> None:
    assert "convert" in refused("run", "hello", "--model", checkpoint).lower()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"version": 99}', "\0" * 100])
def test_that_a_damaged_manifest_is_refused(content: str, container: Path) -> None:
    (container / "manifest.json").write_text(content)
    assert "manifest" in refused("run", "hello", "--model", container)


@pytest.mark.parametrize("name", ["manifest.json", "trunk.safetensors", "tokenizer.json", "experts/L01.bin"])
def test_that_a_missing_file_is_named(name: str, container: Path) -> None:
    (container / name).unlink()
    assert Path(name).name in refused("run", "hello", "--model", container)


def test_that_a_truncated_record_is_refused(container: Path) -> None:
    file = container / "experts" / "L01.bin"
    os.truncate(file, file.stat().st_size - 4096)
    assert "L01.bin" in refused("run", "hello", "--model", container)


def test_that_a_flipped_byte_is_found_before_it_changes_an_answer(container: Path) -> None:
    for file in (container / "experts").glob("L*.bin"):
        for at in range(0, file.stat().st_size, 4096):
            flip(file, at)
    assert "verify" in refused("run", "hello", "--model", container)
    code, out, _ = here("verify", container)
    assert code == 1
    assert "L01.bin" in out


def test_that_a_flipped_byte_in_the_trunk_is_found(container: Path) -> None:
    file = container / "trunk.safetensors"
    flip(file, file.stat().st_size - 100)
    assert "trunk.safetensors" in refused("run", "hello", "--model", container)


@pytest.mark.parametrize(
    ("flags", "word"),
    [
        (("--budget", "1M"), "at least"),
        (("--ctx", 5), "context"),
        (("--ctx", 10_000_000), "context"),
        (("--threads", 0), "threads"),
        (("--chunk", 0), "chunk"),
        (("--temperature", -1), "emperature"),
        (("--top-p", 2), "top"),
        (("--max-tokens", 0), "tokens"),
        (("--repetition-penalty", 0), "epetition"),
    ],
)
def test_that_a_value_that_cannot_be_is_refused(flags: tuple[object, ...], word: str, container: Path) -> None:
    assert word in refused("run", "hello", "--model", container, *flags)


@pytest.mark.parametrize("prompt", ["", "  \n"])
def test_that_an_empty_prompt_is_refused(prompt: str, container: Path) -> None:
    assert "prompt is empty" in refused("run", prompt, "--model", container)
    assert "prompt is empty" in refused("run", "--model", container, stdin=prompt)


def test_that_a_prompt_longer_than_the_context_is_refused(container: Path) -> None:
    assert "64" in refused("run", "word " * 300, "--model", container, "--ctx", 64)


def test_that_a_prompt_of_odd_characters_is_answered(container: Path) -> None:
    assert here("run", "--model", container, "--max-tokens", 2, stdin="\x00\u202e\U0001f600")[0] == 0


@pytest.mark.parametrize(
    "flags", [("--budget", "2X"), ("--draft", "magic"), ("--threads", "two"), ("--fly",), ("convert",), ("--temperature", "")]
)
def test_that_wrong_usage_has_its_own_exit_code(flags: tuple[str, ...]) -> None:
    code, out, err = here("run", "hello", *flags) if flags != ("convert",) else here("convert")
    assert (code, out) == (2, "")
    assert "Usage: ouzel" in err


def test_that_a_format_that_does_not_exist_is_wrong_usage(checkpoint: Path, tmp_path: Path) -> None:
    code, _, err = here("convert", checkpoint, tmp_path / "o.ouzel", "--experts", "q3")
    assert code == 2
    assert "mxfp4" in err


def unsupported(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"model_type": "mamba"}))


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "no config": (lambda f: (f / "config.json").unlink(), "config.json"),
    "a damaged config": (lambda f: (f / "config.json").write_text("{"), "config.json"),
    "an unsupported family": (unsupported, "mamba"),
    "a missing shard": (lambda f: next(iter(sorted(f.glob("*.safetensors")))).unlink(), "safetensors"),
    "a truncated shard": (lambda f: os.truncate(next(iter(sorted(f.glob("*.safetensors")))), 5000), "safetensors"),
    "no tokenizer": (lambda f: (f / "tokenizer.json").unlink(), "tokenizer"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_that_a_checkpoint_with_damage_is_refused_and_leaves_nothing(damage: str, checkpoint: Path, tmp_path: Path) -> None:
    harm, word = DAMAGES[damage]
    harm(checkpoint)
    before = sorted(p.name for p in tmp_path.iterdir())
    assert word in refused("convert", checkpoint, tmp_path / "o.ouzel")
    assert sorted(p.name for p in tmp_path.iterdir()) == before


def test_that_a_target_that_exists_is_left_alone(checkpoint: Path, tmp_path: Path) -> None:
    (tmp_path / "o.ouzel").mkdir()
    (tmp_path / "o.ouzel" / "mine.txt").write_text("mine")
    assert "o.ouzel" in refused("convert", checkpoint, tmp_path / "o.ouzel")
    assert [p.name for p in (tmp_path / "o.ouzel").iterdir()] == ["mine.txt"]


def test_that_a_place_that_cannot_be_written_is_told(checkpoint: Path, tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o555)
    place = locked if os.geteuid() else Path("/proc")  # root may write where the mode says no
    told = refused("convert", checkpoint, place / "o.ouzel")
    assert str(place) in told
    (tmp_path / "file").write_text("")
    assert "file" in refused("convert", checkpoint, tmp_path / "file" / "o.ouzel")


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a folder that nobody can write to, root neither")
def test_that_no_results_can_be_written_there_is_told(tmp_path: Path) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
    asked = {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": body}
    (tmp_path / "in.jsonl").write_text(json.dumps(asked), encoding="utf-8")
    told = refused("batch", tmp_path / "in.jsonl", "-o", "/proc/x")
    assert told.startswith("/proc cannot be written") and "choose another folder" in told
    assert "in.jsonl is no folder" in refused("batch", tmp_path / "in.jsonl", "-o", tmp_path / "in.jsonl" / "x")


def test_that_a_bare_name_to_pull_is_told_how_names_are(tmp_path: Path) -> None:
    told = refused("pull", "nothing")
    assert "OWNER/NAME" in told and "models --catalogue" in told


def test_that_a_drive_without_room_is_told_and_leaves_no_model(checkpoint: Path, tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="limits of POSIX")
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (NO_ROOM, NO_ROOM))
    target = tmp_path / "o.ouzel"
    run = ouzel("convert", checkpoint, target, "--experts", "f32", "--trunk", "f32", preexec_fn=limit)
    assert str(target) in sentence(run.returncode, run.stdout, run.stderr)
    assert not target.exists()
    done = ouzel("convert", checkpoint, target, "--experts", "f32", "--trunk", "f32")
    assert done.returncode == 0
    assert here("verify", target)[0] == 0


def test_that_trace_never_replaces_what_is_no_ordinary_file(tiny: Tiny, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    run = ouzel("trace", tiny("qwen3_moe", "q4"), "--ids", "1,2", "--out", pipe)
    assert run.returncode == 1 and "ordinary file" in run.stderr
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_that_a_budget_beyond_all_reason_is_no_problem(tiny: Tiny) -> None:
    run = ouzel("run", "hi", "--model", tiny("qwen3_moe", "q4"), "--budget", "9999999999G", "--max-tokens", 2)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize(("key", "value"), [("num_experts", 10**9), ("num_hidden_layers", 10**9), ("vocab_size", 10**12)])
def test_that_absurd_sizes_in_a_config_are_refused_at_once(key: str, value: int, tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    folder = tmp_path / "absurd"
    shutil.copytree(tiny_checkpoint("qwen3_moe"), folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {key: value}))
    run = ouzel("convert", folder, tmp_path / "out.ouzel")
    assert run.returncode == 1 and key in run.stderr


def test_that_closed_standard_streams_are_no_surprise(tiny: Tiny) -> None:
    model = str(tiny("qwen3_moe", "q4"))
    command = f'"{sys.executable}" -m engine.cli run hi --model "{model}" --max-tokens 3'
    for redirect in (">&-", "2>&-", "<&-", "2>/dev/full"):
        run = subprocess.run(["sh", "-c", f"{command} {redirect}"], capture_output=True, text=True, check=False)
        assert run.returncode == 0, (redirect, run.stderr)
        assert "unexpected" not in run.stderr


def test_that_an_empty_model_name_is_told(tiny: Tiny) -> None:
    run = ouzel("run", "hi", "--model", "")
    assert run.returncode == 1 and "name is empty" in run.stderr


NAMES = sorted(COMMANDS)
ODD = ("", "-1", "nan", "99999999999999999999", "a b", "ä😀", "~nobody/x", "/nowhere/x", "http://[", "1,x", "*", "x" * 5000)


@pytest.mark.parametrize("name", NAMES)
def test_that_each_command_shows_an_example_and_takes_no_nonsense(name: str, ouzel_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    code, out, _ = here(name, "--help")
    assert code == 0 and f"Example: ouzel {name} " in " ".join(out.split())
    made = typer.main.get_command(app)
    assert isinstance(made, typer.core.TyperGroup)
    given, rnd = made.commands[name].params, random.Random(name)
    for _ in range(4):
        words = [rnd.choice(ODD) for p in given if p.param_type_name == "argument"]
        for p in rnd.sample([p for p in given if p.param_type_name == "option"], k=min(2, len(given) - len(words))):
            words += [p.opts[0], *([] if getattr(p, "is_flag", False) else [rnd.choice(ODD)])]
        if "--help" in words or name in ("serve", "login", "chat", "run"):  # which would open a model, or wait
            continue
        code, _, err = here(name, *words)
        assert code in (0, 1, 2) and "Traceback" not in err and "unexpected went wrong" not in err, (words, err)
