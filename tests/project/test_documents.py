"""What README and the licence files promise."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer

from engine.arch import families
from engine.cli.main import app

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMAND: Any = typer.main.get_command(app)  # a group


def test_that_every_command_in_the_readme_exists_and_no_other() -> None:
    told = set(re.findall(r"^\| `ouzel (\w+)", README, re.MULTILINE))
    assert told == {name for name, command in COMMAND.commands.items() if not command.hidden}


@pytest.mark.parametrize("name", ["chat", "run"])
def test_that_the_options_in_the_readme_exist_and_none_is_left_out(name: str) -> None:
    table = README[README.index("| Option |") :]
    told = set(re.findall(r"--[a-z][a-z-]+", table[: table.index("\n\n")]))
    assert told == {o for p in COMMAND.commands[name].params for o in (*p.opts, *p.secondary_opts) if o.startswith("--")} - {"--help"}


def test_that_every_family_is_in_the_readme() -> None:
    assert set(re.findall(r"^\| `(\w+)` \| [A-Z]", README, re.MULTILINE)) == set(families())


def test_that_links_and_pictures_of_the_readme_are_there() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).is_file(), target


def test_that_licences_are_there() -> None:
    assert "Apache License" in (ROOT / "LICENSE").read_text()[:200]
    notice = (ROOT / "NOTICE").read_text()
    assert "GNU Lesser General Public License" in notice
    for path in re.findall(r"resources/[\w./-]+\w", notice):
        assert (ROOT / path).exists(), path


def test_that_every_dependency_is_in_the_notice() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    notice = (ROOT / "NOTICE").read_text().lower()
    for line in project["dependencies"]:
        name = re.match(r"[\w-]+", line)
        assert name is not None
        assert name[0].lower().removesuffix("-essentials") in notice, line


def test_that_a_floor_in_the_architecture_is_a_folder() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    for folder in re.findall(r"`((?:app|engine|kernels_pyx)/[\w/]*)`", text):
        assert (ROOT / folder).is_dir(), folder
