"""`spark-tuner status`: all cohorts in a table, or what one cohort has, waits for and ran."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import typer

from tuner.cli.as_json.status_cohorts import summary_json
from tuner.cli.as_text.status_cohorts import show_cohorts
from tuner.cli.options.checks import require_none_typed
from tuner.cli.options.cohort import known_name, only_imported, runs_if_known
from tuner.cli.options.output import AsJson, CoreHourPrice
from tuner.cli.options.store import Url, stored_url
from tuner.cli.reading.unborn_cohorts import unborn_cohorts
from tuner.cli.terminal.console import console
from tuner.cli.terminal.print_lines import print_lines, print_to_copy
from tuner.history.store import Store
from tuner.words.query_names import names_in
from tuner.words.states import UNBORN

_NO_RUNS = "no runs yet: run a DAG with SparkTunedOperator, or `spark-tuner submit --cohort NAME -- app.py`"


def status(
    ctx: typer.Context,
    cohort: Annotated[
        str | None, typer.Argument(callback=known_name, help="A cohort: dag_id.task_id under Airflow. [default: all]")
    ] = None,
    runs: Annotated[int, typer.Option(min=1, help="How many of the newest runs to show.")] = 20,
    url: Url = None,
    core_hour_price: CoreHourPrice = None,
    as_json: AsJson = False,
) -> None:
    """Show what is in force, what it gained, what waits for a person, what failed; of all cohorts, or of one."""
    if cohort is None:
        require_none_typed(ctx, {"runs": "--runs", "core_hour_price": "--core-hour-price"}, "give a COHORT, too")
    with Store.open(stored_url(url)) as store:
        if cohort is None:
            _all(store, as_json)
            return
        if as_json:
            typer.echo(msgspec.json.encode(_one_json(store, cohort, runs, core_hour_price)).decode())
            return
        from tuner.cli.as_text.status_cohort import cohort_page, show_cohort, show_unborn
        from tuner.cli.reading.imported_changes import imported_changes

        if only_imported(store, cohort):
            show_unborn(console(), cohort, imported_changes(store, cohort))
            return
        show_cohort(console(), cohort_page(store, cohort, runs), core_hour_price)


def _one_json(store: Store, cohort: str, most_runs: int, core_hour_price: float | None) -> dict[str, Any]:
    # The rules of a decision: the list of all cohorts does not wait for them.
    from tuner.cli.as_json.status_cohort import next_json, run_json, unborn_json
    from tuner.cli.reading.imported_changes import imported_changes
    from tuner.loop.decision_now import decision_now

    found = runs_if_known(store, cohort, most_runs)
    if not found:
        return unborn_json(cohort, imported_changes(store, cohort))
    names = names_in(found)
    return {
        "cohort": cohort,
        "summary": next(map(summary_json, store.cohorts(cohort=cohort, rounds=True)), None),
        "next": next_json(decision_now(store, cohort), names),
        "runs": [run_json(run, names, core_hour_price) for run in found],
    }


def _all(store: Store, as_json: bool) -> None:
    summaries = store.cohorts(rounds=True)
    unborn = unborn_cohorts(store, frozenset(summary.cohort for summary in summaries))
    if as_json:
        document = {"cohorts": [summary_json(summary) for summary in summaries], "without_runs": unborn}
        typer.echo(msgspec.json.encode(document).decode())
        return
    if summaries:
        show_cohorts(console(), summaries)
    elif not unborn:
        print_lines(console(), [_NO_RUNS])
        print_to_copy(console(), [f"  store: {store.place}"])
    if unborn:
        print_lines(console(), ["", "imported for, but without a run:", *(f"  {name}: {UNBORN}" for name in unborn)])
