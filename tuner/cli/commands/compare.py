"""`spark-tuner compare`: what differs between two runs of a job, and why."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer

from tuner.cli.options.cohort import known_name
from tuner.cli.options.output import AsJson
from tuner.cli.options.store import Url


def compare(
    before: Annotated[
        str,
        typer.Argument(
            metavar="BEFORE",
            help="A run: its key or a part of it, or an event log. Alone: a cohort, whose latest run is compared with the one "
            "before it, or a run, likewise.",
        ),
    ],
    after: Annotated[str | None, typer.Argument(metavar="AFTER", help="The other run, likewise.")] = None,
    cohort: Annotated[str | None, typer.Option(callback=known_name, help="Look for runs in this cohort alone.")] = None,
    queries: Annotated[int, typer.Option(min=0, help="How many queries to show, those that differ most first.")] = 10,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Show which queries differ between two runs, by how much, and why: data, plan, filter values, settings or machine."""
    # What measures and reads logs: `--help` does not wait for it.
    from tuner.cli.as_json.compare import comparison_json
    from tuner.cli.as_text.compare import show_comparison
    from tuner.cli.reading.compared_runs import compared_runs
    from tuner.compare.compare_runs import compare_runs
    from tuner.words.query_names import names_in

    runs = compared_runs(before, after, cohort, url)
    found, names = compare_runs(runs.before, runs.after), names_in((runs.before, runs.after))
    if as_json:
        typer.echo(msgspec.json.encode(comparison_json(found, names, runs.newer)).decode())
    else:
        show_comparison(found, names, queries, runs.newer)
