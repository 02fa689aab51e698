"""All cohorts of a store in a table: how each ran last, what its changes gain, what is in force, what waits for a person."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from tuner.cli.terminal.print_lines import print_lines
from tuner.cli.terminal.tables import number_column, table, text_cell, text_column
from tuner.history.cohort_rows import CohortSummary
from tuner.model.decision import CohortState
from tuner.model.run import RunState
from tuner.units import format_hours
from tuner.words.counts import counted
from tuner.words.decisions import NOTHING
from tuner.words.states import cohort_state_words, run_state_words

_UNKNOWN = "-"
_OLDER = "above a date: what the run of that day took, as none was measured in the last DAG run"


def show_cohorts(console: Console, summaries: Sequence[CohortSummary]) -> None:
    """Print the table."""
    found = table(
        text_column("cohort"),
        text_column("last run (UTC)"),
        text_column("ended"),
        number_column("core-h"),
        number_column("queries s"),
        number_column("gained s"),
        text_column("in force"),
        number_column("waits"),
    )
    for summary in summaries:
        found.add_row(*_cells(summary))
    console.print(found)
    older = [_OLDER] if any(_is_older(summary) for summary in summaries) else []
    print_lines(console, ["", *older, "what, and why: spark-tuner status COHORT"])


def _cells(summary: CohortSummary) -> list[str | Text]:
    figures, stance = summary.figures, summary.stance
    gained = figures.gained if figures else None
    return [
        text_cell(summary.cohort),
        f"{summary.last_started_at:%Y-%m-%d %H:%M}",
        _ended(summary),
        _UNKNOWN if figures is None or figures.core_hours is None else format_hours(figures.core_hours),
        _UNKNOWN if figures is None else f"{figures.query_seconds:,.1f}{_measured(summary)}",
        _UNKNOWN if gained is None else f"{gained.seconds:,.1f}",
        text_cell(_in_force(summary)),
        str(stance.waiting) if stance.waiting else _UNKNOWN,
    ]


def _ended(summary: CohortSummary) -> str:
    """How the last round did, where that is not well; and that a run goes on."""
    state, last = summary.last_state, summary.last_round
    if last is None or last.is_good or last.state is state:
        return run_state_words(state, has_ended=summary.last_has_ended)
    goes_on = state is RunState.RUNNING and not summary.last_has_ended
    return f"{run_state_words(last.state)}{f', {run_state_words(state)}' if goes_on else ''}"


def _measured(summary: CohortSummary) -> str:
    """Of which day a figure is, where the last round was not measured."""
    at = summary.figures.measured_at if summary.figures else None
    return f"\n{at:%Y-%m-%d}" if at and _is_older(summary) else ""


def _is_older(summary: CohortSummary) -> bool:
    return summary.figures is not None and not summary.is_measured


def _in_force(summary: CohortSummary) -> str:
    """How many, and how far they are; where nothing is, why not, as far as the cohort's state tells."""
    number, state = summary.stance.in_force, summary.stance.state
    if number:
        return f"{counted(number, 'change')}, {cohort_state_words(state)}"
    says_why = state in (CohortState.ROLLED_BACK, CohortState.HELD)
    return f"{NOTHING}: {cohort_state_words(state)}" if says_why else NOTHING
