"""Which recurring job an application was a run of."""

from __future__ import annotations

import re
import time

import pytest

from tuner.eventlog.databricks_tags import platform_run
from tuner.eventlog.properties import allowed
from tuner.model.platform_run import PlatformRun
from tuner.replay.cohort_of import CohortRules, cohort_of, without_dates


@pytest.mark.parametrize(
    ("name", "cohort"),
    [
        ("load 2026-11-20 v2", "load * v2"),
        ("nightly_20261120", "nightly_*"),
        ("export20261120", "export*"),
        ("nightly-2026-11-20T01:02:03Z", "nightly-*"),
        ("backup 2026-11-20 01:02:03.123", "backup *"),
        ("x scheduled__2026-11-20T00:00:00+00:00", "x scheduled__*"),
        ("report_2026_11_20_run7", "report_*_run7"),
        ("job 550e8400-e29b-41d4-a716-446655440000", "job *"),
        ("abc deadbeefcafe0123 z", "abc * z"),
        ("2026-11-20", "*"),
        ("load-2026-1-5", "load-*"),
        ("load 2026/11/5 v2", "load * v2"),
        ("load 2026.1.15 v2", "load * v2"),
        ("load-2026-1-5T01:02:03Z", "load-*"),
        ("load-2026-1-5 01:02", "load-*"),
        ("load_2026-W05", "load_*"),
        ("load_2026W5-1.sql", "load_*.sql"),
        ("load-2026-1-5-3", "load-*-3"),
        ("load-2026-11-20-3", "load-*-3"),
        ("load-2026-1st", "load-*-1st"),
        ("load-2026-111-2", "load-*-2"),
        ("load 2026 2", "load * 2"),
        ("", "(no name)"),
    ],
)
def test_dates_and_ids_in_a_name_tell_runs_apart_and_no_jobs(name: str, cohort: str) -> None:
    assert without_dates(name) == cohort


@pytest.mark.parametrize(
    "name", ["q72", "etl2", "job1 part 3", "TPC-DS query 17 sf10", "v1.2.3", "facade effaced", "sf10-1-5", "W05"]
)
def test_short_numbers_are_part_of_a_name(name: str) -> None:
    assert without_dates(name) == name


def test_a_long_name_takes_no_time() -> None:
    start = time.perf_counter()
    for hostile in (
        "1" * 200_000,
        "1-" * 100_000,
        "a" * 200_000,
        "20-26" * 50_000,
        "2026-1-" * 30_000,
        "2026W" * 40_000,
    ):
        without_dates(hostile)
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize(
    "conf",
    [
        {"spark.tuner.cohort": "etl.load"},
        {"spark.openlineage.parentJobName": "etl.load"},
        {"spark.airflow.dag_id": "etl", "spark.airflow.task_id": "load"},
        {"spark.kubernetes.driver.label.dag_id": "etl", "spark.kubernetes.driver.label.task_id": "load"},
        {
            "spark.yarn.appMasterEnv.AIRFLOW_CTX_DAG_ID": "etl",
            "spark.yarn.appMasterEnv.AIRFLOW_CTX_TASK_ID": "load",
        },
    ],
)
def test_tags_name_the_task_and_come_through_the_reader(conf: dict[str, str]) -> None:
    assert cohort_of(allowed(conf), "arrow-spark") == "etl.load"


def test_the_tuners_own_tag_comes_first() -> None:
    conf = {"spark.tuner.cohort": "nightly", "spark.airflow.dag_id": "etl", "spark.airflow.task_id": "load"}
    assert cohort_of(conf, "app") == "nightly"
    assert cohort_of({"spark.airflow.dag_id": "etl"}, "app 7") == "app 7"


def test_rules_come_before_tags() -> None:
    conf = {"spark.tuner.cohort": "nightly"}
    rules = CohortRules(pattern=re.compile(r"^(\w+)-\w+-(v\d)?"))
    assert cohort_of(conf, "load-xyz-v2", rules) == "load.v2"
    assert cohort_of(conf, "load-xyz-", rules) == "load"
    assert cohort_of(conf, "other", rules) == "nightly"
    assert cohort_of(conf, "load-xyz-v2", CohortRules(pattern=re.compile("load"))) == "load"
    assert cohort_of(conf, "other", CohortRules(named="etl.load")) == "etl.load"


USAGE = "spark.databricks.clusterUsageTags."
JOB_TAGS = '[{"key":"Creator","value":"jo@example.com"},{"key":"JobId","value":"7"},{"key":"RunName","value":"load 2026-11-20"}]'


@pytest.mark.parametrize(
    ("properties", "cohort"),
    [
        ({USAGE + "clusterAllTags": JOB_TAGS, USAGE + "clusterName": "job-7-run-8-main"}, "load *"),
        (
            {USAGE + "clusterAllTags": "*********(redacted)", USAGE + "clusterName": "job-70000007-run-8-main"},
            "job-70000007.main",
        ),
        ({USAGE + "clusterAllTags": "[{", USAGE + "clusterName": "job-7-run-8"}, "job-7"),
        ({USAGE + "clusterAllTags": '[{"key":"RunName","value":7}]', USAGE + "clusterName": "etl 20261120"}, "etl *"),
        ({USAGE + "clusterAllTags": "[" * 100_000, USAGE + "clusterName": "*********(redacted)"}, "Databricks Shell"),
        ({USAGE + "clusterAllTags": 7}, "Databricks Shell"),
        ({"spark.tuner.cohort": "etl.load", USAGE + "clusterName": "small"}, "etl.load"),
    ],
)
def test_applications_of_databricks_are_of_their_jobs(properties: dict[str, object], cohort: str) -> None:
    told = platform_run(properties)
    assert cohort_of(allowed(properties), "Databricks Shell", platform=told) == cohort


def test_one_that_has_a_name_of_its_own_keeps_it() -> None:
    assert cohort_of({}, "nightly load", platform=PlatformRun("scratch")) == "nightly load"


def test_a_pattern_is_sought_in_the_path_where_no_name_has_it() -> None:
    rules = CohortRules(pattern=re.compile(r"team-(\w+)"))
    told = PlatformRun("team-sales nightly")
    assert cohort_of({}, "team-ads", rules, told, "s3://logs/team-ops/1") == "ads"
    assert cohort_of({}, "Databricks Shell", rules, told, "s3://logs/team-ops/1") == "sales"
    assert cohort_of({}, "Databricks Shell", rules, log="s3://logs/team-ops/1") == "ops"
    assert cohort_of({}, "load", rules, log="s3://logs/1") == "load"
