"""Which of a run's directives its plans followed, and which of its properties it had: the others were not in force, whatever was
decided.

What was held, because what it builds was too large in that run, its query had values that it was not measured with, or the job's
program set the property otherwise, is not out of force for it: the next run may be another.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from tuner.model.agent_record import NOT_LOADED
from tuner.model.decision import DecidedChange
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.query import Query, QueryStatus
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run
from tuner.policy.set_by_program import beaten_properties


def not_followed(run: Run) -> dict[str, Reason]:
    """Of what was in force, by the id of its change, why it was not followed: where its queries came to their end without it.

    Of several executions of a query one that followed is enough.
    """
    return {id_: why for id_, (status, why) in _unfollowed(run).items() if status is not DirectiveStatus.HELD}


def held_in(run: Run) -> dict[str, Reason]:
    """Of what was in force, by the id of its change, why it was held, in this run alone."""
    return {id_: why for id_, (status, why) in _unfollowed(run).items() if status is DirectiveStatus.HELD}


def changes_in_effect(run: Run) -> list[DecidedChange]:
    """What was in force and followed, as far as the run tells."""
    out = _unfollowed(run)
    return [d for d in run.decision.in_force if d.id not in out]


def _unfollowed(run: Run) -> dict[str, tuple[DirectiveStatus, Reason]]:
    return {**_beaten(run), **_not_directed(run)}


def _beaten(run: Run) -> dict[str, tuple[DirectiveStatus, Reason]]:
    """Changes to properties that its program set otherwise."""
    found = {}
    for decided in run.decision.in_force:
        for action in beaten_properties(decided, run)[:1]:
            value = run.outcome.conf[action.target] if run.outcome else ""
            why = Reason(ReasonCode.OVERRULED, {"property": action.target, "value": value})
            found[decided.id] = DirectiveStatus.HELD, _not_followed(DirectiveStatus.HELD, run, "", why)
    return found


def _not_directed(run: Run) -> dict[str, tuple[DirectiveStatus, Reason]]:
    in_force = [d for d in run.decision.in_force if d.change.is_on_joins]
    if run.outcome is None or not in_force:
        return {}
    whole = [q for q in run.outcome.queries if q.status is QueryStatus.SUCCEEDED]
    told = _told(run.outcome.queries, {d.id: d.change.query for d in in_force})
    ran = {query.fingerprint for query in whole} if run.outcome.agent_missing else set()
    if not told and not ran:
        return {}
    return {d.id: why for d in in_force if (why := _why_not(run, d, told.get(d.id, ()), ran))}


def _told(queries: Sequence[Query], owners: Mapping[str, str | None]) -> dict[str, list[DirectiveResult]]:
    """What became of each action: in its own query where that ran, else in those that the agent took for it."""
    own: dict[str, list[DirectiveResult]] = {}
    others: dict[str, list[DirectiveResult]] = {}
    for query in queries:
        for outcome in query.directives:
            # A query that did not come to its end may not have had what it was given, but ran without what was held.
            if query.status is QueryStatus.SUCCEEDED or outcome.status is DirectiveStatus.HELD:
                found = own if owners.get(outcome.action_id) == query.fingerprint else others
                found.setdefault(outcome.action_id, []).append(outcome)
    return others | own


def _why_not(
    run: Run, decided: DecidedChange, told: Sequence[DirectiveResult], ran: Collection[str]
) -> tuple[DirectiveStatus, Reason] | None:
    """`ran` are queries that came to their end though the agent did not load."""
    if told:
        return _not_applied(told, run)
    if decided.change.query in ran:
        # Of that run alone: why_no_agent leaves the agent out of the next ones.
        return DirectiveStatus.HELD, _not_followed(DirectiveStatus.HELD, run, NOT_LOADED)
    return None


def _not_applied(told: Sequence[DirectiveResult], run: Run) -> tuple[DirectiveStatus, Reason] | None:
    if any(outcome.status is DirectiveStatus.APPLIED for outcome in told):
        return None
    first = next((o for o in told if o.status is DirectiveStatus.HELD), told[0])
    return first.status, _not_followed(first.status, run, first.reason, first.held)


def _not_followed(status: DirectiveStatus, run: Run, why: str, held: Reason | None = None) -> Reason:
    """`why` is what the log says, where that is no reason with numbers."""
    numbers = {"status": status.value, "run": run.key, "why": "" if held else why}
    return Reason(ReasonCode.NOT_FOLLOWED, numbers, (held,) if held else ())
