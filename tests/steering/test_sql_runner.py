"""The application that runs SQL statements, by spark-submit as the operator does it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("pyspark")

from tuner.model.action import Hint
from tuner.steering import sql_runner
from tuner.steering.sql_hints import JoinHintRequest, add_join_hints

FACTS = "CREATE TABLE facts USING parquet AS SELECT id, id % 10 AS day_id FROM range(1000)"
DAYS = "CREATE TABLE days USING parquet AS SELECT id, concat('day ', id) AS name FROM range(7)"
JOIN = "SELECT d.name, count(*) AS sold FROM facts f JOIN days d ON f.day_id = d.id GROUP BY d.name ORDER BY d.name"
REQUEST = JoinHintRequest(Hint.BROADCAST, "spark_catalog.default.days", (("days.id", "facts.day_id"),))


@dataclass(frozen=True, slots=True)
class Submitted:
    returncode: int
    stdout: str
    stderr: str
    events: tuple[dict[str, object], ...]

    def output_of(self, number: int) -> str:
        """What was printed for one statement, after its heading."""
        return self.stdout.split(f"-- statement {number} of ", 1)[1].split("\n", 1)[1].split("-- statement ")[0]


def submit(directory: Path, statements: list[str], *arguments: str) -> Submitted:
    file = directory / "statements.json"
    file.write_text(json.dumps({"statements": statements}), encoding="utf-8")
    logs = directory / "events"
    logs.mkdir()
    conf = {
        "spark.master": "local[1]",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.warehouse.dir": str(directory / "warehouse"),
        "spark.sql.autoBroadcastJoinThreshold": "-1",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": logs.as_uri(),
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
    }
    command = [str(Path(sys.executable).with_name("spark-submit"))]
    command += [part for key, value in conf.items() for part in ("--conf", f"{key}={value}")]
    done = subprocess.run(
        [*command, sql_runner.__file__, str(file), *arguments],
        capture_output=True,
        text=True,
        cwd=directory,
        env={**os.environ, "PYSPARK_PYTHON": sys.executable},
        timeout=240,
        check=False,
    )
    lines = [line for log in logs.iterdir() for line in log.read_text(encoding="utf-8").splitlines()]
    return Submitted(done.returncode, done.stdout, done.stderr, tuple(json.loads(line) for line in lines))


@pytest.fixture(scope="module")
def submitted(tmp_path_factory: pytest.TempPathFactory) -> Submitted:
    hinted = add_join_hints(JOIN, [REQUEST])
    assert hinted.applied == (REQUEST,)
    statements = [FACTS, DAYS, JOIN, hinted.text, f"EXPLAIN {JOIN}", f"EXPLAIN {hinted.text}", "SELECT id FROM facts"]
    return submit(tmp_path_factory.mktemp("runner"), statements)


@pytest.mark.spark
def test_hint_in_the_text_decides_the_join(submitted: Submitted) -> None:
    assert submitted.returncode == 0, submitted.stderr
    assert "SortMergeJoin" in submitted.output_of(5)
    assert "BroadcastHashJoin" in submitted.output_of(6)
    assert "HintErrorLogger" not in submitted.stderr


@pytest.mark.spark
def test_results_are_the_same_with_and_without_the_hint(submitted: Submitted) -> None:
    plain = submitted.output_of(3)
    assert plain.splitlines() == ["name\tsold", *(f"day {day}\t100" for day in range(7)), "-- 7 rows"]
    assert submitted.output_of(4) == plain


@pytest.mark.spark
def test_a_long_result_is_cut_and_counted(submitted: Submitted) -> None:
    lines = submitted.output_of(7).splitlines()
    assert len(lines) == 22
    assert lines[-1] == "-- 1000 rows, the first 20 shown"


@pytest.mark.spark
def test_event_log_names_statements_and_holds_each_query_once_unlimited(submitted: Submitted) -> None:
    starts = [event for event in submitted.events if str(event["Event"]).endswith("SparkListenerSQLExecutionStart")]
    descriptions = [event["description"] for event in starts]
    assert set(descriptions) == {f"statement {number} of 7" for number in range(1, 8)}
    assert descriptions.count("statement 3 of 7") == 1
    last = [str(event["physicalPlanDescription"]) for event in starts if event["description"] == "statement 7 of 7"]
    assert len(last) == 1
    assert "Limit" not in last[0]


@pytest.mark.spark
@pytest.mark.nightly
def test_a_failing_statement_is_named_on_one_line(tmp_path: Path) -> None:
    statement = "SELECT *\nFROM nowhere WHERE password = 'hunter2'"
    failed = submit(tmp_path, ["SELECT 1 AS one", statement, "SELECT 3"], "--output", str(tmp_path / "results"))
    # spark-submit passes on what a Python driver writes to stderr as its own stdout (PythonRunner).
    told = [line for line in failed.stdout.splitlines() if line.startswith("sql_runner: ")]
    assert failed.returncode == 1
    assert len(told) == 1
    assert told[0].startswith('sql_runner: statement 2 of 3 failed, "SELECT *": [TABLE_OR_VIEW_NOT_FOUND]')
    assert "statement 3 of 3" not in failed.stdout
    assert "Traceback" not in failed.stdout
    assert "hunter2" not in failed.stdout
    assert list((tmp_path / "results" / "statement-1").glob("*.parquet"))


def test_literals_of_a_failing_statement_are_masked() -> None:
    assert sql_runner.opening(r"SELECT 'a\'b', " + '"c"\nFROM t') == "\"SELECT '…', '…'\""


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"statements": "SELECT 1"}', '{"statements": [1]}'])
def test_a_file_that_is_not_of_statements_is_named(tmp_path: Path, content: str) -> None:
    file = tmp_path / "statements.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(sql_runner.StatementsFileError, match=r"statements\.json"):
        sql_runner.read_statements(str(file))


def test_a_shipped_file_is_found_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "statements.json").write_text('{"statements": ["SELECT 1"]}', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert sql_runner.read_statements("/only/on/the/client/statements.json") == ["SELECT 1"]


def test_keeps_to_what_an_old_driver_has() -> None:
    import ast

    tree = ast.parse(Path(sql_runner.__file__).read_text(encoding="utf-8"), feature_version=(3, 8))
    modules = {
        alias.name.partition(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
    }
    modules |= {str(node.module).partition(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert modules <= {"__future__", "argparse", "json", "os", "pathlib", "re", "sys", "typing", "pyspark"}
