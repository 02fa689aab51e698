"""The agent and the tuner call relations, joins and blocks by the same names, over a corpus of plans of real Spark.

`SPARK_TUNER_RECORD=names` writes what the agent says anew: `names/` then shows in git what has changed. A new case is a file
with its statement alone.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tuner.plan.literals import query_values

from . import plan_names
from .agent_log import steered_executions
from .checks import failures
from .conftest import pip_spark
from .names_of_tuner import blocks, blocks_told, relations_and_columns, signatures
from .submits import compile_application

_APP = Path(__file__).with_name("names_app.py")
_CATALOG = Path(__file__).with_name("java") / "RowsCatalog.java"
_CONF = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.ui.explainMode": "cost",
    "spark.eventLog.compress": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.tuner.agent.trace": "true",
    "spark.sql.catalog.rows": "tests.steering.RowsCatalog",
}
_RECORDS = os.environ.get("SPARK_TUNER_RECORD") == "names"
every_statement = pytest.mark.parametrize("name", plan_names.statements())


@every_statement
def test_relations_and_their_columns_have_the_agents_names(name: str) -> None:
    found = plan_names.recorded(name)
    relations, columns = relations_and_columns(found.execution)
    assert relations == found.agent["relations"]
    assert columns == found.agent["columns"] or found.agent["columns"] == ""


@every_statement
def test_joins_have_the_agents_names(name: str) -> None:
    found = plan_names.recorded(name)
    assert signatures(found.execution) == sorted(join["signature"] for join in found.agent["joins"])


@every_statement
def test_blocks_have_the_agents_names(name: str) -> None:
    found = plan_names.recorded(name)
    assert blocks(found.execution) == blocks_told(found.agent["blocks"])


def test_the_corpus_has_what_can_be_named() -> None:
    found = [plan_names.recorded(name).agent for name in plan_names.statements()]
    types = {join["type"] for agent in found for join in agent["joins"]}
    assert types == {"Inner", "LeftOuter", "FullOuter", "LeftSemi", "LeftAnti", "ExistenceJoin", "LeftSingle"}
    assert sum(len(agent["blocks"]) for agent in found) > 20
    assert any(relation.startswith("file:") for agent in found for relation in agent["relations"])


@pytest.mark.spark
def test_the_agent_still_computes_the_recorded_names(
    agent_conf: dict[str, str], spark_submit: Callable[..., Path], tmp_path: Path
) -> None:
    statements, tables = plan_names.statements(), tmp_path / "tables"
    (tmp_path / "statements.json").write_text(json.dumps(statements), encoding="utf-8")
    catalog = compile_application(pip_spark(), tmp_path, _CATALOG)
    conf = {**_CONF, "spark.jars": f"{agent_conf['spark.jars']},{catalog}"}
    logs = spark_submit(_APP, tmp_path / "statements.json", tables, log_dir=tmp_path / "logs", conf=conf)
    ran = plan_names.ran(logs, tables)
    assert ran.keys() == statements.keys()
    if _RECORDS:
        for name, statement in statements.items():
            plan_names.write(name, statement, ran[name])
    assert {name: found.agent for name, found in ran.items()} == {
        name: plan_names.recorded(name).agent for name in statements
    }
    assert {failure.partition(": ")[2] for failure in failures(logs)} == {
        "the agent failed: IllegalStateException: no name"
    }
    found = {one.label: one for one in steered_executions(logs)}
    words = found["columns_of_several_words"]
    assert words.execution.values.conditions == query_values(words.plan, words.execution.logical_plan).conditions
    # Which of two columns a condition is on that the text of a plan calls the same, nothing tells.
    told = found["columns_that_share_a_last_word"].execution.values.conditions
    assert told is not None and sorted(condition.columns for condition in told) == ["", "", "default.dated.qty"]
