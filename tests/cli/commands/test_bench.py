"""`spark-tuner bench` on a real Spark: every contender, small tables, and a second look at what is on record."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Result
from tuner.bench.report.finished_bench import read_finished

pytestmark = pytest.mark.processes

SQL = {
    "orders": "SELECT d.grp, max(length(d.note)) AS note FROM facts f JOIN dims d ON f.dim_id = d.id GROUP BY d.grp",
    "wrong": "SELECT no_such_column FROM facts",
    "totals": "SELECT sum(amount) AS total FROM facts",
}


def bench(*arguments: object) -> subprocess.CompletedProcess[str]:
    return _spark_tuner("bench", *arguments)


def bench_results(*arguments: object) -> subprocess.CompletedProcess[str]:
    return _spark_tuner("bench-results", *arguments)


def _spark_tuner(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tuner.cli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


@pytest.mark.nightly
@pytest.mark.spark
@pytest.mark.parametrize(
    "contenders",
    [["default", "tuner"], ["default", "tuner", "cbo", "threshold", "random", "tpe", "oracle"]],
    ids=["two", "all"],
)
def test_contenders_side_by_side(join_tables: Path, tmp_path: Path, contenders: list[str]) -> None:
    (tmp_path / "sql").mkdir()
    for name, text in SQL.items():
        (tmp_path / "sql" / f"{name}.sql").write_text(text)
    asked = (
        "--sql",
        tmp_path / "sql",
        "--tables",
        join_tables,
        "--directory",
        tmp_path / "bench",
        "--master",
        "local[2]",
    )
    asked += ("--contenders", ",".join(contenders))
    asked += ("--driver-memory", "2g", "--runs", 2, "--repeats", 0, "--report", tmp_path / "bench.html", "--json")
    done = bench(*asked)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    by_name = {contender["name"]: contender for contender in found["contenders"]}
    assert list(by_name) == contenders
    for contender in by_name.values():
        assert [run["run"] for run in contender["runs"]] == [1, 2]
        assert [run["failed"] for run in contender["runs"]] == [["wrong"], ["wrong"]]
        assert all(query["other_rows"] is False for query in contender["queries"])
    assert any("on trial" in line for line in by_name["tuner"]["runs"][1]["said"])
    assert all(by_name[name]["preparing_seconds"] > 0 for name in ("cbo", "oracle") if name in by_name)
    assert by_name["tuner"]["cumulative_seconds"] > sum(run["seconds"] for run in by_name["tuner"]["runs"])
    assert "Spark tuner: bench" in (tmp_path / "bench.html").read_text()
    started = time.monotonic()
    again = bench(*asked)
    assert json.loads(again.stdout) == found
    assert time.monotonic() - started < 30, "nothing is run again"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--contenders", "luck"), "luck; there are default, tuner"),
        (("--sql", "."), "give both, or neither"),
        (("--runs", "1"), "--runs"),
        (("--workload", "tpcx"), "tpcx; there are tpcds, tpch, ssb, tpch-skew, joins"),
        (("--seed", "3"), "TPC-DS takes none: TPC-DS's generator in duckdb makes the same data"),
        (("--workload", "tpch", "--seed", "3"), "--search-seed is that of random search and TPE"),
        (("--stream", "--workload", "tpch"), "tpch has no stream: its queries cannot be drawn anew each night"),
        (("--stream", "--sql", ".", "--tables", "."), "--stream and --sql and --tables: they do not go together"),
        (("--stream", "--report", "x.html"), "has no page"),
        (("--stream", "--executions", "50"), "not two or more whole nights of 40 executions (5 jobs of 8); give 80"),
        (("--stream", "--executions", "130"), "give 120 or 160"),
        (
            ("--stream", "--per-night", "6"),
            "6 executions a night of repeats-25, repeats-75 do not come out whole; give 8",
        ),
        (("--stream", "--shares", "0,50,200"), "give different percentages from 0 to 100"),
        (("--stream", "--contenders", "tuner,tpe"), "tpe cannot search queries that never come back"),
        (("--executions", "1000"), "only a stream has it; give --stream too"),
        (("--workload", "ssb", "--sql", ".", "--tables", "."), "queries and tables of your own have none of these"),
        (("--scale-factor", "2", "--sql", ".", "--tables", "."), "queries and tables of your own have none of these"),
    ],
)
def test_bad_usage(arguments: tuple[str, ...], told: str, spark_tuner: Callable[..., Result]) -> None:
    done = spark_tuner("bench", *arguments)
    assert done.code == 2
    assert told in " ".join(done.err.replace("│", " ").split())


def test_where_its_page_cannot_go_is_told_before_it_runs(tmp_path: Path, spark_tuner: Callable[..., Result]) -> None:
    page = tmp_path / "none" / "page.html"
    done = spark_tuner("bench", "--directory", tmp_path / "bench", "--report", page)
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert f"{page}: there is no directory {page.parent}" in done.err
    assert not (tmp_path / "bench").exists()


def test_an_unknown_query_of_a_workload_is_told_in_a_line(tmp_path: Path) -> None:
    done = bench("--workload", "joins", "--queries", "1a,1z", "--directory", tmp_path / "bench")
    assert done.returncode == 1
    assert done.stderr.strip().splitlines()[-1].startswith("spark-tuner: Many joins: no query 1z; there are q01a, q01b")
    assert not (tmp_path / "bench" / "tables").exists()


@pytest.mark.spark
@pytest.mark.nightly
@pytest.mark.parametrize(
    ("workload", "queries"),
    [("tpch", "3,12"), ("ssb", "1.1,3.2,4.1"), ("tpch-skew", "5,9"), ("joins", "6a,17b,29a")],
)
def test_each_workload_is_one_flag(tmp_path: Path, workload: str, queries: str) -> None:
    asked = ("--workload", workload, "--scale-factor", 0.01, "--queries", queries, "--contenders", "tuner")
    asked += ("--runs", 2, "--repeats", 1, "--master", "local[2]", "--driver-memory", "2g", "--json")
    done = bench(*asked, "--directory", tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [contender["name"] for contender in found["contenders"]] == ["default", "tuner"]
    for contender in found["contenders"]:
        assert [run["failed"] for run in contender["runs"]] == [[], [], []]
        assert len(contender["queries"]) == len(queries.split(","))
        assert not any(query["other_rows"] for query in contender["queries"])


@pytest.mark.spark
@pytest.mark.nightly
def test_a_stream_of_two_nights(tmp_path: Path) -> None:
    asked = ("--stream", "--scale-factor", 0.01, "--shares", "0,100", "--per-night", 2, "--executions", 8)
    asked += ("--master", "local[1]", "--driver-memory", "1g", "--directory", tmp_path, "--json")
    done = bench(*asked)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [one["name"] for one in found["contenders"]] == ["default", "tuner", "cbo"]
    assert (found["nights"], found["executions"]) == (2, 8)
    for one in found["contenders"]:
        assert not one["failed"]
        assert not one["other_rows"]
        assert one["by_night"][-1] == pytest.approx(one["total"]["seconds"])
    default, tuner, cbo = (one["tuning_seconds"] for one in found["contenders"])
    assert default == 0 < tuner
    assert cbo > 0
    every = [one for each in found["job_nights"] for one in each["executions"]]
    assert all(rows > 0 for one in every for rows in one["rows"].values())
    started = time.monotonic()
    assert json.loads(bench(*asked).stdout) == found
    assert time.monotonic() - started < 30, "nothing is run again"
    _, stream = read_finished(tmp_path)
    assert stream is not None
    assert stream.result.executions == 8
    assert " --contenders default,tuner,cbo --stream --executions 8 --shares 0,100 --per-night 2 " in stream.command
    assert bench(*shlex.split(stream.command)[2:], "--directory", tmp_path, "--json").stdout == done.stdout
    told = bench_results(tmp_path).stdout
    assert "## A stream of 8 executions: Many joins" in told
    assert stream.command in told


def test_a_directory_without_sql_is_told_in_a_line(tmp_path: Path) -> None:
    done = bench("--sql", tmp_path, "--tables", tmp_path, "--directory", tmp_path / "bench")
    assert done.returncode == 1
    assert done.stderr.strip().splitlines()[-1].startswith(f"spark-tuner: {tmp_path}: no .sql file in it")
