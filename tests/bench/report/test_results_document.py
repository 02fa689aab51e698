"""The page on what benches measured."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.bench.made import run, runs, setup
from tests.bench.stream.made import JOBS, executed, job_night
from tuner.bench.bench_run import BenchRun, QueryTime
from tuner.bench.report.finished_bench import (
    Finished,
    FinishedBench,
    FinishedStream,
    command_of,
    read_finished,
    when_measured,
    write_finished,
)
from tuner.bench.report.results_document import results_document
from tuner.bench.report.speed_up_picture import write_speed_ups
from tuner.bench.report.stream_picture import write_nights
from tuner.bench.results import results
from tuner.bench.stream.stream_result import stream_result
from tuner.errors import TunerError

TITLES = {"default": "Spark's defaults", "tuner": "the tuner"}


def finished(*tuned: dict[str, float], failed: bool = False) -> FinishedBench:
    mine: list[BenchRun] = runs("tuner", *tuned)
    if failed:
        last = mine[-1]
        mine[-1] = replace(last, queries=(QueryTime("q1", 1.0, error="no memory"), *last.queries[1:]))
    default = runs("default", *[{"q1": 10.0 + n / 100, "q2": 5.0 + n / 100} for n in range(5)])
    result = results(setup(), TITLES, {"default": default, "tuner": mine})
    return FinishedBench(result, "spark-tuner bench --runs 3", "a machine", "1.0", "2026-01-01", "2026-01-02")


def finished_stream(seconds: float, *, failed: str = "") -> FinishedStream:
    """Of four nights, in which the tuner takes so long for one query, a little more each night; by default 10 s."""
    nights = []
    for night in (1, 2, 3, 4):
        took = {"default": 10.0, "tuner": seconds + night / 10}
        query = executed(night, "repeats-50", "r01", 1, took, failed)
        nights.append(job_night(night, JOBS[1], query, tuning={"default": 0.0, "tuner": 0.0}))
    result = stream_result("a workload", TITLES, nights)
    return Finished(result, "spark-tuner bench --stream", "a machine", "1.0", "2026-01-01", "2026-01-02")


def test_seconds_of_processors_are_held_against_the_defaults() -> None:
    bench = finished({"q1": 2.0, "q2": 9.0})
    default, tuner = bench.result.contenders
    told = replace(bench.result, contenders=(replace(default, cpu_seconds=30.0), replace(tuner, cpu_seconds=20.0)))
    page = results_document([replace(bench, result=told)])
    assert "| 30 (1.00x) |" in page and "| 20 (1.50x) |" in page


def test_what_got_slower_comes_first_and_the_surest_of_it() -> None:
    bench = finished(*[{"q1": 2.0, "q2": 9.0 + n / 100} for n in range(5)])
    page = results_document([bench], (), {0: "images/p.svg"})
    slower = page.index("| q2 | 5.0 | 9.0 | 0.56x | surely (p 0.000) |")
    assert slower < page.index("## All of it") < page.index("spark-tuner bench --runs 3") < page.index("1.288x")
    assert "5 of 10 (50.0%)" in page, "q2 was slow in each round"
    assert "0 of 10 (0.0%)" in page, "the defaults never were"
    assert "](images/p.svg)" in page


def test_nothing_slower_is_said_to_be() -> None:
    page = results_document([finished(*[{"q1": 2.0, "q2": 5.0}] * 5)])
    assert "How sure" not in page
    assert "tests none.\n\nNone." in page
    assert "| 0 of 2 |" in page, "both queries were tested"
    assert page.count("- none") == 2, "neither other rows nor failures"


def test_where_nothing_was_tested_it_is_said_not_to_be() -> None:
    of, default = setup(repeats=1), runs("default", *[{"q1": 10.0, "q2": 5.0}] * 4)
    mine = runs("tuner", *[{"q1": 2.0, "q2": 9.0}] * 4)
    bench = finished({"q1": 2.0, "q2": 5.0})
    page = results_document([replace(bench, result=results(of, TITLES, {"default": default, "tuner": mine}))])
    assert "| q2 | 5.0 | 9.0 | 0.56x | seems (not tested) |" in page
    assert "| not tested |" in page


def test_queries_whose_rows_vary_by_default_are_named() -> None:
    default = [run("default", n, {"q1": 10, "q2": 5}, digests={"q2": f"tie {n}"}) for n in (1, 2)]
    bench = finished({"q1": 2.0, "q2": 5.0})
    result = results(setup(), TITLES, {"default": default, "tuner": runs("tuner", {"q1": 2.0, "q2": 5.0})})
    assert "only their number is:\n\n- two queries: q2\n" in results_document([replace(bench, result=result)])


def test_failures_and_other_rows_are_named() -> None:
    page = results_document([finished(*[{"q1": 2.0, "q2": 5.0}] * 5, failed=True)])
    assert ", tuner: q1\n" in page


def test_it_is_the_bench_that_was_written(tmp_path: Path) -> None:
    bench = finished(*[{"q1": 2.0, "q2": 5.0}] * 5)
    write_finished(tmp_path, bench)
    assert read_finished(tmp_path) == (bench, None)


def test_a_stream_is_told_of_beside_it(tmp_path: Path) -> None:
    bench, stream = finished(*[{"q1": 2.0, "q2": 5.0}] * 5), finished_stream(20.0)
    write_finished(tmp_path, stream)
    assert read_finished(tmp_path) == (None, stream)
    write_finished(tmp_path, bench)
    assert read_finished(tmp_path) == (bench, stream)

    page = results_document([bench], [stream], {1: "images/s.svg"})
    slower = page.index("| a workload, a stream | tuner | r01 of repeats-50 | – | – | 0.49x | surely")
    assert slower < page.index("## All of it") < page.index("spark-tuner bench --stream\n")
    assert "| a workload | 4 | tuner | 81 | 0 | 0.49x (0.49 to 0.50) | 0, 4 | 1 of 1 |" in page
    assert "| every night | 4 | 40 | 81, 0.49x (0, 4) |" in page
    assert "](images/s.svg)" in page


def test_a_stream_alone_names_what_failed_first() -> None:
    page = results_document([], [finished_stream(2.0, failed="tuner")])
    assert page.index("a workload, tuner: night 1, repeats-50, r01; night 2") < page.index("## All of it")
    assert "| workload | queries |" not in page


def test_a_bench_without_an_end_and_one_of_another_version_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(TunerError, match="no bench came to its end there; run spark-tuner bench --directory"):
        read_finished(tmp_path)
    (tmp_path / "result.json").write_text('{"result": 1}')
    with pytest.raises(TunerError, match=r"result\.json: not a result of this version"):
        read_finished(tmp_path)


def test_a_command_can_be_pasted_into_a_shell() -> None:
    options = {"--workload": "", "--scale-factor": 0.1, "--runs": 3, "--conf": ["a=b c", "d=1"], "--seed": None}
    assert command_of(options) == "spark-tuner bench --scale-factor 0.1 --runs 3 --conf 'a=b c' --conf d=1"
    assert (
        command_of({"--stream": True, "--report": False, "--search-seed": 0})
        == "spark-tuner bench --stream --search-seed 0"
    )


def test_when_it_was_measured_is_told_by_its_runs() -> None:
    first, second = runs("tuner", {"q1": 1}, {"q1": 1})
    first = replace(first, started_at="2026-01-01T10:00:00+00:00", application_seconds=60)
    second = replace(second, started_at="2026-01-01T11:00:00+00:00", application_seconds=90)
    assert when_measured(iter([second, first])) == ("2026-01-01T10:00:00+00:00", "2026-01-01T11:01:30+00:00")
    assert when_measured([]) == ("", "")


# Where no fonts are known yet, fc-list is asked for them.
@pytest.mark.processes
def test_the_picture_is_the_same_for_the_same_result(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install airflow-spark-tuner[bench]")
    bench, stream = finished(*[{"q1": 2.0, "q2": 5.0}] * 5), finished_stream(5.0)
    for name in ("a.svg", "b.svg"):
        write_speed_ups(tmp_path / "images" / name, bench.result)
        write_nights(tmp_path / "nights" / name, stream.result)
    for folder in ("images", "nights"):
        first, second = ((tmp_path / folder / name).read_bytes() for name in ("a.svg", "b.svg"))
        assert first == second
        assert b"tuner" in first
