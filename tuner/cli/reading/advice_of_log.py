"""What the tuner would change in the application of one event log, and what only a person can."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from tuner.advice.facts import Facts, cores_for_tasks
from tuner.advice.steering_reach import reach_of
from tuner.cli.options.replay import By
from tuner.cli.reading.logs import read_into
from tuner.eventlog.as_ended import as_ended
from tuner.eventlog.cluster import cluster_of
from tuner.eventlog.find import LogSource
from tuner.eventlog.location import shown
from tuner.model.application import Application, Completeness
from tuner.model.change import Change
from tuner.model.insight import Insight
from tuner.model.query import Query
from tuner.replay.cohort_of import cohort_of


@dataclass(frozen=True, slots=True)
class Advised:
    """The queries of an application, and what there is to say on them: changes to make, and insights for a person. `log` is where
    they were read."""

    log: str
    queries: tuple[Query, ...]
    changes: tuple[Change, ...] = ()
    insights: tuple[Insight, ...] = ()


def advice_of_log(steering: By, sql: bool, source: LogSource) -> tuple[Application, Advised]:
    """Partial logs are no ground for advice: what they lack would look like rows that were not there."""
    # Rules that only this command needs, and numpy: no other command waits for them.
    from tuner.advice.advise import advise as advise_on
    from tuner.advice.insights.join_order import unsure_orders
    from tuner.cli.reading.queries_and_insights import QueriesAndInsights
    from tuner.cost.learned.calibrated_model import calibrated_model, configured_model
    from tuner.cost.learned.query_samples import samples

    logged, read = read_into(QueriesAndInsights, source)
    application, found = as_ended(logged, datetime.now(UTC)), read.in_order()
    if application.status is not Completeness.COMPLETE:
        return application, Advised(shown(source.path), found)
    cluster = cluster_of(application)
    model = calibrated_model(samples(found, cluster), configured_model())
    facts = Facts(
        found,
        cores_for_tasks(cluster, application.conf),
        application.conf,
        spark_version=application.spark_version,
        prices=model.costs,
        price_error=model.price_error,
    )
    facts = replace(facts, reach=reach_of(facts.version, agent=steering is By.AGENT, text=sql))
    read.insights.add(unsure_orders(facts))
    return application, Advised(shown(source.path), found, advise_on(facts), read.insights.in_order())


def why_not_used(application: Application) -> str:
    """Why a log is no ground for advice; "" where it is."""
    first = f": {application.problems[0].message}" if application.problems else ""
    if application.status is Completeness.COMPLETE:
        return ""
    if application.status is Completeness.FAILED:
        return f"no application could be read{first}"
    return f"the log is {application.status}; its rows and times are incomplete{first}"


def cohort_in(application: Application) -> str:
    return cohort_of(application.conf, application.app_name, platform=application.platform)
