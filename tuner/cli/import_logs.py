"""`spark-tuner import`: old logs into the history, so that the first run is steered where they suffice."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer

from tuner.cli.cohort import new_name
from tuner.cli.db import Url, store_url
from tuner.cli.log_sources import log_sources
from tuner.cli.options import AsJson, Paths
from tuner.cli.replay_options import By, Carrier, CohortGlob, Months, Pattern, Since, SqlText, chosen, cohort_rules
from tuner.model.decision import Mode
from tuner.printable import printable
from tuner.problems import Problems
from tuner.words.decisions import decision_summary


def import_logs(
    paths: Paths,
    as_cohort: Annotated[
        str,
        typer.Option(
            "--as", metavar="COHORT", callback=new_name, help="The cohort that all these logs are of: dag_id.task_id."
        ),
    ] = "",
    cohort: CohortGlob = "*",
    cohort_pattern: Pattern = None,
    since: Since = None,
    months: Months = None,
    steering: Carrier = By.AGENT,
    sql: SqlText = False,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Put the runs of old event logs into the history store: the next run is decided on them as on its own."""
    from tuner.cli.replaying import replayed_here
    from tuner.history.store import Store
    from tuner.replay.store_cohort import store_cohort
    from tuner.replay.walk import Walker

    rules, which = cohort_rules(cohort_pattern, as_cohort), chosen(cohort, since, months)
    sources, failures = log_sources(paths)
    problems = Problems()
    with (
        Store.open(store_url(url)) as store,
        replayed_here(sources, Walker(Mode.AUTO, agent=steering is By.AGENT, text=sql), rules, which) as found,
    ):
        summary = found.summary
        kept = [(c, store_cohort(store, c, found, problems)) for c in summary.cohorts]
    said = [*summary.problems, *problems.found]
    if as_json:
        cohorts = [
            {"cohort": c.cohort, "runs": c.runs, "imported": added, "next": decision_summary(c.next)}
            for c, added in kept
        ]
        unread = [{"log": u.log, "why": u.why} for u in summary.unread]
        typer.echo(msgspec.json.encode({"cohorts": cohorts, "unread": unread, "problems": said}).decode())
    else:
        imported = (
            f"{c.cohort}: {added} of {c.runs} runs imported; the next run: {decision_summary(c.next)}"
            for c, added in kept
        )
        for line in (*imported, *(f"  {u.log}: {u.why}" for u in summary.unread), *(f"  {line}" for line in said)):
            typer.echo(printable(line))
    if failures or not kept:
        raise typer.Exit(1)
