"""Join sites of a plan, with what was measured of both sides, under signatures that outlive strategy and side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import lru_cache

import msgspec

from tuner.model.join_site import JoinSite
from tuner.model.strategy import BuildSide, JoinType, Strategy
from tuner.plan.changed_table import above_changed_table
from tuner.plan.counting import NOTHING_LOST, Counting
from tuner.plan.counting_of import counting_of
from tuner.plan.digest import digest
from tuner.plan.equalities import equalities
from tuner.plan.estimates import UNESTIMATED, Estimates, SideEstimate
from tuner.plan.expression import attributes, split_top_level
from tuner.plan.join_text import RIGHT_OUTER, printed_keys, printed_type
from tuner.plan.lineage import Lineage, lineage_of
from tuner.plan.looked_at import once_a_plan
from tuner.plan.node import PlanNode, each_once
from tuner.plan.relation import ScansBelow, scanned_columns, scans_of
from tuner.plan.runtime_filters import RuntimeFilters, runtime_filters
from tuner.plan.sides import measure_side, output_rows
from tuner.plan.taken_as_they_lie import taken_as_they_lie

JOINS = {s.value: s for s in Strategy if s is not Strategy.UNKNOWN}
# What joins are called in every engine: PhotonShuffledHashJoin, CometSortMergeJoin, CartesianProductExecTransformer.
_NAMED = ("Join", "CartesianProduct")
_OF_SPARK = JOINS.keys() | {"StreamingSymmetricHashJoin"}
_SYMMETRIC = frozenset({JoinType.INNER, JoinType.CROSS, JoinType.FULL_OUTER})


class JoinInput(msgspec.Struct, frozen=True):
    """An input of a join: the operator that makes it, the scans below that, and the relations read there."""

    node: PlanNode
    scans: list[PlanNode]
    relations: tuple[str, ...]

    def columns(self) -> Iterator[int]:
        """The expression ids of the columns its relations have."""
        return scanned_columns(self.scans)


class Join(msgspec.Struct, frozen=True):
    """A join as its plan's text has it, without what was measured. The fields are those of `JoinSite`.

    `equated` are the pairs that its other conditions equate: keys, had its relations been joined in another order.
    """

    node: PlanNode
    signature: str
    occurrence: int
    type: JoinType
    strategy: Strategy
    build_side: BuildSide | None
    keys: tuple[tuple[str, str], ...]
    left: JoinInput
    right: JoinInput
    equated: tuple[tuple[str, str], ...] = ()
    has_condition: bool = False
    with_changed_table: bool = False
    taken_as_it_lies: bool = False


class PlannedJoin(msgspec.Struct, frozen=True):
    """How the planner meant a join to run, and what it took both sides for."""

    strategy: Strategy | None = None
    left: SideEstimate = UNESTIMATED
    right: SideEstimate = UNESTIMATED


class ParsedJoin(msgspec.Struct, frozen=True):
    """A join's text taken apart; `rest` is what stands behind the keys: type, build side, condition."""

    type: JoinType
    flipped: bool
    strategy: Strategy
    build_side: BuildSide | None
    left_keys: tuple[str, ...]
    right_keys: tuple[str, ...]
    rest: str


# The joins that the planner had, by signature and occurrence.
Planned = Mapping[tuple[str, int], PlannedJoin]
_NOT_PLANNED: Planned = {}
_UNKNOWN = PlannedJoin()


def find_joins(
    root: PlanNode, planned: Planned = _NOT_PLANNED, *, finished: bool = False, lost: Set[int] = NOTHING_LOST
) -> tuple[JoinSite, ...]:
    """The joins of a plan and of its subqueries as they ran, in plan order.

    `finished` says that the plan ran to its end: what was not counted is then 0, where otherwise it may not have run. `lost` are
    `lost_counters`.
    What is reused ran once and is listed once, where it stands first; the others of its signature keep their number.
    """
    elsewhere = {id(node) for node in root.walk_unfilled()}
    filters, counting = runtime_filters(root), counting_of(root, finished=finished, lost=lost)
    return tuple(
        _site(
            join,
            planned.get((join.signature, join.occurrence), _UNKNOWN),
            filters,
            counting,
            finished=finished and id(join.node) not in elsewhere,
        )
        for join in each_once(every_join(root), _operator)
    )


def planned_joins(joins: Iterable[Join], estimates: Estimates) -> Planned:
    """What the planner decided for the joins of the plan before AQE."""
    return {
        (join.signature, join.occurrence): PlannedJoin(
            join.strategy, estimates.side(join.left.columns()), estimates.side(join.right.columns())
        )
        for join in each_once(joins, _operator)
    }


@once_a_plan
def every_join(root: PlanNode) -> Sequence[Join]:
    """The joins of a plan as the query has them, those that reuse another's result too: as many before AQE as after."""
    lineage, scans_below = lineage_of(root), scans_of(root)
    changed, taken = above_changed_table(root), taken_as_they_lie(root)
    seen: Counter[str] = Counter()
    found = []
    for node in root.walk_query():
        if node.name in JOINS and len(node.children) == 2:
            join = msgspec.structs.replace(
                _join(node, lineage, scans_below, seen),
                with_changed_table=id(node) in changed,
                taken_as_it_lies=id(node) in taken,
            )
            seen[join.signature] += 1
            found.append(join)
    return found


def has_other_joins(root: PlanNode) -> bool:
    """Whether another engine than Spark runs a join of a plan."""
    pairs = (node.name for node in root.walk_query() if len(node.children) == 2 and node.name not in _OF_SPARK)
    return any(named in name for name in pairs for named in _NAMED)


def _operator(join: Join) -> PlanNode:
    return join.node


def _join(node: PlanNode, lineage: Lineage, scans_below: ScansBelow, seen: Mapping[str, int]) -> Join:
    parsed = parse_join(node)
    keys = [[lineage.source(key) for key in side] for side in (parsed.left_keys, parsed.right_keys)]
    inputs = [JoinInput(c, scans_below.scans(c), scans_below.relations(c)) for c in node.children]
    build = parsed.build_side
    if parsed.flipped:
        keys.reverse()
        inputs.reverse()
        if build:
            build = BuildSide.LEFT if build is BuildSide.RIGHT else BuildSide.RIGHT
    left, right = inputs
    pairs = tuple(zip(*keys, strict=False))
    number = signature(parsed.type, left.relations, right.relations, pairs)
    equated = tuple((lineage.source(one), lineage.source(other)) for one, other in equalities(parsed.rest))
    conditional = any(attributes(part) for part in split_top_level(parsed.rest))
    return Join(
        node, number, seen[number], parsed.type, parsed.strategy, build, pairs, left, right, equated, conditional
    )  # fmt: skip


def _site(join: Join, planned: PlannedJoin, filters: RuntimeFilters, counting: Counting, *, finished: bool) -> JoinSite:
    left, right = (
        replace(
            measure_side(side.node, side.relations, estimate, finished=finished, counting=counting),
            filtered_by_other=filters.by_other(side.node, other.node),
        )
        for side, other, estimate in ((join.left, join.right, planned.left), (join.right, join.left, planned.right))
    )
    return JoinSite(
        signature=join.signature,
        occurrence=join.occurrence,
        type=join.type,
        strategy=join.strategy,
        build_side=join.build_side,
        keys=join.keys,
        left=left,
        right=right,
        output_rows=output_rows(join.node, finished=finished, counting=counting),
        planned_strategy=planned.strategy,
        runs=counting.runs.get(id(join.node), 1),
        has_condition=join.has_condition,
        with_changed_table=join.with_changed_table,
        taken_as_it_lies=join.taken_as_it_lies,
    )


@lru_cache(maxsize=1024)
def signature(
    join_type: JoinType, left: tuple[str, ...], right: tuple[str, ...], keys: tuple[tuple[str, str], ...]
) -> str:
    """What makes a join the same one in the next run: type, relations of both sides, key columns; 16 hex digits.

    Inner, cross and full outer joins do not tell their sides apart.
    """
    sides = ["+".join(sorted(left)), "+".join(sorted(right))]
    pairs = [list(pair) for pair in keys]
    if join_type in _SYMMETRIC:
        sides.sort()
        pairs = [sorted(pair) for pair in pairs]
    text = "|".join([type_name(join_type), *sides, ";".join("=".join(p) for p in sorted(pairs))])
    return digest(text)


def type_name(join_type: JoinType) -> str:
    """An inner join without keys is the same join whether Spark calls it cross or inner."""
    return JoinType.INNER.value if join_type is JoinType.CROSS else join_type.value


def parse_join(node: PlanNode) -> ParsedJoin:
    """What a join says of itself. Its keys are still expressions over ids."""
    text = node.text
    left: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    if node.name not in (Strategy.CARTESIAN, Strategy.BROADCAST_NESTED_LOOP):
        left, right, text = printed_keys(text)
    name, build = printed_type(text)
    if node.name == Strategy.CARTESIAN:  # what it prints is a condition
        name = JoinType.CROSS.value
    flipped = name == RIGHT_OUTER
    return ParsedJoin(
        type=JoinType.LEFT_OUTER if flipped else JoinType(name),
        flipped=flipped,
        strategy=JOINS[node.name],
        build_side=build,
        left_keys=left,
        right_keys=right,
        rest=text,
    )
