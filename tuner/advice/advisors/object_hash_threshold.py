"""Advisor: let aggregations into objects (collect_set, percentile, a UDAF) hash more keys before they sort.

ObjectHashAggregateExec hashes 128 keys a task, whatever memory there is, and sorts all rows that come after
(ObjectAggregationIterator). The threshold reaches every such aggregate of the application, and its objects lie where
Spark does not count them: each candidate is judged by what all of them would then hold.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

from tuner.advice.candidates.query_gain import is_worth_it, total_gain, total_seconds
from tuner.advice.candidates.round_number import round_number
from tuner.advice.facts import Facts
from tuner.cost.unit_costs import DEFAULT_COSTS, UnitCosts
from tuner.model.action import Action, ActionKind
from tuner.model.change import Change, Evidence, Prediction
from tuner.model.query import AggregateSite, Query
from tuner.model.reason import Reason, ReasonCode
from tuner.spark.knobs import OBJECT_HASH_FALLBACK_THRESHOLD
from tuner.spark.memory import object_bytes, object_cap

# Keys are not spread evenly over tasks, and there will be more of them tomorrow; and more rows of each.
ROOM = 2
# Nanoseconds of a core to make a key's objects and keep them past young collections. Measured on Spark 4.3 (local[2],
# 2 GB, collect_set over 3M rows): what hashing loses against sorting comes to 5,000 with 30,000 keys a task, to 18,000
# with 300,000; with 5,000 keys a task hashing took half the time.
KEY_NS = 10_000.0
# Sorting may take that much less than unit costs say, hashing that much more: what sorting cost beyond hashing in that
# measurement was 150 to 460 nanoseconds a row, where unit costs say 280, and at worst 120.
UNSURE = 1.5


@dataclass(frozen=True, slots=True)
class _Fallback:
    """An aggregate that gave up hashing: what sorting took and hashing would take, in wall seconds."""

    query: Query
    site: AggregateSite
    fallen: int
    wanted: int
    sort_seconds: float
    hash_seconds: float


def advise_object_hash_threshold(facts: Facts) -> Iterable[Change]:
    """At most one recommendation: the threshold that gains most of those whose objects fit into memory."""
    current = facts.settings[OBJECT_HASH_FALLBACK_THRESHOLD]
    found = [f for q in facts.succeeded for f in _fallbacks(facts, q, current)]
    cap = object_cap(facts.cluster.executor_memory_bytes, facts.cluster.cores_per_executor, facts.memory_fraction)
    best: tuple[float, int] = (0.0, current)
    for candidate in sorted({f.wanted for f in found}):
        held = _most_held(facts, candidate, current)
        if held is None or held > cap:
            break  # a larger one holds more
        best = max(best, (_gain([f for f in found if f.wanted <= candidate], 1.0), candidate))
    gain, threshold = best
    if is_worth_it(gain, facts.succeeded):
        cured = [f for f in found if f.wanted <= threshold]
        yield _recommendation(cured, current, threshold, _most_held(facts, threshold, current) or 0, cap)


def _fallbacks(facts: Facts, query: Query, current: int) -> Iterator[_Fallback]:
    # What was measured above was measured against these prices, not against what other stages make of them.
    costs, cores = DEFAULT_COSTS, max(1, facts.cluster.cores)
    for site in query.aggregates:
        fallen = _fallen(site, current)
        if fallen and site.input_rows and site.output_rows:
            keys = max(current, -(-site.output_rows // site.tasks))
            share = fallen / site.tasks
            sort, hashing = _core_seconds(site, costs)
            wanted = round_number(ROOM * keys, 2 * ROOM * keys)
            most = share * site.seconds
            yield _Fallback(query, site, fallen, wanted, min(most, share * sort / cores), share * hashing / cores)


def _fallen(site: AggregateSite, threshold: int) -> int:
    """Tasks that fell back. Where Spark does not count them: all, if the keys are too many for any of them."""
    if site.operator != "ObjectHashAggregate" or not site.grouped or not site.tasks:
        return 0
    if site.fallback_tasks is None:
        return site.tasks if (site.output_rows or 0) > ROOM * threshold * site.tasks else 0
    return min(site.tasks, site.fallback_tasks)


def _core_seconds(site: AggregateSite, costs: UnitCosts) -> tuple[float, float]:
    """Core seconds of sorting all rows of an aggregate, and of hashing them."""
    rows, keys = site.input_rows or 0, site.output_rows or 0
    spill = site.spilled_bytes * (costs.shuffle_write + costs.shuffle_read)
    return (rows * (costs.sort + costs.sort_insert) + spill) / 1e9, (rows * costs.probe + keys * KEY_NS) / 1e9


def _most_held(facts: Facts, threshold: int, current: int) -> int | None:
    """The most bytes of objects that a task of any query of any run would hold; None where that is not known of one."""
    measured = [query for queries in facts.of_all_runs for query in queries if query.aggregates]
    told = {query.fingerprint for query in measured}
    if not all(_is_told(facts, query, told) for query in facts.queries):
        return None
    most = 0
    for query in measured:
        held = [_held(site, threshold, current) for site in query.aggregates if _keeps_objects(site)]
        if any(h is None for h in held):
            return None
        most = max(most, sum(h or 0 for h in held))
    return most


def _is_told(facts: Facts, query: Query, told: Container[str]) -> bool:
    """Whether it is known which aggregates a query has: not of what did not end, and not where its log lacks some of its work,
    unless another execution tells."""
    return bool(query.aggregates) or (
        query in facts.succeeded and (query.work is not None or query.fingerprint in told)
    )


def _keeps_objects(site: AggregateSite) -> bool:
    return site.operator == "ObjectHashAggregate" and site.grouped


def _held(site: AggregateSite, threshold: int, current: int) -> int | None:
    """Bytes of the objects of an aggregate in one task; None where neither says that they stay what they are."""
    if site.output_rows is None or not site.tasks:
        return None
    keys = ROOM * -(-site.output_rows // site.tasks)
    if site.shuffle_bytes is None:
        return 0 if keys <= current else None
    return object_bytes(min(threshold, keys), ROOM * site.shuffle_bytes / max(1, site.output_rows))


def _gain(found: Iterable[_Fallback], unsure: float) -> float:
    """Wall seconds gained, with sorting that much cheaper and hashing that much dearer than expected."""
    return total_gain(
        (f.query, seconds) for f in found for seconds in (f.sort_seconds / unsure, -f.hash_seconds * unsure)
    )


def _recommendation(cured: list[_Fallback], current: int, threshold: int, held: int, cap: int) -> Change:
    queries = {f.query.id: f.query for f in cured}
    before = total_seconds(queries.values())
    gain = _gain(cured, 1.0)
    top = max(cured, key=lambda f: f.sort_seconds)
    keys = (top.site.output_rows or 0) / top.site.tasks
    return Change.of(
        actions=(Action(ActionKind.SET_CONF, OBJECT_HASH_FALLBACK_THRESHOLD.property, str(threshold)),),
        queries=tuple(dict.fromkeys(q.fingerprint for q in queries.values())),
        reason=Reason(
            ReasonCode.OBJECT_HASH_THRESHOLD,
            {
                "keys": threshold,
                "keys_before": current,
                "keys_in_a_task": keys,
                "rows": top.site.input_rows or 0,
                "object_bytes": held,
                "most_bytes": cap,
                "gain_seconds": gain,
            },
        ),
        evidence=(
            Evidence("tasks that fell back to sorting", top.fallen, "tasks", f"of {top.site.tasks}"),
            Evidence("rows in", top.site.input_rows or 0, "rows"),
            Evidence("keys a task", keys, "keys"),
            Evidence("threshold so far", current, "keys", OBJECT_HASH_FALLBACK_THRESHOLD.property),
            Evidence("objects of one task, at most", held, "bytes"),
            Evidence("memory for the objects of one task", cap, "bytes"),
        ),
        prediction=Prediction(
            before,
            before - gain,
            max(0.0, before - max(gain, _gain(cured, 1 / UNSURE))),
            before - _gain(cured, UNSURE),
        ),
        risk=OBJECT_HASH_FALLBACK_THRESHOLD.risk,
        advisor="object_hash_threshold",
    )
