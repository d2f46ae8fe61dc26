"""Sizes on the command line."""

import pytest
import typer

from engine.cli.sizes import human, parse_size


@pytest.mark.parametrize(
    ("text", "nbytes"),
    [("500M", 500_000_000), ("2G", 2_000_000_000), ("1.5GiB", 1_610_612_736), ("1234", 1234), ("2gb", 2_000_000_000), (" 8 MiB ", 8 << 20)],
)
def test_that_a_size_means_what_its_unit_says(text: str, nbytes: int) -> None:
    assert parse_size(text) == nbytes


@pytest.mark.parametrize("text", ["", "G", "-1G", "2X", "1e9", "two", "1.2.3M", "nan", "2 G B"])
def test_that_what_is_no_size_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="500M"):
        parse_size(text)


@pytest.mark.parametrize(("nbytes", "text"), [(0, "0 B"), (13_440_000, "13.4 MB"), (2_150_000_000, "2.15 GB"), (140e6, "140 MB")])
def test_that_a_size_is_told_in_three_digits(nbytes: float, text: str) -> None:
    assert human(nbytes) == text
