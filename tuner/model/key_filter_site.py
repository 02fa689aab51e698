"""Where the keys of a join could filter one of its inputs long before the join does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tuner.model.action import Action, ActionKind, Hint


@dataclass(frozen=True, slots=True)
class KeyFilterSite:
    """One input of a join, whose rows could be filtered by the keys of the other where they are read.

    `join` is the join's signature, `relations` what is filtered (one, unless its keys are made of several), `rows` how many come
    from it. `kept` is the share of them that a filter lets pass: at most, as the join measured it, or about the share of the
    source's rows that its own filters keep (`measured` says which), but no more than comes out of the join (`most_kept`). The
    keys come from `source`: the other input, or the one relation of it that has the keys, with `source_rows`. `filtered` says
    that a bloom filter, Spark's or the agent's, has left out rows already. `amounts` is what all these rows are worked with
    between the scan and the join's output, `source_amounts` what making the source takes, both by `Resource`; `source_tasks`
    made it (0: not known).
    """

    join: str
    relations: tuple[str, ...]
    rows: int
    kept: float
    measured: bool
    source: tuple[str, ...]
    source_rows: int
    filtered: bool = False
    amounts: Mapping[str, float] = field(default_factory=dict)
    source_amounts: Mapping[str, float] = field(default_factory=dict)
    source_tasks: int = 0
    most_kept: float = 1.0

    def action(self, query: str) -> Action:
        """What filters it, in the query of this fingerprint."""
        return Action(ActionKind.HINT_JOIN, self.join, Hint.FILTER_BY_KEY, query, self.source)
