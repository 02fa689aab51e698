"""Which recurring job an application was a run of, by what its log says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tuner.eventlog.airflow_tags import DAG_AND_TASK, OPENLINEAGE_JOB
from tuner.history.cohort_name import LONGEST_KNOWN, made_safe
from tuner.model.platform_run import UNTOLD_PLATFORM, PlatformRun
from tuner.spark.run_tags import COHORT

UNNAMED = "(no name)"

# Behind a year a month and a day without their zeros, or an ISO week.
_YEAR_AND_SHORT = r"(?:19|20)\d\d(?:[-_/.]\d{1,2}|[-_/.]?W\d{1,2}){1,2}(?![0-9A-SU-Za-z]|T(?!\d))"
# What differs from run to run in a name: UUIDs, long hexadecimal digests, and dates, times and long numbers. Short numbers
# are taken for part of the name (etl2, query 17).
_VARYING = re.compile(
    r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    r"|(?<![0-9a-zA-Z])(?=[a-f]*\d)[0-9a-f]{12,}(?![0-9a-zA-Z])"
    rf"|(?:(?<![A-Za-z0-9]){_YEAR_AND_SHORT}"
    r"|(?<![A-Za-z0-9])\d{4,}|(?<![A-Za-z0-9])(?=\d+(?:[-_:.]\d{2,}){2})\d|\d{8,})"
    r"\d*(?:[-_:.T+/ ]+\d{2,})*Z?"
)

# What Databricks calls all applications but those that its jobs submit by spark-submit.
_DATABRICKS_APP = "Databricks Shell"
# What it calls the cluster of a job's run, which may tell which of the job's: the job's id stays the same.
_JOB_CLUSTER = re.compile(r"(job-\d+)-run-\d+(?:-(.+))?")


@dataclass(frozen=True, slots=True)
class CohortRules:
    """`named` puts every application into one cohort. `pattern` is searched in the application's name, else in that of its
    platform's job, else, of what no tag names, in the path of its log: its groups, joined by dots, are the cohort, or all of the
    match where it has none; what has no match is left to the other rules.
    """

    named: str = ""
    pattern: re.Pattern[str] | None = None


# By tags and names alone.
BY_LOG = CohortRules()


def cohort_of(
    conf: Mapping[str, str],
    app_name: str,
    rules: CohortRules = BY_LOG,
    platform: PlatformRun = UNTOLD_PLATFORM,
    log: str = "",
) -> str:
    """The cohort: by the rules, by the tuner's or Airflow's tags in conf, by the platform's job where all its applications have
    one name, else by the name without dates and ids. `log` is where it was read."""
    found = _by_pattern(rules.pattern, (app_name, platform.job))
    tagged = found or conf.get(COHORT) or _airflow_task(conf) or _by_pattern(rules.pattern, (log,))
    told = tagged or _platform_job(app_name, platform)
    return rules.named or made_safe(told or without_dates(app_name), LONGEST_KNOWN) or UNNAMED


def _by_pattern(pattern: re.Pattern[str] | None, texts: Iterable[str]) -> str:
    if pattern is None:
        return ""
    found = next(filter(None, map(pattern.search, texts)), None)
    return (".".join(filter(None, found.groups())) or found.group() or UNNAMED) if found else ""


def _platform_job(app_name: str, platform: PlatformRun) -> str:
    if app_name != _DATABRICKS_APP or not platform.job:
        return ""
    of_job = _JOB_CLUSTER.fullmatch(platform.job)
    return ".".join(filter(None, of_job.groups())) if of_job else without_dates(platform.job)


def without_dates(name: str) -> str:
    """`load 2026-11-20 v2` is `load * v2`: the same in every run."""
    return _VARYING.sub("*", name).strip() or UNNAMED


def _airflow_task(conf: Mapping[str, str]) -> str:
    if job := conf.get(OPENLINEAGE_JOB):
        return job
    return next((f"{conf[dag]}.{conf[task]}" for dag, task in DAG_AND_TASK if conf.get(dag) and conf.get(task)), "")
