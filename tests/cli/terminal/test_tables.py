"""Tables have room, or are lines: at no width is anything cut or left out."""

from __future__ import annotations

import sys

import pytest
from rich.table import Table

from tuner.cli.terminal.console import MOST_COLUMNS, console
from tuner.cli.terminal.tables import number_column, table, text_cell, text_column

NAME = "nightly_sales_by_region_" * 3


def runs() -> Table:
    found = table(
        text_column("run"),
        number_column("queries\ns"),
        number_column("core-\nhours"),
        number_column("input"),
        text_column("in force"),
        title="runs",
    )
    found.add_row(text_cell(NAME), "123,461.7", "2,777,778", "350.0 GB", "1 promoted")
    found.add_row(text_cell("[red]b"), "1.0", "-", "", text_cell("2 on trial\nof 3"))
    return found


def shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: str) -> list[str]:
    monkeypatch.setenv("COLUMNS", columns)
    console().print(runs())
    return [line.rstrip() for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("columns", ["60", "100", "300"])
def test_where_there_is_room_it_is_a_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: str
) -> None:
    lines = shown(monkeypatch, capsys, columns)
    assert lines[0] == "runs"
    assert "queries" in lines[1] and "core-" in lines[1]
    assert max(map(len, lines)) <= int(columns)
    assert NAME in "".join(line[1 : line.find("  ", 2)] if "  " in line[2:] else line[1:] for line in lines[3:])


@pytest.mark.parametrize("columns", ["20", "40", "50"])
def test_where_there_is_none_it_is_a_line_for_each_cell(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: str
) -> None:
    lines = shown(monkeypatch, capsys, columns)
    assert max(map(len, lines)) <= int(columns)
    assert f"run:{NAME}" in "".join(lines).replace(" ", "")
    all_said = " ".join(" ".join(lines).split())
    assert all_said.endswith(
        "queries s: 123,461.7 core-hours: 2,777,778 input: 350.0 GB in force: 1 promoted "
        "run: [red]b queries s: 1.0 core-hours: - in force: 2 on trial of 3"
    )


@pytest.mark.parametrize(
    ("said", "columns"),
    [("40", 40), ("0", MOST_COLUMNS), ("", MOST_COLUMNS), ("-5", MOST_COLUMNS)],
)
def test_columns_above_0_count(monkeypatch: pytest.MonkeyPatch, said: str, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", said)
    assert console().width == columns


def test_a_terminal_is_as_wide_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "0")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert console().width > 0
