"""`spark-tuner advise`: what the tuner would change, from event logs alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from tuner.advice.facts import Facts, cores_for_tasks
from tuner.advice.steering_reach import reach_of
from tuner.cli.console import console
from tuner.cli.hinted_sql import HintedSql, hinted_sql, read_statements
from tuner.cli.insights_text import insights_json, insights_lines
from tuner.cli.logs import LogReader, read_into
from tuner.cli.options import AsJson, Paths, Processes
from tuner.cli.print_lines import print_lines
from tuner.cli.replay_options import By, Carrier, SqlText
from tuner.eventlog.as_ended import as_ended
from tuner.eventlog.cluster import cluster_of
from tuner.eventlog.find import LogSource
from tuner.eventlog.location import shown
from tuner.model.application import Application, Completeness
from tuner.model.change import Change
from tuner.model.insight import Insight
from tuner.model.query import Query
from tuner.model.trial import changes_by_trial
from tuner.replay.cohort_of import cohort_of
from tuner.words.actions import action_words, hint_text
from tuner.words.counts import over_queries
from tuner.words.query_names import QueryNames
from tuner.words.reasons import reason_words


def advise(
    paths: Paths,
    as_json: AsJson = False,
    steering: Carrier = By.AGENT,
    sql: SqlText = False,
    sql_file: Annotated[
        Path | None, typer.Option(help="Statements that the jobs ran: shown with the join hints written into them.")
    ] = None,
    processes: Processes = None,
) -> None:
    """Read event logs and print recommendations with evidence and predicted seconds, and insights for a person."""
    reader, statements = LogReader(processes), read_statements(sql_file)
    texts: list[dict[str, Any]] = []
    recommended: list[dict[str, Any]] = []
    insights: list[dict[str, Any]] = []
    not_used: list[dict[str, str]] = []
    for application, found in reader.read(paths, partial(advice_of_log, steering, sql)):
        if why := why_not_used(application):
            not_used.append({"log": found.log, "why": why})
        names = QueryNames(found.queries)
        recommended += [recommendation_json(application, trial, names) for trial in changes_by_trial(found.changes)]
        insights += insights_json(cohort_in(application), application.app_id, found.insights, names)
        hinted = hinted_sql(found.changes, statements, found.queries)
        texts += [hinted.as_json(application.app_id)] if statements else []
        if not as_json:
            _show(application, found, hinted, names)
    if as_json:
        answer = {"recommendations": recommended, "insights": insights, "not_used": not_used}
        answer |= {"sql": texts} if statements else {}
        typer.echo(msgspec.json.encode(answer).decode())
    if reader.failures:
        raise typer.Exit(1)


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
    from tuner.cli.queries_and_insights import QueriesAndInsights
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


def recommendation_json(application: Application, trial: Sequence[Change], names: QueryNames) -> dict[str, Any]:
    """The changes of one trial as one recommendation."""
    r = trial[0]
    return {
        "cohort": cohort_in(application),
        "app_id": application.app_id,
        "query": r.queries[0] if len(r.queries) == 1 else None,
        "name": names[r.queries[0]] if len(r.queries) == 1 else None,
        "queries": list(r.queries),
        "names": [names[query] for query in r.queries],
        "actions": [
            {
                "id": a.id,
                "kind": a.kind,
                "target": a.target,
                "value": a.value,
                "query": a.query,
                "relations": list(a.relations),
                "hint_text": hint_text(a) or None,
            }
            for change in trial
            for a in change.actions
        ],
        "change": r.id,
        "advisor": r.advisor,
        "reason": reason_words(r.reason, names),
        "evidence": [{"what": e.what, "value": e.value, "unit": e.unit, "of": e.of} for e in r.evidence],
        "predicted_seconds": asdict(r.prediction) if r.prediction else None,
        "risk": r.risk,
    }


def cohort_in(application: Application) -> str:
    return cohort_of(application.conf, application.app_name)


def _show(application: Application, found: Advised, hinted: HintedSql, names: QueryNames) -> None:
    out = console()
    print_lines(out, [f"{cohort_in(application)} ({application.app_id})"])
    if application.status is Completeness.COMPLETE:
        print_lines(out, _changes_lines(found.changes, names))
        hinted.show(out)
        print_lines(out, insights_lines(found.insights, names))
    else:
        print_lines(out, [f"  no advice: the log is {application.status}; its rows and times are incomplete"])
    out.print()


def _changes_lines(changes: tuple[Change, ...], names: QueryNames) -> Iterator[str]:
    for trial in changes_by_trial(changes):
        first = trial[0]
        yield f"  {reason_words(first.reason, names)}"
        yield from (f"    {action_words(action, names)}" for change in trial for action in change.actions)
        if p := first.prediction:
            should = f"should take {p.after:.1f} s instead of {p.before:.1f} s (between {p.low:.1f} and {p.high:.1f})"
            yield f"    {over_queries(len(first.queries))} {should}, risk {first.risk}"
    if not changes:
        yield "  nothing to recommend: no change should gain enough"
