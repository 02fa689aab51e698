"""What was imported from the baselines of other cohorts, as far as the latest run has what it is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tuner.model.action import Action, ActionKind, Hint
from tuner.model.change import Change
from tuner.model.cluster import Cluster
from tuner.model.imported_change import ImportedChange
from tuner.model.query import Query, total_data_bytes
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Outcome, Run
from tuner.policy.asked_cores import asked_cores
from tuner.policy.context import context_of
from tuner.policy.levers_set import levers_set
from tuner.spark.knobs import DYNAMIC_ALLOCATION
from tuner.spark.lever import Lever
from tuner.spark.settings import Settings
from tuner.units import format_bytes

# Inputs that differ by this factor are others than a property was proven with.
OTHER_INPUTS = 2.0
# A cluster is as large as another whose cores differ by less.
OTHER_CORES = 1.5


@dataclass(frozen=True, slots=True)
class Imports:
    """Changes that may be tried, those that others need first; `waiting` says by id what keeps one until a person approves."""

    changes: tuple[Change, ...] = ()
    waiting: Mapping[str, Reason] = field(default_factory=dict)


NO_IMPORTS = Imports()


def imports_now(imported: Sequence[ImportedChange], latest: Run | None, advised: Iterable[Change] = ()) -> Imports:
    """What is imported of queries that the latest usable run had, with their joins; the rest waits until one has them.

    What is `advised` here as well stands on this cohort's own measurements. Of the rest, joins have sizes of their own, within
    which the agent acts; a property has none: where it was proven with other inputs or another context, or partitions with other
    cores, a person is asked.
    """
    if latest is None or latest.outcome is None:
        return NO_IMPORTS
    own = {change.id: change for change in advised}
    there = _present(imported, latest.outcome)
    changes = tuple(_as_advised(one.change, own.get(one.change.id)) for one in there)
    properties = (one for one in there if one.change.sets_properties and one.change.id not in own)
    differing = {one.change.id: _difference(one, latest, latest.outcome) for one in properties}
    waiting = {
        id_: Reason(ReasonCode.PROVEN_WITH_OTHER, {"difference": difference})
        for id_, difference in differing.items()
        if difference
    }
    return Imports(changes, waiting)


def with_imports(imports: Imports, advised: Iterable[Change]) -> list[Change]:
    """All that may be tried: what was imported comes first."""
    ids = {change.id for change in imports.changes}
    return [*imports.changes, *(change for change in advised if change.id not in ids)]


def cores_to_compare(run: Run, outcome: Outcome) -> int:
    """How many cores a run's author asked for; 0 where that is not known, as with dynamic allocation: others each night."""
    return 0 if Settings(outcome.conf)[DYNAMIC_ALLOCATION] else asked_cores(run, outcome)


def more_or_fewer_cores(run: Run, outcome: Outcome, there: Cluster) -> str:
    """In words, how many a job here asks for in place of those `there`; "" where that is as many, or not known."""
    here = cores_to_compare(run, outcome)
    least, most = sorted((here, there.cores))
    return f"{here} cores instead of {there.cores}" if 0 < least * OTHER_CORES <= most else ""


def is_imported(change: Change) -> bool:
    return change.reason.code is ReasonCode.IMPORTED


def without_source(change: Change) -> Change:
    """For readers who may not see the cohort that it came from."""
    if not is_imported(change):
        return change
    numbers = {name: number for name, number in change.reason.numbers.items() if name != "cohort"}
    return replace(change, reason=replace(change.reason, numbers=numbers))


def _as_advised(change: Change, own: Change | None) -> Change:
    return replace(own, reason=replace(change.reason, because=(own.reason,))) if own else change


def _present(imported: Sequence[ImportedChange], outcome: Outcome) -> list[ImportedChange]:
    by_query: dict[str, list[Query]] = {}
    for query in outcome.queries:
        by_query.setdefault(query.fingerprint, []).append(query)
    found: dict[str, ImportedChange] = {}
    for one in sorted(imported, key=lambda i: (bool(i.change.needs), i.change.id)):
        change = one.change
        queries = tuple(fingerprint for fingerprint in change.queries if fingerprint in by_query)
        if queries and (change.needs in found if change.needs else _acts(change, by_query)):
            found[change.id] = replace(one, change=replace(change, queries=queries))
    return list(found.values())


def _acts(change: Change, by_query: Mapping[str, Sequence[Query]]) -> bool:
    """Whether the joins that it is about are there; a property acts on any query."""
    return all(
        any(_has(query, action) for query in by_query.get(action.query or "", ())) for action in _on_joins(change)
    )


def _on_joins(change: Change) -> tuple[Action, ...]:
    return change.actions if change.is_on_joins else ()


def _has(query: Query, action: Action) -> bool:
    if action.kind is ActionKind.ORDER_JOINS:
        return any(graph.signature == action.target for graph in query.graphs)
    if action.value == Hint.FILTER_BY_KEY:
        return any((site.join, site.source) == (action.target, action.relations) for site in query.key_filters)
    return any(join.signature == action.target for join in query.joins)


def _difference(one: ImportedChange, latest: Run, outcome: Outcome) -> str:
    """In words, what runs here have that it is not known to be proven with; "" where nothing is known to differ."""
    proven = context_of(Outcome("", one.spark_version, None, one.cluster, ()))
    if difference := context_of(outcome, latest.decision.cuts).difference(proven):
        return difference
    if _sets_partitions(one.change) and (difference := more_or_fewer_cores(latest, outcome, one.cluster)):
        return difference
    return _other_inputs(one, total_data_bytes(q for q in outcome.queries if q.fingerprint in one.change.queries))


def _other_inputs(one: ImportedChange, here: int) -> str:
    """Also where those that it was proven with are not known: nothing else says how large they may be."""
    least, most = sorted((here, one.input_bytes))
    if not here or most <= OTHER_INPUTS * least:
        return ""
    there = format_bytes(one.input_bytes) if one.input_bytes else "ones that are not known"
    return f"inputs of {format_bytes(here)} instead of {there}"


def _sets_partitions(change: Change) -> bool:
    """Whether what it sets was proven with so many tasks at once."""
    return Lever.PARTITIONS in levers_set(change)
