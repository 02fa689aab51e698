"""What the demo says below its table is short: what each run newly had, by name, and how many more there are."""

from __future__ import annotations

import pytest
from rich.console import Console

from tuner.cli.as_text.demo import MOST_CHANGES, MOST_CHARACTERS, show
from tuner.demo.table import Change, Row
from tuner.model.decision import Standing

SECONDS = {"01-query-50": 4.3, "02-query-72": 13.5}
TRIALS = tuple(
    Change((f"reorder the joins in 0{n}-query-{n}",), Standing.TRIAL, f"about {n}.0 s less") for n in range(1, 5)
)
PROMOTED = Change((TRIALS[0].settings[0],), Standing.PROMOTED, "1 query took 4.0 s instead of 13.5 s")


def told(capsys: pytest.CaptureFixture[str], *rows: Row) -> list[str]:
    show(Console(width=100), rows)
    _, _, below = capsys.readouterr().out.partition("\n\n")
    return below.splitlines()


def test_each_run_tells_what_is_new_in_it(capsys: pytest.CaptureFixture[str]) -> None:
    second = Row(2, SECONDS, TRIALS, "4 on trial")
    third = Row(3, SECONDS, (PROMOTED, *TRIALS[1:]), "3 on trial, 1 promoted")
    assert told(capsys, Row(1, SECONDS, (), "first run: observed"), second, third) == [
        "run 2: on trial: reorder the joins in 01-query-1: about 1.0 s less",
        "run 2: on trial: reorder the joins in 02-query-2: about 2.0 s less",
        f"run 2: and {len(TRIALS) - MOST_CHANGES} more",
        "run 3: promoted: reorder the joins in 01-query-1: 1 query took 4.0 s instead of 13.5 s",
    ]


def test_a_run_like_the_one_before_has_nothing_to_tell(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, Row(2, SECONDS, TRIALS[:1], ""), Row(3, SECONDS, TRIALS[:1], ""))[1:] == []


def test_a_long_order_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    order = Change(("reorder the joins in 02-query-72",), Standing.TRIAL, "in this order: " + "store_sales, " * 50)
    rows = told(capsys, Row(2, SECONDS, (order,), "1 on trial"))
    assert sum(map(len, rows)) <= MOST_CHARACTERS + 10
    assert rows[-1].endswith("…")


def test_the_table_says_what_its_numbers_are(capsys: pytest.CaptureFixture[str]) -> None:
    show(Console(width=100), [Row(1, SECONDS, (), "first run: observed")])
    title, heads, first, *_ = capsys.readouterr().out.splitlines()
    assert title.strip() == "seconds of each query"
    assert heads.split() == ["run", "q50", "q72", "total", "speed-up", "decision"]
    assert first.split() == ["1", "4.3", "13.5", "17.8", "1.00x", "first", "run:", "observed"]
