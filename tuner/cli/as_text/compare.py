"""Two runs side by side on the terminal: what is slower and why first, then query by query."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table

from tuner.cli.terminal.console import console
from tuner.cli.terminal.print_lines import print_lines
from tuner.cli.terminal.tables import number_column, table, text_cell, text_column
from tuner.compare.run_comparison import QueryComparison, RunComparison, RunTotals
from tuner.model.run import Run
from tuner.printable import identifier
from tuner.units import format_seconds, format_share
from tuner.words.causes import cause_words, kind_words, signed_seconds
from tuner.words.comparisons import headline, other_differences, query_causes, said_causes, total_words
from tuner.words.operators import operator_words
from tuner.words.query_names import QueryNames
from tuner.words.states import run_state_words

_MOST_CAUSES = 3
_MOST_OPERATORS = 4
_MOST_KEY = 200


def show_comparison(found: RunComparison, names: QueryNames, most: int, newer: Run | None) -> None:
    """`most` queries at most; `newer` was not measured."""
    to = console()
    runs = [_run_line("before", found.before), _run_line("after ", found.after)]
    print_lines(to, [*runs, *([_newer_line(newer)] if newer else []), "", headline(found)])
    if found.is_same and not any(query.difference for query in found.queries):
        return
    if said_causes(found):
        print_lines(to, [""])
        to.print(_why(found, names))
    if shown := found.queries[:most]:
        print_lines(to, [""])
        to.print(_queries(shown, names))
        if (rest := len(found.queries) - most) > 0:
            print_lines(to, [f"and {rest} more, which differ less (--queries {len(found.queries)} shows all)"])
        print_lines(to, (line for query in shown for line in _details(query, found, names)))
    if others := list(other_differences(found, names)):
        print_lines(to, ["", "what else differs:", *(f"  {line}" for line in others)])


def _run_line(which: str, run: RunTotals) -> str:
    started, key = f"{run.started_at:%Y-%m-%d %H:%M} UTC", identifier(run.key, _MOST_KEY)
    return f"{which}: {key}, {started}, {run.state.value}, {format_seconds(run.seconds)}"


def _newer_line(run: Run) -> str:
    state = run_state_words(run.state, has_ended=run.was_seen_to_succeed)
    return f"newer, not measured: {identifier(run.key, _MOST_KEY)}, {run.started_at:%Y-%m-%d %H:%M} UTC, {state}"


def _why(found: RunComparison, names: QueryNames) -> Table:
    totals = table(number_column("seconds"), text_column("from"), text_column("why"))
    for total in said_causes(found):
        totals.add_row(
            signed_seconds(total.seconds), kind_words(total.kind), text_cell(total_words(total, found, names))
        )
    return totals


def _queries(queries: tuple[QueryComparison, ...], names: QueryNames) -> Table:
    numbers = map(number_column, ("before", "after", "difference", "share"))
    compared = table(text_column("query"), *numbers, text_column("from"))
    for query in queries:
        compared.add_row(
            text_cell(names[query.fingerprint]),
            _seconds(query.before.seconds if query.before else None),
            _seconds(query.after.seconds if query.after else None),
            signed_seconds(query.difference),
            "-" if query.share is None else format_share(query.share),
            "noise" if query.is_noise else ", ".join(dict.fromkeys(kind_words(c.kind) for c in query_causes(query))),
        )
    return compared


def _details(query: QueryComparison, found: RunComparison, names: QueryNames) -> Iterator[str]:
    """Nothing for a query that differs by no more than any does."""
    if not (causes := query_causes(query)):
        return
    yield ""
    yield f"{names[query.fingerprint]} ({query.fingerprint}):"
    for cause in causes[:_MOST_CAUSES]:
        yield (
            f"  {signed_seconds(cause.seconds)} {kind_words(cause.kind)}: {cause_words(cause, names, found.changes)}"
        )
    yield from (f"  {operator_words(one)}" for one in query.operators[:_MOST_OPERATORS])


def _seconds(seconds: float | None) -> str:
    return "-" if seconds is None else format_seconds(seconds)
