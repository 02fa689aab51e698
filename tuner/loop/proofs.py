"""What a cohort's runs have shown of the changes to its queries, for jobs that nothing is known of yet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import structs

from tuner.advice.facts import Facts
from tuner.loop.told_to_agent import told_to_agent
from tuner.model.agent_message import HintDirective, QueryDirectives, decode_message
from tuner.model.decision import TAKEN_OUT, DecidedChange, Decision, Mode, Standing
from tuner.model.proof import Proof
from tuner.model.query import Query, QueryStatus
from tuner.model.reason import ReasonCode
from tuner.model.run import Run
from tuner.model.verdict import Ruling
from tuner.plan.literals import literal_class
from tuner.plan.relation import tells_source
from tuner.policy.changes_in_effect import changes_in_effect
from tuner.policy.instances import latest_of_instance
from tuner.policy.known_queries import KnownQueries, newest_of_each
from tuner.policy.measured_values import MOST_LITERALS
from tuner.policy.usable import usable

_REFUSED = frozenset({Ruling.REJECT.value, Ruling.ROLL_BACK.value})


def proofs_of(cohort: str, decision: Decision, runs: Sequence[Run], facts: Facts, instance: str = "") -> list[Proof]:
    """By query, from the decision for a run that would start now with the `facts` that it rests on, and the runs so far, oldest
    first.

    Lent is what is proven of a query's joins as a whole, on the values that had it and no others, within sizes. What acts at any
    size, on values that never ran, or on relations that no log names, is not: a job that is not known may have any.
    """
    latest = latest_of_instance(runs, instance)
    if latest is None or latest.outcome is None:
        return []
    on_joins = [d for d in decision.changes if d.change.is_on_joins and d.change.query]
    by_query: dict[str, list[DecidedChange]] = {}
    for decided in on_joins:
        by_query.setdefault(decided.change.query or "", []).append(decided)
    of_latest = (latest.ended_at or latest.started_at, latest.outcome.spark_version, latest.outcome.cluster)
    newest = newest_of_each(runs, instance)
    found = []
    for query, changes in by_query.items():
        out = tuple(d.id for d in changes if d.standing in TAKEN_OUT or _is_refused(d))
        proven = tuple(d for d in changes if d.standing is Standing.PROMOTED)
        had = _had(query, proven, runs)
        gained = sum({d.change.trial: d.gained_seconds or 0.0 for d in proven}.values())
        directives = None
        if proven and had and gained > 0 and not any(d.is_in_force for d in changes if d not in proven):
            directives = _directives(proven, newest, had, facts)
        if directives is not None:
            found.append(Proof(cohort, query, *of_latest, proven, directives, gained, _runs(proven, runs), out))
        elif out:
            found.append(Proof(cohort, query, *of_latest, taken_out=out))
    return found


def _is_refused(decided: DecidedChange) -> bool:
    why = decided.held or decided.why
    return why.code is ReasonCode.RULED and why.numbers.get("ruling") in _REFUSED


def _had(query: str, proven: Sequence[DecidedChange], runs: Iterable[Run]) -> list[Query]:
    """The executions that had all that is proven, and came to their end."""
    found: list[Query] = []
    ids = {d.id for d in proven}
    actions = {action.id for d in proven for action in d.change.actions}
    for run in filter(usable, runs):
        if ids <= {d.id for d in changes_in_effect(run)} and run.outcome:
            mine = [q for q in run.outcome.queries if q.fingerprint == query and q.status is QueryStatus.SUCCEEDED]
            found += [q for q in mine if q.followed >= actions]
    return found


def _runs(proven: Sequence[DecidedChange], runs: Iterable[Run]) -> int:
    ids = {d.id for d in proven}
    return sum(ids <= {d.id for d in changes_in_effect(run)} for run in filter(usable, runs))


def _directives(
    proven: tuple[DecidedChange, ...], newest: KnownQueries, had: Sequence[Query], facts: Facts
) -> QueryDirectives | None:
    """What the agent is told of them; None where that is not all of it, or holds for any size or values."""
    alone = Decision(Mode.AUTO, proven)
    own = [q for q in newest.all if q.fingerprint == proven[0].change.query]
    columns = {q.columns for q in own}
    found = told_to_agent(alone, facts, newest)
    if found.skipped or not found.text or len(columns) != 1:
        return None
    (query,) = decode_message(found.text)
    exact = longest_classes(had)
    if not exact or not query.relations or any(map(_holds_at_any_size, query.hints)):
        return None
    if not all(order.bounds for order in query.orders) or not all(map(tells_source, query.relations)):
        return None
    return structs.replace(
        query,
        columns=columns.pop(),
        hints=tuple(structs.replace(hint, literals=exact, neutral=()) for hint in query.hints),
        orders=tuple(structs.replace(order, literals=exact, neutral=()) for order in query.orders),
    )


def longest_classes(had: Iterable[Query]) -> tuple[str, ...]:
    """The classes of what they asked; of too many those with the longest executions."""
    longest: dict[str, float] = {}
    for query in (q for q in had if q.conditions is not None):
        class_ = literal_class(query.conditions or ())
        longest[class_] = max(query.seconds, longest.get(class_, 0.0))
    return tuple(sorted(sorted(longest, key=lambda class_: (-longest[class_], class_))[:MOST_LITERALS]))


def _holds_at_any_size(hint: HintDirective) -> bool:
    return not hint.most_bytes
