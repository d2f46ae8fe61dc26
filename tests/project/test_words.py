"""Sentences that other languages can be made of: what they keep, and that the engine raises no others where the window could show them."""

import ast
import copy
import json
import pickle
from collections.abc import Iterable
from pathlib import Path

import pytest

from engine.errors import BadCheckpoint, EngineError
from engine.words import Sentence, amount, joined, packed, plural, say, sentence, spoken, unpacked

ROOT = Path(__file__).parents[2] / "engine"
FOR_PROGRAMS = ("cli", "server", "openai")  # folders whose sentences people read at a command line, and programs in answers
RECORDERS = ("experts/trace.py", "model/trace.py", "generate/drafts.py")  # of options that only the command line has
CARRIERS = ("Malformed", "_Trouble", "Problem")  # not errors for people by themselves, but what they say becomes part of one
LISTS = ("problems", "reasons", "helps", "config", "files", "tensors", "values")  # of phrases
GERMAN = {"{a} has {n} of {part}": "{n} von {part} sind in {a}", "a whole": "einem Ganzen", " or ": " oder ", "{n} piece": "{n} Stück"}


def german(said: object) -> str:
    return spoken(said, lambda template: GERMAN.get(template, template), lambda number: number.replace(".", ","))


def test_that_a_sentence_is_english_and_can_be_said_again() -> None:
    said = say("{a} has {n} of {part}", a=Path("x"), n=2, part=say("a whole"))
    assert said == "x has 2 of a whole" and json.dumps([said]) == '["x has 2 of a whole"]' and f"{said}!" == "x has 2 of a whole!"
    assert german(said) == "2 von einem Ganzen sind in x"
    assert german(joined(say(" or "), ["y", said])) == "y oder 2 von einem Ganzen sind in x"
    assert german(plural(1, "{n} piece", "{n} pieces")) == "1 Stück" and plural(2, "{n} piece", "{n} pieces") == "2 pieces"
    assert german(joined("", [])) == "" and german("text with {places}") == "text with {places}"
    assert german(say("{a} costs {b}", a="{0}", b="{}")) == "{0} costs {}"


def test_that_numbers_are_written_as_the_language_does() -> None:
    said = say("{size}, {share:.0%}, {n:,}, {plain}, {whole}", size=amount("{:.1f} GB", 2.25), share=0.5, n=1234, plain=0.5, whole=1234)
    assert said == "2.2 GB, 50%, 1,234, 0.5, 1234"
    assert german(said) == "2,2 GB, 50%, 1,234, 0,5, 1234"


def test_that_an_errors_sentence_goes_into_others_and_its_frames_do_not() -> None:
    error = BadCheckpoint(say("{n} piece", n=1))
    said = say("{a} has {n} of {part}", a=error, n=ValueError(3), part="z")
    assert said == "1 piece has 3 of z" and german(said) == "3 von z sind in 1 Stück" and german(error) == "1 Stück"
    assert all(isinstance(v, str | int) for v in said.values.values())
    assert isinstance(sentence(error), Sentence) and sentence(OSError(2, "gone")) == "[Errno 2] gone" and sentence(7) == "7"


def test_that_a_sentence_outlives_copies_and_files() -> None:
    said = joined(": ", [say("{a} has {n} of {part}", a=1.5, n=True, part=amount("{:d} MB", 3)), "{x}"])
    for again in (copy.deepcopy(said), pickle.loads(pickle.dumps(said)), unpacked(json.loads(json.dumps(packed(said))))):
        assert again == said and german(again) == german(said) == "True von 3 MB sind in 1,5: {x}"
    assert packed("plain") == "plain" == unpacked("plain")


@pytest.mark.parametrize(
    "value",
    [
        *(3, None, {}, {"template": "a"}, {"template": "{b}", "values": {}}, {"template": "{", "values": {}}),
        {"template": "a", "values": {"b": []}},
    ],
)
def test_that_what_is_no_sentence_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"sentence"):
        unpacked(value)


def errors(trees: Iterable[ast.Module]) -> set[str]:
    """The names of all errors for people, and of what their sentences are made of."""
    found = {EngineError.__name__, *CARRIERS}
    kinds = [n for tree in trees for n in tree.body if isinstance(n, ast.ClassDef)]
    while more := {k.name for k in kinds if k.name not in found and any(ast.unparse(b).split(".")[-1] in found for b in k.bases)}:
        found |= more
    return found - {"Refused", "Busy"}  # of a program's request, told in the answer to it


def plain(node: ast.expr) -> bool:
    """Whether some of a sentence is text that no other language can be made of."""
    if isinstance(node, ast.IfExp):
        return plain(node.body) or plain(node.orelse)
    if isinstance(node, ast.BinOp):
        return plain(node.left) or plain(node.right)
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def carries(called: ast.expr, names: set[str]) -> bool:
    """Whether what is called makes an error, or takes a phrase of one."""
    if isinstance(called, ast.Attribute) and called.attr == "append":
        return ast.unparse(called.value).split(".")[-1] in LISTS
    return bool(
        {*names, "fault"}
        & {n.id if isinstance(n, ast.Name) else n.attr for n in ast.walk(called) if isinstance(n, ast.Name | ast.Attribute)}
    )


def untranslatable(tree: ast.Module, names: set[str]) -> list[int]:
    """The lines where an error gets such text, also by a variable."""
    found = set()
    for scope in (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)):
        inside = list(ast.walk(scope))
        told = [n for n in inside if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name) and plain(n.value)]
        texts = {ast.unparse(n.targets[0]) for n in told}
        for node in inside:
            if isinstance(node, ast.Call) and node.args and carries(node.func, names):
                said = node.args[1] if ast.unparse(node.func) == "Problem" else node.args[0]
                if plain(said) or (isinstance(said, ast.Name) and said.id in texts):
                    found.add(node.lineno)
    return sorted(found)


def test_that_what_the_window_could_show_is_said_in_sentences() -> None:
    trees = {p.relative_to(ROOT).as_posix(): ast.parse(p.read_text(encoding="utf-8")) for p in ROOT.rglob("*.py")}
    names = errors(trees.values())
    assert {"OverBudget", "TakenBack", "NeedsToken", "InUse"} <= names
    shown = {path: tree for path, tree in trees.items() if path.split("/")[0] not in FOR_PROGRAMS and path not in RECORDERS}
    found = [(path, line) for path, tree in shown.items() for line in untranslatable(tree, names)]
    assert found == [], "say it with engine.words.say, and give its German (python -m app.translations)"


@pytest.mark.parametrize("said", ['"gone"', 'f"{x} is gone"', 'say("a") if x else "b"', 'say("a") + " b"'])
def test_that_plain_text_is_found(said: str) -> None:
    names = {"StorageError"}
    assert untranslatable(ast.parse(f"def a():\n    raise StorageError({said}, repr(x))"), names) == [2]
    assert untranslatable(ast.parse(f"def a():\n    b = {said}\n    raise (StorageError if x else y)(b)"), names) == [3]
    assert untranslatable(ast.parse(f"def a():\n    self.problems.append({said})\n    reader.fault({said}, 'key')"), names) == [2, 3]
    assert untranslatable(ast.parse("def a():\n    raise StorageError(say('gone'), 'details')\n    raise ValueError('b')"), names) == []
