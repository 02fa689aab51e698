"""Rows and bytes of any set of relations of a join block, from what was measured of some of them.

    rows(S) = rows(M) * product of rows(r), r in S but not in M * product of selectivity(p), p applied in S but not in M

with M the largest measured subset of S. The selectivities are those that explain all measured joins best: least squares
over their logarithms, where each measured join is an equation and each selectivity is held to what would be assumed
without measurements, the looser the less that is worth.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from tuner.cost.size import Size
from tuner.model.join_graph import JoinGraph, MeasuredJoin, Predicate, members

# Column against column: FilterEstimation.evaluateBinaryForTwoColumns.
_RANGE_SELECTIVITY = 1 / 3
# Rows of an item that nothing tells of.
_UNKNOWN_ROWS = 1_000
# How much more a measured join counts than an assumption, at most, and an assumption about a unique key than any other.
_MEASURED_WEIGHT = 1_000.0
_UNIQUE_WEIGHT = 3.0
_OTHER_WEIGHT = 0.3
_LOOSE_WEIGHT = 0.03
# What moves by more than this share of what is assumed is assumed itself.
_DECIDED = 0.1
# A key may meet a little more than its share of the other side's rows.
_SLACK = 2.0
# An empty result has a logarithm too.
_LEAST_ROWS = 0.5


class Basis(StrEnum):
    """What an estimate stands on."""

    MEASURED = "measured"
    DERIVED = "derived"
    ASSUMED = "assumed"


@dataclass(frozen=True, slots=True)
class Estimate:
    """Rows and bytes of a set of relations, and how they are known."""

    size: Size
    basis: Basis


@dataclass(frozen=True, slots=True)
class _Factor:
    """The predicates and conditions that need the same set of relations, with what would be assumed of them."""

    relations: int
    log_selectivity: float
    weight: float


@dataclass(frozen=True, slots=True)
class _Fitted:
    relations: int
    log_selectivity: float
    decided: bool


class Cardinality:
    """The sizes of the sets of one block's relations, whatever order makes them.

    `distinct` holds how many values columns of whole tables have, under the names of predicates' keys
    (`relation.column`): with those of both sides, an equality that was not measured is taken to keep
    `1 / max(distinct values)` (JoinEstimation) in place of what the sizes of its relations suggest.
    """

    def __init__(self, graph: JoinGraph, distinct: Mapping[str, int] | None = None) -> None:
        self._width = [relation.row_bytes for relation in graph.relations]
        self._exact = graph.measured
        self._measured = sorted(graph.measured.items(), key=lambda item: (-item[0].bit_count(), item[0]))
        self._rows, self._factors = _fit(graph, list(_factors(graph, distinct or {})))
        self._sizes: dict[int, Size] = {}

    def size(self, relations: int) -> Size:
        """Rows and bytes of the join of a set of relations."""
        if relations not in self._sizes:
            self._sizes[relations] = self._size(relations)
        return self._sizes[relations]

    def estimate(self, relations: int) -> Estimate:
        """The same, with what it stands on."""
        return Estimate(self.size(relations), self._basis(relations))

    def selectivity(self, relations: int) -> float:
        """The share of the cross product that the predicates over exactly these relations keep; 1 without any."""
        logarithms = (f.log_selectivity for f in self._factors if f.relations == relations)
        return math.exp(sum(logarithms))

    def _size(self, relations: int) -> Size:
        known, found = self._largest_measured(relations)
        if known == relations and found and found.bytes is not None:
            return Size(found.rows, found.bytes)
        rows = float(found.rows) if found else 1.0
        for relation in members(relations & ~known):
            rows *= self._rows[relation].value
        logarithm = 0.0
        for factor in self._factors:
            if _applies(factor.relations, relations, known):
                logarithm += factor.log_selectivity
        rows *= math.exp(logarithm)
        return Size(rows, rows * self._row_bytes(relations))

    def _largest_measured(self, relations: int) -> tuple[int, MeasuredJoin | None]:
        """The largest measured part of a set, and what was measured of it; the empty set where none was."""
        if relations in self._exact:
            return relations, self._exact[relations]
        fitting = (item for item in self._measured if item[0] & relations == item[0])
        return next(fitting, (0, None))

    def _row_bytes(self, relations: int) -> float:
        """A joined row has the columns of all, and the word of null bits once."""
        widths = [self._width[relation] for relation in members(relations)]
        return max(8.0, sum(widths) - 8 * (len(widths) - 1))

    def _basis(self, relations: int) -> Basis:
        known, _ = self._largest_measured(relations)
        if known == relations:
            return Basis.MEASURED
        items = [self._rows[relation] for relation in members(relations & ~known)]
        if relations.bit_count() == 1:
            return items[0].basis
        applied = [f for f in self._factors if _applies(f.relations, relations, known)]
        sure = all(item.basis is not Basis.ASSUMED for item in items) and all(f.decided for f in applied)
        return Basis.DERIVED if sure else Basis.ASSUMED


@dataclass(frozen=True, slots=True)
class _Rows:
    value: float
    basis: Basis


def _factors(graph: JoinGraph, distinct: Mapping[str, int]) -> Iterator[_Factor]:
    keys = frozenset(unique_keys(graph))
    sets = {p.left | p.right for p in graph.predicates} | {c.relations for c in graph.conditions if c.relations}
    for relations in sorted(sets):
        pairs = [p for p in graph.predicates if p.left | p.right == relations]
        conditions = sum(c.relations == relations for c in graph.conditions)
        logarithm, is_sure = _equality(graph, pairs, keys, distinct) if pairs else (0.0, False)
        weight = _UNIQUE_WEIGHT if is_sure and not conditions else _OTHER_WEIGHT
        yield _Factor(relations, logarithm + conditions * math.log(_RANGE_SELECTIVITY), weight)


def _equality(
    graph: JoinGraph, pairs: Sequence[Predicate], keys: Container[str], distinct: Mapping[str, int]
) -> tuple[float, bool]:
    """The logarithm of `1 / max(distinct values)` (JoinEstimation), and whether that is more than a guess.

    It is where the values of a column were counted on both sides, or one of the sides is known as a key. Else, of one
    column we take the smaller relation's to be a key, which the other refers to; of several together, which are seldom
    the key of a small relation, the larger one's.
    """
    counted = [found for p in pairs if (found := _distinct_keys(p, distinct)) is not None]
    if counted:
        return -math.log(max(counted)), len(pairs) == 1
    ends = {end for p in pairs for end in (p.left, p.right)}
    rows = [min(scanned_rows(graph, relation) for relation in members(end)) for end in ends]
    if len(pairs) > 1:
        return -math.log(max(rows)), False
    (pair,) = pairs
    sides = ((pair.left, pair.left_key), (pair.right, pair.right_key))
    of_keys = [scanned_rows(graph, *members(end)) for end, key in sides if key in keys and end.bit_count() == 1]
    return (-math.log(max(of_keys)), True) if of_keys else (-math.log(min(rows)), False)


def _distinct_keys(predicate: Predicate, distinct: Mapping[str, int]) -> int | None:
    """The distinct values of the side with more, where both sides' are known and not none."""
    counted = [count for key in (predicate.left_key, predicate.right_key) if (count := distinct.get(key))]
    return max(counted) if len(counted) == 2 else None


def scanned_rows(graph: JoinGraph, relation: int) -> float:
    """The rows of a relation before its filters, as far as known."""
    item = graph.relations[relation]
    rows = item.scanned_rows if item.scanned_rows is not None else item.rows
    return max(1.0, _UNKNOWN_ROWS if rows is None else rows)


def unique_keys(graph: JoinGraph) -> Iterator[str]:
    """Columns that each row of the other side was seen to meet at most once."""
    for relations, measured in graph.measured.items():
        for relation in members(relations):
            item, others = graph.relations[relation], relations & ~(1 << relation)
            found = [p for p in graph.predicates if _applies(p.left | p.right, relations, others)]
            before = _known_rows(graph, others)
            if len(found) != 1 or before is None or not item.rows or item.rows < 2:
                continue
            share = min(1.0, item.rows / scanned_rows(graph, relation))
            if any(graph.relations[other].runtime_filtered for other in members(others)):
                share = 1.0  # has left out already what meets nothing
            if measured.rows <= before * min(1.0, _SLACK * share):
                (predicate,) = found
                yield from (
                    key
                    for end, key in ((predicate.left, predicate.left_key), (predicate.right, predicate.right_key))
                    if end == 1 << relation
                )


def _applies(needed: int, relations: int, known: int) -> bool:
    """Whether what needs certain relations comes in when the known ones become these."""
    return needed & relations == needed and needed & known != needed


def _known_rows(graph: JoinGraph, relations: int) -> int | None:
    if relations in graph.measured:
        return graph.measured[relations].rows
    return graph.relations[relations.bit_length() - 1].rows if relations.bit_count() == 1 else None


def _fit(graph: JoinGraph, factors: Sequence[_Factor]) -> tuple[list[_Rows], list[_Fitted]]:
    """Selectivities, and rows of the relations that were not measured, which explain the measured joins best."""
    unknown = [i for i, relation in enumerate(graph.relations) if relation.rows is None]
    size = len(factors) + len(unknown)
    assumed = [(f.log_selectivity, f.weight) for f in factors]
    assumed += [(math.log(scanned_rows(graph, i)), _LOOSE_WEIGHT) for i in unknown]
    matrix, target = np.diag([w for _, w in assumed]), np.array([value * w for value, w in assumed])
    equations, results, little = _equations(graph, factors, unknown)
    if not size:
        return _rows(graph, {}, {}), []
    everything = np.vstack([np.array(equations).reshape(-1, size), matrix])
    normal = np.linalg.inv(everything.T @ everything)
    found = normal @ everything.T @ np.concatenate([results, target])
    # How far each value follows each assumption that is no more than that.
    guesses = np.array([w * w if w < _UNIQUE_WEIGHT else 0.0 for _, w in assumed])
    decided = np.abs(normal * guesses).sum(axis=1) <= _DECIDED
    decided[little] = False
    fitted = [_Fitted(f.relations, float(found[i]), bool(decided[i])) for i, f in enumerate(factors)]
    at = {relation: len(factors) + i for i, relation in enumerate(unknown)}
    return _rows(
        graph, {r: float(found[i]) for r, i in at.items()}, {r: bool(decided[i]) for r, i in at.items()}
    ), fitted


def _equations(
    graph: JoinGraph, factors: Sequence[_Factor], unknown: Sequence[int]
) -> tuple[list[list[float]], list[float], list[int]]:
    """Of each measured set over the largest measured part of it: what it is made of, and the logarithm of its rows, both by how
    much they count; and which values are in one that counts no more than an assumption."""
    equations, results, little = [], [], set[int]()
    for relations, measured in graph.measured.items():
        parts = {part: m.rows for part, m in graph.measured.items() if part != relations and part & relations == part}
        below = max(parts, key=int.bit_count, default=0)
        added, weight = relations & ~below, _weight(graph, measured.rows, parts)
        row = [int(_applies(f.relations, relations, below)) for f in factors] + [added >> i & 1 for i in unknown]
        known = [rows for i in members(added) if (rows := graph.relations[i].rows) is not None]
        logarithm = _log(measured.rows) - sum(map(_log, known)) - (_log(parts[below]) if below else 0.0)
        equations.append([weight * value for value in row])
        results.append(weight * logarithm)
        if weight < _UNIQUE_WEIGHT:
            little.update(i for i, is_new in enumerate(row) if is_new)
    return equations, results, sorted(little)


def _weight(graph: JoinGraph, rows: int, parts: Mapping[int, int]) -> float:
    """As much as the rows that came out tell: where a join of the measured `parts` had made many of each row of its inputs, all
    of these tell of one, and the few that came out are those of the most frequent keys, or none."""
    fan_out = max((made / max(_own_rows(graph, i) for i in members(part)) for part, made in parts.items()), default=0.0)
    return _MEASURED_WEIGHT if fan_out <= 1 else min(_MEASURED_WEIGHT, math.sqrt(max(rows, _LEAST_ROWS) / fan_out))


def _own_rows(graph: JoinGraph, relation: int) -> float:
    rows = graph.relations[relation].rows
    return scanned_rows(graph, relation) if rows is None else max(1.0, rows)


def _rows(graph: JoinGraph, found: Mapping[int, float], decided: Mapping[int, bool]) -> list[_Rows]:
    rows = []
    for i, relation in enumerate(graph.relations):
        if relation.rows is not None:
            rows.append(_Rows(relation.rows, Basis.DERIVED if relation.runtime_filtered else Basis.MEASURED))
        else:
            rows.append(_Rows(math.exp(found[i]), Basis.DERIVED if decided[i] else Basis.ASSUMED))
    return rows


def _log(rows: float) -> float:
    return math.log(max(rows, _LEAST_ROWS))
