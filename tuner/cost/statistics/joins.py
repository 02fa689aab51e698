"""What a join puts out.

Source: `JoinEstimation.scala`. An equality of columns keeps `rows * rows / max(distinct values)`: the values of the side
with fewer are taken to be among those of the other. Of several pairs the one that keeps fewest counts. No estimate has
to do with the rest of the condition, nor with nulls in the keys, except that keys afterwards have none. A semi or an
anti join is taken to keep all rows of its left side.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tuner.cost.cardinality import Basis
from tuner.cost.statistics.column import ColumnStatistics
from tuner.cost.statistics.relation import Statistics, least_sure, output_bytes, unmeasured
from tuner.cost.statistics.rounding import divided
from tuner.cost.statistics.types import Kind, Value, rounded
from tuner.model.strategy import JoinType
from tuner.plan.condition import And, Column, Comparison, Condition, Operand, Operator, Unknown
from tuner.plan.expression import attributes

# Columns of left and right that are equal; None for what is computed.
KeyPair = tuple[int | None, int | None]

_LEFT_ALONE = frozenset({JoinType.LEFT_SEMI, JoinType.LEFT_ANTI})
_ESTIMATED = frozenset({JoinType.INNER, JoinType.CROSS, JoinType.LEFT_OUTER, JoinType.FULL_OUTER})


def joined(left: Statistics, right: Statistics, kind: JoinType, keys: Sequence[KeyPair]) -> Statistics:
    """The statistics of a join; a right outer join is a left outer one with its sides turned round."""
    if kind in _LEFT_ALONE:
        return replace(left, bytes=_bytes(left), leaf=False, basis=Basis.ASSUMED)
    if left.rows is None or right.rows is None or kind not in _ESTIMATED:
        columns = unmeasured({**left.columns, **right.columns})
        return Statistics(None, left.bytes * right.bytes, columns, basis=Basis.ASSUMED)
    return _Join(left, right, left.rows, right.rows, keys).statistics(kind)


def equal_keys(condition: Condition, left: Statistics, right: Statistics) -> tuple[KeyPair, ...]:
    """The pairs of a join condition that a join can be keyed on (ExtractEquiJoinKeys), in order."""
    parts = condition.parts if isinstance(condition, And) else (condition,)
    return tuple(pair for part in parts for pair in _pairs(part, left, right))


def _pairs(condition: Condition, left: Statistics, right: Statistics) -> Iterator[KeyPair]:
    match condition:
        case And(parts):
            for part in parts:
                yield from _pairs(part, left, right)
        case Comparison(Operator.EQUAL | Operator.NULL_SAFE_EQUAL as operator, a, b):
            if _of(a, right) and _of(b, left):
                a, b = b, a
            if _of(a, left) and _of(b, right):
                yield _key(operator, a), _key(operator, b)


def _of(operand: Operand, side: Statistics) -> bool:
    """Whether something is computed of the columns of one side."""
    match operand:
        case Column(_, id_):
            return id_ in side.columns
        case Unknown(text):
            ids = {id_ for _, id_ in attributes(text)}
            return bool(ids) and ids <= side.columns.keys()
        case _:
            return False


def _key(operator: Operator, operand: Operand) -> int | None:
    """The column that a key is; null-safe keys are computed (coalesce)."""
    match operand:
        case Column(_, id_, cast=False) if operator is Operator.EQUAL:
            return id_
        case _:
            return None


def _bytes(side: Statistics) -> int:
    return side.bytes if side.rows is None else output_bytes(side.columns.values(), side.rows)


@dataclass(frozen=True, slots=True)
class _Join:
    """Two sides of known rows."""

    left: Statistics
    right: Statistics
    left_rows: int
    right_rows: int
    keys: Sequence[KeyPair]

    def statistics(self, kind: JoinType) -> Statistics:
        everything = {**self.left.columns, **self.right.columns}
        product = self.left_rows * self.right_rows
        if not self.keys:
            basis = least_sure(self.left.basis, self.right.basis, *([] if kind is JoinType.CROSS else [Basis.ASSUMED]))
            return Statistics(product, output_bytes(everything.values(), product), everything, basis=basis)
        pairs = [(a, b) for a, b in self.keys if a is not None and b is not None and self._counted(a, b)]
        inner, keyed = self._inner(pairs)
        rows = self._rows(kind, inner)
        columns = self._columns(kind, rows, inner, keyed)
        unique = self._unique(kind)
        basis = least_sure(self.left.basis, self.right.basis, self._basis(pairs))
        return Statistics(rows, output_bytes(columns.values(), rows), columns, unique, basis=basis)

    def _counted(self, a: int, b: int) -> bool:
        sides = self.left.columns.get(a), self.right.columns.get(b)
        return all(side is not None and side.has_counts for side in sides)

    def _basis(self, pairs: Sequence[tuple[int, int]]) -> Basis:
        return Basis.DERIVED if pairs or self._left_is_unique or self._right_is_unique else Basis.ASSUMED

    @property
    def _left_is_unique(self) -> bool:
        keys = {a for a, _ in self.keys}
        return any(columns <= keys for columns in self.left.unique)

    @property
    def _right_is_unique(self) -> bool:
        keys = {b for _, b in self.keys}
        return any(columns <= keys for columns in self.right.unique)

    def _inner(self, pairs: Sequence[tuple[int, int]]) -> tuple[int, dict[int, ColumnStatistics]]:
        """The rows of the inner join, and the key columns after it (computeCardinalityAndStats)."""
        product = self.left_rows * self.right_rows
        rows = min(
            self.right_rows if self._left_is_unique else product, self.left_rows if self._right_is_unique else product
        )
        keyed: dict[int, ColumnStatistics] = {}
        for a, b in pairs:
            if not rows:
                break
            left, right = self.left.columns[a], self.right.columns[b]
            if not _meet(left, right):
                return 0, keyed
            distinct = max(left.distinct or 0, right.distinct or 0)
            # Nulls alone meet nothing; Spark divides by zero.
            rows = min(rows, divided(product, distinct) if distinct else 0)
            met = _intersection(left, right)
            keyed[a], keyed[b] = met, replace(met, type=right.type)
        return rows, keyed

    def _rows(self, kind: JoinType, inner: int) -> int:
        """An outer join keeps at least the rows of its outer sides."""
        if kind is JoinType.LEFT_OUTER:
            return max(self.left_rows, inner)
        if kind is JoinType.FULL_OUTER:
            return max(self.left_rows, inner) + max(self.right_rows, inner) - inner
        return inner

    def _columns(
        self, kind: JoinType, rows: int, inner: int, keyed: Mapping[int, ColumnStatistics]
    ) -> dict[int, ColumnStatistics]:
        left, right = self.left.columns, self.right.columns
        if not rows:
            return unmeasured({**left, **right})
        if inner == 0:
            return self._nothing_met(kind)
        if inner == self.left_rows * self.right_rows or kind is JoinType.FULL_OUTER:
            return {**left, **right}
        outer = kind is JoinType.LEFT_OUTER
        after = _counted_only(left) if outer else _after(left, self.left_rows, rows, keyed)
        return {**after, **_after(right, self.right_rows, rows, keyed)}

    def _nothing_met(self, kind: JoinType) -> dict[int, ColumnStatistics]:
        """The columns of an outer join of which no row found another."""
        left, right = _counted_only(self.left.columns), _counted_only(self.right.columns)
        if kind is JoinType.LEFT_OUTER:
            return {**left, **{id_: c.all_null(self.left_rows) if c.has_counts else c for id_, c in right.items()}}
        return {**_with_nulls(left, self.right_rows), **_with_nulls(right, self.left_rows)}

    def _unique(self, kind: JoinType) -> frozenset[frozenset[int]]:
        """A side keeps its unique columns where each of its rows meets at most one (DistinctKeyVisitor)."""
        unique: frozenset[frozenset[int]] = frozenset()
        if kind in (JoinType.INNER, JoinType.LEFT_OUTER) and self._right_is_unique:
            unique |= self.left.unique
        if kind is JoinType.INNER and self._left_is_unique:
            unique |= self.right.unique
        return unique


def _meet(a: ColumnStatistics, b: ColumnStatistics) -> bool:
    """Whether the ranges of two keys overlap (ValueInterval.isIntersected): strings always, nulls alone never."""
    if Kind.STRING in (a.kind, b.kind):
        return True
    if a.range is None or b.range is None:
        return False
    return a.range[0] <= b.range[1] and a.range[1] >= b.range[0]


def _intersection(a: ColumnStatistics, b: ColumnStatistics) -> ColumnStatistics:
    """Either key after the join (JoinEstimation.computeByNdv)."""
    least: Value | None = None
    greatest: Value | None = None
    if a.range is not None and b.range is not None:
        least = rounded(max(a.range[0], b.range[0]), a.type)
        greatest = rounded(min(a.range[1], b.range[1]), a.type)
    average = longest = None
    if a.average_bytes is not None and b.average_bytes is not None:
        average = (a.average_bytes + b.average_bytes) // 2
    if a.longest_bytes is not None and b.longest_bytes is not None:
        longest = min(a.longest_bytes, b.longest_bytes)
    distinct = min(a.distinct or 0, b.distinct or 0)
    return ColumnStatistics(a.type, distinct, least, greatest, 0, average, longest)


def _counted_only(columns: Mapping[int, ColumnStatistics]) -> dict[int, ColumnStatistics]:
    """A join forgets columns without counts."""
    return {id_: column if column.has_counts else column.unmeasured() for id_, column in columns.items()}


def _after(
    columns: Mapping[int, ColumnStatistics], before: int, rows: int, keyed: Mapping[int, ColumnStatistics]
) -> dict[int, ColumnStatistics]:
    """Columns of a side when its rows become `rows` (updateOutputStats)."""
    return {id_: keyed.get(id_) or column.resized(before, rows) for id_, column in _counted_only(columns).items()}


def _with_nulls(columns: Mapping[int, ColumnStatistics], nulls: int) -> dict[int, ColumnStatistics]:
    return {
        id_: replace(column, nulls=column.nulls + nulls) if column.nulls is not None else column
        for id_, column in columns.items()
    }
