"""`ouzel convert`, `plan`, `verify`, `bench`, `trace`, `version`, and the window's door."""

import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import __version__
from tests.cli.running import here, ouzel, refused, sentence
from tests.conftest import Tiny, TinyFurther
from tests.oracle.checkpoint import DATA


@pytest.fixture
def model(tiny: Tiny) -> Path:
    return tiny("mixtral", "q4")


def test_that_a_converted_checkpoint_answers(tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    target = tmp_path / "größer als Ram.ouzel"
    run = ouzel("convert", tiny_checkpoint("mixtral"), target, "--experts", "q8", "--trunk", "bf16")
    assert run.returncode == 0, run.stderr
    assert run.stdout == ""
    said = shlex.split(run.stderr.strip().splitlines()[-1].partition("Talk with it: ")[2])
    assert said == ["ouzel", "chat", "--model", str(target)]
    assert ouzel("run", "hello", "--model", target, "--max-tokens", 3).stdout
    assert "is whole" in here("verify", target)[1]
    assert json.loads(here("verify", target, "--json")[1]) == {"path": str(target), "problems": []}


def test_that_verify_counts_and_names_a_way_out_that_there_is(model: Path, tmp_path: Path) -> None:
    broken = tmp_path / "zerbrochen.ouzel"
    shutil.copytree(model, broken)
    (broken / "tokenizer.json").write_bytes(b"{}")
    code, out, err = here("verify", broken)
    assert code == 1 and out.startswith("tokenizer.json: ")
    assert err.endswith(f"has 1 problem. Mend it: ouzel repair {shlex.quote(str(broken))}\n")
    (broken / "manifest.json").unlink()
    code, out, err = here("verify", broken)
    assert code == 1 and "is no model" in out and err.endswith("has 1 problem.\n")
    assert here("verify", __file__)[0] == 1 and "is no model" in here("verify", __file__)[1]


def test_that_a_plan_keeps_the_limit_that_it_is_given(model: Path) -> None:
    p = json.loads(here("plan", model, "--json", "--budget", "20M", "--ctx", 128, "--threads", 1)[1])
    assert p["total_bytes"] <= p["budget_bytes"] == 20_000_000
    assert p["context"] == 128
    assert "least limit" in here("plan", model)[1]
    assert "at least" in refused("plan", model, "--budget", "1M")


def test_that_a_plan_counts_what_drafts_take(model: Path, tiny: Tiny, tiny_checkpoint: Tiny) -> None:
    small = tiny("qwen3", "keep")

    def planned(*given: object) -> dict[str, Any]:
        found = json.loads(here("plan", *given, "--json", "--ctx", 128, "--threads", 1)[1])
        return found.get("plan", found)

    off, text, beside = (planned(model, "--draft", way) for way in ("off", "auto", small))
    assert off["draft_bytes"] == text["draft_bytes"] == 0 < beside["draft_bytes"]
    assert off["floor_bytes"] <= text["floor_bytes"] <= beside["floor_bytes"] - beside["draft_bytes"]
    assert "draft model" in here("plan", model, "--draft", small)[1]
    assert "cannot draft for itself" in refused("plan", model, "--draft", model)
    config = tiny_checkpoint("qwen2_moe") / "config.json"
    assert planned("--config", config, "--draft", model)["draft_bytes"] > 0
    assert here("plan", model, "--draft", "none at all")[0] == 2


@pytest.mark.parametrize("parallel", [1, 2])
def test_that_a_plan_tells_the_least_limit_of_serve_and_batch(parallel: int, model: Path, tmp_path: Path) -> None:
    planned = ("plan", model, "--threads", 1, "--parallel", parallel)
    told = here(*planned)[1].split("least limit")[1].split()
    least = told[2:4] if parallel == 1 else told[:2]  # "20 MB  120 MB for serve and batch"
    assert least[1] == "MB"
    body = {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": {"messages": [{"role": "user", "content": "Hi"}]}}
    (tmp_path / "in").write_text(json.dumps({**body, "body": {**body["body"], "max_tokens": 1}}), encoding="utf-8")  # type: ignore[dict-item]
    batch = ("batch", tmp_path / "in", "-o", tmp_path / "out", "--model", model, "--any-model", "--threads", 1, "--parallel", parallel)
    words = f"least {least[0]} MB of memory" + (" for 2 answers at once" if parallel > 1 else "")
    assert words in refused(*batch, "--budget", f"{int(least[0]) - 1}M")
    assert here(*batch, "--budget", f"{least[0]}M")[0] == 0


def test_that_a_model_without_a_layer_for_further_tokens_says_so(model: Path, tiny_further: TinyFurther) -> None:
    asked = ("run", "hello", "--max-tokens", 2, "--ctx", 64, "--threads", 1, "--draft", "mtp", "--model")
    for path, said in ((model, True), (tiny_further("glm4_moe")[1], False)):
        code, _, err = here(*asked, path)
        assert (code, "no layer for further tokens" in err) == (0, said), err


def test_that_keys_and_values_in_8_bits_are_planned_opened_and_told(tiny: Tiny) -> None:
    model = tiny("qwen3_moe", "q4")
    wide, narrow = (json.loads(here("plan", model, "--json", "--kv", kv)[1]) for kv in ("auto", "q8"))
    assert (wide["kv_dtype"], narrow["kv_dtype"]) == ("f16", "q8") and narrow["token_bytes"] < wide["token_bytes"]
    assert "tokens, q8, " in here("plan", model, "--kv", "q8")[1]
    result = json.loads(here("measure", model, "--windows", 1, "--kv", "q8", "--json")[1])
    assert result["kv"] == "q8" and result["perplexity"] > 1
    code, _, said = here("plan", model, "--kv", "q4")
    assert code == 2 and "auto, f32, f16, bf16" in said


def test_that_a_plan_needs_only_a_config() -> None:
    folder = DATA / "kimi_k3"
    flags = ("--experts", "mxfp4", "--trunk", "q4-all", "--ctx", 128)
    p = json.loads(here("plan", "--config", folder / "config.json", "--json", *flags)[1])
    assert (p["model"], p["family"], p["context"]) == ("kimi_k3", "kimi_k3", 128)
    assert p["floor_bytes"] <= p["recommended_bytes"] == p["plan"]["budget_bytes"]
    assert p["roles"]["experts"]["formats"] == ["mxfp4"]
    text = here("plan", "--config", folder, *flags)[1]
    assert all(word in text for word in ("least limit", "recommended", "disk", "4.5 bits", "context/token", "shared_down"))
    assert "at least" in refused("plan", "--config", folder, *flags, "--budget", "1M")


def test_that_a_plan_of_nothing_or_of_two_things_is_wrong_usage(model: Path) -> None:
    assert here("plan")[0] == 2
    assert here("plan", model, "--config", DATA / "mixtral")[0] == 2
    assert here("plan", "--config", DATA / "mixtral", "--trunk", "q3")[0] == 2


@pytest.mark.parametrize("command", ["plan", "convert"])
@pytest.mark.parametrize("change", [{"model_type": "phi3"}, {"model_type": None}, {"num_local_experts": None}, {"num_local_experts": 0}])
def test_that_what_is_not_supported_is_refused_with_the_list_of_what_is(command: str, change: dict[str, object], tmp_path: Path) -> None:
    value = json.loads((DATA / "mixtral" / "config.json").read_text()) | change
    (tmp_path / "config.json").write_text(json.dumps(value))  # no weights beside it: nothing but the config is looked at
    arguments = ("plan", "--config", tmp_path) if command == "plan" else ("convert", tmp_path, tmp_path / "a.ouzel")
    said = refused(*arguments)
    assert "kimi_k3" in said and "qwen3_moe" in said
    assert [p.name for p in tmp_path.iterdir()] == ["config.json"]


@pytest.mark.parametrize(("text", "word"), [(None, "missing"), ("{", "JSON"), ("[]", "object")])
def test_that_a_config_that_is_none_is_refused(text: str | None, word: str, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "config.json").write_text(text)
    assert word in refused("plan", "--config", tmp_path / "config.json")


def test_that_a_benchmark_tells_speed_hits_and_where_time_goes(model: Path) -> None:
    flags = (model, "--prompt", 32, "--tokens", 8, "--repeats", 2, "--threads", 1)
    r = json.loads(here("bench", *flags, "--json")[1])
    assert r["prefill_tokens_per_second"] > 0
    assert r["decode_tokens_per_second"] > 0
    assert 0 <= r["decode_hit_rate"] <= 1
    shares = [r[f"share_{name}"] for name in ("read_wait", "experts", "attention", "rest")]
    assert all(0 <= s <= 1 for s in [*shares, r["share_python"]])
    assert sum(shares) <= 1.001
    text = here("bench", *flags)[1]
    assert all(word in text for word in ("prefill", "decode", "hits", "Python"))
    assert "--ctx" in refused("bench", model, "--prompt", 100_000)


def test_that_a_trace_has_the_names_and_shapes_of_an_oracle(tiny: Tiny, tmp_path: Path) -> None:
    want = np.load(DATA / "mixtral" / "expected_0_bf16.npz")
    ids, out = want["input_ids"].tolist(), tmp_path / "t.npz"
    greedy = len(want["greedy_ids"])
    flags = ("--ids", ",".join(map(str, ids)), "--out", out, "--greedy", greedy, "--chunk", 7, "--exact")
    run = ouzel("trace", tiny("mixtral"), *flags)
    assert (run.returncode, run.stdout) == (0, ""), run.stderr
    got = np.load(out)
    assert {k: got[k].shape for k in got.files} == {k: want[k].shape for k in got.files}
    assert set(want.files) <= set(got.files)
    assert got["greedy_ids"].tolist() == want["greedy_ids"].tolist()
    assert [p.name for p in tmp_path.iterdir()] == ["t.npz"]


@pytest.mark.parametrize(("ids", "word"), [("", "nothing to trace"), ("999999", "ids"), ("-1", "ids")])
def test_that_a_trace_of_impossible_ids_is_refused(ids: str, word: str, model: Path, tmp_path: Path) -> None:
    assert word in refused("trace", model, "--ids", ids, "--out", tmp_path / "t.npz")
    assert list(tmp_path.iterdir()) == []


def test_that_a_list_that_is_none_is_wrong_usage(model: Path, tmp_path: Path) -> None:
    assert here("trace", model, "--ids", "a,b", "--out", tmp_path / "t.npz")[0] == 2


def test_that_a_trace_into_a_folder_that_is_not_there_is_told(model: Path, tmp_path: Path) -> None:
    assert "none" in refused("trace", model, "--ids", "1,2", "--out", tmp_path / "none" / "t.npz")


@pytest.mark.parametrize("argument", ["version", "--version"])
def test_that_the_version_is_told(argument: str) -> None:
    assert ouzel(argument).stdout == f"ouzel {__version__}\n"


def test_that_without_a_display_the_window_says_what_to_use_instead() -> None:
    run = ouzel()
    assert "ouzel chat" in sentence(run.returncode, run.stdout, run.stderr)


COMMANDS = ["chat", "run", "convert", "plan", "models", "remove", "verify", "bench", "measure", "trace", "version"]


@pytest.mark.parametrize("command", COMMANDS)
def test_that_every_command_explains_itself(command: str) -> None:
    code, out, _ = here(command, "--help")
    assert code == 0
    assert f"Usage: ouzel {command}" in out
