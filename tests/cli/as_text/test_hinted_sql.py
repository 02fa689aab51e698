"""`spark-tuner advise --sql-file`: statements with the hints in them, to be pasted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from tests.cli.conftest import Result
from tests.cli.logs import write_log
from tests.policy.histories import said
from tuner.cli.as_text.hinted_sql import HintedSql, hinted_sql
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.change import Change
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.query import Query, QueryStatus
from tuner.model.strategy import JoinType, Strategy

Call = Callable[..., Result]
STATEMENTS = ("CREATE TABLE t AS SELECT 1", "SELECT *\nFROM sales s JOIN days d ON s.day = d.id")
JOIN = JoinSite(
    signature="sig",
    occurrence=0,
    type=JoinType.INNER,
    strategy=Strategy.SORT_MERGE,
    build_side=None,
    keys=(("sales.day", "days.id"),),
    left=JoinSide(("sales",), rows=10),
    right=JoinSide(("days",), rows=1),
    output_rows=10,
    planned_strategy=None,
)
QUERY = Query(1, 1, "q1", "collect at app.py:3", 0, 1000, QueryStatus.SUCCEEDED, (JOIN,))


def change(hint: Hint) -> Change:
    action = Action(ActionKind.HINT_JOIN, "sig", hint, "q1", ("days",))
    return Change.of("test", (action,), ("q1",), said("why"), (), None)


def test_the_statement_is_shown_with_its_hint(capsys: pytest.CaptureFixture[str]) -> None:
    found = hinted_sql([change(Hint.BROADCAST)], STATEMENTS, [QUERY])
    # However narrow the terminal is, a statement is as it is to be pasted.
    found.show(Console(width=32))
    assert capsys.readouterr().out.splitlines() == [
        "  statement 2 with its hints:",
        "    SELECT /*+ BROADCAST(d) */ *",
        "    FROM sales s JOIN days d ON s.day = d.id",
    ]
    assert found.as_json("app")["statements"] == [
        {"statement": 2, "text": STATEMENTS[1].replace("SELECT", "SELECT /*+ BROADCAST(d) */")}
    ]


def test_what_finds_no_place_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    hinted_sql([change(Hint.NO_BROADCAST)], STATEMENTS, [QUERY]).show(Console(width=100))
    line = " ".join(capsys.readouterr().out.split())
    assert line.startswith("not in the text: NO_BROADCAST of days in collect at app.py:3")
    assert line.endswith("SQL has no hint that forbids a broadcast")


def test_without_a_file_there_is_nothing_to_show() -> None:
    assert hinted_sql([change(Hint.BROADCAST)], (), [QUERY]) == HintedSql()


def test_the_command_reads_the_file(spark_tuner: Call, tmp_path: Path) -> None:
    log, sql = write_log(tmp_path / "app-1"), tmp_path / "job.sql"
    sql.write_text(";".join(STATEMENTS))
    found = json.loads(spark_tuner("advise", log, "--sql-file", sql, "--json").out)
    assert found["sql"] == [{"app_id": "app-1", "statements": [], "left_out": []}]
    missing = spark_tuner("advise", log, "--sql-file", tmp_path / "none.sql")
    assert missing.code == 1 and "give a readable .sql file" in missing.err
    sql.write_bytes(b"SELECT '\xff'")
    assert spark_tuner("advise", log, "--sql-file", sql).code == 1
    sql.write_text("-- nothing yet")
    assert "no SQL statement in it" in spark_tuner("advise", log, "--sql-file", sql).err
