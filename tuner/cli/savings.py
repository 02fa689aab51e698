"""`spark-tuner savings`: what the tuner gained and lost, by week, team, cohort and change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from tuner.cli.console import console
from tuner.cli.db import Url, stored_url
from tuner.cli.options import AsJson, CoreHourPrice
from tuner.errors import TunerError

if TYPE_CHECKING:
    from rich.console import Console

    from tuner.model.saved import Saved
    from tuner.savings.savings_report import SavingsReport

# So many cohorts and changes are printed, those that gained and those that lost most; the JSON has all.
_MOST_LINES = 20

_Row = TypeVar("_Row")


def savings(
    weeks: Annotated[int, typer.Option(min=1, max=520, help="How many weeks back, this one included.")] = 12,
    cohort: Annotated[str, typer.Option(help="Only cohorts whose names match: * and ? stand for any text.")] = "*",
    tag: Annotated[str, typer.Option(help="Only cohorts whose DAG has this tag.")] = "",
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write it as a page that can be mailed: no scripts, no links.")
    ] = None,
    url: Url = None,
    core_hour_price: CoreHourPrice = None,
    as_json: AsJson = False,
) -> None:
    """Tell what changes gained and lost, by week, team (DAG tags), cohort and change."""
    from fnmatch import fnmatchcase

    from tuner.history.store import Store
    from tuner.savings.savings_report import ALL_CHANGES, MOST_CHANGES, savings_report

    now = datetime.now(UTC)
    with Store.open(stored_url(url)) as store:
        known = store.cohorts()
        asked = [c for c in known if fnmatchcase(c.cohort, cohort) and (not tag or tag in c.tags)]
        since = now - timedelta(weeks=weeks - 1)
        most = ALL_CHANGES if as_json else MOST_CHANGES
        report = savings_report(store, since, asked, are_all=len(asked) == len(known), most_changes=most)
    if html is not None:
        _write(html, report, core_hour_price)
    if as_json:
        _print_json(report, core_hour_price)
    elif html is None:
        _print(report, core_hour_price)


def _write(path: Path, report: SavingsReport, price: float | None) -> None:
    from tuner.savings.savings_mail import savings_mail

    try:
        path.write_text(savings_mail(report, price), encoding="utf-8")
    except OSError as error:
        raise TunerError(f"{path}: cannot write the page: {error.strerror}") from error
    typer.echo(f"{path}: savings since {report.since}", err=True)


def _print_json(report: SavingsReport, price: float | None) -> None:
    import msgspec

    from tuner.savings.savings_json import savings_json

    typer.echo(msgspec.json.encode(savings_json(report, price)).decode())


def _print(report: SavingsReport, price: float | None) -> None:

    from tuner.savings.savings_report import ends
    from tuner.words.counts import counted
    from tuner.words.savings import NO_TAG, saved_words, sure_words

    to = console()
    total = report.total
    if not total.runs:
        to.print(f"Nothing is booked since {report.since}: no run had a change in force that was measured.")
        return
    sure = f" (90 % sure: {sure_words(total)})" if sure_words(total) else ""
    runs = f"{counted(total.runs, 'run')} of {counted(len(report.cohorts), 'cohort')} with changes in force"
    to.print(f"Since {report.since}, {runs} took {saved_words(total.seconds)}{sure}.")
    if total.lost_seconds:
        to.print(f"That is after losses of {_seconds(total.lost_seconds)}{_of_failures(total)}.")
    to.print(f"Executors held {_hours(total)}{_money(total, price)}.")
    _table(to, "Week of", report.weeks, lambda one: one.week, lambda one: one.saved, price)
    if any(one.tag for one in report.tags):
        _table(to, "DAG tag", report.tags, lambda one: one.tag or NO_TAG, lambda one: one.saved, price)
    _table(to, "Cohort", ends(report.cohorts, _MOST_LINES), lambda one: one.cohort, lambda one: one.saved, price)
    changes = ends(report.changes, _MOST_LINES)
    _table(to, "Change", changes, lambda one: f"{_words(one.words)}\n{one.cohort}", lambda one: one.saved, price)


def _table(
    to: Console,
    what: str,
    rows: Sequence[_Row],
    name: Callable[[_Row], str],
    saved: Callable[[_Row], Saved],
    price: float | None,
) -> None:
    from rich.table import Table
    from rich.text import Text

    from tuner.printable import printable
    from tuner.units import format_hours, format_money
    from tuner.words.savings import saved_words, sure_words

    table = Table(box=None, pad_edge=False, title_justify="left")
    table.add_column(what, overflow="fold")
    for head in ("queries took", "90 % sure", "lost", "core-h less", *(("cost less",) if price is not None else ())):
        table.add_column(head, justify="right")
    for row in rows:
        one = saved(row)
        lost = _seconds(one.lost_seconds) if one.lost_seconds else "-"
        money = [format_money(one.core_hours * price)] if price is not None else []
        lines = "\n".join(printable(line) for line in name(row).split("\n"))
        cells = [saved_words(one.seconds), sure_words(one) or "-", lost, format_hours(one.core_hours), *money]
        table.add_row(Text(lines), *cells)
    to.print()
    to.print(table)


def _words(words: str) -> str:
    from tuner.words.savings import SIZES

    return words or SIZES


def _seconds(seconds: float) -> str:
    from tuner.units import format_seconds

    return format_seconds(seconds)


def _of_failures(total: Saved) -> str:
    from tuner.words.counts import counted

    return f", {counted(total.failed, 'run')} that a change made fail among them" if total.failed else ""


def _hours(total: Saved) -> str:
    from tuner.units import format_hours

    def less(hours: float, unit: str) -> str:
        return f"{format_hours(abs(hours))} {unit} {'less' if hours >= 0 else 'more'}"

    return f"{less(total.core_hours, 'core-hours')} and {less(total.gib_hours, 'GiB-hours')}"


def _money(total: Saved, price: float | None) -> str:
    from tuner.units import format_money

    return "" if price is None else f", worth {format_money(total.core_hours * price)}"
