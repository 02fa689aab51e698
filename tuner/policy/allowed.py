"""What of the actions wanted may be in force together: by mode, memory, runs under way, and by one another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from tuner.model.action import Action, ActionKind
from tuner.model.decision import IN_FORCE, DecidedAction, Mode, Standing
from tuner.model.run import Run, RunState
from tuner.model.verdict import Ruling
from tuner.policy.apart import apart
from tuner.policy.changes_results import changes_results
from tuner.policy.held_back import held_back
from tuner.policy.ledger import same_target
from tuner.policy.measured_values import for_others, with_measured_values
from tuner.policy.orders_first import orders_first
from tuner.policy.situation import Situation
from tuner.policy.together import depends


def allowed(situation: Situation, wanted: Iterable[DecidedAction]) -> list[DecidedAction]:
    """Each action once, the later of two; at most one in force for each target, and nothing without what it belongs to."""
    advised = {action.id for recommendation in situation.recommendations for action in recommendation.actions}
    each = with_measured_values(list({d.action.id: d for d in wanted}.values()), situation.runs, advised)
    partners = {d.action.id: [p.action for p in each if _together(d, p)] for d in each}
    asked_for = {d.action.id for d in each if _is_asked_for(situation, d.action, partners[d.action.id])}
    possible = orders_first((_allowed(situation, d, partners[d.action.id]) for d in each), situation.latest_run)
    within = apart(possible, asked_for)
    return _without_conflicts([_whole(d, within) for d in within])


def _is_asked_for(situation: Situation, action: Action, partners: Sequence[Action]) -> bool:
    verdict = situation.verdict(action, partners)
    return verdict is not None and verdict.ruling in (Ruling.APPROVE, Ruling.PIN)


def _allowed(situation: Situation, decided: DecidedAction, partners: Sequence[Action]) -> DecidedAction:
    if decided.standing not in IN_FORCE:
        return decided
    if decided.action.kind not in situation.drivable:
        return replace(decided, standing=Standing.PROPOSED)
    if why := situation.unsaid.get(decided.action.id):
        return held_back(decided, f"the agent cannot be told: {why}")
    approved = _is_asked_for(situation, decided.action, partners)
    if situation.mode is Mode.OBSERVE or (situation.mode is Mode.SUGGEST and not approved):
        return replace(decided, standing=Standing.PROPOSED)
    if decided.standing is Standing.PINNED:
        return decided
    if why := changes_results(decided.action, situation.latest):
        return held_back(decided, why)
    if why := situation.outgrown.get(decided.action.id):
        return held_back(decided, why)
    if decided.standing is Standing.TRIAL and (other := _tries(situation.runs, decided.action)):
        return held_back(decided, f"run {other.key} is trying it")
    return decided


def _whole(decided: DecidedAction, others: Iterable[DecidedAction]) -> DecidedAction:
    """Half of what belongs together is a change nobody judged."""
    out = next((o for o in others if o.standing not in IN_FORCE and _together(decided, o)), None)
    return decided if out is None else held_back(decided, f"belongs with {out.action.target}, which is {out.standing}")


def _together(a: DecidedAction, b: DecidedAction) -> bool:
    """Whether an action needs another that is carried out in the run as well: a person analyses tables."""
    by_people = ActionKind.ANALYZE_TABLE in (a.action.kind, b.action.kind)
    return not by_people and depends(a, b)


def _tries(runs: Sequence[Run], action: Action) -> Run | None:
    """The run that has not ended, or was not heard of since, and tries an action: one at a time is enough."""
    for run in runs:
        if run.state is RunState.RUNNING and action.id in {a.id for a in run.decision.in_force}:
            return run
    return None


def _are_rivals(kept: DecidedAction, candidate: DecidedAction) -> bool:
    alike = same_target(kept.action, candidate.action) and kept.standing in IN_FORCE
    return alike and not for_others(kept, candidate)


def _without_conflicts(decided: Iterable[DecidedAction]) -> list[DecidedAction]:
    """One action for one target, and for the same values: a trial replaces what was in force and takes over its queries; a
    pinned one stays."""
    kept: list[DecidedAction] = []
    for candidate in decided:
        if candidate.standing in IN_FORCE:
            rivals = [k for k in kept if _are_rivals(k, candidate)]
            if any(k.standing is Standing.PINNED for k in rivals):
                continue
            kept = [k for k in kept if k not in rivals]
            touched = dict.fromkeys(q for d in (*rivals, candidate) for q in d.queries)
            candidate = replace(candidate, queries=tuple(touched))
        kept.append(candidate)
    return kept
