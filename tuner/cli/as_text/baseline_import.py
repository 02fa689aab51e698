"""What an import of a baseline does, as people read it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from tuner.cli.terminal.console import console
from tuner.cli.terminal.print_lines import print_lines, print_to_copy
from tuner.cli.terminal.tables import table, text_cell, text_column
from tuner.model.exported_baseline import ExportedBaseline, Refused
from tuner.model.import_plan import Fate, ImportPlan, PlannedTrial
from tuner.printable import printable
from tuner.words.changes import trial_words
from tuner.words.counts import counted
from tuner.words.imports import fate_words, gain_words, planned_said_words, refusal_fate_words, refused_words
from tuner.words.query_names import QueryNames
from tuner.words.short_ids import short_id

# Its words are the file's, and what counts is the id.
_MOST_OF_AN_ID = 100


def show_plan(plan: ImportPlan, baseline: ExportedBaseline, *, dry_run: bool, db: str = "") -> None:
    """A table of what is imported, and of what is left out and why. `db` is the store's URL for people, where --db named it."""
    out = console()
    taken = [one for one in plan.trials if one.is_taken]
    left = [one for one in plan.trials if not one.is_taken]
    print_lines(out, _heading(plan, baseline, taken, dry_run=dry_run))
    for title, trials in (("imported", taken), ("left out", left)):
        if trials:
            shown = table(text_column("id"), text_column(title), text_column("gained there"), text_column("here"))
            for one in trials:
                shown.add_row(*map(text_cell, _cells(one)))
            out.print()
            out.print(shown)
    if baseline.said.refused:
        shown = table(text_column("id"), text_column("refused there"), text_column("by whom"), text_column("here"))
        for refused in baseline.said.refused:
            shown.add_row(*map(text_cell, _refused_cells(refused, plan)))
        out.print()
        out.print(shown)
    if dry_run:
        print_lines(out, ["", "nothing is stored: that was a dry run"])
    elif any(one.fate is not Fate.WAITS_FOR_RUN for one in taken):
        where = f" --db {shlex.quote(db)}" if db else ""
        print_to_copy(out, ["", f"look at it: spark-tuner status {shlex.quote(plan.cohort)}{where}"])


def _heading(
    plan: ImportPlan, baseline: ExportedBaseline, taken: Sequence[PlannedTrial], *, dry_run: bool
) -> Iterator[str]:
    did = ("would be imported" if dry_run else "imported") + (" and pinned" if plan.verdicts else "")
    of = f"the baseline of {baseline.cohort}, as of {baseline.as_of}"
    yield f"{plan.cohort}: {len(taken)} of {counted(len(plan.trials), 'change')} {did} from {of}"
    yield from (f"  runs here have {difference}" for difference in plan.differences)
    yield from (f"  {words}" for words in planned_said_words(baseline.said, plan.said))


def _cells(one: PlannedTrial) -> tuple[str, str, str, str]:
    changes = one.trial.changes
    words = trial_words(changes, QueryNames.known(one.trial.names))
    return short_id(changes[0].id), words, gain_words(one) or "-", fate_words(one)


def _refused_cells(one: Refused, plan: ImportPlan) -> tuple[str, str, str, str]:
    what = printable(one.change_id, _MOST_OF_AN_ID)
    return short_id(one.change_id), what, refused_words(one), refusal_fate_words(one, plan.said)
