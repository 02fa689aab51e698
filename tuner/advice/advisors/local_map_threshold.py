"""Advisor: let AQE hash sort merge joins whose partitions are small, where only conf can be used.

`spark.sql.adaptive.maxShuffledHashJoinLocalMapThreshold` (0: never) makes AQE a shuffled hash join of every sort merge
join of which one side has no partition over it, as written (DynamicJoinSelection; from 4.3 on
ConvertSortMergeJoinToShuffledHashJoin). It counts only from `advisoryPartitionSizeInBytes` up, which is far more than a
partition of most shuffles: it reaches almost every join, and one that must not be hashed is enough to leave it alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from tuner.advice.advisors.broadcast_threshold import advise_broadcast_thresholds
from tuner.advice.candidates.hash_candidates import hash_candidates, hash_evidence, predict_hashes
from tuner.advice.candidates.hint_candidate import HintCandidate
from tuner.advice.candidates.query_gain import is_worth_it
from tuner.advice.candidates.sized_joins import Site, knows_all_joins, site_of
from tuner.advice.candidates.task_relation import SKEW, shuffle_of
from tuner.advice.facts import Facts
from tuner.model.action import Action, ActionKind
from tuner.model.change import Change, Evidence
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.query import Query
from tuner.model.reason import Reason, ReasonCode
from tuner.model.strategy import BuildSide, Strategy
from tuner.spark.join_selection.logical_join import LogicalJoin, Shuffle, Side
from tuner.spark.join_selection.reselect_join import reselect_join
from tuner.spark.join_selection.selection_conf import SelectionConf
from tuner.spark.knobs import LOCAL_MAP_THRESHOLD

_Builds = dict[tuple[Site, BuildSide], HintCandidate]


@dataclass(frozen=True, slots=True)
class _Turned:
    """A join that a threshold may hash: the builds it may become, and whether it becomes one of them for sure."""

    builds: tuple[HintCandidate, ...]
    certain: bool

    @property
    def least(self) -> HintCandidate:
        return min(self.builds, key=lambda b: b.gain)


def advise_local_map_thresholds(facts: Facts) -> Iterable[Change]:
    """At most one recommendation: the threshold with the largest gain over all joins that it turns."""
    conf = facts.selection
    if facts.per_join or not conf.adaptive or LOCAL_MAP_THRESHOLD in facts.settings:
        return
    if not knows_all_joins(facts):
        return
    best = max(_candidates(facts, conf), key=lambda found: predict_hashes(facts, found[1]).gain, default=None)
    if best is None:
        return
    predicted = predict_hashes(facts, best[1])
    if _broadcast_queries(facts) & {b.query.fingerprint for b in best[1]}:
        return
    if is_worth_it(predicted.gain, facts.succeeded) and predicted.high < predicted.before:
        yield _recommendation(facts, *best)


def _broadcast_queries(facts: Facts) -> set[str]:
    """The queries that higher broadcast thresholds are advised for: a broadcast saves the shuffles too, so it goes first.

    What it leaves merged is judged again by the run after.
    """
    return {query for found in advise_broadcast_thresholds(facts) for query in found.queries}


def _candidates(facts: Facts, conf: SelectionConf) -> Iterator[tuple[int, list[HintCandidate]]]:
    """The thresholds that turn no join that must not be hashed, each with what counts of the joins it turns."""
    builds, joins = _builds(facts)
    other_builds, other_joins = _builds(facts.of_other_runs)
    largest = {_largest(q, side)[1] for q, join in joins for side in join.sides if side.shuffle_bytes}
    advisory = conf.advisory_partition_bytes
    for candidate in sorted({advisory, *(size for size in largest if advisory < size <= facts.task_cap_bytes)}):
        with_it = replace(conf, local_map_bytes=candidate)
        turned, beside = list(_turned(joins, builds, with_it)), list(_turned(other_joins, other_builds, with_it))
        if not any(b.is_vetoed for found in (*turned, *beside) for b in found.builds):
            counted = [found.least for found in turned if found.certain or found.least.gain < 0]
            if counted:
                yield candidate, counted


def _builds(facts: Facts) -> tuple[_Builds, list[tuple[Query, JoinSite]]]:
    """What may be built, and for which joins."""
    builds: _Builds = {(site_of(b.query, b.join), b.side): b for b in hash_candidates(facts)}
    return builds, list({site_of(b.query, b.join): (b.query, b.join) for b in builds.values()}.values())


def _turned(joins: Sequence[tuple[Query, JoinSite]], builds: _Builds, conf: SelectionConf) -> Iterator[_Turned]:
    # It was not broadcast as it ran, whatever held it back.
    merged = replace(conf, broadcast_bytes=-1, adaptive_broadcast_bytes=-1)
    for query, join in joins:
        sides = {
            _hashed(LogicalJoin(join.type, left, right), merged)
            for left, right in product(_stages(query, join.left), _stages(query, join.right))
        }
        found = tuple(builds[site_of(query, join), side] for side in sides if side is not None)
        if found:
            yield _Turned(found, None not in sides)


def _hashed(join: LogicalJoin, conf: SelectionConf) -> BuildSide | None:
    """The side that AQE hashes; None where it leaves the sort merge join."""
    choice = reselect_join(join, conf)
    return choice.build_side if choice.strategy is Strategy.SHUFFLED_HASH else None


def _stages(query: Query, side: JoinSide) -> list[Side]:
    """A side as its finished shuffle, by the least and the expected bytes of its largest partition."""
    if side.shuffle_bytes is None:
        return [Side(0)]
    found = shuffle_of(query, side)
    partitions, written = (found.partitions, found.written_bytes or 0) if found else (1, 0)
    shuffles = [Shuffle(partitions, partitions, largest, written) for largest in _largest(query, side)]
    return [Side(side.shuffle_bytes, measured=True, shuffle=shuffle) for shuffle in shuffles]


def _largest(query: Query, side: JoinSide) -> tuple[int, int]:
    """The bytes of a side's largest partition: at least the mean, and as expected of skew; of unknown ones nothing."""
    found = shuffle_of(query, side)
    if found is None or found.written_bytes is None:
        return 0, side.shuffle_bytes or 0
    mean = math.ceil(found.written_bytes / found.partitions)
    return mean, min(found.written_bytes, int(SKEW * mean))


def _recommendation(facts: Facts, threshold: int, builds: list[HintCandidate]) -> Change:
    first = max(builds, key=lambda b: b.gain)
    predicted = predict_hashes(facts, builds)
    queries = tuple(dict.fromkeys(b.query.fingerprint for b in builds))
    return Change.of(
        actions=(Action(ActionKind.SET_CONF, LOCAL_MAP_THRESHOLD.property, str(threshold)),),
        queries=queries,
        reason=Reason(
            ReasonCode.LOCAL_MAP_THRESHOLD,
            {
                "joins": len(builds),
                "relation_bytes": max(b.relation_bytes for b in builds),
                "most_bytes": facts.task_cap_bytes,
                "gain_seconds": predicted.gain,
                "queries": len(queries),
            },
        ),
        evidence=(
            *hash_evidence(facts, first),
            Evidence("joins turned by AQE", len(builds), "joins", LOCAL_MAP_THRESHOLD.property),
        ),
        prediction=predicted,
        risk=LOCAL_MAP_THRESHOLD.risk,
        advisor="local_map_threshold",
    )
