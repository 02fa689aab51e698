"""A property is tried when nothing else is tried on its queries: what they do together tells of neither."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile

from tuner.model.decision import DecidedChange, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run
from tuner.policy.changes_in_effect import changes_in_effect, held_in
from tuner.policy.held_back import held_back
from tuner.policy.situation import Situation
from tuner.policy.usable import usable


def one_property_a_query(situation: Situation, decided: Sequence[DecidedChange]) -> list[DecidedChange]:
    """Properties on trial wait where another trial on one of their queries comes before them: of changes tried together the
    one that loses would ride with the one that wins, for as long as both are in force.

    Changes to single joins are tried side by side: each is foretold from what its own joins were measured at, and many
    queries need several. A property and a change to a join are tried side by side, too, once a run had one of them and not the
    other: later runs then tell what each of them does. Until then joins come first, unless a property is surer to gain than all
    of those on its queries, or their values have not come for long. None that is being tried makes way for a property that is
    not; a property that is, and gained less than foretold, counts for no more than that. What a person has asked for waits for
    nothing, and no property for what the latest run held for sizes, or for values that were new: it may do so night after night.
    """
    latest = situation.latest_run
    tried = {d.id for d in latest.decision.in_force} if latest else set()
    trials = [d for d in decided if d.standing is Standing.TRIAL]
    held_there = _held_again(latest, situation.runs) if latest else ()
    joins = [d for d in trials if d.change.is_on_joins and not situation.is_far_off(d) and d.id not in held_there]
    properties = [d for d in trials if not d.change.is_on_joins]
    asked_for = {d.id for d in trials if situation.is_asked_for(d.change)}
    met = [{d.id for d in changes_in_effect(run)} for run in situation.runs if usable(run)]

    def are_told_apart(one: DecidedChange, other: DecidedChange) -> bool:
        return any((one.id in ids) != (other.id in ids) for ids in met)

    held: set[str] = set()
    taken: set[str] = set()
    for d in sorted(properties, key=lambda d: d.id not in asked_for):
        beside = [j for j in joins if j.id not in held and not set(j.queries).isdisjoint(d.queries)]
        others = [j for j in beside if not are_told_apart(d, j)]
        asked = d.id in asked_for
        first = not others or (
            _sure_seconds([d]) > _sure_seconds(others)
            and not any(j.id in asked_for or (j.id in tried and d.id not in tried) for j in others)
            and (d.id not in tried or d.gained_seconds is None or d.gained_seconds > _sure_seconds(others))
        )
        if not asked and (not first or not taken.isdisjoint(d.queries)):
            held.add(d.id)
            continue
        taken.update(d.queries)
        if first:
            held.update(j.id for j in others)
    return [held_back(d, Reason(ReasonCode.TRIED_AFTER_ANOTHER)) if d.id in held else d for d in decided]


def _held_again(latest: Run, runs: Iterable[Run]) -> set[str]:
    """What the agent held in the latest of these runs, and may hold in the next one: for what it found, or for values that no run
    before had. Those that one had come back, as all do of a column that is known by now to move few rows."""
    earlier = takewhile(lambda run: run is not latest, runs)
    known = set[tuple[str, str]]().union(*(run.classes for run in earlier))
    new = {query for query, _ in latest.classes} - {query for query, _ in latest.classes & known}
    why_held = held_in(latest)

    def may_be_again(d: DecidedChange) -> bool:
        codes = {held.code for held in why_held[d.id].because} if d.id in why_held else set()
        return bool(codes) and (codes != {ReasonCode.HELD_OTHER_VALUES} or d.change.query in new)

    return {d.id for d in latest.decision.in_force if may_be_again(d)}


def _sure_seconds(decided: Iterable[DecidedChange]) -> float:
    """Seconds that the changes are to gain at least; changes that are one trial have one prediction."""
    each = {d.change.trial: d.change.prediction for d in decided}
    return sum(predicted.before - predicted.at_worst for predicted in each.values() if predicted)
