"""What is not the same in two plans of one query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from tuner.compare.side_label import side_label
from tuner.model.join_site import JoinSite
from tuner.model.query import AggregateSite, Query


class PlanChangeKind(StrEnum):
    """strategy: another join strategy, or built of the other side. order: joined in another order. join: there in one of both
    alone. partitions: a shuffle asks for another number of them.
    """

    STRATEGY = "strategy"
    ORDER = "order"
    JOIN = "join"
    AGGREGATE = "aggregate"
    PARTITIONS = "partitions"


@dataclass(frozen=True, slots=True)
class PlanChange:
    """`left` and `right` name the sides of a join; `before` and `after` are Spark's name of the operator, or a number of
    partitions, "" where there is none. A build side is "left", "right" or "". `by_aqe`: both were planned alike."""

    kind: PlanChangeKind
    before: str = ""
    after: str = ""
    left: str = ""
    right: str = ""
    build_side_before: str = ""
    build_side: str = ""
    by_aqe: bool = False


def plan_changes(before: Query, after: Query) -> tuple[PlanChange, ...]:
    """Joins first, as they come in the plan; () also where neither execution's operators were kept."""
    if not _is_known(before) or not _is_known(after):
        return ()
    return (*_joins(before, after), *_aggregates(before.aggregates, after.aggregates), *_partitions(before, after))


def plans_are_told(before: Query, after: Query) -> bool:
    """Whether what ran can be compared: not with an execution whose times alone were kept. Of two that a version harvested which
    kept no more of them, nothing says that they differ."""
    in_brief = before.work_in_brief or after.work_in_brief
    return not in_brief and _is_known(before) == _is_known(after)


def _is_known(query: Query) -> bool:
    """Shuffles tell nothing of the other operators: of an execution in brief they alone are kept."""
    return bool(query.joins or query.aggregates or query.work)


def by_site(joins: Iterable[JoinSite]) -> dict[tuple[str, int], JoinSite]:
    """Joins by what tells them apart in every run."""
    return {(join.signature, join.occurrence): join for join in joins}


def _joins(before: Query, after: Query) -> Iterator[PlanChange]:
    old, new = by_site(before.joins), by_site(after.joins)
    for site in (site for site in new if site in old):
        if (found := _strategy(old[site], new[site])) is not None:
            yield found
    gone, come = [old[site] for site in old if site not in new], [new[site] for site in new if site not in old]
    if gone and come and before.fingerprint == after.fingerprint and before.relations == after.relations:
        first = come[0]
        yield PlanChange(PlanChangeKind.ORDER, left=side_label(first.left), right=side_label(first.right))
        return
    yield from (_only(join, before=join.strategy.value) for join in gone)
    yield from (_only(join, after=join.strategy.value) for join in come)


def _only(join: JoinSite, before: str = "", after: str = "") -> PlanChange:
    return PlanChange(PlanChangeKind.JOIN, before, after, side_label(join.left), side_label(join.right))


def _strategy(old: JoinSite, new: JoinSite) -> PlanChange | None:
    if (old.strategy, old.build_side) == (new.strategy, new.build_side):
        return None
    return PlanChange(
        PlanChangeKind.STRATEGY,
        old.strategy.value,
        new.strategy.value,
        side_label(new.left),
        side_label(new.right),
        old.build_side.value if old.build_side else "",
        new.build_side.value if new.build_side else "",
        by_aqe=old.planned_strategy is not None and old.planned_strategy == new.planned_strategy,
    )


def _aggregates(before: Iterable[AggregateSite], after: Iterable[AggregateSite]) -> Iterator[PlanChange]:
    old = {(one.signature, one.partial): one.operator for one in before}
    for one in after:
        if (was := old.get((one.signature, one.partial), one.operator)) != one.operator:
            yield PlanChange(PlanChangeKind.AGGREGATE, was, one.operator)


def _partitions(before: Query, after: Query) -> Iterator[PlanChange]:
    """Where as many shuffles asked for others: with other joins there are other shuffles."""
    old, new = (Counter(shuffle.partitions for shuffle in query.shuffles) for query in (before, after))
    if old.total() != new.total() or old == new:
        return
    (was, times), (now, _) = (old - new).most_common(1)[0], (new - old).most_common(1)[0]
    if times:
        yield PlanChange(PlanChangeKind.PARTITIONS, str(was), str(now))
