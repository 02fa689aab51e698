"""What numbers rows as they lie, or reads them from a cache or a checkpoint, has the same rows with directives for the joins that
make them."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.conftest import ON_CLUSTER

from .agent_log import steered_executions
from .conftest import pip_spark
from .submits import compile_application

pytestmark = [
    pytest.mark.spark,
    pytest.mark.nightly,
    # Not imported here: each worker would, by day, too.
    pytest.mark.skipif(not find_spec("pandas"), reason="no pandas: pip install airflow-spark-tuner[learn]"),
]
_APP = Path(__file__).with_name("rows_as_they_lie_app.py")
_SOURCES = [Path(__file__).with_name("java") / f"{name}.java" for name in ("RowsCatalog", "Sessions")]
_SESSIONS = ("sessions by pandas", "sessions by arrow", "sessions of a dataset", "sessions above the same key")
_APART = "sessions above another key"
# Of Spark's second API: files, and a catalog of which each scan tells how many tasks read it.
_SECOND = ("the second API", "tables that tell their tasks")


def _conf(agent_conf: dict[str, str], directory: Path) -> dict[str, str]:
    return {
        "spark.jars": f"{agent_conf['spark.jars']},{compile_application(pip_spark(), directory, *_SOURCES)}",
        "spark.sql.catalog.rows": "tests.steering.RowsCatalog",
        "spark.eventLog.compress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": (directory / "warehouse").as_uri(),
        "spark.sql.sources.fileCompressionFactor": "10000",
        "spark.sql.adaptive.autoBroadcastJoinThreshold": "-1",
    }


def _statuses(logs: Path) -> dict[str, set[str]]:
    """What became of the directives of each program, and of its statement."""
    found = {one.label.removeprefix("hinted: "): set(one.outcomes.values()) for one in steered_executions(logs)}
    return {name: {status for status, _ in outcomes} for name, outcomes in found.items() if outcomes}


def test_rows_stay_as_they_lie(agent_conf: dict[str, str], spark_submit: Callable[..., Path], tmp_path: Path) -> None:
    conf = _conf(agent_conf, tmp_path)
    logs = spark_submit(_APP, tmp_path / "report.json", log_dir=tmp_path / "logs", conf=conf)
    same = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert [name for name, is_same in same.items() if not is_same] == []
    statuses = _statuses(logs)
    lists = {
        "a sum of one partition",
        "a list of a window's rows",
        "a list by a column that is renamed",
        "a list of the first rows",
    }
    # On one machine a shuffle brings rows in one order.
    lists |= {"a list by other columns", "a list of shuffled groups"}
    of = ("", " of single files", " of single files beside others", " of a day")
    of += tuple(f"{single} of {what}" for single in ("", " of single files") for what in _SECOND)
    lists |= {f"a list of shuffled rows{what}" for what in of}
    numbering = ("pandas", "a process", "a function", "a function of pandas")
    numbered = {*_SESSIONS, _APART, *(f"numbered by {what}" for what in numbering)}
    told = {f"told by {what}{suffix}" for what in ("a function", "arrow") for suffix in ("", ", statement")}
    assert {name for name, found in statuses.items() if found == {"impossible"}} == {
        name + suffix for name in lists for suffix in ("", ", statement")
    } | numbered
    assert {name for name, found in statuses.items() if found == {"applied"}} == {
        f"{name}, statement" for name in {*numbered, "of a cache", "of a checkpoint"}
    } | {"a sum into one file", "a sum into one file, statement"} | told


def test_on_a_cluster_a_shuffle_brings_the_rows_of_one_task_alone_in_one_order(
    agent_conf: dict[str, str],
    spark_submit: Callable[..., Path],
    spark_cluster: Callable[[Path], AbstractContextManager[str]],
    tmp_path: Path,
) -> None:
    by_one, by_two = "a list of shuffled rows of single files", "a list of shuffled rows"
    beside, of_day = f"{by_one} beside others", f"{by_two} of a day"
    one = (by_one, beside, *(f"{by_one} of {what}" for what in _SECOND))
    several = (by_two, of_day, *(f"{by_two} of {what}" for what in _SECOND))
    with spark_cluster(tmp_path) as url:
        conf = {**_conf(agent_conf, tmp_path), **dict(item.split("=", 1) for item in ON_CLUSTER), "spark.master": url}
        # Each file is cut for several tasks, of which one reads all of its rows.
        conf["spark.sql.files.openCostInBytes"] = "1"
        report = tmp_path / "report.json"
        logs = spark_submit(_APP, report, *one, *several, log_dir=tmp_path / "logs", conf=conf)
    same = json.loads(report.read_text(encoding="utf-8"))
    statuses = _statuses(logs)
    assert [statuses[name] for name in one] == [{"impossible"}] * len(one)
    assert all(same[name] for name in one)
    assert [statuses[name] for name in several] == [{"applied"}] * len(several)


@pytest.mark.parametrize(("broadcasts", "apart"), [("-1", "applied"), ("10m", "impossible")])
def test_on_a_cluster_rows_of_one_key_stay_with_the_task_that_has_them(
    agent_conf: dict[str, str],
    spark_submit: Callable[..., Path],
    spark_cluster: Callable[[Path], AbstractContextManager[str]],
    tmp_path: Path,
    broadcasts: str,
    apart: str,
) -> None:
    with spark_cluster(tmp_path) as url:
        conf = {**_conf(agent_conf, tmp_path), **dict(item.split("=", 1) for item in ON_CLUSTER), "spark.master": url}
        conf["spark.sql.adaptive.autoBroadcastJoinThreshold"] = broadcasts
        report = tmp_path / "report.json"
        logs = spark_submit(_APP, report, *_SESSIONS, _APART, log_dir=tmp_path / "logs", conf=conf)
    assert json.loads(report.read_text(encoding="utf-8")) == dict.fromkeys((*_SESSIONS, _APART), True)
    statuses = _statuses(logs)
    assert [statuses[name] for name in _SESSIONS] == [{"impossible"}] * len(_SESSIONS)
    # What a shuffle by another key surely takes apart is broadcast, and what nobody takes as it lies.
    assert statuses[_APART] == {apart}
    assert [statuses[f"{name}, statement"] for name in _SESSIONS] == [{"applied"}] * len(_SESSIONS)
