"""What a bench prints of what failed, died, could not prepare or could not be found."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.console import Console

from tests.bench.made import run, runs, setup
from tuner.bench.bench_result import BenchResult
from tuner.bench.bench_run import BenchRun
from tuner.bench.results import results
from tuner.cli.as_text.bench import show


def shown(result: BenchResult, capsys: pytest.CaptureFixture[str]) -> str:
    show(Console(width=200), result, "2 cores")
    return " ".join(capsys.readouterr().out.split())


def test_what_only_one_finishes_died_or_was_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    default = [run("default", n, {"q1": 10, "q2": 0.1}, failed=["q2"]) for n in range(1, 6)]
    tuned = [run("tuner", n, {"q1": 5, "q2": 60}, failed=["q1"]) for n in range(1, 6)]
    tuned[3] = replace(tuned[3], exit_code=137)
    titles = {"default": "Spark", "tuner": "the tuner"}
    found = results(setup(), titles, {"default": default, "tuner": tuned}, {"cbo": "no statistics"})
    told = shown(found, capsys)
    assert "in the end, all queries 1.00x -" in told
    assert "queries failed 1 1" in told
    assert "tuner: finished, where the defaults failed: q2" in told
    assert "tuner: not finished, where the defaults do: q1" in told
    assert "tuner: its application died in run 4 (code 137)" in told
    assert "cbo was left out, for it could not prepare: no statistics" in told
    assert "slower, " not in told


def test_rounds_that_a_bench_went_on_with_hours_later_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    def at(of: BenchRun, hour: int) -> BenchRun:
        return replace(of, started_at=f"2026-01-0{of.number}T{hour:02d}:00:00+00:00")

    default, tuned = (runs(name, *[{"q1": 10.0, "q2": 5.0}] * 2) for name in ("default", "tuner"))
    took = {"default": [at(one, 1) for one in default], "tuner": [at(tuned[0], 2), at(tuned[1], 9)]}
    told = shown(results(setup(), {"default": "Spark", "tuner": "the tuner"}, took), capsys)
    assert "runs of round 2 began 8.0 h apart: compare them with care" in told
    assert "round 1 began" not in told


def test_how_little_so_few_repeats_find(capsys: pytest.CaptureFixture[str]) -> None:
    noisy = [{"q1": 10.0 + n, "q2": 5.0 + n / 2} for n in range(5)]
    took = {"default": runs("default", *noisy), "tuner": runs("tuner", *noisy)}
    told = shown(results(setup(), {"default": "Spark", "tuner": "the tuner"}, took), capsys)
    assert "tuner: 2 repeats can find only slowdowns of more than about 1." in told
