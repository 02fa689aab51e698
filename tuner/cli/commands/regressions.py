"""`spark-tuner regressions`: what would have got slower since Spark, the cluster or the data changed, and what was prevented."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from tuner.cli.options.cohort import Cohort
from tuner.cli.options.output import AsJson
from tuner.cli.options.store import Url, stored_url
from tuner.cli.terminal.console import console
from tuner.cli.terminal.print_lines import print_lines

if TYPE_CHECKING:
    from rich.console import Console

    from tuner.model.turning_point import TurnedQuery, TurningPoint
    from tuner.words.query_names import QueryNames

# As far back as the panel's charts go.
MOST_RUNS = 200


def regressions(
    cohort: Cohort,
    queries: Annotated[int, typer.Option(min=0, help="How many queries to show of each, those that lost most.")] = 10,
    most: Annotated[int, typer.Option("--last", min=1, help="How many of these times to show, the newest first.")] = 3,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Tell what would have got slower without the tuner since Spark, the cluster or the data changed, by measured runs."""
    from tuner.cli.options.cohort import readable, require_known
    from tuner.history.store import Store
    from tuner.policy.turning_points import turning_points
    from tuner.words.query_names import names_in

    with Store.open(stored_url(url)) as store:
        require_known(store, cohort)
        runs = readable(store.runs(cohort, MOST_RUNS, brief=True), cohort)
    points, names = turning_points(runs), names_in(runs)
    if as_json:
        document = {"cohort": cohort, "runs": len(runs), "changes": [_json(point, names) for point in points[:most]]}
        typer.echo(msgspec.json.encode(document).decode())
        return
    out = console()
    if not points:
        print_lines(
            out, [f"{cohort}: neither Spark nor its cluster nor the size of its data changed in {len(runs)} runs"]
        )
    for number, point in enumerate(points[:most]):
        print_lines(out, [""] if number else [])
        _show(out, cohort, point, names, queries)


def _show(out: Console, cohort: str, point: TurningPoint, names: QueryNames, most: int) -> None:
    from tuner.cli.terminal.tables import table, text_cell, text_column
    from tuner.units import format_seconds
    from tuner.words.turning_points import prevented_words, took_words, turn_words, untold_words

    lines = [f"{cohort}: {turn_words(point)}", f"  {prevented_words(point)}"]
    print_lines(out, [*lines, *(f"  {line}" for line in [untold_words(point)] if line)])
    if not point.queries or not most:
        return
    headers = ("query", "before, without", "since, without", "since, with changes", "prevented")
    shown = table(*map(text_column, headers))
    for query in point.queries[:most]:
        took = (took_words(one) for one in (query.before, query.without, query.tuned))
        shown.add_row(*map(text_cell, (names[query.query], *took, format_seconds(query.prevented_seconds))))
    out.print()
    out.print(shown)


def _json(point: TurningPoint, names: QueryNames) -> dict[str, Any]:
    return {
        "run": point.run_key,
        "at": point.at,
        "by": point.by,
        "difference": point.difference,
        "runs_since": point.runs_since,
        "compared_queries": point.compared,
        "untold_queries": point.untold,
        "slower_seconds": point.slower_seconds,
        "prevented_seconds": point.prevented_seconds,
        "prevented_seconds_at_least": point.prevented_at_least,
        "queries": [_query_json(query, names) for query in point.queries],
    }


def _query_json(query: TurnedQuery, names: QueryNames) -> dict[str, Any]:
    return {
        "query": query.query,
        "name": names[query.query],
        "before": query.before,
        "without": query.without,
        "tuned": query.tuned,
        "slower_seconds": query.slower_seconds,
        "prevented_seconds": query.prevented_seconds,
        "prevented_seconds_at_least": query.prevented_at_least,
    }
