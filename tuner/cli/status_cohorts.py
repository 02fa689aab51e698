"""All cohorts of a store in a table: how each ran last, what its next run has in force, what waits for a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from tuner.cli.cohort import outlook_of
from tuner.cli.next_decision import next_decision
from tuner.cli.print_lines import print_lines
from tuner.cli.tables import number_column, table, text_cell, text_column
from tuner.history.store import CohortSummary, Store
from tuner.model.decision import CohortState, Decision, Mode
from tuner.model.verdict import Verdict
from tuner.panel.views.seconds import query_seconds
from tuner.words.decisions import NOTHING, in_force_words, waiting_words
from tuner.words.states import cohort_state_words, run_state_words

# The newest may be running, or lost.
_LOOKED_AT = 10


@dataclass(frozen=True, slots=True)
class CohortRow:
    """A cohort in the list: `seconds` are those of its last run's queries, None where they were not measured."""

    summary: CohortSummary
    seconds: float | None
    coming: Decision


def cohort_rows(store: Store, summaries: Sequence[CohortSummary]) -> list[CohortRow]:
    """In the same order; without what nobody can read."""
    said, modes = store.said_of([summary.cohort for summary in summaries])
    verdicts: dict[str, list[Verdict]] = {}
    for verdict in said:
        verdicts.setdefault(verdict.cohort, []).append(verdict)
    rows = (_row(store, s, verdicts.get(s.cohort, []), modes.get(s.cohort)) for s in summaries)
    return [row for row in rows if row is not None]


def show_cohorts(console: Console, rows: Sequence[CohortRow]) -> None:
    """Print the table."""
    found = table(
        text_column("cohort"),
        text_column("last run (UTC)"),
        text_column("ended"),
        number_column("queries s"),
        text_column("in force next"),
        text_column("waits"),
    )
    for row in rows:
        found.add_row(*_cells(row))
    console.print(found)
    print_lines(console, ["", "what, and why: spark-tuner status COHORT"])


def _cells(row: CohortRow) -> list[str | Text]:
    last, waits = row.summary, waiting_words(row.coming)
    return [
        text_cell(last.cohort),
        f"{last.last_started_at:%Y-%m-%d %H:%M}",
        run_state_words(last.last_state),
        "-" if row.seconds is None else f"{row.seconds:,.1f}",
        text_cell(_in_force(row.coming)),
        "-" if waits == NOTHING else waits,
    ]


def _in_force(decision: Decision) -> str:
    """Where nothing is, why not, as far as the cohort's state tells."""
    words, state = in_force_words(decision), decision.state
    says_why = state in (CohortState.ROLLED_BACK, CohortState.HELD)
    return f"{words}: {cohort_state_words(state)}" if words == NOTHING and says_why else words


def _row(store: Store, summary: CohortSummary, verdicts: Sequence[Verdict], mode: Mode | None) -> CohortRow | None:
    runs = store.runs(summary.cohort, 1, brief=True)
    if (outlook := outlook_of(store, runs)) is None:
        runs = store.runs(summary.cohort, _LOOKED_AT, brief=True)
        outlook = outlook_of(store, runs)
    if not runs:
        return None
    return CohortRow(summary, query_seconds(runs[-1]), next_decision(runs, outlook, verdicts, mode).decision)
