"""Lines fold behind their own indent, and fit: text with long words, wide characters, and none at all."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from rich.console import Console

from tuner.cli.terminal.console import MOST_COLUMNS, console
from tuner.cli.terminal.print_lines import print_lines, print_to_copy

WORDS = "broadcast store (198k rows, 14.3 MB) instead of shuffling and sorting it for a join with 1.4M rows"


def printed(capsys: pytest.CaptureFixture[str], line: str, width: int) -> list[str]:
    print_lines(Console(width=width), [line])
    return capsys.readouterr().out.splitlines()


def test_a_line_that_fits_is_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "    " + "x" * 36, 40) == ["    " + "x" * 36]
    assert printed(capsys, "", 40) == [""]


def test_what_is_folded_goes_on_behind_its_indent(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, f"    {WORDS}", 60) == [
        "    broadcast store (198k rows, 14.3 MB) instead of",
        "      shuffling and sorting it for a join with 1.4M rows",
    ]


@pytest.mark.parametrize("width", [20, 80, 100, 300])
@pytest.mark.parametrize("line", [WORDS, "y" * 250, "  " + "日本語の結合" * 40, " " * 90 + WORDS, "🦊" * 99])
def test_nothing_is_lost_and_no_line_is_wider_than_the_terminal(
    capsys: pytest.CaptureFixture[str], line: str, width: int
) -> None:
    rows = printed(capsys, line, width)
    assert all(cell_len(row) <= min(width, MOST_COLUMNS) for row in rows)
    assert "".join("".join(rows).split()) == "".join(line.split())


def test_a_number_stays_with_its_unit(capsys: pytest.CaptureFixture[str]) -> None:
    rows = printed(capsys, "shuffle write 3 min 27 s, sort 4 min 52 s, of 14.3 MB and 198k rows or 1.4M rows", 24)
    assert not any(row.split()[0] in ("s", "s,", "min", "MB") for row in rows)
    assert " ".join("".join(f" {row}" for row in rows).split()).endswith("of 14.3 MB and 198k rows or 1.4M rows")


def test_what_is_to_be_copied_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    command = "spark-tuner ui --db sqlite:////" + "a/" * 100 + "history.db"
    print_to_copy(Console(width=80), [command])
    assert capsys.readouterr().out == f"{command}\n"


def test_names_between_colons_are_no_pictures(capsys: pytest.CaptureFixture[str]) -> None:
    """Of SQL with casts, of cohorts: what is pasted must be what was meant."""
    text = "SELECT payload:date::date, raw:id::string FROM etl:id:prod"
    print_to_copy(console(), [text])
    print_lines(console(), [text])
    assert capsys.readouterr().out == f"{text}\n{text}\n"


def test_where_the_output_is_no_terminal_a_hundred_columns_are_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert console().width == MOST_COLUMNS
    monkeypatch.setenv("COLUMNS", "80")
    assert console().width == 80
