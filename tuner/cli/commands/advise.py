"""`spark-tuner advise`: what the tuner would change, from event logs alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from tuner.cli.as_json.insights import insights_json
from tuner.cli.as_json.recommendation import recommendation_json
from tuner.cli.as_text.hinted_sql import HintedSql, hinted_sql
from tuner.cli.as_text.insights import insights_lines
from tuner.cli.options.logs import Paths, Processes
from tuner.cli.options.output import AsJson
from tuner.cli.options.replay import By, Carrier, SqlText
from tuner.cli.reading.advice_of_log import Advised, advice_of_log, cohort_in, why_not_used
from tuner.cli.reading.logs import LogReader
from tuner.cli.reading.statements import read_statements
from tuner.cli.terminal.console import console
from tuner.cli.terminal.print_lines import print_lines
from tuner.model.application import Application, Completeness
from tuner.model.change import Change
from tuner.model.trial import changes_by_trial
from tuner.policy.already_set import already_set
from tuner.words.actions import action_words
from tuner.words.already_set import already_set_words
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


def _show(application: Application, found: Advised, hinted: HintedSql, names: QueryNames) -> None:
    out = console()
    print_lines(out, [f"{cohort_in(application)} ({application.app_id})"])
    if application.status is Completeness.COMPLETE:
        print_lines(out, _changes_lines(found.changes, application.conf, names))
        hinted.show(out)
        print_lines(out, insights_lines(found.insights, names))
    else:
        print_lines(out, [f"  no advice from {found.log}: {why_not_used(application)}"])
    out.print()


def _changes_lines(changes: tuple[Change, ...], conf: Mapping[str, str], names: QueryNames) -> Iterator[str]:
    for trial in changes_by_trial(changes):
        first = trial[0]
        yield f"  {reason_words(first.reason, names)}"
        yield from (f"    {action_words(action, names)}" for change in trial for action in change.actions)
        if p := first.prediction:
            should = f"should take {p.after:.1f} s instead of {p.before:.1f} s (between {p.low:.1f} and {p.high:.1f})"
            yield f"    {over_queries(len(first.queries))} {should}, risk {first.risk}"
        if found := already_set(trial, conf):
            yield f"    {already_set_words(found)}"
    if not changes:
        yield "  nothing to recommend: no change should gain enough"
