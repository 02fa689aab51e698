"""`spark-tuner harvest`: the contract of its JSON, and what it says of bad input."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from tests.cli.conftest import Result
from tests.cli.logs import write_log

Call = Callable[..., Result]
SHARED = Path(__file__).parents[4] / "shared" / "eventlogs"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason=f"{SHARED} is not there")


def test_json_holds_the_contract(spark_tuner: Call, tmp_path: Path) -> None:
    result = spark_tuner("harvest", write_log(tmp_path / "app-1"), "--json")
    (application,) = [json.loads(line) for line in result.out.splitlines()]
    assert result.code == 0
    assert application["status"] == "complete"
    assert (application["app_id"], application["app_name"], application["spark_version"]) == (
        "app-1",
        "nightly",
        "3.5.1",
    )
    assert (application["start_ms"], application["end_ms"]) == (1000, 9000)
    assert application["executors"].keys() == {"cores", "memory_bytes", "count"}
    (stage,) = application["stages"]
    assert (stage["stage_id"], stage["tasks"], stage["executor_run_time_ms"], stage["shuffle_write_bytes"]) == (
        0,
        1,
        70,
        4096,
    )
    (job,) = application["jobs"]
    assert job == {
        "job_id": 0, "execution_id": 0, "stage_ids": [0],
        "tasks": 1, "completed_tasks": 1, "failed_tasks": 0, "killed_tasks": 0, "skipped_tasks": 0,
        "submitted_ms": 2500, "completed_ms": 7500, "status": "succeeded", "failure": None,
    }  # fmt: skip
    assert application["problems"] == []


def test_an_application_that_ends_before_it_starts_has_no_duration(spark_tuner: Call, tmp_path: Path) -> None:
    end = json.dumps({"Event": "SparkListenerApplicationEnd", "Timestamp": 10})
    log = write_log(tmp_path / "app-1", ended=False, lines=(end,))
    assert spark_tuner("harvest", log).said.startswith("nightly (app-1), Spark 3.5.1, complete: 0 queries")


@needs_shared
def test_a_real_log_with_joins(spark_tuner: Call) -> None:
    result = spark_tuner("harvest", SHARED / "nds_q72_dataproc_2_2.zstd", "--json")
    (application,) = [json.loads(line) for line in result.out.splitlines()]
    (query,) = application["queries"]
    assert (application["status"], len(application["stages"]), len(query["joins"])) == ("complete", 49, 10)
    inner = query["joins"][-1]
    assert inner.keys() == {
        "signature", "type", "strategy", "build_side", "keys", "left", "right", "output_rows", "planned_strategy",
    }  # fmt: skip
    assert (inner["strategy"], inner["left"]["rows"], inner["right"]["rows"]) == ("SortMergeJoin", 28564493, 981879524)
    assert inner["output_rows"] == 5241443564


@needs_shared
def test_a_directory_of_real_logs(spark_tuner: Call) -> None:
    result = spark_tuner("harvest", SHARED, "--json")
    found = [json.loads(line) for line in result.out.splitlines()]
    assert result.code == 0
    assert len(found) == 11
    assert {a["app_id"] for a in found if a["status"] == "partial"} == {
        "app-20240213185822-0000",  # Databricks: no end in its log
        "local-1622043423018",  # no application end, and its twin that is cut
    }
    assert "passed over, not event logs: SOURCES.md" in result.err


def test_a_missing_path_does_not_stop_the_others(spark_tuner: Call, tmp_path: Path) -> None:
    result = spark_tuner("harvest", tmp_path / "nowhere", write_log(tmp_path / "app-1"), "--json")
    assert result.code == 1
    assert json.loads(result.out)["app_id"] == "app-1"
    assert result.err == f"spark-tuner: {tmp_path}/nowhere: no such file or directory\n"


def test_an_empty_directory(spark_tuner: Call, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    result = spark_tuner("harvest", tmp_path / "logs")
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith(f"spark-tuner: {tmp_path}/logs: no event log in this directory")
    assert result.err.count("\n") == 1


@pytest.mark.parametrize("content", [b"# Notes\n\nnot a log\n", b"\x00\x01\x02" * 1000, b'{"a": 1}\n' * 50])
def test_a_file_that_is_no_event_log(spark_tuner: Call, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "notes").write_bytes(content)
    result = spark_tuner("harvest", tmp_path / "notes", "--json")
    assert result.code == 1
    assert json.loads(result.out)["status"] == "failed"
    assert result.err.startswith(f"spark-tuner: {tmp_path}/notes: ")
    assert result.err.count("\n") == 1


def test_a_log_cut_in_the_middle_is_partial_and_kept(spark_tuner: Call, tmp_path: Path) -> None:
    file = write_log(tmp_path / "app-1")
    file.write_bytes(file.read_bytes()[:-30])
    result = spark_tuner("harvest", file, "--json")
    application = json.loads(result.out)
    assert result.code == 0
    assert (application["status"], len(application["stages"])) == ("partial", 1)
    (problem,) = application["problems"]
    assert (problem["code"], problem["line"], problem["file"]) == ("truncated", 8, str(file))


def test_the_table_is_for_people(spark_tuner: Call, tmp_path: Path) -> None:
    result = spark_tuner("harvest", write_log(tmp_path / "app-1"))
    assert result.out.startswith("nightly (app-1), Spark 3.5.1, complete, 8.0 s: 0 queries, 1 stage, 0 executors")


def test_the_table_tells_which_queries_failed(spark_tuner: Call) -> None:
    log = Path(__file__).parents[2] / "golden" / "logs" / "3.3.4" / "failures"
    lines = [line.split() for line in spark_tuner("harvest", log).out.splitlines()]
    rows = [words for words in lines if words and words[0].isdigit()][:3]
    assert [words[0] for words in rows] == ["55", "56", "57"]
    assert ["failed:" in words for words in rows] == [False, True, True]


def test_no_path_is_bad_usage(spark_tuner: Call) -> None:
    assert spark_tuner("harvest").code == 2


def test_a_log_cut_before_its_first_event_is_named(spark_tuner: Call, tmp_path: Path) -> None:
    """It was recognised as one that Spark writes, whatever else lies beside it."""
    whole = write_log(tmp_path / "logs" / "app-1").read_bytes()
    (tmp_path / "logs" / "app-2.zstd").write_bytes(zstandard.compress(whole)[:40])
    (tmp_path / "logs" / "app-3").write_bytes(whole[:30])
    (tmp_path / "logs" / "notes.txt").write_bytes(b"a line without an end")
    (tmp_path / "logs" / "table.csv.gz").write_bytes(gzip.compress(b"a;b\n" * 100_000 + os.urandom(1000))[:-50])
    result = spark_tuner("harvest", tmp_path / "logs")
    assert result.code == 1
    cut, plain, others = (line.partition(": ")[2] for line in result.err.splitlines())
    assert others == f"{tmp_path}/logs: passed over, not event logs: notes.txt, table.csv.gz"
    assert cut.startswith(f"{tmp_path}/logs/app-2.zstd: ")
    assert plain.startswith(f"{tmp_path}/logs/app-3: the last line is cut off: ")
