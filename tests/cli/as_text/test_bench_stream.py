"""A stream's result in the terminal: differences first, and in lines that fit."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console

from tests.bench.stream.made import JOBS, executed, job_night
from tuner.bench.stream.executed import JobNight
from tuner.bench.stream.stream_result import stream_result
from tuner.cli.as_text.bench_stream import show_stream

ALL = ("default", "tuner", "cbo", "threshold")


def nights(names: tuple[str, ...], failed: str = "", other: str = "") -> list[JobNight]:
    """Twenty of them, of long queries."""
    seconds = {name: 12345.0 + place for place, name in enumerate(names)}
    return [
        job_night(
            night,
            job,
            executed(night, job.name, f"q{job.name}", int(job.share > 0), seconds, failed, other),
            tuning=dict.fromkeys(names, 1.0),
        )
        for night in range(1, 21)
        for job in JOBS
    ]


def shown(capsys: pytest.CaptureFixture[str], width: int, names: tuple[str, ...], **how: str) -> str:
    result = stream_result("a stream", {name: f"the title of {name}" for name in names}, nights(names, **how))
    show_stream(Console(width=width), result, "2 cores")
    return capsys.readouterr().out


def test_of_two_jobs_first_two_nights_no_interval_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    show_stream(
        Console(width=80), stream_result("a stream", dict.fromkeys(ALL[:2], ""), nights(ALL[:2])[:4]), "2 cores"
    )
    assert capsys.readouterr().out.count("too few nights") == 3


@pytest.mark.parametrize(("width", "names"), [(80, ALL[:3]), (100, ALL)])
def test_it_fits_and_nothing_is_cut(capsys: pytest.CaptureFixture[str], width: int, names: tuple[str, ...]) -> None:
    told = shown(capsys, width, names)
    assert all(cell_len(line.rstrip()) <= width for line in told.splitlines())
    assert "…" not in told
    assert all(f"the title of {name}" in told for name in names)
    assert told.startswith("a stream: 40 executions, 20 nights of 2 jobs; 2 cores\n")
    assert "Every execution that succeeded returned the rows that it returns by default." in told
    # 20 executions a job, 12,346 s each with a second of tuning.
    assert f"{20 * 12346:,}" in told
    assert f"{40 * 12346:,}" in told
    assert "1.00x to 1.00x" in told
    assert "too few nights" not in told
    assert "never" in told
    assert "every night" in told
    assert "none of 1 repeated queries is over 5 % slower by more than chance" in " ".join(told.split())


def test_rows_that_differ_and_what_failed_come_before_any_figure(capsys: pytest.CaptureFixture[str]) -> None:
    told = " ".join(shown(capsys, 100, ALL, failed="cbo", other="tuner").split())
    first = told.index("OTHER ROWS than by default with tuner, 40 executions: night 1, repeats-0, qrepeats-0;")
    failed = told.index("Failed with cbo, 40 executions: night 1,")
    assert first < failed < told.index("seconds with tuning")
    assert "; and 30 more (--json has all)" in told
    assert "cbo: no query ran twice" in told


def test_applications_that_died_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    found = nights(("default", "tuner"))
    found[:12] = [replace(one, exit_codes={"tuner": 137}) for one in found[:12]]
    show_stream(Console(width=100), stream_result("a stream", {"default": "d", "tuner": "t"}, found), "2 cores")
    told = " ".join(capsys.readouterr().out.split())
    assert "tuner: its application died in night 1, repeats-0 (code 137); night 1, repeats-50 (code 137);" in told
    assert "night 5, repeats-50 (code 137); and 2 more (--json has all)" in told
    assert told.index("died") < told.index("seconds with tuning")


def test_nights_that_lie_apart_and_who_was_left_out_come_before_any_figure(capsys: pytest.CaptureFixture[str]) -> None:
    found = nights(("default", "tuner"))
    found[:2] = [replace(one, hours_apart=hours) for one, hours in zip(found, (2.5, 30.0), strict=False)]
    result = stream_result("a stream", {"default": "d", "tuner": "t"}, found, {"cbo": "no statistics"})
    show_stream(Console(width=100), result, "2 cores")
    told = capsys.readouterr().out
    first = told.index("runs of 2 nights of jobs began up to 30.0 h apart: compare them with care")
    assert first < told.index("cbo was left out, for it could not prepare: no statistics") < told.index("seconds with")


def test_a_slower_query_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    found = [
        replace(
            one,
            executions=tuple(
                executed(one.night, one.job.name, "r01", 1, {"default": 10.0, "tuner": 12.0 + one.night / 100})
                for _ in one.executions
            ),
        )
        for one in nights(("default", "tuner"))
    ]
    show_stream(Console(width=100), stream_result("a stream", {"default": "d", "tuner": "t"}, found), "2 cores")
    told = " ".join(capsys.readouterr().out.split())
    assert "tuner: 2 of 2 repeated queries are over 5 % slower by more than chance" in told
    assert "r01 of repeats-0 (0.83x in 20 nights, p " in told
