"""What is in force by all that a cohort's runs so far tell, whatever the next run has of it."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.decision import IN_FORCE, DecidedChange, Standing
from tuner.model.run import Run
from tuner.model.verdict import Verdict
from tuner.policy.ledger import read_ledger
from tuner.policy.literal_classes import with_literal_classes

PROVEN = frozenset({Standing.PROMOTED, Standing.PINNED})


def in_force_by_runs(runs: Sequence[Run], verdicts: Sequence[Verdict]) -> list[DecidedChange]:
    """On trial, proven or pinned; the mode of the next run and what it holds out make no difference."""
    records = read_ledger(with_literal_classes(runs), verdicts).values()
    return [
        DecidedChange(r.decided.change, r.standing, r.why, gained_seconds=r.gain_seconds)
        for r in records
        if r.standing in IN_FORCE
    ]
