"""One hint for one side of one join, priced."""

from __future__ import annotations

from dataclasses import dataclass

from tuner.model.action import Action, ActionKind, Hint
from tuner.model.change import Evidence, Prediction
from tuner.model.join_site import JoinSide, JoinSite, RuntimeFilter
from tuner.model.query import Query
from tuner.model.strategy import BuildSide, Strategy


@dataclass(frozen=True, slots=True)
class HintCandidate:
    """One hint for one side of one join of one query.

    `side` is the side that the hint names: the one to build, or not to broadcast. `relation_bytes` is the size of its hash
    relation, for a shuffled hash join that of the largest task; `data_bytes` that of the rows to broadcast. Seconds are wall
    time: `saved_seconds` of what the hint spares, `added_seconds` of what runs instead. `prediction` is for the query. A
    vetoed candidate must not be given, whatever it gains. `is_secured`: the run had the plan that the hint makes, by chance.
    `replaced_bytes` is the size of the hash relation that a swap builds no more. One hint reaches `joins` of an execution: bytes
    of relations and seconds are those of all. Where it reaches several `executions`, seconds are their mean.
    """

    query: Query
    join: JoinSite
    side: BuildSide
    hint: Hint
    relation_bytes: int
    saved_seconds: float
    added_seconds: float
    prediction: Prediction
    is_vetoed: bool = False
    is_secured: bool = False
    replaced_bytes: int = 0
    joins: int = 1
    executions: int = 1
    data_bytes: int = 0

    @property
    def hinted(self) -> JoinSide:
        """The side that the hint names."""
        return self.join.side(self.side)

    @property
    def other(self) -> JoinSide:
        return self.join.side(self.side.other)

    @property
    def gain(self) -> float:
        return self.saved_seconds - self.added_seconds

    @property
    def swaps_build_side(self) -> bool:
        """Whether the join ran as a hash join of the hint's kind that built the other side."""
        was_hashed_by_tasks = self.join.strategy is Strategy.SHUFFLED_HASH
        return self.join.build_side is self.side.other and not (was_hashed_by_tasks and self.hint is Hint.BROADCAST)

    @property
    def is_new_broadcast(self) -> bool:
        """Whether a join that was shuffled becomes a broadcast."""
        return self.hint is Hint.BROADCAST and not self.swaps_build_side

    @property
    def is_late_broadcast(self) -> bool:
        """Whether AQE made the join this broadcast already, after both sides were shuffled."""
        return self.is_new_broadcast and self.join.strategy is Strategy.BROADCAST_HASH and not self.is_secured

    @property
    def reached(self) -> tuple[Evidence, ...]:
        """How many joins its bytes and seconds are of, where its rows are those of one."""
        return (Evidence("joins of this name", self.joins, "joins"),) if self.joins > 1 else ()

    @property
    def action(self) -> Action:
        return Action(
            ActionKind.HINT_JOIN,
            self.join.signature,
            self.hint,
            self.query.fingerprint,
            self.hinted.relations,
            # With a broadcast hint in the text Spark makes no bloom filter (InjectRuntimeFilter): the side would be whole.
            self.hint is Hint.BROADCAST and self.hinted.filtered_by_other is RuntimeFilter.BLOOM,
        )
