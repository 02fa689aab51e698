"""Advisor: let Spark filter a large relation by the keys of selective joins that only come after its shuffle.

Spark's InjectRuntimeFilter builds a bloom filter of the small side's keys and applies it to the scan below the shuffle,
but by default only to relations of 10 GB and more. Where a run shows that joins above a shuffle drop most rows, the
threshold is lowered to just below that relation's files: rows dropped early are not shuffled, sorted or joined.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod

from tuner.advice.candidates.bloom_filter_seconds import BUILD_SECONDS, bloom_filter_seconds
from tuner.advice.candidates.query_gain import capped, is_worth_it, total_gain, total_seconds
from tuner.advice.candidates.round_number import round_number
from tuner.advice.facts import Facts
from tuner.advice.steering_reach import Reach
from tuner.cost.operator_seconds import join_core_seconds
from tuner.cost.unit_costs import UnitCosts
from tuner.model.action import Action, ActionKind
from tuner.model.change import Change, Evidence, Prediction
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.query import Query
from tuner.model.reason import Reason, ReasonCode
from tuner.model.strategy import JoinType, Strategy
from tuner.plan.relation import short_name
from tuner.spark.knobs import BLOOM_FILTER, BLOOM_FILTER_APPLICATION_THRESHOLD, BLOOM_FILTER_CREATION_THRESHOLD

# A join keeps so few of its rows that a filter on its key pays (the filter itself reads every row once).
MAX_SELECTIVITY = 0.5
# Fewer rows than this tell nothing of selectivity.
MIN_PROBE_ROWS = 1000
MARGIN = 1.15
MIN_GAIN_SECONDS = 0.5
MIN_GAIN_SHARE = 0.02
_FILTERING = frozenset({JoinType.INNER, JoinType.LEFT_SEMI})


@dataclass(frozen=True, slots=True)
class _Filtered:
    """One relation of one query that joins after its shuffle would filter; `kept` is the share of rows that passes."""

    query: Query
    relation: str
    file_bytes: int
    rows: int
    kept: float
    filters: tuple[JoinSite, ...]
    gain: float


def advise_runtime_filters(facts: Facts) -> Iterable[Change]:
    """At most one recommendation: the threshold below the smallest relation that is worth filtering. It reaches every query of
    a job: where the agent filters single joins (`key_filter`), it is left alone.
    """
    if facts.reach is Reach.AGENT:
        return
    threshold = facts.settings[BLOOM_FILTER_APPLICATION_THRESHOLD]
    if facts.version < BLOOM_FILTER.since[:2] or (BLOOM_FILTER in facts.settings and not facts.settings[BLOOM_FILTER]):
        return
    costs, cores = facts.costs, max(1, facts.cluster.cores)
    most = facts.settings[BLOOM_FILTER_CREATION_THRESHOLD]
    filtered = [f for q in facts.succeeded for f in _filterable(q, costs, cores, most) if f.file_bytes < threshold]
    gain = total_gain((f.query, f.gain) for f in _best_of_each(filtered))
    if filtered and is_worth_it(gain, facts.succeeded, MIN_GAIN_SECONDS, MIN_GAIN_SHARE):
        yield _recommendation(facts, filtered, threshold, gain)


def _filterable(query: Query, costs: UnitCosts, cores: int, most_bytes: int) -> Iterator[_Filtered]:
    """The relations below a sort merge join of this query whose filtering would gain more than it costs, by sides that the
    planner takes for no more than `most_bytes`."""
    for shuffled in (join for join in query.joins if join.strategy is Strategy.SORT_MERGE):
        for side in (shuffled.left, shuffled.right):
            for relation in dict.fromkeys(side.relations):
                found = _price(query, relation, shuffled, costs, cores, most_bytes)
                if found is not None and found.gain > 0.02 * query.seconds:
                    yield found


def _price(
    query: Query, relation: str, shuffled: JoinSite, costs: UnitCosts, cores: int, most_bytes: int
) -> _Filtered | None:
    scan = _scan_of(query, relation)
    above = [j for j in query.joins if _is_above(j, shuffled)]
    filters = [
        j
        for j in above
        if j.type in _FILTERING
        and not j.has_condition
        and _selectivity(j) <= MAX_SELECTIVITY
        and _on_key_of(j, relation)
        and _is_made_of(j, relation, most_bytes)
    ]
    if scan is None or not filters:
        return None
    saved = sum((1 - _still_to_drop(j, filters)) * join_core_seconds(j, costs) for j in (shuffled, *above)) / cores
    rows = scan.rows or 0
    cost = len(filters) * bloom_filter_seconds(rows, cores)
    kept = prod(_selectivity(j) for j in filters)
    return _Filtered(query, relation, scan.file_bytes or 0, rows, kept, tuple(filters), saved - cost)


def _still_to_drop(join: JoinSite, filters: Iterable[JoinSite]) -> float:
    """The share of a join's input that would be left, had the filters above it been applied before it."""
    return prod((_selectivity(f) for f in filters if f is join or _is_above(f, join)), start=1.0)


def _selectivity(join: JoinSite) -> float:
    """The share of the larger input that a join puts out; 1 when too few rows passed to tell."""
    rows = max(join.left.rows or 0, join.right.rows or 0)
    if rows < MIN_PROBE_ROWS or join.output_rows is None:
        return 1.0
    return min(1.0, (join.output_rows + 1) / rows)


def _is_above(join: JoinSite, below: JoinSite) -> bool:
    """Whether `below` feeds a side of `join`, by the relations each holds."""
    inner = Counter((*below.left.relations, *below.right.relations))
    return join is not below and any(not inner - Counter(side.relations) for side in (join.left, join.right))


def _on_key_of(join: JoinSite, relation: str) -> bool:
    """Whether every key pair has a column of the relation: a filter on part of a key keeps more than the join does."""
    return bool(join.keys) and all(any(key.rsplit(".", 1)[0] == relation for key in pair) for pair in join.keys)


def _is_made_of(join: JoinSite, relation: str, most_bytes: int) -> bool:
    """Whether Spark makes a filter of the side that the relation is not on: not of a relation that it takes for larger
    (InjectRuntimeFilter.injectBloomFilter). Of several relations it takes one, which is not told here."""
    others = [side for side in join.sides if relation not in side.relations and len(side.relations) == 1]
    return all(side.estimated_bytes is None or side.estimated_bytes <= most_bytes for side in others)


def _scan_of(query: Query, relation: str) -> JoinSide | None:
    """The side of a join that is this relation alone: its rows after filters and the bytes of its files."""
    sides = [s for j in query.joins for s in (j.left, j.right) if s.relations == (relation,) and s.file_bytes]
    return max(sides, key=lambda s: s.rows or 0, default=None)


def _best_of_each(filtered: Iterable[_Filtered]) -> list[_Filtered]:
    """Each relation of each query once, with its best filters."""
    best: dict[tuple[int, str], _Filtered] = {}
    for item in filtered:
        relation = (item.query.id, item.relation)
        if relation not in best or best[relation].gain < item.gain:
            best[relation] = item
    return list(best.values())


def _recommendation(facts: Facts, filtered: list[_Filtered], threshold: int, gain: float) -> Change:
    below = max(1, int(min(f.file_bytes for f in filtered) / MARGIN))
    value = round_number(max(1, int(below / MARGIN)), below)
    top = max(filtered, key=lambda f: f.gain)
    name = short_name(top.relation)
    others = " and ".join(list(dict.fromkeys(_other_side(j, top.relation) for j in top.filters))[:3])
    reached = _reached(facts, value)
    before = total_seconds(reached)
    wasted = BUILD_SECONDS * len({q.id for q in reached} - {f.query.id for f in filtered})
    actions = [Action(ActionKind.SET_CONF, BLOOM_FILTER_APPLICATION_THRESHOLD.property, str(value))]
    if not facts.settings[BLOOM_FILTER]:
        actions.append(Action(ActionKind.SET_CONF, BLOOM_FILTER.property, "true"))
    return Change.of(
        actions=tuple(actions),
        queries=tuple(dict.fromkeys(q.fingerprint for q in reached)),
        reason=Reason(
            ReasonCode.RUNTIME_FILTER,
            {"relation": name, "rows": top.rows, "filters": others, "share_kept": top.kept, "gain_seconds": gain},
        ),
        evidence=(
            Evidence("rows before its shuffle", top.rows, "rows", name),
            Evidence("share kept by the joins after it", top.kept, "share", name),
            *(Evidence("share kept", _selectivity(j), "share", _other_side(j, top.relation)) for j in top.filters),
            Evidence("files", top.file_bytes, "bytes", name),
            Evidence("threshold so far", threshold, "bytes", BLOOM_FILTER_APPLICATION_THRESHOLD.property),
        ),
        prediction=Prediction(before, before - gain, before - capped(2 * gain, before), before - 0.2 * gain + wasted),
        risk=BLOOM_FILTER_APPLICATION_THRESHOLD.risk,
        advisor="runtime_filter",
    )


def _other_side(join: JoinSite, relation: str) -> str:
    names = {key.rsplit(".", 1)[0] for pair in join.keys for key in pair} - {relation}
    return "+".join(sorted(short_name(name) for name in names)) or short_name(relation)


def _reached(facts: Facts, threshold: int) -> list[Query]:
    """The queries that may get a filter: they shuffle for a join and read a relation over the threshold."""
    return [
        q
        for q in facts.succeeded
        if any(j.strategy is Strategy.SORT_MERGE for j in q.joins)
        and any((s.file_bytes or 0) >= threshold for j in q.joins for s in (j.left, j.right))
    ]
