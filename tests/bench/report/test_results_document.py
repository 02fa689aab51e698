"""The page on what benches measured."""

from __future__ import annotations

import json
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
from tuner.bench.stream.stream_result import Death, stream_result
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


def finished_stream(seconds: float, *, failed: str = "", of: int = 4) -> FinishedStream:
    """Of so many nights, in which the tuner takes so long for one query, a little more each night; by default 10 s."""
    nights = []
    for night in range(1, of + 1):
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


def test_a_stream_of_enough_nights_has_an_interval() -> None:
    few, enough = (results_document([], [finished_stream(20.0, of=nights)], {}) for nights in (4, 5))
    assert "| 0.49x |" in few
    assert "| 0.49x (0.49 to 0.50) |" in enough


def row_of(page: str, contender: str) -> list[str]:
    """The cells of a contender's row in the table of all of it."""
    (line,) = (one for one in page.splitlines() if one.startswith(f"| two queries | 2 | {contender} |"))
    return [cell.strip() for cell in line.strip("|").split("|")][3:]


def bench_of(
    default: list[BenchRun], mine: list[BenchRun], name: str = "tuner", repeats: int = 2, left_out: str = ""
) -> FinishedBench:
    titles, took = {"default": "Spark", name: name}, {"default": default, name: mine}
    result = results(setup(repeats=repeats), titles, took, {"oracle": left_out} if left_out else None)
    return replace(finished({"q1": 2.0, "q2": 5.0}), result=result)


def test_the_worst_comes_first_then_one_table_then_the_surest_of_what_got_slower() -> None:
    bench = finished(*[{"q1": 2.0, "q2": 9.0 + n / 100} for n in range(5)])
    page = results_document([bench], (), {0: "images/p.svg"})
    first, slower = (
        page.index("1 query of tuner, at worst q2 of two queries (0.56x)."),
        page.index("## What got slower"),
    )
    assert first < page.index("## All of it") < page.index("| two queries | 2 | tuner |") < slower
    assert slower < page.index("| q2 | 5.0 | 9.0 | 0.56x | 1.01x | surely (p 0.000) |")
    assert page.index("spark-tuner bench --runs 3") < page.index("1.288x")
    assert row_of(page, "default") == ["15", "1.00x", "1.00x", "", "0", "", "1.01x"]
    assert row_of(page, "tuner") == ["11", "1.37x", "1.67x", "equal", "0", "1 of 2", "1.01x"]
    assert "5 of 10 (50.0%)" in page, "q2 was slow in each round"
    assert "0 of 10 (0.0%)" in page, "the defaults never were"
    assert "](images/p.svg)" in page


def test_nothing_slower_is_said_to_be() -> None:
    page = results_document([finished(*[{"q1": 2.0, "q2": 5.0}] * 5)])
    assert "Slower by more than noise: none." in page
    assert "no test bears out.\n\nNone." in page
    assert row_of(page, "tuner")[5] == "0 of 2", "both queries were tested, and a small slowdown would have been found"
    assert page.count("- none") == 2, "neither other rows nor failures"
    assert "can find" not in page


def test_where_nothing_was_tested_it_is_said_not_to_be() -> None:
    default = runs("default", *[{"q1": 10.0, "q2": 5.0}] * 4)
    page = results_document([bench_of(default, runs("tuner", *[{"q1": 2.0, "q2": 9.0}] * 4), repeats=1)])
    assert "| q2 | 5.0 | 9.0 | 0.56x | 1.00x | beyond noise (not tested) |" in page
    assert row_of(page, "tuner")[5] == "not tested"
    assert "- two queries, tuner: no query was tested; that takes two repeats of both" in page


def test_what_is_slower_by_less_than_the_defaults_differ_is_folded_away() -> None:
    noisy = runs("default", *[{"q1": 10.0, "q2": 5.0 + n} for n in range(4)])
    page = results_document([bench_of(noisy, runs("tuner", *[{"q1": 11.0, "q2": 9.0}] * 4), repeats=1)])
    assert "1 query of tuner, at worst q1 of two queries (0.91x)." in page
    shown, folded = page.split("<details><summary>two queries: 1 more that took over 5 % longer, which may be noise")
    assert "| q2 | 8.0 | 9.0 | 0.89x | 1.60x | within noise (not tested) |" in folded
    assert "| q2 | 8.0 |" not in shown
    assert row_of(page, "tuner")[6] == "1.20x", "15 s in round 1, 18 s in round 4"


def test_what_the_defaults_differ_is_not_known_of_one_round() -> None:
    page = results_document([bench_of(runs("default", {"q1": 10.0, "q2": 5.0}), runs("tuner", {"q1": 2.0, "q2": 9.0}))])
    assert row_of(page, "tuner")[6] == ""
    assert "| q2 | 5.0 | 9.0 | 0.56x | not known | not tested |" in page.split("which may be noise")[1]
    assert "which is what chance does" not in page
    assert "| slow |" not in page


def test_a_slow_round_between_the_first_and_the_last_is_what_the_defaults_differ_by() -> None:
    default = runs("default", *[{"q1": s, "q2": 5.0} for s in (10.0, 14.5, 10.0)])
    page = results_document([bench_of(default, runs("tuner", *[{"q1": 9.0, "q2": 5.0}] * 3))])
    assert row_of(page, "tuner")[6] == "1.30x"


def test_repeats_that_are_too_few_are_not_told_as_none_slower() -> None:
    default = runs("default", *[{"q1": 10.0 + n, "q2": 5.0 + n / 2} for n in range(5)])
    page = results_document([bench_of(default, runs("tuner", *[{"q1": 9.0 + n, "q2": 5.0 + n / 2} for n in range(5)]))])
    assert "- two queries, tuner: 2 repeats can find only slowdowns of more than about 1." in page
    assert row_of(page, "tuner")[5].startswith("none over 1.")


def test_a_contender_that_fails_everything_has_failures_and_no_ratio() -> None:
    default = [cpu(one) for one in runs("default", *[{"q1": 10.0, "q2": 5.0}] * 5)]
    mine = [cpu(run("tuner", n, {"q1": 0.2, "q2": 0.1}, failed=["q1", "q2"])) for n in range(1, 6)]
    page = results_document([bench_of(default, mine)])
    assert "Failed in the end: two queries, tuner: q1; q2." in page
    assert row_of(page, "tuner") == ["0", "–", "–", "none", "2", "not tested", "1.00x"]
    assert "| tuner | 4 |" in page and "| default | 4 (1.00x) |" in page, "what did not end used less"


def cpu(of: BenchRun) -> BenchRun:
    return replace(of, queries=tuple(replace(query, cpu_seconds=2.0) for query in of.queries))


def test_what_spark_defaults_had_set_is_told_beside_the_command() -> None:
    bench = finished({"q1": 5.0, "q2": 5.0})
    told = "Set by spark-defaults.conf, for all: `spark.executor.memory=4g, spark.my.key=?`."
    assert told in results_document([replace(bench, spark_defaults="spark.executor.memory=4g, spark.my.key=?")])
    assert "Set by spark-defaults.conf" not in results_document([bench])


def test_what_only_a_contender_finishes_is_listed_apart() -> None:
    default = [run("default", n, {"q1": 10.0, "q2": 0.1}, failed=["q2"]) for n in range(1, 6)]
    page = results_document([bench_of(default, runs("tuner", *[{"q1": 5.0, "q2": 60.0}] * 5))])
    assert "Finished, where the defaults failed; not in any ratio:\n\n- two queries, tuner: q2\n" in page
    assert row_of(page, "tuner")[1:3] == ["2.00x", "2.00x"]
    assert "| q2 | failed | 60.0 |" in page


def test_runs_of_a_round_that_lie_apart_what_died_and_who_was_left_out_are_told() -> None:
    def at(of: BenchRun, hour: int, code: int = 0) -> BenchRun:
        return replace(of, started_at=f"2026-01-0{of.number}T{hour:02d}:00:00+00:00", exit_code=code)

    default = [at(one, 1) for one in runs("default", *[{"q1": 10.0, "q2": 5.0}] * 2)]
    first, second = runs("tuner", *[{"q1": 5.0, "q2": 5.0}] * 2)
    page = results_document([bench_of(default, [at(first, 2), at(second, 9, 137)], left_out="no statistics")])
    assert "- runs of round 2 began 8.0 h apart: compare them with care" in page
    assert "round 1 began" not in page
    assert "- tuner, run 2: its application ended with code 137" in page
    assert "- oracle was left out, for it could not prepare: no statistics" in page


def test_what_follows_from_seconds_is_told_as_this_version_tells_it(tmp_path: Path) -> None:
    bench = finished(*[{"q1": 2.0, "q2": 5.0}] * 5)
    default, tuner = bench.result.contenders
    old = replace(bench.result, contenders=(default, replace(tuner, runs_to_most=1, total_speed_up=9.0)))
    write_finished(tmp_path, replace(bench, result=old))
    assert read_finished(tmp_path) == (bench, None)
    assert "| run 2 |" in results_document([bench]).split("| 90 % of the gain |")[1]


def test_results_of_earlier_versions_are_read(tmp_path: Path) -> None:
    write_finished(tmp_path, finished(*[{"q1": 2.0, "q2": 9.0}] * 5))
    file = tmp_path / "result.json"
    stored = json.loads(file.read_bytes())
    del stored["result"]["left_out"]
    for contender in stored["result"]["contenders"]:
        for query in contender["queries"]:
            for new in ("finished", "default_finished", "numbers_vary", "speed_up"):
                del query[new]
        for each in contender["runs"]:
            del each["started_at"], each["exit_code"]
    # It counted what failed: not as slower now.
    stored["result"]["contenders"][1]["runs"][4]["failed"] = ["q2"]
    file.write_text(json.dumps(stored))
    bench, _ = read_finished(tmp_path)
    assert bench is not None
    page = results_document([bench])
    assert row_of(page, "tuner")[4] == "1"
    assert "Slower by more than noise: none." in page


def test_where_not_even_the_number_of_rows_can_be_compared_it_is_said() -> None:
    default = [run("default", n, {"q1": 10, "q2": 5}, digests={"q2": f"tie {n}"}) for n in (1, 2)]
    first, second = default[1].queries
    default[1] = replace(default[1], queries=(first, replace(second, rows=9)))
    page = results_document([bench_of(default, runs("tuner", {"q1": 2.0, "q2": 5.0}))])
    assert "Not compared at all, for by default even the number of their rows differs" in page
    assert "only their number is:" not in page
    assert row_of(page, "tuner")[3] == "equal, 1 not comparable"


def test_queries_whose_rows_vary_by_default_are_named() -> None:
    default = [run("default", n, {"q1": 10, "q2": 5}, digests={"q2": f"tie {n}"}) for n in (1, 2)]
    bench = finished({"q1": 2.0, "q2": 5.0})
    result = results(setup(), TITLES, {"default": default, "tuner": runs("tuner", {"q1": 2.0, "q2": 5.0})})
    assert "only their number is:\n\n- two queries: q2\n" in results_document([replace(bench, result=result)])


def test_seconds_of_what_gave_other_rows_are_in_no_sum() -> None:
    mine = [run("cbo", n, {"q1": 0.1, "q2": 5.0}, digests={"q1": "none"}) for n in range(1, 6)]
    page = results_document([bench_of(runs("default", *[{"q1": 10.0, "q2": 5.0}] * 5), mine, "cbo")])
    assert row_of(page, "cbo")[:4] == ["5", "1.00x", "1.00x", "1 differ"]
    assert "| q1 | 10.0 | 0.1 **other rows** |" in page


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
    assert "at worst r01 of repeats-50, a stream of a workload (0.49x)" in page[: page.index("## All of it")]
    slower = page.index("| a workload, a stream | tuner | r01 of repeats-50 | – | – | 0.49x | – | surely")
    assert page.index("## All of it") < slower < page.index("spark-tuner bench --stream\n")
    assert "| a workload | 4 | tuner | 81 | 0 | 0.49x | 0, 4 | 1 of 1 |" in page
    assert "| every night | 4 | 40 | 81, 0.49x (0, 4) |" in page
    assert "](images/s.svg)" in page


def test_runs_of_a_stream_that_lie_apart_and_what_died_are_told() -> None:
    stream = finished_stream(2.0)
    default, tuner = stream.result.contenders
    tuner = replace(tuner, died=(Death("repeats-50", 3, 137),))
    result = replace(stream.result, contenders=(default, tuner), apart=(2.5, 30.0), left_out={"cbo": "no rows"})
    page = results_document([], [replace(stream, result=result)])
    assert "- runs of 2 nights of jobs began up to 30.0 h apart: compare them with care" in page
    assert "- tuner, repeats-50, night 3: its application ended with code 137" in page
    assert "- cbo was left out, for it could not prepare: no rows" in page
    assert not [told for told in ("its application", "h apart") if told in results_document([], [stream])]


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


def test_benches_that_measured_the_same_are_told_apart_by_their_days() -> None:
    one = finished({"q1": 10.0, "q2": 5.0})
    headings = results_document([one, replace(one, started_at="2026-02-03T04:05:06+00:00")]).splitlines()
    assert {f"## {one.result.title}, 2026-01-01", f"## {one.result.title}, 2026-02-03"} < set(headings)
    assert f"## {one.result.title}" in results_document([one]).splitlines()
