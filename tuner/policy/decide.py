"""The decision for one run, from what is advised, what history says and what people said."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from tuner.model.decision import DecidedChange, Decision, Standing
from tuner.model.reason import Number, Reason, ReasonCode
from tuner.model.run import Run, RunState, are_two_tries
from tuner.model.verdict import Ruling
from tuner.policy.changes_in_effect import changes_in_effect
from tuner.policy.decided_advice import decided_advice
from tuner.policy.end_of_run import began_after
from tuner.policy.failed_run import FailedRun, waits_for_a_run_without
from tuner.policy.failed_without import failed_without
from tuner.policy.idle_runs import last_read_at, read_nothing
from tuner.policy.instances import runs_of_its_queries
from tuner.policy.ledger import read_ledger
from tuner.policy.long_away import not_long_away
from tuner.policy.measured_values import measured_values
from tuner.policy.rules.conflicts import conflicts
from tuner.policy.rules.kept_by_checkpoint import kept_by_checkpoint
from tuner.policy.rules.left_to_people import left_to_people
from tuner.policy.rules.mode import mode
from tuner.policy.rules.needed_change import needed_change
from tuner.policy.rules.new_context import new_context
from tuner.policy.rules.not_deterministic import not_deterministic
from tuner.policy.rules.of_other_instances import of_other_instances
from tuner.policy.rules.of_other_values import of_other_values
from tuner.policy.rules.on_trial_in_another_run import on_trial_in_another_run
from tuner.policy.rules.one_property_a_query import one_property_a_query
from tuner.policy.rules.overruled import overruled
from tuner.policy.rules.oversized import oversized
from tuner.policy.rules.proven_on_retry import proven_on_retry
from tuner.policy.rules.reorder_first import reorder_first
from tuner.policy.rules.undirectable import undirectable
from tuner.policy.rules.unmeasurable import unmeasurable
from tuner.policy.rules.worse_on_other_days import worse_on_other_days
from tuner.policy.situation import Situation
from tuner.policy.suspects import was_refused

Rule = Callable[[Situation, Sequence[DecidedChange]], list[DecidedChange]]

# What becomes of the changes that are wanted, in this order: each rule sees what those before it left in force.
RULES: tuple[Rule, ...] = (
    of_other_instances,
    measured_values,
    of_other_values,
    left_to_people,
    undirectable,
    worse_on_other_days,
    mode,
    not_deterministic,
    kept_by_checkpoint,
    overruled,
    oversized,
    unmeasurable,
    on_trial_in_another_run,
    proven_on_retry,
    reorder_first,
    one_property_a_query,
    needed_change,
    conflicts,
    new_context,
)


def decide(situation: Situation) -> Decision:
    """Which changes the next run carries, each with its standing and why. A pure function."""
    found = Decision(
        situation.mode,
        (),
        objective=situation.objective,
        last_read_at=last_read_at(runs_of_its_queries(situation.runs, situation.instance)),
    )
    if unsteered := _unsteered(situation):
        return replace(found, unsteered=unsteered)
    records = read_ledger(situation.runs, situation.verdicts, situation.context, situation.of_others, situation.now)
    wanted = [*not_long_away(situation, records.values()), *decided_advice(situation, records)]
    return replace(found, changes=tuple(ruled(situation, wanted)))


def ruled(situation: Situation, wanted: Iterable[DecidedChange]) -> list[DecidedChange]:
    """Each change once, the later of two, as the rules leave it."""
    changes = list({decided.id: decided for decided in wanted}.values())
    for rule in RULES:
        changes = rule(situation, changes)
    return changes


def _unsteered(situation: Situation) -> Reason | None:
    """Why the run is not steered, whatever is known; None where it may be."""
    if situation.try_number > 1 and situation.earlier_try_failed:
        return Reason(ReasonCode.RETRY_AFTER_FAILURE, {"try_number": situation.try_number})
    if not situation.runs:
        return Reason(ReasonCode.FIRST_RUN)
    if not any(run.outcome for run in situation.runs):
        return Reason(ReasonCode.NOTHING_HARVESTED)
    if suspect := _suspect(situation):
        numbers: dict[str, Number] = {"run": suspect.key, "changes": len(suspect.decision.in_force)}
        return Reason(ReasonCode.CHANGES_SUSPECTED, numbers)
    return None


def _suspect(situation: Situation) -> Run | None:
    """The latest run that failed, or a query of it, if none that tells began since it ended, and only one without its changes
    tells if one made that. What a person has ruled on needs no such run."""
    told: Run | None = None
    for position, run in reversed(list(enumerate(situation.runs))):
        if told is not None and began_after(told, run):
            continue
        earlier = situation.runs[:position]
        untold = run.state in (RunState.RUNNING, RunState.LOST) or read_nothing(run, earlier)
        if untold or FailedRun(run, earlier).from_outside:
            continue
        tries = situation.try_number <= 1 or situation.may_try_again
        has_trials = tries and any(d.standing is Standing.TRIAL for d in run.decision.in_force)
        if failed_without(run, earlier) and not has_trials:
            return None  # The next run is with what this one was without, as those were that succeeded.
        accused = [d for d in changes_in_effect(run) if not _is_ruled(situation, d)]
        if waits_for_a_run_without(run, earlier, accused):
            return run
        told = told or run
    return None


def _is_ruled(situation: Situation, decided: DecidedChange) -> bool:
    verdict = situation.verdict(decided.change)
    return verdict is not None and verdict.ruling is not Ruling.APPROVE


def failed_with_changes(runs: Iterable[Run], key: str) -> bool:
    """Whether an earlier try of the run that `key` is a try of (its last part) carried changes and did not succeed, and was
    not merely refused what it asked of others, which no change can make, nor without what had been in force when others
    succeeded: that is in force again. One that its task saw succeed may still wait for its log."""
    tries = (r for r in runs if are_two_tries(r.key, key) and not r.was_seen_to_succeed)
    steered = (r for r in tries if r.decision.in_force or r.decision.lent)
    return any(r.state is not RunState.SUCCEEDED and not was_refused(r) and not failed_without(r) for r in steered)
