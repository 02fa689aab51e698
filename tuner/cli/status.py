"""`spark-tuner status`: the cohorts, or one cohort's runs and where each action stands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tuner.cli.cohort import known_name, known_runs, outlook_of
from tuner.cli.db import Url, stored_url
from tuner.cli.options import AsJson, CoreHourPrice
from tuner.cli.print_lines import print_lines
from tuner.history.cohort_rows import CohortSummary
from tuner.history.store import Store
from tuner.model.action import Action
from tuner.model.decision import DecidedChange, Decision
from tuner.model.run import Run, RunState
from tuner.policy.changes_in_effect import held_in, not_followed
from tuner.printable import printable
from tuner.units import format_hours, format_money
from tuner.words.actions import action_words
from tuner.words.changes import change_words
from tuner.words.decisions import decision_summary
from tuner.words.failures import failure_words
from tuner.words.literal_rungs import values_words
from tuner.words.query_names import QueryNames, names_in
from tuner.words.reasons import reason_words, why_words
from tuner.words.short_ids import short_id
from tuner.words.standings import standing_words


def status(
    cohort: Annotated[
        str | None, typer.Argument(callback=known_name, help="A cohort: dag_id.task_id under Airflow. [default: all]")
    ] = None,
    runs: Annotated[int, typer.Option(min=1, help="How many of the newest runs to show.")] = 20,
    url: Url = None,
    core_hour_price: CoreHourPrice = None,
    as_json: AsJson = False,
) -> None:
    """Show what the store knows: runs, what steered them, and why."""
    with Store.open(stored_url(url)) as store:
        if cohort is None:
            _cohorts(store.cohorts(), as_json)
            return
        found = known_runs(store, cohort, runs)
        next_run = _next_run(store, cohort, found)
    names = names_in(found)
    if as_json:
        runs_json = [_run_json(run, names, core_hour_price) for run in found]
        typer.echo(msgspec.json.encode({"cohort": cohort, "runs": runs_json}).decode())
    else:
        _show(cohort, found, next_run, names, core_hour_price)


def _next_run(store: Store, cohort: str, found: list[Run]) -> tuple[Decision, bool]:
    """What a run that started now would have, with what people have said since it was decided; and whether runs have ended since
    that may change it."""
    # The rules of a decision, which a list of cohorts does not wait for.
    from tuner.policy.rulings_since import rulings_since

    decision, run = outlook_of(store, found) or (found[-1].decision, found[-1])
    made_at = run.ended_at or run.started_at
    now = rulings_since(decision, made_at, store.verdicts(cohort), store.mode(cohort) or decision.mode)
    return now, any(one.ended_at and one.started_at > run.started_at for one in found)


def _cohorts(found: list[CohortSummary], as_json: bool) -> None:
    if as_json:
        typer.echo(msgspec.json.encode({"cohorts": [_summary_json(summary) for summary in found]}).decode())
        return
    console = Console(highlight=False)
    if not found:
        console.print("no runs yet: run a DAG with SparkTunedOperator, or `spark-tuner submit --cohort NAME -- app.py`")
        return
    table = Table("cohort", "runs", "last run", "state", box=None)
    for summary in found:
        table.add_row(
            escape(printable(summary.cohort)),
            str(summary.runs),
            f"{summary.last_started_at:%Y-%m-%d %H:%M}",
            summary.last_state,
        )
    console.print(table)


def _summary_json(summary: CohortSummary) -> dict[str, Any]:
    return {
        "cohort": summary.cohort,
        "runs": summary.runs,
        "last_started_at": summary.last_started_at,
        "last_state": summary.last_state,
        "tasks": [{"dag_id": dag_id, "task_id": task_id} for dag_id, task_id in summary.tasks],
    }


def _run_json(run: Run, names: QueryNames, core_hour_price: float | None) -> dict[str, Any]:
    outcome = run.outcome
    return {
        "key": run.key,
        "try_number": run.try_number,
        "state": run.state,
        "started_at": run.started_at.isoformat(),
        "duration_ms": outcome.duration_ms if outcome else None,
        "allocated_core_hours": outcome.allocated_core_hours if outcome else None,
        "allocated_gib_hours": outcome.allocated_gib_hours if outcome else None,
        "cost": outcome.cost(core_hour_price) if outcome else None,
        "app_id": outcome.app_id if outcome else None,
        "failure": _failure_json(run, names),
        "decision": decision_summary(run.decision),
        "mode": run.decision.mode,
        "objective": run.decision.objective,
        "actions": [
            _action_json(decided, action, names)
            for decided in run.decision.changes
            for action in decided.change.actions
        ],
        "queries": [
            {
                "fingerprint": q.fingerprint,
                "name": names[q.fingerprint],
                "duration_ms": q.duration_ms,
                "status": q.status,
                "directives": [{"id": d.action_id, "status": d.status, "reason": d.reason} for d in q.directives],
            }
            for q in outcome.queries
        ]
        if outcome
        else [],
    }


def _failure_json(run: Run, names: QueryNames) -> dict[str, Any] | None:
    if (failure := run.failure) is None:
        return None
    return {
        "kind": failure.kind,
        "query": failure.query,
        "name": names[failure.query] if failure.query else None,
        "words": failure_words(failure, names),
    }


def _action_json(decided: DecidedChange, action: Action, names: QueryNames) -> dict[str, Any]:
    return {
        "id": action.id,
        "change": decided.id,
        "short_id": short_id(decided.id),
        "words": action_words(action, names),
        "standing": decided.standing,
        "reason": why_words(decided, names),
        "values": values_words(decided),
    }


def _show(
    cohort: str, found: list[Run], next_run: tuple[Decision, bool], names: QueryNames, core_hour_price: float | None
) -> None:
    console = Console(highlight=False)
    title = escape(printable(cohort))
    priced = ("cost",) if core_hour_price is not None else ()
    columns = ("run", "state", "seconds", "core-h", "GiB-h", *priced, "decision")
    table = Table(*columns, title=title, title_justify="left", box=None)
    for run in found:
        duration = run.outcome.duration_ms if run.outcome else None
        seconds = "-" if duration is None else f"{duration / 1e3:.1f}"
        decision = escape(printable(decision_summary(run.decision)))
        held = run.outcome.allocated_core_hours if run.outcome else None
        gib_hours = run.outcome.allocated_gib_hours if run.outcome else None
        hours = ["-" if h is None else format_hours(h) for h in (held, gib_hours)]
        cost = run.outcome.cost(core_hour_price) if run.outcome else None
        costs = ["-" if cost is None else format_money(cost)] if priced else []
        table.add_row(escape(printable(run.key)), run.state, seconds, *hours, *costs, decision)
    console.print(table)
    failed = ((run, run.failure) for run in found if run.failure)
    print_lines(console, (f"run {run.key} {_ended(run)}: {failure_words(why, names)}" for run, why in failed))
    coming, is_old = next_run
    may_change = " (a run has ended since that was decided)" if is_old else ""
    print_lines(console, ["", f"changes as the next run will have them{may_change}:", *_changes_lines(coming, names)])
    print_lines(console, _unfollowed(found[-1], names))


def _changes_lines(decision: Decision, names: QueryNames) -> Iterator[str]:
    for decided in decision.changes:
        yield f"  {standing_words(decided.standing)}: {change_words(decided.change, names)}"
        yield f"    {why_words(decided, names)}"
        if values := values_words(decided):
            yield f"    {values}"
        yield f"    id: {short_id(decided.id)}"
    if not decision.changes:
        yield "  none"


def _ended(run: Run) -> str:
    return "failed" if run.state is RunState.FAILED else "broke off"


def _unfollowed(run: Run, names: QueryNames) -> Iterator[str]:
    """What was in force in a run and its plans did not follow: the next decision takes it out, unless it was held."""
    changes = {decided.id: decided.change for decided in run.decision.changes}
    for words, reasons in (
        ("not followed by the last run:", not_followed(run)),
        ("held in the last run alone:", held_in(run)),
    ):
        if reasons:
            yield from ("", words)
        for id_, why in reasons.items():
            yield from (
                f"  {change_words(changes[id_], names)}",
                f"    {reason_words(why, names)}",
                f"    id: {short_id(id_)}",
            )
