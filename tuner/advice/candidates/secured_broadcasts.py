"""Broadcasts that AQE found in time, by chance: what a hint on the next run is to make sure of.

AQE plans anew when a stage ends (AdaptiveSparkPlanExec.reOptimize). A side that the planner took for too large is found small
once its shuffle has ended; if the other side's shuffle has begun by then, that goes on, and its rows are moved for nothing.
Which of the two comes first hangs on what else the machine does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tuner.advice.candidates.broadcast_candidates import (
    broadcast_by_aqe,
    broadcast_vetoed,
    shuffle_and_write_core_seconds,
)
from tuner.advice.candidates.hint_candidate import HintCandidate
from tuner.advice.candidates.query_gain import is_worth_it
from tuner.advice.candidates.spared_shuffles import WORD_BYTES, map_seconds
from tuner.advice.candidates.times_in_run import times_in_run
from tuner.advice.facts import Facts
from tuner.model.action import Hint
from tuner.model.change import Prediction
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.query import Query
from tuner.model.strategy import BuildSide
from tuner.spark.memory import relation_bytes

# What is at stake is this share of the query at least, and so many seconds of the run: a trial costs a look.
MIN_SHARE, MIN_SECONDS = 0.1, 0.3


@dataclass(frozen=True, slots=True)
class Chance:
    """Of `runs` in which the planner had a join shuffled and AQE broadcast it, `late` had moved the other side's rows first."""

    runs: int
    late: int

    @property
    def of_late(self) -> float:
        """How likely the next one is late: Laplace's rule of succession, for few runs tell little."""
        return (self.late + 1) / (self.runs + 2)


def secured_broadcasts(facts: Facts) -> Iterator[HintCandidate]:
    """The joins that AQE made broadcasts before the other side was shuffled, where that would have cost much."""
    for query in facts.succeeded:
        for join in query.joins:
            side = _found_in_time(join)
            if side is None or _is_partitioned(query, join, side.other):
                continue
            seconds = late_seconds(facts, join, side.other)
            if is_worth_it(seconds, [query], MIN_SECONDS, MIN_SHARE, times_in_run(facts, query)):
                yield _candidate(facts, query, join, side, chance(facts, query, join).of_late * seconds)


def chance(facts: Facts, query: Query, join: JoinSite) -> Chance:
    """How often this join of this query was broadcast late, in the runs at hand."""
    ran = [
        found for past in facts.earlier for q in past.queries if q.fingerprint == query.fingerprint for found in q.joins
    ]
    alike = [j for j in (*ran, join) if (j.signature, j.occurrence) == (join.signature, join.occurrence)]
    turned = [(j, side) for j in alike if (side := _found_small(j))]
    return Chance(len(turned), sum(j.side(side.other).shuffle_bytes is not None for j, side in turned))


def least_shuffle_bytes(join: JoinSite, which: BuildSide) -> int:
    """What a shuffle of a side moves at least: rows with the keys of the join, and one field besides."""
    return (join.side(which).rows or 0) * WORD_BYTES * (2 + len(join.keys))


def late_seconds(facts: Facts, join: JoinSite, which: BuildSide) -> float:
    """Wall seconds that the shuffle of a side takes at least."""
    moved = replace(join.side(which), shuffle_bytes=least_shuffle_bytes(join, which))
    return shuffle_and_write_core_seconds(moved, facts.costs) / max(1, facts.cluster.cores)


def _candidate(facts: Facts, query: Query, join: JoinSite, side: BuildSide, saved: float) -> HintCandidate:
    build, now = join.side(side), query.seconds
    data = build.shuffle_bytes or 0
    size = relation_bytes(build.rows or 0, data)
    # What other places of the plan read of a shuffle is made once more for the broadcast.
    added = map_seconds(facts, query, build) if build.readers > 1 else 0.0
    # What it takes by itself from run to run, and what it took now.
    prediction = Prediction(now + saved, now + added, now, now + added)
    vetoed = broadcast_vetoed(facts, query, join, build, size)
    return HintCandidate(
        query, join, side, Hint.BROADCAST, size, saved, added, prediction, vetoed, is_secured=True, data_bytes=data
    )


def _found_small(join: JoinSite) -> BuildSide | None:
    """The side that AQE broadcast once its shuffle had ended."""
    side = broadcast_by_aqe(join)
    return side if side and join.side(side).shuffle_bytes is not None else None


def _found_in_time(join: JoinSite) -> BuildSide | None:
    """The same, where the other side was not shuffled."""
    side = _found_small(join)
    if side is None:
        return None
    probe = join.side(side.other)
    return side if probe.shuffle_bytes is None and probe.rows is not None else None


def _is_partitioned(query: Query, join: JoinSite, which: BuildSide) -> bool:
    """Whether a side is a join on the same keys, whose rows are where this one wants them: no shuffle is spared."""
    side, place = join.side(which), 0 if which is BuildSide.LEFT else 1
    keys = {pair[place] for pair in join.keys}
    below = (j for j in query.joins if j is not join and _has_made(j, side))
    return any(keys == {pair[i] for pair in j.keys} for j in below for i in (0, 1))


def _has_made(join: JoinSite, side: JoinSide) -> bool:
    return sorted((*join.left.relations, *join.right.relations)) == sorted(side.relations)
