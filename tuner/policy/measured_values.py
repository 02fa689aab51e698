"""The values that a change to a join was measured with: it acts on a query that has these, and on no other."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tuner.model.action import ActionKind
from tuner.model.change import Change
from tuner.model.decision import DecidedChange, Standing
from tuner.model.directive_result import DirectiveStatus
from tuner.model.query import Query, QueryStatus
from tuner.model.run import Run
from tuner.policy.changes_in_effect import changes_in_effect
from tuner.policy.literal_classes import LiteralClasses
from tuner.policy.situation import Situation
from tuner.policy.usable import usable

# Of a loop over more of them than this, those that take longest, of what its last run had first: others may never come back.
MOST_LITERALS = 500

_Ran = Mapping[str | None, Sequence[Query]]


def measured_values(situation: Situation, decided: Sequence[DecidedChange]) -> list[DecidedChange]:
    """Gives each change to a join the classes of values (`tuner.policy.literal_classes`) that it may act on, and the columns
    whose values do not count for these.

    They are those of the executions that had it and succeeded, and, of a change that the latest usable run advises, those of
    its query in that run: a trial is tried on what it was advised from, also if other values come first, or the run that was to
    try it failed and it is advised no more. What is proven, and was held in all of these runs, is for those of before. Those that
    it is `excluded` from are none of them.
    """
    found: dict[str, set[str]] = {d.id: set() for d in decided if d.change.is_on_joins}
    if not found:
        return list(decided)
    classes = situation.classes or LiteralClasses()
    for id_ in found.keys() & situation.awaited.keys():
        found[id_] |= situation.awaited[id_].literals
    advised = {change.id for change in situation.advised}
    usable_runs = [(run, _ran(run)) for run in situation.runs if usable(run)]
    for run, ran in usable_runs:
        for one in (d for d in changes_in_effect(run) if d.id in found):
            found[one.id].update(q.literals for q in ran.get(one.change.query, ()) if _had(q, one.change))
    if latest := situation.latest_run:
        ran = _ran(latest)
        for one in (d for d in decided if d.id in found and d.id in advised):
            found[one.id].update(q.literals for q in ran.get(one.change.query, ()))
    by_length = _ByLength([ran for _, ran in usable_runs])
    for one in decided:
        if one.is_in_force and found.get(one.id) == set():
            ever = by_length.places(one.change.query)
            found[one.id].update(_as_decided_before(one, situation.runs, ever, classes))
    return [_for_values(d, found.get(d.id), classes, by_length) for d in decided]


def act_on_others(one: DecidedChange, other: DecidedChange) -> bool:
    """Whether two changes act on different values, so that neither meets the other."""
    return bool(one.literals and other.literals) and set(one.literals).isdisjoint(other.literals)


def _for_values(
    decided: DecidedChange, found: Iterable[str] | None, classes: LiteralClasses, by_length: _ByLength
) -> DecidedChange:
    if found is None:
        return replace(decided, literals=(), neutral=(), fleeting=())
    neutral, fleeting = _not_told_by(decided, classes)
    # Hints gained nothing by themselves (docs/head-room.md): those that an order calls for come with it, counted first.
    is_blind = bool(fleeting) and decided.change.kind is ActionKind.HINT_JOIN and not decided.change.needs
    literals = [] if is_blind else [id_ for id_ in found if id_ not in decided.excluded]
    if len(literals) > MOST_LITERALS:
        # Those that no run had, which a decision of before has, come last.
        places = by_length.places(decided.change.query)
        literals = sorted(literals, key=lambda id_: (places.get(id_, len(places)), id_))[:MOST_LITERALS]
    return replace(decided, literals=tuple(sorted(literals)), neutral=neutral, fleeting=fleeting)


@dataclass(slots=True)
class _ByLength:
    """The classes of a query, each with its place: what its latest run had first, and of that what took longest.

    That is the most that executions of the class took in any of the `runs` together, for a change makes those of the latest
    ones short.
    """

    runs: Sequence[_Ran]
    _places: dict[str | None, Mapping[str, int]] = field(default_factory=dict)

    def places(self, query: str | None) -> Mapping[str, int]:
        if query not in self._places:
            self._places[query] = {id_: place for place, id_ in enumerate(self._ordered(query))}
        return self._places[query]

    def _ordered(self, query: str | None) -> list[str]:
        seconds: dict[str, float] = {}
        latest: dict[str, float] = {}
        for ran in self.runs:
            took: dict[str, float] = {}
            for one in ran.get(query, ()):
                took[one.literals] = took.get(one.literals, 0.0) + one.seconds
            seconds |= {id_: max(taken, seconds.get(id_, 0.0)) for id_, taken in took.items()}
            latest = took or latest
        return sorted(seconds, key=lambda id_: (id_ not in latest, -seconds[id_], id_))


def _not_told_by(decided: DecidedChange, classes: LiteralClasses) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The neutral and the fleeting columns of its query."""
    query = decided.change.query or ""
    return tuple(sorted(classes.neutral.get(query, ()))), tuple(sorted(classes.fleeting.get(query, ())))


def _as_decided_before(
    one: DecidedChange, runs: Sequence[Run], ran: Container[str], classes: LiteralClasses
) -> Iterator[str]:
    """The classes that earlier decisions had a change for, of those that executions of its query had (`ran`); of what is proven
    all that the same columns tell apart now as then."""
    told_by = _not_told_by(one, classes)
    for before in (d for run in runs for d in run.decision.in_force if d.id == one.id):
        is_known = one.standing is Standing.PROMOTED and (before.neutral, before.fleeting) == told_by
        yield from (class_ for class_ in before.literals if is_known or class_ in ran)


def _ran(run: Run) -> _Ran:
    """The executions whose values are known, by fingerprint."""
    found: dict[str | None, list[Query]] = {}
    for query in run.outcome.queries if run.outcome else ():
        if query.status is QueryStatus.SUCCEEDED and query.literals:
            found.setdefault(query.fingerprint, []).append(query)
    return found


def _had(query: Query, change: Change) -> bool:
    """Whether an execution had a change that its run had; of a hint in SQL text nothing is told."""
    told = [outcome.status for outcome in query.directives if outcome.action_id == change.id]
    return not told or DirectiveStatus.APPLIED in told
