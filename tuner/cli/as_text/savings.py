"""Savings as text for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from rich.console import Console
from rich.table import Column
from rich.text import Text

from tuner.cli.terminal.print_lines import print_lines
from tuner.cli.terminal.tables import number_column, table, text_cell, text_column
from tuner.model.saved import Saved
from tuner.savings.savings_report import OfChange, SavingsReport, ends
from tuner.units import format_hours, format_money, format_seconds
from tuner.words.savings import NO_TAG, SIZES, cut_words, losses_words, runs_words, saved_words, sure_words

# So many cohorts and changes are printed, those that gained and those that lost most; the JSON has all.
_MOST_LINES = 20

_Row = TypeVar("_Row")


def show_savings(console: Console, report: SavingsReport, price: float | None) -> None:
    """Print what was gained in all, then by week, tag, cohort and change."""
    total = report.total
    if not total.runs:
        said = f"Nothing is booked since {report.since}: no run had a change in force that was measured."
        print_lines(console, [said])
        return
    print_lines(console, filter(None, [_headline(report), losses_words(total), _hours(total, price)]))

    def show(what: str, rows: Sequence[_Row], name: Callable[[_Row], Text], saved: Callable[[_Row], Saved]) -> None:
        found = table(text_column(what), *_columns(price))
        for row in rows:
            found.add_row(name(row), *_cells(saved(row), price))
        console.print()
        console.print(found)

    show("Week of", report.weeks, lambda one: text_cell(one.week), lambda one: one.saved)
    if any(one.tag for one in report.tags):
        show("DAG tag", report.tags, lambda one: text_cell(one.tag or NO_TAG), lambda one: one.saved)
    cohorts, changes = ends(report.cohorts, _MOST_LINES), ends(report.changes, _MOST_LINES)
    show("Cohort", cohorts, lambda one: text_cell(one.cohort), lambda one: one.saved)
    print_lines(console, filter(None, [cut_words(len(cohorts), len(report.cohorts))]))
    show("Change", changes, _change_cell, lambda one: one.saved)
    or_more = not report.changes_are_all
    print_lines(console, filter(None, [cut_words(len(changes), len(report.changes), or_more=or_more)]))


def _change_cell(one: OfChange) -> Text:
    return text_cell(one.words or SIZES).append("\n").append_text(text_cell(one.cohort))


def _headline(report: SavingsReport) -> str:
    total = report.total
    sure = f" (90 % sure: {sure_words(total)})" if sure_words(total) else ""
    return f"Since {report.since}, {runs_words(total, len(report.cohorts))} took {saved_words(total.seconds)}{sure}."


def _hours(total: Saved, price: float | None) -> str:
    def less(hours: float, unit: str) -> str:
        return f"{format_hours(abs(hours))} {unit} {'less' if hours >= 0 else 'more'}"

    money = "" if price is None else f", worth {format_money(total.core_hours * price)}"
    held = f"{less(total.core_hours, 'core-hours')} and {less(total.gib_hours, 'GiB-hours')}"
    return f"Executors held {held}{money}."


def _columns(price: float | None) -> list[Column]:
    # Bounds are long: they fold before names do.
    bounds = Column("90 % sure", justify="right", overflow="fold")
    rest = ["lost", "core-h less", *(["cost less"] if price is not None else [])]
    return [number_column("queries took"), bounds, *map(number_column, rest)]


def _cells(saved: Saved, price: float | None) -> list[str]:
    lost = format_seconds(saved.lost_seconds) if saved.lost_seconds else "-"
    money = [format_money(saved.core_hours * price)] if price is not None else []
    return [saved_words(saved.seconds), sure_words(saved) or "-", lost, format_hours(saved.core_hours), *money]
