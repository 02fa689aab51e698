"""What `spark-tuner db prune --forget-days` says."""

from __future__ import annotations

from datetime import datetime

from tuner.history.forget import Forgotten
from tuner.printable import identifier, listed
from tuner.words.counts import counted


def forgotten_words(forgotten: Forgotten, before: datetime, *, dry_run: bool) -> list[str]:
    """In a line each, how much of what began before a time went, or would go, and what stays though it is as old."""
    since, goes = f"{before:%Y-%m-%d}", "would forget" if dry_run else "forgot"
    lines = []
    if forgotten.runs:
        of_it = f"{counted(forgotten.runs, 'run')} of before {since}, of {counted(forgotten.cohorts, 'cohort')}"
        lines.append(f"{goes} {of_it}")
    if forgotten.retired:
        runs = counted(forgotten.retired_runs, "run")
        have = "has" if forgotten.retired == 1 else "have"
        lines.append(
            f"{goes} {counted(forgotten.retired, 'cohort')} that {have} not run since {since}, with {runs} and all else "
            "that was known of them"
        )
    if forgotten.unended:
        names = listed(map(identifier, forgotten.unended))
        lines.append(
            f"kept {counted(len(forgotten.unended), 'cohort')} of which no run began since {since}, but one of before has not "
            f"ended, as far as is known: {names}; it ends once its cohort runs again"
        )
    return lines or [f"no run of before {since} is there to forget, but for those that decisions look at"]
