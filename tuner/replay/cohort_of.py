"""Which recurring job an application was a run of, by what its log says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tuner.eventlog.airflow_tags import DAG_AND_TASK, OPENLINEAGE_JOB
from tuner.history.cohort_name import LONGEST_KNOWN, made_safe
from tuner.spark.run_tags import COHORT

UNNAMED = "(no name)"

# What differs from run to run in a name: UUIDs, long hexadecimal digests, and dates, times and long numbers. Short numbers
# are taken for part of the name (etl2, query 17).
_VARYING = re.compile(
    r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    r"|(?<![0-9a-zA-Z])(?=[a-f]*\d)[0-9a-f]{12,}(?![0-9a-zA-Z])"
    r"|(?:(?<![A-Za-z0-9])\d{4,}|(?<![A-Za-z0-9])(?=\d+(?:[-_:.]\d{2,}){2})\d|\d{8,})"
    r"\d*(?:[-_:.T+/ ]+\d{2,})*Z?"
)


@dataclass(frozen=True, slots=True)
class CohortRules:
    """`named` puts every application into one cohort. `pattern` is searched in the application's name: its groups, joined
    by dots, are the cohort, or all of the match where it has none; names without a match are left to the other rules.
    """

    named: str = ""
    pattern: re.Pattern[str] | None = None


# By tags and names alone.
BY_LOG = CohortRules()


def cohort_of(conf: Mapping[str, str], app_name: str, rules: CohortRules = BY_LOG) -> str:
    """The cohort: by the rules, by the tuner's or Airflow's tags in conf, else by the name without dates and ids."""
    return rules.named or made_safe(_as_it_says(conf, app_name, rules), LONGEST_KNOWN) or UNNAMED


def _as_it_says(conf: Mapping[str, str], app_name: str, rules: CohortRules) -> str:
    if rules.pattern is not None and (found := rules.pattern.search(app_name)):
        return ".".join(filter(None, found.groups())) or found.group() or UNNAMED
    return conf.get(COHORT) or _airflow_task(conf) or without_dates(app_name)


def without_dates(name: str) -> str:
    """`load 2026-11-20 v2` is `load * v2`: the same in every run."""
    return _VARYING.sub("*", name).strip() or UNNAMED


def _airflow_task(conf: Mapping[str, str]) -> str:
    if job := conf.get(OPENLINEAGE_JOB):
        return job
    return next((f"{conf[dag]}.{conf[task]}" for dag, task in DAG_AND_TASK if conf.get(dag) and conf.get(task)), "")
