"""The operators of a query that read, joined, moved or grouped other rows, or the same ones otherwise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from tuner.compare.plan_change import by_site
from tuner.compare.scanned_tables import scanned_tables
from tuner.compare.side_label import side_label
from tuner.model.join_site import JoinSite
from tuner.model.query import AggregateSite, Query, TableRead
from tuner.plan.relation import short_name
from tuner.policy.evidence.known_query import SAME_INPUT

# What one query can show.
MOST_OPERATORS = 30
# What takes less is start-up.
LEAST_SECONDS = 0.1


class OperatorKind(StrEnum):
    """Of shuffles, broadcasts and sorts all of a query are one."""

    SCAN = "scan"
    JOIN = "join"
    AGGREGATE = "aggregate"
    SHUFFLE = "shuffle"
    BROADCAST = "broadcast"
    SORT = "sort"


@dataclass(frozen=True, slots=True)
class OperatorAmounts:
    """Rows that came out, bytes that were read or moved, and seconds that Spark timed; None where it does not tell.

    A join's bytes are those of its sides, its seconds those of sorting them. An aggregate's seconds are those of its stages, of
    shuffles those of the tasks that wrote them (core seconds), of broadcasts those of the driver. `how` is Spark's name of the
    operator, `build_side` "left", "right" or "".
    """

    rows: int | None = None
    bytes: int | None = None
    seconds: float | None = None
    how: str = ""
    build_side: str = ""


@dataclass(frozen=True, slots=True)
class OperatorDifference:
    """One operator in both runs; None where it did not run. `left` names the table of a scan; of a join both sides are named."""

    kind: OperatorKind
    before: OperatorAmounts | None
    after: OperatorAmounts | None
    left: str = ""
    right: str = ""

    @property
    def seconds(self) -> float:
        """More than 0 where it took longer; 0 where that is not known."""
        before, after = (one.seconds if one else None for one in (self.before, self.after))
        return (after or 0.0) - (before or 0.0)

    @property
    def bytes(self) -> int:
        """More than 0 where there were more."""
        before, after = (one.bytes if one else None for one in (self.before, self.after))
        return (after or 0) - (before or 0)


def operator_differences(before: Query, after: Query) -> tuple[OperatorDifference, ...]:
    """Those that differ, at most MOST_OPERATORS of them: first what ran otherwise, then by seconds and by bytes."""
    found = [one for one in _side_by_side(before, after) if _differs(one.before, one.after)]
    found.sort(key=lambda one: (not _runs_otherwise(one), -abs(one.seconds), -abs(one.bytes)))
    return tuple(found[:MOST_OPERATORS])


def _side_by_side(before: Query, after: Query) -> Iterator[OperatorDifference]:
    yield from _scans(before, after)
    yield from _joins(before, after)
    yield from _aggregates(before, after)
    for kind, of in (
        (OperatorKind.SHUFFLE, _shuffles),
        (OperatorKind.BROADCAST, _broadcasts),
        (OperatorKind.SORT, _sorts),
    ):
        yield OperatorDifference(kind, of(before), of(after))


def _scans(before: Query, after: Query) -> Iterator[OperatorDifference]:
    old, new = scanned_tables(before), scanned_tables(after)
    for name in old | new:
        yield OperatorDifference(OperatorKind.SCAN, _scan(old.get(name)), _scan(new.get(name)), short_name(name))


def _scan(table: TableRead | None) -> OperatorAmounts | None:
    return OperatorAmounts(table.rows, table.file_bytes) if table else None


def _joins(before: Query, after: Query) -> Iterator[OperatorDifference]:
    old, new = by_site(before.joins), by_site(after.joins)
    for site, join in (old | new).items():
        yield OperatorDifference(
            OperatorKind.JOIN,
            _join(old[site]) if site in old else None,
            _join(new[site]) if site in new else None,
            side_label(join.left),
            side_label(join.right),
        )


def _join(join: JoinSite) -> OperatorAmounts:
    return OperatorAmounts(
        join.output_rows,
        _summed(side.bytes for side in join.sides),
        None if join.sort_ms is None else join.sort_ms / 1e3,
        join.strategy.value,
        join.build_side.value if join.build_side else "",
    )


def _aggregates(before: Query, after: Query) -> Iterator[OperatorDifference]:
    def by_half(several: Iterable[AggregateSite]) -> dict[tuple[str, bool], OperatorAmounts]:
        return {
            (one.signature, one.partial): OperatorAmounts(one.output_rows, one.shuffle_bytes, one.seconds, one.operator)
            for one in several
        }

    old, new = by_half(before.aggregates), by_half(after.aggregates)
    for site in old | new:
        yield OperatorDifference(OperatorKind.AGGREGATE, old.get(site), new.get(site))


def _shuffles(query: Query) -> OperatorAmounts | None:
    if not query.shuffles:
        return None
    wrote_ms = _summed(one.map_core_ms for one in query.shuffles)
    return OperatorAmounts(
        _summed(one.rows for one in query.shuffles),
        _summed(one.data_bytes for one in query.shuffles),
        None if wrote_ms is None else wrote_ms / 1e3,
    )


def _broadcasts(query: Query) -> OperatorAmounts | None:
    several = query.work.broadcasts if query.work else ()
    if not several:
        return None
    took_ms = sum(one.build_ms + one.broadcast_ms for one in several)
    return OperatorAmounts(sum(one.rows for one in several), sum(one.bytes for one in several), took_ms / 1e3)


def _sorts(query: Query) -> OperatorAmounts | None:
    if query.work is None or not query.work.sorts.rows:
        return None
    return OperatorAmounts(query.work.sorts.rows, None, query.work.sorts.sort_ms / 1e3)


def _summed(several: Iterable[int | None]) -> int | None:
    known = [one for one in several if one is not None]
    return sum(known) if known else None


def _runs_otherwise(one: OperatorDifference) -> bool:
    return one.before is None or one.after is None or _how(one.before) != _how(one.after)


def _how(amounts: OperatorAmounts) -> tuple[str, str]:
    return amounts.how, amounts.build_side


def _differs(before: OperatorAmounts | None, after: OperatorAmounts | None) -> bool:
    if before is None or after is None:
        return before is not after
    if _how(before) != _how(after):
        return True
    if _are_apart(before.rows, after.rows) or _are_apart(before.bytes, after.bytes):
        return True
    old, new = before.seconds or 0.0, after.seconds or 0.0
    return abs(new - old) >= LEAST_SECONDS and _are_apart(old, new)


def _are_apart(before: float | None, after: float | None) -> bool:
    if not before or not after:
        return before is not None and after is not None and before != after
    return abs(math.log(after / before)) > SAME_INPUT
