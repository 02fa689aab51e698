"""What aggregate and skew advisors say of a real run, followed in the next one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tuner.advice.advisors.object_hash_threshold import advise_object_hash_threshold
from tuner.advice.advisors.skew_join import advise_skew_joins
from tuner.advice.facts import Facts
from tuner.eventlog.cluster import cluster_of
from tuner.eventlog.collector import Collector
from tuner.eventlog.find import find_logs
from tuner.eventlog.location import log_path
from tuner.eventlog.read import read_log
from tuner.model.application import Application, Completeness
from tuner.model.change import Change
from tuner.model.query import Query
from tuner.plan.queries import queries

pytestmark = [pytest.mark.spark, pytest.mark.nightly]
JOB = Path(__file__).with_name("settings_job.py")
ADVISORS = {
    "skew_join": advise_skew_joins,
    "object_hash_threshold": advise_object_hash_threshold,
}


@dataclass(frozen=True)
class Runs:
    """The queries of two runs by name, the second with what was advised after the first."""

    advised: dict[str, Change]
    before: dict[str, Query]
    after: dict[str, Query]


@pytest.fixture(scope="module")
def runs(spark_submit: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Runs:
    root = tmp_path_factory.mktemp("settings")
    conf = {"spark.sql.shuffle.partitions": "16"}
    first = _application(spark_submit(JOB, root / "tables", log_dir=root / "first", conf=conf))
    before = _by_name(first)
    # Each query as a job of its own: what one gains, another may not.
    facts = {
        name: Facts((query,), cluster_of(first), first.conf, spark_version=first.spark_version)
        for name, query in before.items()
    }
    advised = {name: found for name, advise in ADVISORS.items() for found in advise(facts[name])}
    settings = [f"{name}={a.target}={a.value}" for name, found in advised.items() for a in found.actions]
    second = _application(spark_submit(JOB, root / "tables", *settings, log_dir=root / "second", conf=conf))
    return Runs(advised, before, _by_name(second))


def _application(logs: Path) -> Application:
    collected = Collector()
    (log,) = find_logs(log_path(str(logs)))
    application = read_log(log, collected.take)
    assert application.status is Completeness.COMPLETE
    return collected.into(application)


def _by_name(application: Application) -> dict[str, Query]:
    return {query.description: query for query in queries(application) if query.description in ADVISORS}


@pytest.mark.parametrize("name", ADVISORS)
def test_it_is_advised_and_gains_what_noise_cannot(runs: Runs, name: str) -> None:
    predicted = runs.advised[name].prediction
    assert predicted.low <= predicted.after <= predicted.high < predicted.before


def test_the_skewed_partition_is_split(runs: Runs) -> None:
    assert runs.before["skew_join"].skews
    assert not any(not s.obstacle for s in runs.after["skew_join"].skews)


def test_no_task_sorts(runs: Runs) -> None:
    fallen = [
        [site.fallback_tasks for site in run["object_hash_threshold"].aggregates] for run in (runs.before, runs.after)
    ]
    assert any(fallen[0])
    assert not any(fallen[1])
