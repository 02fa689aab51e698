"""BashOperator with a real Spark: the agent gets to it by the command's environment, and is followed."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from airflow.providers.standard.operators.bash import BashOperator

from airflow_plugin.tuned import tuned
from tests.airflow_plugin.conftest import TaskInstance
from tuner.model.decision import Standing
from tuner.model.run import Run, RunState
from tuner.model.strategy import Strategy
from tuner.policy.changes_in_effect import changes_in_effect
from tuner.spark.spark_submit import find_spark_submit
from tuner.steering.agent.jar import agent_jar
from tuner.steering.agent.spark_home import spark_at_hand

pytestmark = [pytest.mark.spark, pytest.mark.airflow, pytest.mark.nightly]

JOB = Path(__file__).parents[2] / "join_job.py"
EXTENSIONS = "spark.sql.extensions"
LOCAL = "spark.master local[2]\nspark.driver.memory 3g\nspark.ui.enabled false\n"


@pytest.fixture(autouse=True)
def agent_is_built() -> None:
    spark = spark_at_hand(find_spark_submit())
    assert spark is not None
    agent_jar(spark)


def run(command: str, run_id: str, conf: Path) -> None:
    path = f"{Path(find_spark_submit()).parent}{os.pathsep}{os.environ['PATH']}"
    op = BashOperator(
        task_id="nightly", bash_command=command, env={"PATH": path, "SPARK_CONF_DIR": str(conf)}, append_env=True
    )
    ti: Any = TaskInstance(run_id=run_id)
    tuned(op).execute({"ti": ti, "task_instance": ti})


@pytest.mark.parametrize("program", ["spark-submit", "python", "spark-sql"])
def test_the_second_run_has_its_join_broadcast_by_the_agent(
    program: str, join_tables: Path, tmp_path: Path, stored: Callable[[], list[Run]]
) -> None:
    (tmp_path / "spark-defaults.conf").write_text(LOCAL)
    job = shlex.join([str(JOB), str(join_tables), str(tmp_path / "rows.json")])
    sql = (
        "SELECT d.grp, count(*), sum(f.amount) FROM parquet.`T/facts` f JOIN parquet.`T/dims` d "
        "ON f.dim_id = d.id GROUP BY d.grp ORDER BY d.grp, max(length(d.note))"
    )
    command = {
        "spark-submit": f"set -e; spark-submit \\\n  --name 'It is \"nightly\"' {job} | cat",
        "python": f"python {job}",
        "spark-sql": f"spark-sql -e {shlex.quote(sql.replace('T/', f'{join_tables}/'))}",
    }[program]
    for run_id in ("r1", "r2"):
        run(command, run_id, tmp_path)
    first, second = stored()
    assert {first.state, second.state} == {RunState.SUCCEEDED}
    assert first.outcome and second.outcome
    assert [j.strategy for q in first.outcome.queries for j in q.joins] == [Strategy.SORT_MERGE]
    assert [j.strategy for q in second.outcome.queries for j in q.joins] == [Strategy.BROADCAST_HASH]
    assert {d.standing for d in changes_in_effect(second)} == {Standing.TRIAL}


@pytest.mark.parametrize("where", ["in the program", "in the command"])
def test_extensions_of_the_jobs_own_stay_and_the_agent_gets_there_too(
    where: str, join_tables: Path, tmp_path: Path, stored: Callable[[], list[Run]]
) -> None:
    """By its environment nothing takes the place of theirs: Spark finds the agent on its class path."""
    (tmp_path / "spark-defaults.conf").write_text(LOCAL)
    job, option = tmp_path / "job.py", ""
    text = JOB.read_text()
    if where == "in the program":
        text = text.replace(".getOrCreate()", f'.config("{EXTENSIONS}", "org.example.Own").getOrCreate()')
    else:
        option = f"--conf {EXTENSIONS}=org.example.Own"
    job.write_text(text.replace("spark.stop()", f'assert spark.conf.get("{EXTENSIONS}") == "org.example.Own"'))
    command = f"spark-submit {option} {shlex.join([str(job), str(join_tables), str(tmp_path / 'rows.json')])}"
    for run_id in ("r1", "r2"):
        run(command, run_id, tmp_path)
    _, second = stored()
    assert second.outcome and not second.outcome.agent_missing
    assert [j.strategy for q in second.outcome.queries for j in q.joins] == [Strategy.BROADCAST_HASH]
    assert {d.standing for d in changes_in_effect(second)} == {Standing.TRIAL}


def test_a_class_path_that_the_command_sets_itself_keeps_the_agent_out_and_its_log_tells(
    join_tables: Path, tmp_path: Path, stored: Callable[[], list[Run]]
) -> None:
    (tmp_path / "spark-defaults.conf").write_text(LOCAL)
    job = shlex.join([str(JOB), str(join_tables), str(tmp_path / "rows.json")])
    for run_id in ("r1", "r2"):
        run(f"export SPARK_DIST_CLASSPATH=/own.jar; spark-submit {job}", run_id, tmp_path)
    _, second = stored()
    assert second.state is RunState.SUCCEEDED and second.outcome and second.outcome.agent_missing
    assert second.decision.in_force and not changes_in_effect(second)
