"""What a bench prints: how far it is, and its result, in lines that fit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from tests.bench.made import run, runs, setup
from tuner.bench.bench_run import QueryTime
from tuner.bench.contenders.contenders import CONTENDERS
from tuner.bench.progress import Step
from tuner.bench.results import results
from tuner.cli.as_text.bench import show
from tuner.cli.as_text.bench_progress import shown_progress, step_line

LONG = "monthly_revenue_by_region_and_channel_net_of_returns_in_euros_2026"
STEP = Step("tuner", 3, QueryTime("q17", 4.2), 57, 182, 725.0)


def test_a_line_a_query_says_what_it_took_and_how_long_the_rest_takes(capsys: pytest.CaptureFixture[str]) -> None:
    with shown_progress(Console(width=100)) as tell:
        tell(STEP)
        tell(Step("cbo", 1, QueryTime("q1", 3.1, error="out\x1b[2J of memory"), 58, 182, 30.0))
    assert capsys.readouterr().out.splitlines() == [
        "tuner, run 3: q17 took 4.2 s; 57 of 182 queries done, about 12 min 5 s left",
        "cbo, run 1: q1 failed after 3.1 s; 58 of 182 queries done, about 30.0 s left: out\ufffd[2J of memory",
    ]


def test_in_a_terminal_it_is_a_bar(capsys: pytest.CaptureFixture[str]) -> None:
    with shown_progress(Console(width=100, force_terminal=True)) as tell:
        tell(STEP)
    shown = capsys.readouterr().out
    assert step_line(STEP) not in shown
    assert "tuner, run 3; about 12 min 5 s left" in shown
    assert "57/182" in shown


@pytest.mark.parametrize("width", [80, 100])
def test_the_result_of_all_contenders_fits(capsys: pytest.CaptureFixture[str], width: int, tmp_path: Path) -> None:
    of = setup(tmp_path, queries=("q1", LONG), runs=9, repeats=2)
    took = {name: runs(name, *[{"q1": 1234.5, LONG: 2.0 + (name == "tpe")}] * of.rounds) for name in CONTENDERS}
    found = results(of, {name: f"the title of {name}" for name in CONTENDERS}, took)
    show(Console(width=width), found, "2 cores")
    shown = capsys.readouterr().out
    assert all(cell_len(line.rstrip()) <= width for line in shown.splitlines())
    # Nothing is cut: every name is there, and every number.
    assert all(f"the title of {name}" in shown for name in CONTENDERS)
    assert len(re.findall(r"1234\.5", shown)) == len(CONTENDERS)
    assert "…" not in shown
    assert all(f" run {number} " in shown for number in range(1, of.rounds + 1))


def test_what_was_not_tested_and_cannot_be_compared_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    of = setup(runs=3, repeats=1)
    default = [run("default", n, {"q1": 10, "q2": 5}, digests={"q2": f"tie {n}"}) for n in (1, 2, 3, 4)]
    took = {"default": default, "tuner": runs("tuner", *[{"q1": 20, "q2": 5}] * 4)}
    show(Console(width=100), results(of, {"default": "Spark", "tuner": "the tuner"}, took), "2 cores")
    shown = " ".join(capsys.readouterr().out.split())
    assert "queries slower - -" in shown
    assert "no query was tested for being slower: that takes two repeats at least (--repeats 2)" in shown
    assert "tuner: more than 5 % slower, not tested: q1 (0.50x)" in shown
    assert "differ from run to run; only their number is: q2" in shown
