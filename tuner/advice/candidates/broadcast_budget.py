"""What broadcasts may be added to the queries of a run: beside those that hints and thresholds have added before, and those of
queries that run at the same time.

Spark keeps a relation until its query ends. What Spark broadcasts by its own threshold is not counted: `SHARE_OF_QUERY` leaves
room for that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping
from dataclasses import dataclass

from tuner.advice.candidates.row_widths import collected_bytes
from tuner.advice.candidates.running_together import RunningTogether
from tuner.advice.facts import Facts
from tuner.model.directive_result import DirectiveStatus
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.query import Query
from tuner.model.strategy import BROADCASTS, SHUFFLED
from tuner.spark.knobs import BROADCAST_THRESHOLD
from tuner.spark.memory import PAGE_BYTES, relation_bytes


@dataclass(frozen=True, slots=True)
class BroadcastBudget:
    """What queries' broadcasts take, by fingerprint, of what one query may; those that run at the same time share that."""

    facts: Facts
    used: Counter[str]

    def holds(self, more: Mapping[str, int]) -> bool:
        """Whether memory holds so many bytes more for each execution of these queries."""
        most = self.facts.cap.query_bytes
        return all(self._most_used(query, more) <= most for query, size in more.items() if size)

    def take(self, query: str, size: int) -> bool:
        """Whether a query's executions may have so many bytes more, which are taken then."""
        if not self.holds({query: size}):
            return False
        self.used[query] += size
        return True

    def _most_used(self, query: str, more: Mapping[str, int]) -> int:
        def used(one: str) -> int:
            return self.used[one] + more.get(one, 0)

        together = self.facts.once(RunningTogether).moments_of(query)
        return max([used(query), *(sum(times * used(q) for q, times in moment.items()) for moment in together)])


def broadcast_budget(facts: Facts, gone: Container[tuple[str, str]] = ()) -> BroadcastBudget:
    """What is left of it. The joins that are `gone`, by fingerprint and signature, leave room."""
    used: Counter[str] = Counter()
    for query in facts.queries:
        used[query.fingerprint] = max(used[query.fingerprint], sum(_added(query, gone).values()))
    return BroadcastBudget(facts, used)


def added_broadcasts(query: Query) -> dict[JoinSide, int]:
    """The relations that a query broadcast beyond Spark's default threshold, each once, and their bytes."""
    return _added(query, ())


def is_hinted(query: Query, join: JoinSite) -> bool:
    """Whether the agent gave a join a hint in this run."""
    return any(o.status is DirectiveStatus.APPLIED and o.join == join.signature for o in query.directives)


def _added(query: Query, gone: Container[tuple[str, str]]) -> dict[JoinSide, int]:
    joins = (j for j in query.joins if j.strategy in BROADCASTS and (query.fingerprint, j.signature) not in gone)
    return {j.built: held_bytes(j.built) for j in joins if j.built and _is_added(query, j, j.built)}


def _is_added(query: Query, join: JoinSite, built: JoinSide) -> bool:
    compared = built.shuffle_bytes if join.planned_strategy in SHUFFLED else built.estimated_bytes
    return (compared or 0) > BROADCAST_THRESHOLD.default or is_hinted(query, join)


def held_bytes(built: JoinSide) -> int:
    """Bytes of a relation that is there; its last page may be all but empty."""
    size, rows = built.broadcast_bytes or 0, built.rows or 0
    return max(min(size, relation_bytes(rows, collected_bytes(rows, size))), size - PAGE_BYTES)
