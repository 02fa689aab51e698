"""What `spark-tuner db prune` says."""

from __future__ import annotations

from datetime import datetime

from tuner.loop.prune import Pruned
from tuner.units import format_bytes
from tuner.words.counts import counted


def pruned_words(pruned: Pruned, before: datetime, *, dry_run: bool) -> str:
    """In one line, how much of what began before a time went, or would go."""
    since = f"{before:%Y-%m-%d}"
    if not pruned.plans.runs:
        return f"no run of before {since} holds plans, but for those that decisions look at"
    goes = "would let go of" if dry_run else "let go of"
    held = f"the plans of {counted(pruned.plans.runs, 'run')} of before {since}, of {counted(pruned.cohorts, 'cohort')}"
    return f"{goes} {held}: {format_bytes(pruned.plans.bytes)}"
