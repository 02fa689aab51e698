"""What a join asks of how its inputs are partitioned and sorted, and what it delivers itself.

Source: EnsureRequirements, HashPartitioning, HashShuffleSpec and ShuffleSpecCollection (SPARK-35703), ShuffledJoin,
SortMergeJoinExec, BroadcastHashJoinExec, HashJoin; of inner joins, as all of a block are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from tuner.cost.what_if.physical_order import Keys
from tuner.model.join_graph import Column
from tuner.model.strategy import BuildSide

_ONE_PARTITION: Keys = ()
LEFT, RIGHT = BuildSide.LEFT, BuildSide.RIGHT
# Pairs of columns that a join compares, left then right.
Pairs = tuple[tuple[Column, Column], ...]


@dataclass(frozen=True, slots=True)
class Delivered:
    """How rows come: hashed on any one of `partitioned`, each partition sorted by `sorted`.

    Several partitionings say the same of equal columns (PartitioningCollection); rows of one partition are hashed on
    nothing (SinglePartition). Each place of `sorted` holds columns that are equal (SortOrder.sameOrderExpressions).
    """

    partitioned: tuple[Keys, ...] = ()
    sorted: tuple[frozenset[Column], ...] = ()


def reordered(pairs: Pairs, left: Delivered, right: Delivered) -> Pairs:
    """The keys in the order in which a side is partitioned on all of them already (reorderJoinKeys)."""
    for place, side in ((0, left), (1, right)):
        for partitioning in side.partitioned:
            if (found := _in_order(pairs, place, partitioning)) is not None:
                return found
    return pairs


def _in_order(pairs: Pairs, place: int, expected: Keys) -> Pairs | None:
    if len(expected) != len(pairs):
        return None
    left_over = list(pairs)
    found = []
    for column in expected:
        pair = next((pair for pair in left_over if pair[place] == column), None)
        if pair is None:
            return None
        left_over.remove(pair)
        found.append(pair)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """One side as EnsureRequirements compares it; `exchanged` where it has to be shuffled anyway."""

    keys: Keys
    specs: tuple[Keys, ...]
    exchanged: bool

    def may_create(self, *, requires_all_keys: bool) -> bool:
        return all(spec == self.keys if requires_all_keys else spec for spec in self.specs)

    def fits(self, other: _Candidate) -> bool:
        """HashShuffleSpec.isCompatibleWith: each expression stands at a place of both sides' keys that they share."""
        return any(
            len(own) == len(its)
            and all(_places(self.keys, a) & _places(other.keys, b) for a, b in zip(own, its, strict=True))
            for own, its in product(self.specs, other.specs)
        )


def shuffles(pairs: Pairs, left: Delivered, right: Delivered, *, requires_all_keys: bool) -> Mapping[BuildSide, Keys]:
    """The sides to be shuffled for a join of equal keys, and on which columns.

    A side that is partitioned on some of the keys would do for itself, but not for the other to be shuffled alike
    where all keys are required (spark.sql.requireAllClusterKeysForCoPartition). Two sides of one partition each are
    joined as they are.
    """
    if all(_ONE_PARTITION in side.partitioned for side in (left, right)):
        return {}
    sides = {LEFT: _candidate(pairs, 0, left), RIGHT: _candidate(pairs, 1, right)}
    able = [side for side in sides.values() if side.may_create(requires_all_keys=requires_all_keys)]
    best = next((side for side in able if not side.exchanged), able[0] if able else None)
    found = {}
    for which, side in sides.items():
        if best is None:
            found[which] = side.keys
        elif not side.fits(best):
            found[which] = tuple(side.keys[min(_places(best.keys, column))] for column in best.specs[0])
        elif side.exchanged:
            found[which] = side.specs[0]
    return found


def _candidate(pairs: Pairs, place: int, side: Delivered) -> _Candidate:
    keys = tuple(pair[place] for pair in pairs)
    fitting = tuple(p for p in side.partitioned if set(p) <= set(keys))  # HashPartitioning.satisfies
    return _Candidate(keys, fitting or (keys,), exchanged=not fitting)


def _places(keys: Keys, column: Column) -> set[int]:
    return {number for number, key in enumerate(keys) if key == column}


def is_sorted(side: Delivered, keys: Keys) -> bool:
    """Whether the keys are the first that a side is sorted by (SortOrder.orderingSatisfies)."""
    return len(side.sorted) >= len(keys) and all(
        key in same for key, same in zip(keys, side.sorted[: len(keys)], strict=True)
    )


def merged_order(pairs: Pairs, left: Delivered, right: Delivered) -> tuple[frozenset[Column], ...]:
    """What a sort merge join's rows are sorted by: the keys of both sides, and what each was the same as before."""
    places = [frozenset(pair) for pair in pairs]
    for place, side in ((0, left), (1, right)):
        if is_sorted(side, tuple(pair[place] for pair in pairs)):
            places = [same | more for same, more in zip(places, side.sorted, strict=False)]
    return tuple(places)


def expanded(partitioned: Iterable[Keys], equal: Mapping[Column, Column], limit: int) -> tuple[Keys, ...]:
    """The partitionings of a broadcast join's streamed side, also by the build side's equal columns.

    At most `limit` of each one (spark.sql.execution.broadcastHashJoin.outputPartitioningExpandLimit, SPARK-31869).
    """
    return tuple(dict.fromkeys(keys for partitioning in partitioned for keys in _alike(partitioning, equal, limit)))


def _alike(partitioning: Keys, equal: Mapping[Column, Column], limit: int) -> Iterator[Keys]:
    if not limit:
        yield partitioning
        return
    choices = [(column, equal[column]) if column in equal else (column,) for column in partitioning]
    for number, keys in enumerate(product(*choices)):
        if number >= limit:
            return
        yield keys
