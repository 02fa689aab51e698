"""The runs of a cohort in a table."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from tuner.cli.terminal.tables import number_column, table, text_cell, text_column
from tuner.model.run import Run
from tuner.policy.measure import query_seconds
from tuner.units import format_hours, format_money
from tuner.words.decisions import in_force_words
from tuner.words.states import run_state_words


def runs_table(runs: Sequence[Run], core_hour_price: float | None) -> Table:
    """Oldest first: what each took and held, and what it had in force; what it cost, at a price."""
    priced = core_hour_price is not None
    found = table(
        text_column("run"),
        text_column("state"),
        number_column("queries\ns"),
        number_column("application\ns"),
        number_column("core-\nhours"),
        number_column("GiB-\nhours"),
        *([number_column("cost")] if priced else []),
        text_column("in force"),
    )
    for run in runs:
        found.add_row(
            text_cell(run.key),
            run_state_words(run.state, has_ended=run.was_seen_to_succeed),
            _seconds(query_seconds(run)),
            _seconds(application_seconds(run)),
            *_held(run),
            *([_cost(run, core_hour_price)] if priced else []),
            text_cell(in_force_words(run.decision)),
        )
    return found


def application_seconds(run: Run) -> float | None:
    """From the start of the run's application to its end; None where the log does not tell."""
    return run.outcome.duration_ms / 1e3 if run.outcome and run.outcome.duration_ms is not None else None


def _seconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:,.1f}"


def _held(run: Run) -> list[str]:
    outcome = run.outcome
    hours = (outcome.allocated_core_hours, outcome.allocated_gib_hours) if outcome else (None, None)
    return ["-" if found is None else format_hours(found) for found in hours]


def _cost(run: Run, core_hour_price: float | None) -> str:
    cost = run.outcome.cost(core_hour_price) if run.outcome else None
    return "-" if cost is None else format_money(cost)
