"""How far the metrics of operators tell what all of their rows are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Counting:
    """The operators of a plan, by identity, that did not count each of their rows once.

    Of those in `partial` only some rows ran in this execution, or none; or the log lacks some; or, below a product, each ran
    nobody knows how often.
    `skipped` are those of them whose rows an earlier execution has made: Spark found its shuffles and broadcasts. `runs` says how
    often the others have counted each row. `never` are those of stages that did not run, or of which the log lacks everything.
    """

    partial: frozenset[int] = frozenset()
    skipped: frozenset[int] = frozenset()
    runs: Mapping[int, int] = field(default_factory=dict)
    never: frozenset[int] = frozenset()


# By their accumulators, the counts that a log has in part only: of most logs none.
NOTHING_LOST = frozenset[int]()
# Of a plan whose operators have each counted all of their rows.
WHOLE = Counting()
