"""What another broadcast threshold makes of the joins of a run, by a simulation of Spark's join selection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from tuner.advice.candidates.broadcast_candidates import UNBROADCAST
from tuner.advice.facts import Facts
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.query import Query
from tuner.model.strategy import BuildSide, JoinType, Strategy
from tuner.spark.join_selection.logical_join import LogicalJoin, Side
from tuner.spark.join_selection.reselect_join import reselect_join
from tuner.spark.join_selection.select_join import select_join
from tuner.spark.join_selection.selection_conf import SelectionConf
from tuner.spark.knobs import CBO

# More bytes than any threshold.
UNBOUNDED = 1 << 63

Site = tuple[int, str, int]
Outcome = tuple[Strategy, BuildSide | None]


def site_of(query: Query, join: JoinSite) -> Site:
    return query.id, join.signature, join.occurrence


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bytes that Spark compares with a threshold: at least `lower`, at most `upper`."""

    lower: int
    upper: int

    @property
    def is_exact(self) -> bool:
        return self.lower == self.upper

    def points(self, edges: tuple[int, ...]) -> list[int]:
        """Sizes that stand for all: both ends, and those on either side of each edge between them."""
        inner = {size for edge in edges for size in (edge, edge + 1) if self.lower < size < self.upper}
        return sorted({self.lower, self.upper, *inner})


_OUT_OF_REACH = Bounds(UNBOUNDED, UNBOUNDED)


@dataclass(frozen=True, slots=True)
class SizedJoin:
    """A join that was not broadcast, with the bounds of its sides: of estimates, or `measured` when AQE plans again.

    A side that no threshold moves is out of reach: one that was within the threshold already (a hint of the user's or
    empty partitions held it back), and one that AQE does not measure.
    """

    query: Query
    join: JoinSite
    left: Bounds
    right: Bounds
    measured: bool

    @property
    def site(self) -> Site:
        return site_of(self.query, self.join)

    def bounds(self, side: BuildSide) -> Bounds:
        return self.left if side is BuildSide.LEFT else self.right


@dataclass(frozen=True, slots=True)
class Simulation:
    """What other thresholds than those of `before`, with which the joins ran, make of them."""

    before: SelectionConf
    memo: dict[tuple[object, ...], frozenset[Outcome]] = field(default_factory=dict)

    def outcomes(self, join: SizedJoin, conf: SelectionConf) -> frozenset[Outcome]:
        """What Spark may select with `conf`; not a shuffled hash join that it would have been before and was not."""
        edges = _edges(conf, measured=join.measured)
        ends = (join.left.lower, join.left.upper, join.right.lower, join.right.upper)
        if min(ends) > max(edges):
            return frozenset()
        # Of exact sizes, and of one edge, it only counts which are within.
        alike = conf.prefer_sort_merge or (join.left.is_exact and join.right.is_exact)
        key = (
            join.site,
            join.measured,
            *((edge > end) - (edge < end) if alike else edge for edge in edges for end in ends),
        )
        if key not in self.memo:
            self.memo[key] = frozenset(self._outcomes(join, conf, edges))
        return self.memo[key]

    def _outcomes(self, join: SizedJoin, conf: SelectionConf, edges: tuple[int, ...]) -> Iterator[Outcome]:
        if not conf.prefer_sort_merge:
            edges = (*edges, *_edges(self.before, measured=join.measured))
        for left, right in product(join.left.points(edges), join.right.points(edges)):
            outcome = _select(join, left, right, conf)
            hashed_now = outcome[0] is Strategy.SHUFFLED_HASH and join.join.strategy is Strategy.SORT_MERGE
            if not (hashed_now and _select(join, left, right, self.before) == outcome):
                yield outcome


def _select(join: SizedJoin, left: int, right: int, conf: SelectionConf) -> Outcome:
    sides = Side(left, measured=join.measured), Side(right, measured=join.measured)
    logical = LogicalJoin(join.join.type, *sides, bool(join.join.keys))
    choice = reselect_join(logical, conf) if join.measured else select_join(logical, conf)
    return choice.strategy, choice.build_side


def knows_all_joins(facts: Facts) -> bool:
    """Whether each join is known that a property reaches, also of queries that only earlier runs had: none was left out of the
    store, and no other engine runs one."""
    queries = (*facts.queries, *facts.of_other_runs.queries)
    return not any(query.work_in_brief or query.has_other_joins for query in queries)


def estimated_joins(facts: Facts) -> Iterator[SizedJoin]:
    """The joins as the planner sees them."""
    current = facts.selection.threshold(measured=False)
    for query, join in _unbroadcast(facts):
        left, right = (_within(_estimate(facts, query, side, current), current) for side in join.sides)
        yield SizedJoin(query, join, left, right, measured=False)


def measured_joins(facts: Facts) -> Iterator[SizedJoin]:
    """The joins as AQE sees them when both shuffles have finished."""
    current = facts.selection.threshold(measured=True)
    for query, join in _unbroadcast(facts):
        sizes = (UNBOUNDED if side.shuffle_bytes is None else side.shuffle_bytes for side in join.sides)
        left, right = (_within(Bounds(size, size), current) for size in sizes)
        yield SizedJoin(query, join, left, right, measured=True)


def _unbroadcast(facts: Facts) -> Iterator[tuple[Query, JoinSite]]:
    joins = ((q, join) for q in facts.queries for join in q.joins)
    return ((q, join) for q, join in joins if join.strategy in UNBROADCAST and not join.is_skipped)


def _edges(conf: SelectionConf, *, measured: bool) -> tuple[int, ...]:
    threshold = conf.threshold(measured=measured)
    return (threshold,) if conf.prefer_sort_merge else (threshold, conf.hashed_bytes - 1)


def _within(bounds: Bounds, current: int) -> Bounds:
    return bounds if bounds.upper > current else _OUT_OF_REACH


def _estimate(facts: Facts, query: Query, side: JoinSide, current: int) -> Bounds:
    """The planner's estimate of a side it has not broadcast. Where the log does not tell, it lies above the threshold
    that did not broadcast the side and at or below its files' bytes; of other sides nothing more is known."""
    if side.estimated_bytes is not None:
        return Bounds(side.estimated_bytes, side.estimated_bytes)
    if side.file_bytes is not None:
        return Bounds(current + 1, max(current + 1, side.file_bytes))
    return _OUT_OF_REACH if _is_product(facts, query, side) else Bounds(current + 1, UNBOUNDED)


def _is_product(facts: Facts, query: Query, side: JoinSide) -> bool:
    """Whether a side is itself a join whose estimate multiplies its relations' bytes, which is out of any reach.

    Semi and anti joins keep their left side's (SizeInBytesOnlyStatsPlanVisitor); statistics make estimates small.
    """
    relations = Counter(side.relations)
    return not facts.settings[CBO] and any(
        join.type not in (JoinType.LEFT_SEMI, JoinType.LEFT_ANTI)
        and Counter((*join.left.relations, *join.right.relations)) == relations
        for join in query.joins
    )
