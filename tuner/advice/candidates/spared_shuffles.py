"""What a broadcast spares of the shuffles of a join's sides, and what it costs where others relied on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from tuner.advice.candidates.task_relation import shuffle_of
from tuner.advice.facts import Facts
from tuner.cost.operator_seconds import shuffled_hash_core_seconds, sort_core_seconds, sort_merge_core_seconds
from tuner.cost.unit_costs import UnitCosts
from tuner.model.join_site import JoinSide, JoinSite, Reshuffle
from tuner.model.query import Query
from tuner.model.strategy import SHUFFLED, BuildSide, JoinType, Strategy

# UnsafeRow: a word that tells which fields are null, and one for each field.
WORD_BYTES = 8
# They put out columns of their left side alone (LeftExistence).
_LEFT_ALONE = frozenset({JoinType.LEFT_SEMI, JoinType.LEFT_ANTI, JoinType.EXISTENCE})

Price = Callable[[JoinSide, UnitCosts], float]


def spared_shuffle_core_seconds(join: JoinSite, probe: BuildSide, costs: UnitCosts, price: Price) -> float:
    """Core seconds of the shuffles that nothing needs any more when the side beside `probe` is broadcast.

    `price` is that of the shuffle of a side. Other places of the plan go on reading a shared shuffle; what an operator above
    took from the probe side's partitions (EnsureRequirements), it has shuffled itself, by then with the other side's columns.
    """
    spared = sum(price(join.side(which), costs) for which in BuildSide if not _is_read_elsewhere(join, which))
    if join.reshuffle is None or join.side(probe).shuffle_bytes is None:
        return spared
    return spared - price(_reshuffled(join, join.reshuffle, probe), costs)


def spared_join_core_seconds(join: JoinSite, probe: BuildSide, costs: UnitCosts) -> float:
    """Core seconds of sorting and merging, or of hashing by tasks, all the times that the join's stage computed it, less what
    sorting takes for an operator above that relied on the join's order."""
    spared = _ran_core_seconds(join, costs)
    if join.reshuffle is None or not join.reshuffle.sorts or _came_sorted(join.side(probe)):
        return join.runs * spared
    return join.runs * (spared - sort_core_seconds(_reshuffled(join, join.reshuffle, probe), costs))


def _ran_core_seconds(join: JoinSite, costs: UnitCosts) -> float:
    """A side that was neither shuffled nor sorted came in the order of a join below: no sort of it was for this one."""
    if join.strategy is Strategy.SHUFFLED_HASH and join.build_side is not None:
        return shuffled_hash_core_seconds(join.side(join.build_side), join.side(join.build_side.other), costs)
    unsorted = sum(sort_core_seconds(side, costs) for side in join.sides if _came_sorted(side))
    return sort_merge_core_seconds(join, costs) - unsorted


def repeated_seconds(facts: Facts, query: Query, join: JoinSite, probe: BuildSide) -> float:
    """Wall seconds of computing sides again that a shuffle kept from running twice: one that other places of the plan read, and
    a probe side where a range partitioning above samples what the join puts out. Where nothing tells what wrote the shuffle, as
    long as the query."""
    return sum(
        times * map_seconds(facts, query, join.side(which))
        for which in BuildSide
        if (times := _is_read_elsewhere(join, which) + (join.runs - 1 if which is probe else 0))
    )


def map_seconds(facts: Facts, query: Query, side: JoinSide) -> float:
    """Wall seconds of the tasks that wrote a side's shuffle; as long as the query where nothing tells."""
    measured = measured_map_seconds(facts, query, side)
    return query.seconds if measured is None else measured


def measured_map_seconds(facts: Facts, query: Query, side: JoinSide) -> float | None:
    """Wall seconds of the tasks that wrote a side's shuffle; None where nothing tells."""
    shuffle = shuffle_of(query, side)
    if shuffle is None or shuffle.map_core_ms is None:
        return None
    return shuffle.map_core_ms / 1e3 / max(1, min(facts.cluster.cores, shuffle.map_tasks or facts.cluster.cores))


def slowed_seconds(facts: Facts, query: Query, join: JoinSite, probe: BuildSide) -> float:
    """Wall seconds that the work after the probe side's shuffle takes longer in the tasks before it, where these are too few
    for all cores: of all the join's stage, but for what is spared; of the join alone where what is above is shuffled anew.
    Where the job coalesces the stage, it is what is before the shuffle that takes longer, in the tasks of the join."""
    shuffle, cores = shuffle_of(query, join.side(probe)), max(1, facts.cluster.cores)
    coalesced = _coalesced_seconds(facts, query, join, probe)
    if shuffle is None or not shuffle.map_tasks or not join.tasks or join.core_ms is None:
        return coalesced
    before, after = min(cores, join.tasks), min(cores, shuffle.map_tasks, most_tasks(facts, join) or cores)
    return coalesced + _moved_core_seconds(join, probe, facts.costs) * max(0.0, 1 / after - 1 / before)


def most_tasks(facts: Facts, join: JoinSite) -> int | None:
    """The tasks that the job coalesces a join's stage to, where cores are left that have none of them.

    What an operator above has to shuffle anew is coalesced after that shuffle.
    """
    most = join.coalesced_to
    return most if most is not None and most < facts.cluster.cores and join.reshuffle is None else None


def _coalesced_seconds(facts: Facts, query: Query, join: JoinSite, probe: BuildSide) -> float:
    """Wall seconds that making the probe side takes longer in the tasks that the join's stage is coalesced to: as if all joins
    below were broadcasts as well, and so ran there from their scans on. As long as the query where nothing tells."""
    most, side = most_tasks(facts, join), join.side(probe)
    if most is None or not side.shuffle_bytes:
        return 0.0
    below = (one for j in query.joins if _is_within(j, side) for one in j.sides if one.shuffle_bytes)
    longer = 0.0
    for shuffle in {shuffle_of(query, one) for one in (side, *below)}:
        if shuffle is None or shuffle.map_core_ms is None:
            return query.seconds
        before = min(facts.cluster.cores, shuffle.map_tasks or facts.cluster.cores)
        longer += shuffle.map_core_ms / 1e3 * max(0.0, 1 / max(1, most) - 1 / before)
    return longer


def _is_within(join: JoinSite, side: JoinSide) -> bool:
    """Whether a join may be one of those that make a side."""
    return Counter((*join.left.relations, *join.right.relations)) <= Counter(side.relations)


def _moved_core_seconds(join: JoinSite, probe: BuildSide, costs: UnitCosts) -> float:
    probing = (join.side(probe).rows or 0) * costs.probe / 1e9
    if join.reshuffle is not None:
        return probing
    reading = sum(side.shuffle_bytes or 0 for side in join.sides) * costs.shuffle_read + (join.tasks or 0) * costs.task
    # A join that AQE turned probes already.
    shuffled = join.strategy in SHUFFLED
    spared = spared_join_core_seconds(join, probe, costs) - join.runs * probing if shuffled else 0.0
    gone = reading / 1e9 + spared
    return max(probing, (join.core_ms or 0) / 1e3 - gone)


def _reshuffled(join: JoinSite, reshuffle: Reshuffle, probe: BuildSide) -> JoinSide:
    """The join's rows as the operator above has them shuffled and sorted: at the probe side's pace, a row as wide as both."""
    own, other, rows = join.side(probe), join.side(probe.other), reshuffle.rows
    width = _row_bytes(own)
    if join.type not in _LEFT_ALONE:
        width += max(0.0, _row_bytes(other) - WORD_BYTES * (1 + len(join.keys)))
    sort_ms = None if own.sort_ms is None else round(own.sort_ms * rows / max(1, own.rows or 0))
    return replace(own, rows=rows, shuffle_bytes=round(rows * width), sort_ms=sort_ms)


def _is_read_elsewhere(join: JoinSite, which: BuildSide) -> bool:
    """Whether other places of the plan go on reading a side's shuffle. Of one that both sides read, one reads on by itself."""
    left, right = join.sides
    is_same = (left.relations, left.shuffle_bytes, left.readers) == (
        right.relations,
        right.shuffle_bytes,
        right.readers,
    )
    own = 2 if is_same and which is BuildSide.LEFT else 1
    return join.side(which).readers > own


def _row_bytes(side: JoinSide) -> float:
    return (side.shuffle_bytes or 0) / max(1, side.rows or 0)


def _came_sorted(side: JoinSide) -> bool:
    return side.shuffle_bytes is None and side.sort_ms is None
