"""The demo's table in a terminal: the seconds of each query run by run, and below it what each run newly had, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console

from tuner.cli.terminal.print_lines import print_lines
from tuner.cli.terminal.tables import number_column, table, text_cell, text_column
from tuner.demo.table import Change, Row
from tuner.words.standings import standing_words

# `spark-tuner status` has all of them, in full.
MOST_CHANGES = 2
MOST_CHARACTERS = 200


def show(console: Console, found: Sequence[Row]) -> None:
    """Print the runs, of which there is one at least."""
    first = found[0]
    names = list(first.seconds)
    numbers = ("run", *(f"q{name.rsplit('-', 1)[-1]}" for name in names), "total", "speed-up")
    runs = table(*map(number_column, numbers), text_column("decision"), title="seconds of each query")
    for row in found:
        cells = [f"{row.seconds[name]:.1f}" if name in row.seconds else "-" for name in names]
        speed_up = f"{first.total / row.total:.2f}x" if row.total else "-"
        runs.add_row(str(row.run), *cells, f"{row.total:.1f}", speed_up, text_cell(row.decision))
    console.print(runs)
    print_lines(console, [""])
    for before, row in zip((None, *found), found, strict=False):
        print_lines(console, _news(before, row), MOST_CHARACTERS)


def _news(before: Row | None, row: Row) -> Iterator[str]:
    """What did not stand where it stands in the run before."""
    known = {(change.standing, setting) for change in (before.changes if before else ()) for setting in change.settings}
    news = [c for c in row.changes if any((c.standing, setting) not in known for setting in c.settings)]
    yield from (f"run {row.run}: {_words(change)}" for change in news[:MOST_CHANGES])
    if len(news) > MOST_CHANGES:
        yield f"run {row.run}: and {len(news) - MOST_CHANGES} more"


def _words(change: Change) -> str:
    first, *others = change.settings
    more = f" and {len(others)} more" if others else ""
    return f"{standing_words(change.standing)}: {first}{more}: {change.reason}"
