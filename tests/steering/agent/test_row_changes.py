"""MERGE, UPDATE and DELETE of a table that Spark changes row by row: what is joined to it is steered, and it is left alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import AT_LENGTH

from .conftest import pip_spark
from .submits import compile_application

pytestmark = [pytest.mark.spark, pytest.mark.nightly]
_APP = Path(__file__).with_name("row_changes_app.py")
_CATALOG = Path(__file__).with_name("java") / "RowsCatalog.java"
_LEFT = "joins with the table whose rows are changed are left as they are"
_SEEDS = 12 if AT_LENGTH else 1


def test_the_table_has_the_same_rows_whatever_is_directed(
    agent_conf: dict[str, str], spark_submit: Callable[..., Path], tmp_path: Path
) -> None:
    catalog = compile_application(pip_spark(), tmp_path, _CATALOG)
    conf = {
        "spark.jars": f"{agent_conf['spark.jars']},{catalog}",
        "spark.sql.catalog.rows": "tests.steering.RowsCatalog",
        "spark.sql.ansi.enabled": "false",
        "spark.sql.shuffle.partitions": "3",
        "spark.eventLog.compress": "false",
        "spark.sql.codegen.wholeStage": "false",
    }
    report = tmp_path / "report.json"
    spark_submit(_APP, tmp_path / "tables", _SEEDS, report, log_dir=tmp_path / "logs", conf=conf)
    told = json.loads(report.read_text(encoding="utf-8"))
    failed = {name for name, rows in told["plain"].items() if isinstance(rows, str)}
    assert failed == {"merge twice"} and told["plain"]["merge twice"] == "MERGE_CARDINALITY_VIOLATION"
    assert [run for run in told["runs"] if not run["same"]] == []
    statuses = {(what, status) for what, status, _ in told["outcomes"]}
    assert {("order_joins", "applied"), ("hint_join", "applied")} <= statuses
    # Of what is directed at joins with the changed table nothing is done.
    assert ["hint_join", "impossible", _LEFT] in told["outcomes"]
    assert not [o for o in told["outcomes"] if o[0] == "order_joins" and o[1] == "impossible"]
