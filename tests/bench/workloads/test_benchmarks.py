"""What `--workload` offers: how each is named, where its tables go, what a seed changes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.workloads.made import SCALE_FACTOR, made
from tuner.bench.workloads.benchmark import Seeded
from tuner.bench.workloads.benchmarks import BENCHMARKS, USUAL, benchmark_workload
from tuner.demo import tables
from tuner.errors import RequirementError, TunerError

QUERIES = {"tpcds": 99, "tpch": 22, "ssb": 13, "tpch-skew": 22, "joins": 113}


def test_each_benchmark_has_its_queries() -> None:
    assert {name: len(set(benchmark.names())) for name, benchmark in BENCHMARKS.items()} == QUERIES


def test_generators_without_a_seed_say_so() -> None:
    without = {name for name, benchmark in BENCHMARKS.items() if benchmark.seeded is Seeded.NOTHING}
    assert without == {"tpcds", "tpch"}
    assert all("same data" in BENCHMARKS[name].why_no_seed for name in without)


@pytest.mark.parametrize(
    ("name", "query", "folder", "title"),
    [
        ("tpch", "6", "tpch-sf0.01", "TPC-H at scale factor 0.01"),
        ("ssb", "1.1", "ssb-sf0.01", "Star Schema Benchmark at scale factor 0.01, seed 7"),
        ("tpch-skew", "6", "tpch-skew-sf0.01-seed7", "TPC-H with skew at scale factor 0.01, seed 7"),
        ("joins", "2a", "joins-sf0.01-seed7", "Many joins at scale factor 0.01, seed 7"),
    ],
)
def test_tables_are_made_once_in_a_folder_of_their_own(
    tmp_path: Path, name: str, query: str, folder: str, title: str
) -> None:
    found = benchmark_workload(name, SCALE_FACTOR, 7, [query], tmp_path)
    assert (found.tables, found.title, len(found.queries)) == (tmp_path / folder, title, 1)
    before = {file: file.stat().st_mtime_ns for file in found.tables.rglob("*.parquet")}
    assert benchmark_workload(name, SCALE_FACTOR, 7, [query], tmp_path) == found
    assert {file: file.stat().st_mtime_ns for file in found.tables.rglob("*.parquet")} == before != {}


def test_the_usual_one_keeps_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tuner.bench.workloads.tpc.make_tables", lambda directory, scale_factor, suite: None)
    assert benchmark_workload(USUAL, 1.0, 1, ["q72"], tmp_path).tables == tmp_path / "sf1"


def test_names_in_double_quotes_are_those_of_tpc_ds_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tuner.bench.workloads.tpc.make_tables", lambda directory, scale_factor, suite: None)
    quoting = {name for name in ("tpcds", "tpch") if benchmark_workload(name, 1.0, 1, [], tmp_path).conf}
    assert quoting == {"tpcds"} == {name for name, benchmark in BENCHMARKS.items() if benchmark.conf}


@pytest.mark.parametrize("name", BENCHMARKS)
def test_an_unknown_query_is_told_before_tables_are_made(tmp_path: Path, name: str) -> None:
    with pytest.raises(TunerError, match=r"no query q999; there are q"):
        made(name, tmp_path, ["q999"])
    assert not list(tmp_path.iterdir())


def test_a_package_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "find_spec", lambda name: None)
    with pytest.raises(RequirementError, match=r"duckdb-extension-tpch is not installed; pip install '.*\[bench\]'"):
        made("ssb", tmp_path, ["q1.1"])


@pytest.mark.processes
def test_what_there_is_to_run_is_known_without_duckdb() -> None:
    program = "import sys; import tuner.bench.workloads.benchmarks; print('duckdb' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
